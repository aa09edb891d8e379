"""Restriction of OpenCode to answering.

No flag switches off the user's servers, plugins, agents, instructions and commands. So it is started in an
empty folder, which is its configuration folder as well, and gets an agent of ours and the user's settings of models
through its environment. Logins lie elsewhere and stay where they are.

It is never started in the project, not even when it may read it. Against all switches, a part of
it looks for `.opencode` and `opencode.json` from there upwards, and runs the plugins that they name; only in its own
configuration folder it does not. Besides, it would look for instructions next to each file that is read, and a session
could not be continued from another folder (all 1.18.33).

Of a user's configuration, only models, their endpoints and their keys are passed on. Everything else would
start something or be put before the model, and could not be switched off by name alone: lists of instructions
are added up, and remote settings are not known beforehand. So OpenCode gets an empty configuration folder, and of
the user's files only the settings named in this module. The project's files are never read.

Nothing of it is written to a file: it travels in the environment of this one process. References to
variables and files (``{env:NAME}``, ``{file:PATH}``) stay references, and OpenCode itself follows them.

Its permission rules limit what it may read in a project: of several that match, the last one counts. It
gets one tool, ``read``, which also lists folders. The others cannot be confined by path: rules for ``grep`` and
``glob`` match the words of the search, and both follow a link that is their target (1.18.33). ``read`` follows links
as well and its rules match the path before that, so a rule names each link that leads outside.
"""

import itertools
import json
import os
import re
import secrets
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from msgspec import Struct
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.processes.children import home_folder
from sparring.prompts import PromptLibrary
from sparring.providers.cli import confinement
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import QuestionTerms
from sparring.schema.providers import ProgramProvider
from sparring.text.jsonc import merged, parse_jsonc
from sparring.text.secret_shapes import may_hold_secrets

MANAGED_FOLDER = Path(
    {
        "darwin": "/Library/Application Support/opencode",
        "win32": os.path.expandvars(r"%ProgramData%\opencode"),
    }.get(sys.platform, "/etc/opencode")
)
"""Settings of the administrator, which override all others in OpenCode (1.18.33)."""

_PASSED_ON = ("provider", "model", "small_model", "enabled_providers", "disabled_providers")
_NAMES = ("opencode.json", "opencode.jsonc")
_VARIABLE = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_FILE = re.compile(r"\{file:([^}]+)\}")


class OpencodeConfig(Struct, frozen=True):
    """Settings and variables that are passed on.

    Attributes:
        settings: The user's own settings of models and their providers.
        variables: Environment variables that these refer to.
        servers: Names of all MCP servers that any of the user's files names.
    """

    settings: Mapping[str, JsonValue]
    variables: frozenset[str]
    servers: tuple[str, ...]


def read_opencode_config(
    environment: Mapping[str, str], project: Path, *, managed: Path = MANAGED_FOLDER
) -> OpencodeConfig:
    """Read the user's configuration, in OpenCode's order of precedence.

    Raises:
        ConfigurationError: A file cannot be parsed, or settings that cannot be omitted would start servers.
    """
    home = home_folder(environment)
    _refuse_remote_settings(environment, home)
    _refuse_managed_servers(managed)
    settings: dict[str, JsonValue] = {}
    servers: dict[str, None] = {}
    for layer in _layers(environment, home, project):
        servers |= dict.fromkeys(_servers(layer))
        settings = merged(settings, {name: layer[name] for name in _PASSED_ON if name in layer})
    names = frozenset(_VARIABLE.findall(json.dumps(settings, ensure_ascii=False)))
    return OpencodeConfig(settings, names, tuple(servers))


