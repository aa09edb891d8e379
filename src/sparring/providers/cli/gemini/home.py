"""What goes into the home that Gemini CLI gets: the user's login, settings and rules of ours, and a session.

It gives up a request whose answer does not begin within a minute, and has no setting for that, only a flag that Google
sets for those who are signed in there (0.61.0). For all others the flag is put into a file beside the settings.
"""

import json
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from sparring.providers.cli.confinement import Confinement, kept_sessions
from sparring.providers.cli.process import home_folder

_FOLDER = ".gemini"
_SESSIONS = "tmp"
_PATIENCE = 45773134
"""The flag that says how long a request may take until its answer begins, in seconds."""

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
        variables: The variables of the user's that it needs.
        preamble: Put before the prompt.
        policies: Its rules of what the tools may do, if it has any.
        patience_s: How long it waits for the beginning of an answer; None leaves that to Google.
        session_id: The session that is continued.
        keeps_session: Whether what is said is to be found in ``sessions`` afterwards.
    """

    users: Path
    sessions: Path
    work: Path
    settings: Mapping[str, JsonValue]
    variables: dict[str, str] = field(default_factory=dict[str, str])
    preamble: str = ""
    policies: str = ""
    patience_s: int | None = None
    session_id: str | None = None
    keeps_session: bool = False


def gemini_folder(environment: Mapping[str, str], project: Path) -> Path:
    """Where the user's Gemini CLI keeps its configuration, when it is started in ``project``."""
    return project / (environment.get("GEMINI_CLI_HOME") or home_folder(environment)) / _FOLDER


def furnish(folder: Path, home: GeminiHome) -> Confinement:
    """Fill the empty ``folder`` as ``home`` says; what Gemini CLI is told of it.

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
    variables = home.variables | {
        "GEMINI_CLI_HOME": str(folder),
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(folder / "none.json"),
        "TMPDIR": str(temporary),  # where it writes reports of errors, with all that was said
    }
    if home.patience_s is not None:
        flags = {"flags": [{"flagId": _PATIENCE, "intValue": str(home.patience_s)}], "experimentIds": []}
        (folder / "flags.json").write_text(json.dumps(flags), encoding="utf-8")
        variables["GEMINI_EXP"] = str(folder / "flags.json")
    arguments = _place_sessions(own / _SESSIONS, home)
    return Confinement(arguments=arguments, variables=variables, cwd=home.work, preamble=home.preamble)


def _place_sessions(place: Path, home: GeminiHome) -> tuple[str, ...]:
    """Put the session where Gemini CLI looks for it; the arguments that name a new one which is to be kept."""
    session = home.session_id or str(uuid.uuid4())
    kept = home.sessions / session
    if home.session_id is not None and not kept.is_dir():
        return ()  # it will say itself that there is none
    if home.keeps_session:
        kept_sessions(home.sessions)
        kept.mkdir(mode=0o700, exist_ok=True)
        place.symlink_to(kept, target_is_directory=True)
        return () if home.session_id is not None else (f"--session-id={session}",)
    if home.session_id is not None:
        shutil.copytree(kept, place, symlinks=True)  # it may add to the copy
    return ()
