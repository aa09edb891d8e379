"""The settings that Gemini CLI is given of the user's; ours are in the golden files of recorded commands."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.cli.gemini.confinement import FILE_LIMIT, gemini_settings, refuse_outweighing, users_variables
from support.desk import write

NO_ROUTER = {"classifier": {"extends": "none"}}


def test_of_the_users_settings_the_login_and_the_choice_of_model_are_taken_over(tmp_path: Path) -> None:
    auth = {"selectedType": "vertex-ai", "enforcedType": "vertex-ai"}
    file = write(
        tmp_path / "settings.json",
        "\ufeff// mine\n"
        + json.dumps(
            {
                "security": {"auth": auth, "folderTrust": {"enabled": True}, "disableYoloMode": False},
                "model": {"name": "gemini-2.5-flash", "disableLoopDetection": False},
                "general": {"maxAttempts": 7, "enableAutoUpdate": True},
                "billing": {"vertexAi": {"requestType": "shared"}},
                "advanced": {"dnsResolutionOrder": "verbatim", "ignoreLocalEnv": False},
                "tools": {"core": ["run_shell_command"]},
                "mcpServers": {"mine": {"command": "mine"}},
                "hooks": {"SessionStart": []},
                "telemetry": {"enabled": True},
            }
        ),
    )

    ours = gemini_settings(tmp_path / "nowhere")
    settings = gemini_settings(file)

    changed = {name: value for name, value in settings.items() if value != ours.get(name)}
    assert changed == {
        "security": {"folderTrust": {"enabled": False}, "auth": auth},
        "model": {"disableLoopDetection": True, "name": "gemini-2.5-flash"},
        "general": _table(ours, "general") | {"maxAttempts": 7},
        "billing": {"vertexAi": {"requestType": "shared"}},
        "advanced": _table(ours, "advanced") | {"dnsResolutionOrder": "verbatim"},
    }


def _table(settings: dict[str, Any], name: str) -> dict[str, Any]:
    return settings[name]


@pytest.mark.parametrize(
    "settings", ['{"security": "none", "general": [], "model": null}', '{"security": {"auth": null}}', "", "// nothing"]
)
def test_odd_settings_change_nothing(settings: str, tmp_path: Path) -> None:
    assert gemini_settings(write(tmp_path / "settings.json", settings)) == gemini_settings(tmp_path / "nowhere")


LOW = {"chat-base-3": {"thinkingLevel": "LOW"}, "chat-base-2.5": {"thinkingBudget": 1024}}


@pytest.mark.parametrize(
    ("named", "users", "alias"),
    [
        ("gemini-2.5-pro", None,
         {"gemini-2.5-pro": {"extends": "chat-base-2.5", "modelConfig": {"model": "gemini-2.5-pro"}}}),
        ("gemini-9", "gemini-2.5-pro", {"gemini-9": {"extends": "chat-base-3", "modelConfig": {"model": "gemini-9"}}}),
        (None, "gemini-9", {"gemini-9": {"extends": "chat-base-3", "modelConfig": {"model": "gemini-9"}}}),
        (None, None, {}),
    ],
)  # fmt: skip
def test_an_effort_is_told_to_models_that_it_knows_and_to_the_one_that_was_named(
    named: str | None, users: str | None, alias: dict[str, object], tmp_path: Path
) -> None:
    file = write(tmp_path / "settings.json", {"model": {"name": users}})

    assert gemini_settings(file, effort=LOW, model=named)["modelConfigs"] == {
        "customAliases": {**NO_ROUTER, **alias},
        "customOverrides": [
            {
                "match": {"model": "chat-base-3"},
                "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}},
            },
            {
                "match": {"model": "chat-base-2.5"},
                "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingBudget": 1024}}},
            },
        ],
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "cannot be understood: "),
        (b"[1]", "cannot be understood: it is not an object"),
        (b"[" * 100_000, "cannot be understood: nested too deeply"),
        (b"{" + b" " * FILE_LIMIT, f"is larger than {FILE_LIMIT} bytes"),
        (b"\xff\xfe", "cannot be understood"),
        (None, "cannot be read: Is a directory"),
    ],
    ids=["broken", "a list", "deep", "large", "no text", "no file"],
)
def test_settings_that_cannot_be_understood_are_not_passed_over(
    content: bytes | None, reason: str, tmp_path: Path
) -> None:
    file = tmp_path if content is None else tmp_path / "settings.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=re.escape(f"{file} {reason}")):
        gemini_settings(file)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        *(({name: {}}, name) for name in ("agents", "context", "experimental", "hooksConfig", "skills", "tools")),
        ({"policyPaths": []}, "policyPaths"),
        ({"tools": {}, "security": {"folderTrust": {"enabled": True}}}, "security.folderTrust, tools"),
    ],
)
def test_settings_of_an_administrator_that_outweigh_ours_are_a_reason_not_to_start(
    settings: dict[str, object], names: str, tmp_path: Path
) -> None:
    file = write(tmp_path / "system.json", settings)
    with pytest.raises(ConfigurationError) as raised:
        refuse_outweighing(file)
    assert str(raised.value) == f"{file} sets {names}, which would outweigh what keeps gemini to answering."


def test_other_settings_of_an_administrator_are_none(tmp_path: Path) -> None:
    harmless = {"security": {"auth": {"enforcedType": "vertex-ai"}}, "mcp": {"excluded": ["*"]}, "telemetry": {}}
    refuse_outweighing(write(tmp_path / "system.json", harmless))
    refuse_outweighing(tmp_path / "nowhere.json")


UNREADABLE = Path("/proc/self/mem")
ALLOWED = ("GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_*")


ENV = """
# a comment
GEMINI_API_KEY='quoted # key'  # of mine
export GOOGLE_CLOUD_PROJECT = bare value # not this
GOOGLE_CLOUD_LOCATION: "two\\nlines"
GOOGLE_API_KEY=`back "ticks"`
GEMINI_MODEL=
GOOGLE_GEMINI_BASE_URL="over
lines"
NODE_OPTIONS=--require /evil.js
GEMINI_SANDBOX=true
GOOGLE_CLOUD_ODD=a\0b
not a line
GOOGLE_VERTEX_BASE_URL=first
GOOGLE_VERTEX_BASE_URL=last
"""


def test_variables_are_read_as_gemini_would_read_them(tmp_path: Path) -> None:
    write(tmp_path / ".gemini" / ".env", ENV.replace("\n", "\r\n"))
    write(tmp_path / ".env", "GEMINI_API_KEY=another")

    assert users_variables(tmp_path / ".gemini", {"HOME": "/home"}, ALLOWED) == {
        "GEMINI_API_KEY": "quoted # key",
        "GOOGLE_CLOUD_PROJECT": "bare value",
        "GOOGLE_CLOUD_LOCATION": "two\nlines",
        "GOOGLE_API_KEY": 'back "ticks"',
        "GEMINI_MODEL": "",
        "GOOGLE_GEMINI_BASE_URL": "over\nlines",
        "GOOGLE_VERTEX_BASE_URL": "last",
    }


def test_what_the_environment_says_outweighs_the_file_if_there_is_one(tmp_path: Path) -> None:
    assert users_variables(tmp_path / ".gemini", {}, ["GEMINI_*"]) == {}
    write(tmp_path / ".env", "GEMINI_API_KEY=of the file\nGEMINI_MODEL=of the file\n")
    assert users_variables(tmp_path / ".gemini", {"GEMINI_API_KEY": ""}, ["GEMINI_*"]) == {
        "GEMINI_MODEL": "of the file"
    }


def test_a_file_that_is_too_large_is_not_read_in_part(tmp_path: Path) -> None:
    file = write(tmp_path / ".gemini" / ".env", "#" * (FILE_LIMIT + 1))
    with pytest.raises(ConfigurationError, match=re.escape(f"{file} is larger than {FILE_LIMIT} bytes.")):
        users_variables(tmp_path / ".gemini", {}, [])


@pytest.mark.skipif(not UNREADABLE.exists(), reason="no file that nobody can read")
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").symlink_to(UNREADABLE)
    with pytest.raises(ConfigurationError, match="cannot be read: Input/output error"):
        users_variables(tmp_path / ".gemini", {}, [])