def _layers(environment: Mapping[str, str], home: Path, project: Path) -> Iterator[dict[str, JsonValue]]:
    user = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    files = [user / name for name in ("config.json", *_NAMES)]
    if own_file := environment.get("OPENCODE_CONFIG"):
        files.append(project / own_file)  # a relative one starts where OpenCode starts
    files += [home / ".opencode" / name for name in _NAMES]
    if own_folder := environment.get("OPENCODE_CONFIG_DIR"):
        files += [project / own_folder / name for name in _NAMES]
    for file in files:
        yield _read(file)
    if content := environment.get("OPENCODE_CONFIG_CONTENT"):
        yield _understood(content, "OPENCODE_CONFIG_CONTENT", project)


def _refuse_remote_settings(environment: Mapping[str, str], home: Path) -> None:
    # After `opencode auth login URL`, settings are fetched from there, with lower precedence: servers by any name.
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    content = environment.get("OPENCODE_AUTH_CONTENT")
    logins = _understood(content, "OPENCODE_AUTH_CONTENT", data) if content else _read(data / "auth.json")
    for place, login in logins.items():
        if isinstance(login, dict) and login.get("type") == "wellknown":
            raise ConfigurationError(
                f"opencode is signed in to {place}, whose remote settings could start servers. It can be asked after "
                f"`opencode auth logout`."
            )


def _refuse_managed_servers(managed: Path) -> None:
    for name in _NAMES:
        if servers := _servers(_read(managed / name)):
            raise ConfigurationError(
                f"{managed / name} has opencode start {', '.join(servers)}, which only the administrator can "
                f"switch off."
            )


def _servers(config: Mapping[str, JsonValue]) -> list[str]:
    servers = config.get("mcp")
    if not isinstance(servers, dict):
        return []
    nested = servers.get("servers")  # the next major version's form, which this one reads as well
    named = {**servers, **(nested if isinstance(nested, dict) else {})}
    off = {"enabled": False, "disabled": True}
    return [
        name
        for name, server in named.items()
        if isinstance(server, dict) and all(server.get(word) is not value for word, value in off.items())
    ]


def _read(file: Path) -> dict[str, JsonValue]:
    try:
        return _understood((confinement.users_file(file) or b"").decode(), file, file.parent)
    except UnicodeDecodeError as error:
        _refuse(file, error)


def _understood(text: str, source: Path | str, folder: Path) -> dict[str, JsonValue]:
    """Parse a configuration, with the files it refers to as absolute paths, since it is read from elsewhere."""
    absolute = _FILE.sub(lambda match: f"{{file:{_absolute(match[1], folder)}}}", text)
    try:
        config = parse_jsonc(absolute)
    except ValueError as error:
        _refuse(source, error)
    if config is None:
        return {}
    if not isinstance(config, dict):
        _refuse(source, None)
    return config


def _absolute(path: str, folder: Path) -> str:
    if path.startswith("~/") or Path(path).is_absolute():
        return path
    return json.dumps(str(folder / path), ensure_ascii=False)[1:-1]


def _refuse(source: Path | str, error: ValueError | None) -> NoReturn:
    reason = "cannot be parsed, so what it would start cannot be left out."
    raise ConfigurationError(f"{source} {reason}") from error


Rules = dict[str, str | dict[str, str]]

NOTHING: Rules = {"*": "deny"}
"""Permissions to answer only."""


def reading_rules(project: Path, worktree: Path, closed: Iterable[str] = (), *, ignores_case: bool = False) -> Rules:
    """Return the permissions to read ``project`` without ``closed``; its own path must contain no links.

    ``worktree`` is the folder to which OpenCode's paths in rules are relative. ``ignores_case`` states whether the file
    system there ignores the case of names.

    Raises:
        ConfigurationError: The project is too large to be scanned, or its path cannot be written as a rule.
    """
    if {"*", "?"} & set(str(project)):
        raise ConfigurationError(f"opencode cannot be restricted to {project}: its path contains a `*` or a `?`.")
    # OpenCode's spelling: the root of its working tree is an empty path.
    root = "" if project == worktree else os.path.relpath(project, worktree).replace(os.sep, "/")
    below = f"{root}/" if root else ""
    reading = {"*": "deny", root: "allow", f"{below}*": "allow"}
    reading |= dict.fromkeys(_secrets(below), "deny")
    doors = [*closed, *_links_into_project(project, secrets=ignores_case)]
    reading |= dict.fromkeys(_exceptions(doors, below, ignores_case=ignores_case), "deny")
    inside = str(project).replace(os.sep, "/")
    return {**NOTHING, "read": reading, "external_directory": {"*": "deny", f"{inside}/*": "allow"}}


