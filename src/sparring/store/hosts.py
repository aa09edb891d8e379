"""Root of a project, and the directory in it that keeps our state.

Looks at the disk but makes nothing there, and starts no process: git is recognised by its ``.git``.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from sparring.errors import SettingsError
from sparring.formats.registry import FORMATS
from sparring.settings import Settings
from sparring.store.provenance import NO_PROVENANCE, Provenance

STATE_VARIABLE = "AI_STATE_DIR"

DEFAULT_FOLDER = ".sparring"

OTHER_FOLDERS = ("batch",)
"""Folders in a state folder other than those of formats."""


class Host(Struct, frozen=True):
    """A program that this one may run inside.

    Attributes:
        client: Its name as an MCP client.
        variable: A variable that it sets for the programs it starts.
        folder: Its folder in a project.
        project_variable: The variable with the open project; empty if it has none.
    """

    client: str
    variable: str
    folder: str
    project_variable: str = ""


# The order decides when one host runs inside another, or when several folders exist. Clients' names and variables are
# those of claude 2.1.329, opencode 1.18.33, codex 0.169.0, gemini 0.61.0 and copilot 1.0.102, and for Antigravity CLI
# those of public reports. Copilot keeps its project files in .github, but nearly every repository has that folder for
# other reasons, and it is not private; .copilot is its own name for its folder in the user's home.
HOSTS = (
    Host("claude-code", "CLAUDECODE", ".claude", "CLAUDE_PROJECT_DIR"),
    Host("opencode", "OPENCODE", ".opencode"),
    Host("codex-mcp-client", "CODEX_THREAD_ID", ".codex"),
    Host("gemini-cli-mcp-client", "GEMINI_CLI", ".gemini"),
    Host("copilot-cli", "COPILOT_AGENT_SESSION_ID", ".copilot"),
    Host("antigravity-client", "ANTIGRAVITY_AGENT", ".gemini"),
)


def project_root(cwd: Path, environment: Mapping[str, str]) -> Path:
    """Return the project of ``cwd``: the project open in the host, else the git top level, else ``cwd`` itself.

    The host's variable counts only if its project contains ``cwd``: every shell below the host inherits the variable,
    and a user who changes into another project there means that one.
    """
    start = cwd.resolve()
    lineage = (start, *start.parents)
    for host in HOSTS:
        named = environment.get(host.project_variable, "")
        if named and Path(named).is_absolute() and Path(named).resolve() in lineage:
            return Path(named).resolve()
    return next((folder for folder in lineage if _exists(folder / ".git")), start)


def state_root(project: Path, environment: Mapping[str, str], *, client: str | None = None) -> Path:
    """Return the state directory of ``project``; it need not exist.

    The user's setting comes first, then the host by its MCP client name, then the host whose shell started this
    process, then the existing state folder, then the host whose folder exists. So a folder of another host
    that appears in the project moves nothing. A link that points outside the project is skipped: a cloned
    repository may contain one, and would choose what is read and written. A user can name such a place explicitly.

    Args:
        project: As ``project_root`` returns it.
        environment: Of this process.
        client: The MCP client's name, if there is one.

    Raises:
        SettingsError: ``AI_STATE_DIR`` names a home directory that does not exist, or a link of the project that leads
            out of it; or every possible folder is such a link.
    """
    if chosen := environment.get(STATE_VARIABLE, "").strip():
        return _as_chosen(project / _expanded(chosen, environment), project)
    folders = [host.folder for host in HOSTS]
    signs = (
        *(host.folder for host in HOSTS if host.client == client),
        *(host.folder for host in HOSTS if environment.get(host.variable)),
        *(folder for folder in (DEFAULT_FOLDER, *folders) if _is_in_use(project / folder)),
        *(folder for folder in folders if _exists(project / folder)),
        DEFAULT_FOLDER,
    )
    state = next((project / sign for sign in signs if not _leads_out(project / sign, project)), None)
    if state is None:
        raise _led_out(project / DEFAULT_FOLDER)
    return state


def _is_in_use(state: Path) -> bool:
    """Return whether ``state`` has records of ours, or may have, because no other program has such a folder."""
    return any(_exists(state / name) for name in (*FORMATS, *OTHER_FOLDERS)) or (
        state.name == DEFAULT_FOLDER and state.is_dir()
    )


def _as_chosen(state: Path, project: Path) -> Path:
    """Return ``state``, which may lie anywhere, but only where its name leads."""
    if Path(os.path.normpath(state)).is_relative_to(project) and _leads_out(state, project):
        raise _led_out(state)
    return state


def _leads_out(folder: Path, project: Path) -> bool:
    """Return whether a link is in ``folder``, a name in the project, that leads out of it or nowhere."""
    try:
        return not folder.resolve().is_relative_to(project.resolve())
    except (OSError, RuntimeError):  # RuntimeError: links in a circle, before Python 3.13
        return True


def _led_out(folder: Path) -> SettingsError:
    hint = f"Remove the link, or set {STATE_VARIABLE} to the absolute path of the intended folder."
    return SettingsError(f"The state folder {folder} is a link that points outside the project.", hint=hint)


def _expanded(chosen: str, environment: Mapping[str, str]) -> Path:
    home, rest = environment.get("HOME", ""), Path(chosen).parts
    if home and rest[:1] == ("~",):
        return Path(home, *rest[1:])
    try:
        return Path(chosen).expanduser()
    except RuntimeError as error:
        raise SettingsError(f"{STATE_VARIABLE} is {chosen!r}, but that home directory is not known.") from error


def _exists(path: Path) -> bool:
    # Path.exists raises for a folder above us that may not be searched; such a folder simply holds nothing for us.
    return os.access(path, os.F_OK)


class Place(Struct, frozen=True):
    """The project root with its state directories.

    Attributes:
        state: The state directory (``AI_STATE_DIR``) of new runs.
        others: Existing ones of other hosts, and our own: their runs are the project's as well.
        provenance: Distinguishes records of this user from those that came with the project.
    """

    project: Path
    state: Path
    others: tuple[Path, ...] = ()
    provenance: Provenance = NO_PROVENANCE

    @classmethod
    def find(cls, settings: Settings, client: str | None) -> "Place":
        """Return the place for this process; ``client`` is the name of the MCP client, if there is one."""
        project = project_root(settings.cwd, settings.environment)
        state = state_root(project, settings.environment, client=client)
        folders = (project / name for name in dict.fromkeys((DEFAULT_FOLDER, *(host.folder for host in HOSTS))))
        others = (folder for folder in folders if folder != state and folder.is_dir())
        safe = tuple(folder for folder in others if not _leads_out(folder, project))
        return cls(project, state, safe, Provenance.of(settings, project))

    @property
    def states(self) -> tuple[Path, ...]:
        """Every state directory, that of new runs first."""
        return (self.state, *self.others)

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Folders that contain only records of ours: no tool that reads the project may see them.

        A host's folder contains other files as well, and so does one that contains the project.
        """
        of_hosts = {host.folder for host in HOSTS}
        shared = [state for state in self.states if state.name in of_hosts or self.project.is_relative_to(state)]
        whole = tuple(state for state in self.states if state not in shared)
        return (*whole, *(state / name for state in shared for name in (*FORMATS, *OTHER_FOLDERS)))

    def state_of(self, run: Path) -> Path:
        """The state directory in which the folder of a run lies."""
        return next((state for state in self.states if run.is_relative_to(state)), self.state)
