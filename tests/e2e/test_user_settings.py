"""Answers of the real tools for users who have set them up in their own way: what they print is read all the same."""

from collections.abc import Callable
from functools import partial

import pytest
from pydantic import JsonValue

from sparring.testing.model_endpoint import Say
from support.desk import Desk, answered, question, write

pytestmark = pytest.mark.npm

HOOK: JsonValue = [{"matcher": "", "hooks": [{"type": "command", "command": 'echo HOOKED; touch "$HOME/hooked"'}]}]
HOOKS: JsonValue = dict.fromkeys(("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"), HOOK)
STATUS_LINE: JsonValue = {"type": "command", "command": "echo STATUS"}


def file(name: str, content: JsonValue, desk: Desk) -> None:
    write(desk.home / name, content)


def variables(desk: Desk, **values: str) -> None:
    desk.variables.update(values)


def claude_elsewhere(desk: Desk) -> None:
    write(desk.home / "own" / ".claude.json", {"verbose": True, "theme": "light"})
    write(desk.home / "own" / "settings.json", {"verbose": True, "hooks": HOOKS})
    variables(desk, CLAUDE_CONFIG_DIR=str(desk.home / "own"))


def codex(desk: Desk, top: str, tables: str = "") -> None:
    desk.write_codex_config(top=top, tables=tables)


def gemini(desk: Desk, **settings: JsonValue) -> None:
    desk.write_gemini_config(**settings)


def opencode(desk: Desk, **settings: JsonValue) -> None:
    desk.write_opencode_config(**settings)


SHOWN: JsonValue = {"verbose": True, "theme": "dark-daltonized", "preferredNotifChannel": "terminal_bell"}
CLAUDE: dict[str, JsonValue] = {
    "verbose": True, "viewMode": "verbose", "outputStyle": "Explanatory", "statusLine": STATUS_LINE, "model": "haiku",
    "env": {"DEBUG": "1", "CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_METRICS_EXPORTER": "console"}, "hooks": HOOKS,
    "spinnerTipsEnabled": True, "includeCoAuthoredBy": True, "alwaysThinkingEnabled": True,
}  # fmt: skip

SETTINGS: dict[str, tuple[str, Callable[[Desk], None]]] = {
    "verbose": ("claude", partial(file, ".claude.json", {"verbose": True, "hasCompletedOnboarding": True})),
    "verbose, a theme and a bell": ("claude", partial(file, ".claude.json", {**SHOWN, "env": {"DEBUG": "1"}})),
    "an output style, a status line and hooks": ("claude", partial(file, ".claude/settings.json", CLAUDE)),
    "all of it, in a folder of the user's choice": ("claude", claude_elsewhere),
    "its log on the screen": ("claude", partial(variables, DEBUG="1", ANTHROPIC_LOG="debug", CLAUDE_CODE_DEBUG="1")),
    "raw thoughts, long summaries, and other instructions": ("codex", partial(
        codex,
        top='show_raw_agent_reasoning = true\nmodel_reasoning_summary = "detailed"\nmodel_verbosity = "high"\n'
        'developer_instructions = "Print HOOKED."\nfile_opener = "vscode"\nnotify = ["touch", "hooked"]\n',
        tables="[tui]\nnotifications = true\n[history]\npersistence = \"save-all\"\n[shell_environment_policy]\n"
        'inherit = "all"\n[features]\nshell_snapshot = true\nhooks = true\n',
    )),
    "its log in full": ("codex", partial(variables, RUST_LOG="trace", CODEX_LOG="debug", RUST_BACKTRACE="full")),
    "text as its output": ("gemini", partial(
        gemini, output={"format": "text"}, ui={"theme": "GitHub", "hideBanner": False, "showMemoryUsage": True}
    )),
    "telemetry, hooks and debugging": ("gemini", partial(
        gemini, telemetry={"enabled": True, "target": "local", "logPrompts": True}, hooks=HOOKS,
        general={"maxAttempts": 1, "debugKeystrokeLogging": True, "preferredEditor": "vim"}, debug=True,
    )),
    "debugging by variables": ("gemini", partial(variables, DEBUG="1", DEBUG_MODE="true", GEMINI_DEBUG="1")),
    "a banner, a theme and a log": ("copilot", partial(
        file, ".copilot/settings.json", {"banner": "always", "theme": "light", "logLevel": "all", "verbose": True,
                                         "streamerMode": True, "renderMarkdown": True, "hooks": {}},
    )),
    "a log by variables": ("copilot", partial(variables, DEBUG="*", COPILOT_LOG_LEVEL="debug", NODE_DEBUG="http")),
    "a theme, a log and sharing": ("opencode", partial(
        opencode, theme="gruvbox", logLevel="DEBUG", share="auto", autoupdate="notify", username="me",
        instructions=["~/rules.md"], formatter={}, tui={"scroll_speed": 3},
    )),
    "a log by variables, too": ("opencode", partial(
        variables, OPENCODE_LOG_LEVEL="DEBUG", OPENCODE_PRINT_LOGS="1", DEBUG="*", FORCE_COLOR="3"
    )),
}  # fmt: skip
"""The tool of each set-up, and the function that makes it."""


@pytest.mark.parametrize("name", SETTINGS)
async def test_settings_of_a_user_change_no_answer(name: str, desk: Desk) -> None:
    tool, prepare = SETTINGS[name]
    said = 'No, "do not" {retry}.\n\n- [ ] đúng \U0001f642 `{"type":"result"}`'
    desk.endpoint.behaviour = Say(said)
    prepare(desk)
    reply = answered(await desk.consultant(tool).ask(question("Should it retry?")))
    assert (reply.response, reply.warnings) == (said, ())
    assert reply.model
    assert "HOOKED" not in desk.endpoint.request
    assert not list(desk.home.rglob("hooked")) + list(desk.project.rglob("hooked"))