def _secrets(below: str) -> Iterator[str]:
    # Rules know no letters in either case, so names are denied in the usual spellings. On a system where case does not
    # matter, the secrets that are really there are denied in any (see below).
    places = ("*/",) if below else ("", "*/")
    for place, name in itertools.product(
        places, (*confinement.FILES, *confinement.FOLDERS, *(f"{folder}/*" for folder in confinement.FOLDERS))
    ):
        yield from (place + spelling for spelling in (name, name.upper(), name.title()))


def _exceptions(doors: list[str], below: str, *, ignores_case: bool) -> Iterator[str]:
    for path in doors:
        pattern = "".join(map(_path_spellings, path)) if ignores_case else path
        # JavaScript sorts keys that look like numbers before all others, where such a rule would have no effect.
        pattern = below + ("?" * len(pattern) if pattern.isdecimal() else pattern)
        yield from (pattern, f"{pattern}/*")


def _path_spellings(letter: str) -> str:
    # What ignores case often ignores how accents are written, too, and then one letter may be several.
    return ("?" if letter.isalpha() else letter) if letter.isascii() else "*"


def _links_into_project(project: Path, *, secrets: bool) -> list[str]:
    """The paths in the project that lead out of it or to a secret under another name; with ``secrets`` these, too."""
    escaping: list[str] = []
    for folder, folders, files in confinement.walk_folder(project, "opencode"):
        # A folder has more than one path as soon as a link leads to it, wherever it lies.
        escaping += [path for name in folders if (project / (path := _path(project, folder, name))).is_symlink()]
        paths = (_path(project, folder, name) for name in files)
        escaping += [path for path in paths if _leads_away(project, path) or (secrets and may_hold_secrets(path))]
    return confinement.few(escaping)


def _path(project: Path, folder: str, name: str) -> str:
    return os.path.relpath(Path(folder, name), project).replace(os.sep, "/")


def _leads_away(project: Path, path: str) -> bool:
    if not (project / path).is_symlink():
        return False
    target = Path(os.path.realpath(project / path))
    return not target.is_relative_to(project) or may_hold_secrets(target.relative_to(project).as_posix())


AGENT = "sparring"
"""Name of our agent, which ``argv`` asks for."""

VARIABLE_LIMIT = 120_000
"""Most bytes of an environment variable; Linux takes 128 KiB with its name."""

_REFERENCE = re.compile(r"\{(?=env:|file:)")


def confine(
    spec: ProgramProvider, terms: QuestionTerms, surroundings: confinement.Surroundings, own: confinement.MakeOwn
) -> confinement.Addition:
    """The folders and the settings for ``terms``.

    Raises:
        ConfigurationError: The user's configuration cannot be parsed or left out, or is too large to be passed on.
        OSError: The folders cannot be made.
    """
    del spec
    private_dir, reading = surroundings.private_dir, terms.repo_access is RepoAccess.READ
    config = read_opencode_config(surroundings.environment, surroundings.project)
    # It compares paths by their letters, and knows its working directory by the one without links.
    private = private_dir.resolve() / "opencode"
    empty = private / "opencode"  # by this name it finds its configuration
    for folder in (private_dir, private, empty):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    project = surroundings.project.resolve()
    rules = _reading(project, empty, surroundings.closed_inside()) if reading else NOTHING
    database = _session_database(private, terms)
    if database and not terms.keep_session:
        database = _copied(database, own())  # it adds to the copy
    variables = {
        "OPENCODE_CONFIG_CONTENT": _content(
            config.settings, _own_settings(project, rules, config.servers, reading=reading)
        ),
        "OPENCODE_PERMISSION": json.dumps(rules),
        "OPENCODE_DB": str(database or ":memory:"),
        # The folder `.opencode` is looked for here. Logins are found by HOME, which stays as it is.
        "OPENCODE_TEST_HOME": str(empty),
        "XDG_CONFIG_HOME": str(private),
    }
    _refuse_oversized(variables)
    return confinement.Addition(variables=variables, passed_on=config.variables, cwd=empty)


