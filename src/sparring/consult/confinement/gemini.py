"""A home of its own for Gemini CLI, with nothing in it but the user's login and choice of model.

Gemini CLI starts what it finds in the user's folder (MCP servers, hooks, extensions, agents) and, where it trusts the
folder that it is started in, in that folder, whose files can also choose the endpoint and the key. Settings that
outweigh both would have to lie where nobody but their owner can write, up to the root, and some things no setting
switches off, such as a project's ``GEMINI.md`` (0.61.0). So it gets another folder for its own, is started in an empty
one, trusts none, and is told of the project as of a further folder.

The login stays the user's: files that hold it are links to theirs, through which Gemini CLI also renews it.
"""

import json
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from sparring.consult.process import home_folder

_FOLDER = ".gemini"
_SESSIONS = "tmp"
_LOGIN = ("gemini-credentials.json", "google_accounts.json", "installation_id", "oauth_creds.json")


@dataclass(frozen=True)
class GeminiHome:
    """What goes into the folder.

    Attributes:
        users: The user's own folder of Gemini CLI.
        sessions: Where sessions are kept that are to be continued, each in a folder of its own: whoever may read the
            project may read what lies beside the session as well.
        work: A folder to start it in; always the same one, since a session belongs to where it was held. Whatever words
            of a prompt could name in it is ignored there, and so is not looked for in the project.
        settings: The settings that it finds.
        policies: Its rules of what the tools may do, if it has any.
        session_id: The session that is continued.
        keeps_session: Whether what is said is to be found in ``sessions`` afterwards.
    """

    users: Path
    sessions: Path
    work: Path
    settings: Mapping[str, JsonValue]
    policies: str = ""
    session_id: str | None = None
    keeps_session: bool = False


@dataclass(frozen=True)
class Furnished:
    """The folder as Gemini CLI is told of it."""

    variables: dict[str, str]
    arguments: tuple[str, ...]


def gemini_folder(environment: Mapping[str, str], project: Path) -> Path:
    """Where the user's Gemini CLI keeps its configuration, when it is started in ``project``."""
    return project / (environment.get("GEMINI_CLI_HOME") or home_folder(environment)) / _FOLDER


def furnish_gemini(folder: Path, home: GeminiHome) -> Furnished:
    """Fill the empty ``folder`` as ``home`` says.

    Raises:
        OSError: Something cannot be linked or written.
    """
    own, temporary = folder / _FOLDER, folder / "temporary"
    own.mkdir()
    temporary.mkdir()
    home.work.mkdir(mode=0o700, parents=True, exist_ok=True)
    ignored = temporary / "ignored"
    ignored.write_text("*\n", encoding="utf-8")
    ignored.replace(home.work / ".geminiignore")  # whole at once: others may be starting there
    for name in _LOGIN:
        if (home.users / name).is_file():
            (own / name).symlink_to(home.users / name)
    (own / "settings.json").write_text(json.dumps(home.settings), encoding="utf-8")
    if home.policies:
        (own / "policies").mkdir()
        (own / "policies" / "sparring.toml").write_text(home.policies, encoding="utf-8")
    variables = {
        "GEMINI_CLI_HOME": str(folder),
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(folder / "none.json"),
        "TMPDIR": str(temporary),  # where it writes reports of errors, with all that was said
    }
    return Furnished(variables, _place_sessions(own / _SESSIONS, home))


def _place_sessions(place: Path, home: GeminiHome) -> tuple[str, ...]:
    """Put the session where Gemini CLI looks for it; the arguments that name a new one which is to be kept."""
    session = home.session_id or str(uuid.uuid4())
    kept = home.sessions / session
    if home.session_id is not None and not kept.is_dir():
        return ()  # it will say itself that there is none
    if home.keeps_session:
        kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.symlink_to(kept, target_is_directory=True)
        return () if home.session_id is not None else (f"--session-id={session}",)
    if home.session_id is not None:
        shutil.copytree(kept, place, symlinks=True)  # it may add to the copy
    return ()
