"""A separate home for Antigravity CLI, with rules and a hook that deny its tools.

No flag takes its tools away, and a web search is under none of its permissions (1.3.5, reported). So it gets a
home without any file of the user, an empty repository as its working folder, a rule against every action that has
one, and a hook that denies every call. A call that is made nevertheless shows in its output, and the answer is refused.

It is asked with an API key. Google forbids other programs to use an Antigravity login, and has suspended accounts for
it, so a login is used only where the user allows it by ``SPARRING_AGY_LOGIN=1``.
"""

import json
import shlex
import sys
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.processes.children import home_folder
from sparring.providers.cli import confinement
from sparring.providers.cli.agy.output import has_own_effort
from sparring.schema.consultation import QuestionTerms
from sparring.schema.providers import CliProvider, ProgramProvider

LOGIN_VARIABLE = "SPARRING_AGY_LOGIN"
_KEY_VARIABLE = "GEMINI_API_KEY"
_SETTINGS = Path(".gemini", "antigravity-cli", "settings.json")
_HOOKS = Path(".gemini", "config", "hooks.json")
_TOKEN = Path(".gemini", "antigravity-cli", "antigravity-oauth-token")
_KEYCHAIN = Path("Library", "Keychains", "login.keychain-db")
_ACTIONS = ("read_file", "write_file", "command", "unsandboxed", "read_url", "execute_url", "mcp")
_REASON = "Answer from the question alone."
_ALWAYS: dict[str, JsonValue] = {
    "toolPermission": "strict",
    "allowNonWorkspaceAccess": False,
    "enableTelemetry": False,
    "useG1Credits": False,
    "showFeedbackSurvey": False,
    "notifications": False,
    "trustedWorkspaces": [],
    "permissions": {"allow": [], "ask": [], "deny": [f"{action}(*)" for action in _ACTIONS]},
}
# Reports differ on the form in which a hook refuses; all three are used.
_REFUSAL: dict[str, JsonValue] = {
    "decision": "deny",
    "reason": _REASON,
    "allowTool": False,
    "denyReason": _REASON,
    "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"},
}


def confine(
    spec: ProgramProvider, terms: QuestionTerms, surroundings: confinement.Surroundings, own: confinement.MakeOwn
) -> confinement.Addition:
    """Return the additions for ``terms``, and a home in which no tool is allowed.

    Raises:
        ConfigurationError: There is no key, and the user has not allowed the use of a login.
    """
    environment = surroundings.environment
    uses_login = environment.get(LOGIN_VARIABLE) == "1"
    if not uses_login and not environment.get(_KEY_VARIABLE):
        raise ConfigurationError(
            f"agy is asked with an API key: set {_KEY_VARIABLE}. "
            f"Google forbids other programs to use an Antigravity login; {LOGIN_VARIABLE}=1 uses yours anyway."
        )
    folder = own()
    home, log = folder / "home", folder / "log"
    _write(home / _SETTINGS, _ALWAYS if uses_login else {**_ALWAYS, "modelProvider": "gemini"})
    _write(home / _HOOKS, {"sparring": {"PreToolUse": [{"matcher": "*", "hooks": [_hook()]}]}})
    if uses_login:
        _link_login(home_folder(environment), home)
    temporary = folder / "temporary"
    temporary.mkdir()
    effort = spec.efforts.get(terms.effort) if isinstance(spec, CliProvider) and terms.effort else None
    return confinement.Addition(
        arguments=(
            f"--log-file={log}",
            *(() if effort is None or has_own_effort(terms.model) else (f"--effort={effort}",)),
        ),
        variables={
            "HOME": str(home),
            "USERPROFILE": str(home),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "TMPDIR": str(temporary),
        },
        passed_on=frozenset({"DBUS_SESSION_BUS_ADDRESS"} if uses_login else ()),
        cwd=confinement.empty_repository(folder / "empty"),
        report=log,
    )


def _hook() -> dict[str, JsonValue]:
    return {"type": "command", "command": f"echo {shlex.quote(json.dumps(_REFUSAL))}", "timeout": 10}


def _write(file: Path, content: JsonValue) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")


def _link_login(users: Path, home: Path) -> None:
    """Link the files that may hold the login; a Linux keyring and Windows' credentials do not depend on the home."""
    for file in (_TOKEN, *((_KEYCHAIN,) if sys.platform == "darwin" else ())):
        if (users / file).is_file():
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            (home / file).symlink_to(users / file)