def _copied(database: Path, folder: Path) -> Path:
    for file in database.parent.glob(f"{database.name}*"):
        shutil.copyfile(file, folder / file.name)
    return folder / database.name


_SESSION = "session.db"


def _session_database(folder: Path, terms: QuestionTerms) -> Path | None:
    """Return the database of the session of ``terms``; None where there is none, or need not be.

    Each session has its own, because a common one would only ever grow. OpenCode names a session after its
    start, so it is found by looking into the databases.

    Raises:
        OSError: The folder of sessions cannot be made.
    """
    if not (terms.keep_session or terms.session_id):
        return None
    kept = confinement.kept_sessions(folder / "sessions")
    if (session_id := terms.session_id) is not None:
        return next((file for file in kept.glob(f"*/{_SESSION}") if _holds(file, session_id)), None)
    own = kept / secrets.token_hex(8)
    own.mkdir(mode=0o700)
    return own / _SESSION


def _holds(database: Path, session_id: str) -> bool:
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as sessions:
            return sessions.execute("SELECT 1 FROM session WHERE id = ?", (session_id,)).fetchone() is not None
    except sqlite3.Error:  # broken off while it was made, or of a version that keeps them elsewhere
        return False


def _reading(project: Path, cwd: Path, closed: list[str]) -> Rules:
    ignores_case = Path(str(project).swapcase()).exists()
    return reading_rules(project, _worktree(cwd), closed, ignores_case=ignores_case)


def _own_settings(project: Path, rules: Rules, servers: tuple[str, ...], *, reading: bool) -> dict[str, object]:
    prompts = PromptLibrary()
    prompt = (
        prompts.render("opencode/agent#reading", {"project": str(project)})
        if reading
        else prompts.render("opencode/agent#answering", {})
    )
    return {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "formatter": False,
        "lsp": False,
        "share": "disabled",
        "snapshot": False,
        "agent": {
            AGENT: {"mode": "primary", "prompt": prompt.strip(), "permission": rules},
            "title": {"disable": True},  # else `opencode acp` sends every question to a second, smaller model as well
        },
        # None of them should be there. Should a version look for them where they are after all, it finds them off.
        "mcp": {name: {"enabled": False} for name in servers},
    }


def _content(users: Mapping[str, object], ours: Mapping[str, object]) -> str:
    """Merge two objects. Text that looks like a reference is one in the user's settings only."""
    written = _REFERENCE.sub(r"\\u007b", json.dumps(ours))
    return f"{json.dumps(users, ensure_ascii=False)[:-1]},{written[1:]}" if users else written


def _worktree(folder: Path) -> Path:
    """Return the root that OpenCode takes for its work in ``folder``: that of a repository, or the file system's."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), Path(folder.anchor))


def _refuse_oversized(variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        try:
            size = len(value.encode())
        except UnicodeEncodeError as error:
            raise ConfigurationError("The configuration of opencode contains invalid Unicode.") from error
        if size > VARIABLE_LIMIT:
            what = "configuration" if name == "OPENCODE_CONFIG_CONTENT" else "list of what it must not read"
            raise ConfigurationError(f"The {what} that opencode would be given is too long to be passed on.")
