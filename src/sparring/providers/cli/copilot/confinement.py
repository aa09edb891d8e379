"""A separate home for Copilot CLI, with nothing in it but the user's login and choice of model.

Copilot starts what it finds in the user's folder (MCP servers, hooks, extensions, plugins), in the folder where it is
started when the user trusts that, and in the repository around it; a file there can also choose the model or keep it
from answering. It has a flag against some of this and none against hooks (1.0.102). So it gets a separate home
without any of that, and is started in an empty repository.

The login stays the user's: ``config.json`` is a link to theirs. Copilot replaces the link when it writes, so the
original is never changed, and the replacement is removed with the folder. The same file names the folders that the
user trusts. Copilot runs the hooks of a project that it may read when it trusts its working folder, even against
its settings for hooks; so the working folder must not lie in a trusted one.
"""

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.processes.children import home_folder
from sparring.providers.cli import confinement
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import QuestionTerms
from sparring.schema.providers import CliProvider, ProgramProvider

_LOGIN = "config.json"
_TRUST = ("trustedFolders", "trusted_folders")
_SETTINGS = "settings.json"
_SESSIONS = "session-state"
_INHERITED = (
    "autoTier", "contextTier", "copilotUrl", "effortLevel", "model", "proxyKerberosServicePrincipal", "proxyUrl",
    "storeTokenPlaintext",
)  # fmt: skip
"""Settings of the user that say which model is asked, and how it is reached."""

_ALWAYS: dict[str, JsonValue] = {
    "autoUpdate": False,
    "disableAllHooks": True,
    "ide": {"autoConnect": False},
    "memory": False,
}


def confine(
    spec: ProgramProvider, terms: QuestionTerms, surroundings: confinement.Surroundings, own: confinement.MakeOwn
) -> confinement.Addition:
    """Return the additions for ``terms``, with Copilot's own folder in place of the user's."""
    users, folder = users_folder(surroundings.environment, surroundings.project), own()
    if (users / _LOGIN).is_file():
        (folder / _LOGIN).symlink_to(users / _LOGIN)
    (folder / _SETTINGS).write_text(json.dumps(_settings(users / _SETTINGS)), encoding="utf-8")
    _place_sessions(folder / _SESSIONS, surroundings.private_dir / "copilot" / "sessions", terms)
    report = folder / "usage.json"
    confined = confinement.Addition(
        arguments=(f"--usage-output-file={report}",),
        variables={"COPILOT_HOME": str(folder)},
        cwd=confinement.empty_repository(folder / "empty"),
        report=report,
    )
    if terms.repo_access is not RepoAccess.READ:
        return confined
    _check_trust(folder, users / _LOGIN)
    note = spec.reading_note if isinstance(spec, CliProvider) else ""
    return _reading(confined, folder, note, surroundings)


def _reading(
    confined: confinement.Addition, folder: Path, note: str, surroundings: confinement.Surroundings
) -> confinement.Addition:
    """Return ``confined`` with the additions to read the project without its secrets."""
    project, closed, options = surroundings.project.resolve(), surroundings.closed_inside(), folder / "ripgreprc"
    options.write_text("\n".join(_search_options(closed)), encoding="utf-8")
    return replace(
        confined,
        arguments=(*confined.arguments, f"--add-dir={project}", *_denials(closed)),
        variables={**confined.variables, "RIPGREP_CONFIG_PATH": str(options)},
        preamble=note.replace("{project}", str(project)),
    )


def users_folder(environment: Mapping[str, str], project: Path) -> Path:
    """Return the folder of the user's Copilot configuration, when Copilot is started in ``project``."""
    home = home_folder(environment)
    return project / (environment.get("COPILOT_HOME") or home / ".copilot")


def _settings(file: Path) -> dict[str, JsonValue]:
    settings = confinement.users_table(file)
    return {name: settings[name] for name in _INHERITED if name in settings} | _ALWAYS


def _check_trust(folder: Path, login: Path) -> None:
    settings = confinement.users_table(login)
    each = (names if isinstance(names, list | dict) else [names] for names in map(settings.get, _TRUST) if names)
    named = [str(name) for names in each for name in names]
    if above := [name for name in named if _is_inside(folder, name)]:
        raise ConfigurationError(
            f"Copilot trusts {above[0]}, and so would run the project's hooks. Take it out of the trusted folders in "
            f"{login}, or ask without access to the repository."
        )


def _is_inside(folder: Path, trusted: str) -> bool:
    try:
        # As ``Path`` does it, an unknown user and a circle of links are errors.
        return folder.resolve().is_relative_to(os.path.realpath(os.path.expanduser(trusted)))  # noqa: PTH111
    except ValueError:  # a NUL, or half a character: no folder has such a name
        return False


def _place_sessions(place: Path, sessions: Path, terms: QuestionTerms) -> None:
    """Not among the user's own sessions: theirs may carry permissions."""
    if terms.keep_session:
        place.symlink_to(confinement.kept_sessions(sessions), target_is_directory=True)
    elif terms.session_id is not None and (kept := sessions / terms.session_id).is_dir():
        shutil.copytree(kept, place / terms.session_id, symlinks=True)  # it may add to the copy


def _denials(closed: Iterable[str]) -> Iterable[str]:
    yield from (f"--deny-tool=read({confinement.in_any_case(name)})" for name in confinement.FILES)
    yield from (f"--deny-tool=read({confinement.in_any_case(name)}/**)" for name in confinement.FOLDERS)
    yield from (f"--deny-tool=read(**/{confinement.in_any_case(folder)}/**)" for folder in closed)


def _search_options(closed: Iterable[str]) -> Iterable[str]:
    """Yield the options that make ripgrep find nothing in secrets.

    Copilot's rules see the folder of a search, not the files in it. A glob would not suffice, because
    the model may give one too, and the later one counts. So the content of secrets is replaced before the search.
    """
    yield f"--pre={shutil.which('true') or 'true'}"  # prints nothing; a program that is not there fails, and as well
    yield from (f"--pre-glob={confinement.in_any_case(name)}" for name in confinement.FILES)
    yield from (f"--pre-glob=**/{confinement.in_any_case(name)}/**" for name in (*confinement.FOLDERS, *closed))
