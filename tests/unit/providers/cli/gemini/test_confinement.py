"""What Gemini CLI is given in place of the user's folder."""

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.gemini import confinement as gemini
from sparring.providers.cli.gemini.confinement import gemini_settings, refuse_outweighing, users_variables
from sparring.schema.base import Effort, RepoAccess
from support.confined import furnished
from support.desk import command_line, files, question, write
from support.texts import texts

SESSION = "0a1b2c3d-0000-4000-8000-00000000000a"


def test_its_folder_holds_links_to_the_login_and_nothing_else_of_the_users(tmp_path: Path) -> None:
    users, folder = tmp_path / "home" / ".gemini", tmp_path / "folder"
    for name in ("oauth_creds.json", "google_accounts.json", "settings.json", "GEMINI.md", "extensions/x.json"):
        write(users / name, "{}")
    write(users / ".env", "GEMINI_API_KEY=mine\nGEMINI_MODEL=gemini-9\nEDITOR=vi\n")
    own = furnished("gemini", tmp_path, effort=Effort.MAX, repo_access=RepoAccess.READ)
    assert own.arguments == ()
    assert own.variables == {
        "GEMINI_API_KEY": "mine",
        "GEMINI_MODEL": "gemini-9",
        "GEMINI_CLI_HOME": str(folder),
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(folder / "none.json"),
        "GEMINI_EXP": str(folder / "flags.json"),
        "TMPDIR": str(folder / "temporary"),
    }
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == [
        ".gemini", ".gemini/google_accounts.json", ".gemini/oauth_creds.json", ".gemini/policies",
        ".gemini/policies/sparring.toml", ".gemini/settings.json", "flags.json", "temporary",
    ]  # fmt: skip
    assert (folder / ".gemini" / "oauth_creds.json").readlink() == users / "oauth_creds.json"
    settings = json.loads((folder / ".gemini" / "settings.json").read_bytes())
    assert settings["context"]["includeDirectories"] == [str((tmp_path / "project").resolve())]
    assert list(settings["modelConfigs"]["customAliases"]) == ["classifier", "gemini-9"]
    private = tmp_path / "private" / "gemini"
    assert files(private) == {str(private / "empty" / ".geminiignore"): b"*\n"}


def test_a_google_login_keeps_its_flags(tmp_path: Path) -> None:
    for name, chosen in (("google", "oauth-personal"), ("nobody knows", ["what that is"])):
        write(tmp_path / "home" / ".gemini" / "settings.json", {"security": {"auth": {"selectedType": chosen}}})
        assert "GEMINI_EXP" not in furnished("gemini", tmp_path, name).variables
        assert not (tmp_path / name / "flags.json").exists()


def test_a_kept_session_has_an_id_and_its_own_folder(
    tmp_path: Path,
) -> None:
    assert furnished("gemini", tmp_path, session_id=SESSION, keep_session=True).arguments == ()
    sessions = tmp_path / "private" / "gemini" / "sessions"
    assert not sessions.exists()
    (argument,) = furnished("gemini", tmp_path, "kept", keep_session=True).arguments
    flag, name = argument.split("=")
    assert flag == "--session-id"
    assert re.fullmatch(command_line("gemini").command.session_pattern, name)
    write(tmp_path / "kept" / ".gemini" / "tmp" / "chat", "said")
    assert files(sessions) == {str(sessions / name / "chat"): b"said"}
    assert stat.S_IMODE((sessions / name).stat().st_mode) == 0o700


def test_the_users_folder_is_found_where_it_would_look() -> None:
    me, project = {"HOME": "/home/me"}, Path("/srv")
    assert gemini.gemini_folder(me, project) == Path("/home/me/.gemini")
    assert gemini.gemini_folder(me | {"GEMINI_CLI_HOME": "/elsewhere"}, project) == Path("/elsewhere/.gemini")
    assert gemini.gemini_folder({"GEMINI_CLI_HOME": "below"}, project) == Path("/srv/below/.gemini")
    assert gemini.gemini_folder({}, project) == Path("~/.gemini").expanduser()


def test_the_environment_names_the_place_of_the_administrators_settings(tmp_path: Path) -> None:
    file = write(tmp_path / "system.json", {"tools": {"core": ["run_shell_command"]}})
    environment = {"HOME": str(tmp_path), "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(file)}
    with pytest.raises(ConfigurationError, match=re.escape(f"{file} sets tools, ")):
        confine(command_line("gemini"), question(), Surroundings(environment, tmp_path, tmp_path), lambda: tmp_path)


# -- the settings that it is given of the user's; ours are in the golden files of recorded commands


def given(folder: Path, settings: object, **asked: Any) -> dict[str, Any]:
    return gemini_settings(write(folder / "settings.json", settings), **asked)


def test_of_the_users_settings_the_login_and_the_choice_of_model_are_taken_over(tmp_path: Path) -> None:
    auth = {"selectedType": "vertex-ai", "enforcedType": "vertex-ai"}
    billing = {"vertexAi": {"requestType": "shared"}}
    users: dict[str, Any] = {
        "security": {"auth": auth, "folderTrust": {"enabled": True}, "disableYoloMode": False},
        "model": {"name": "gemini-2.5-flash", "disableLoopDetection": False},
        "general": {"maxAttempts": 7, "enableAutoUpdate": True},
        "billing": billing,
        "advanced": {"dnsResolutionOrder": "verbatim", "ignoreLocalEnv": False},
        "tools": {"core": ["run_shell_command"]},
        "mcpServers": {"mine": {"command": "mine"}},
        "hooks": {"SessionStart": []},
    }
    ours = given(tmp_path, "// nothing")
    settings = given(tmp_path, f"\ufeff// mine\n{json.dumps(users)}")
    assert {name: value for name, value in settings.items() if value != ours.get(name)} == {
        "security": {"folderTrust": {"enabled": False}, "auth": auth},
        "model": {"disableLoopDetection": True, "name": "gemini-2.5-flash"},
        "general": ours["general"] | {"maxAttempts": 7},
        "billing": billing,
        "advanced": ours["advanced"] | {"dnsResolutionOrder": "verbatim"},
    }
    assert gemini_settings(tmp_path / "nowhere") == ours
    for odd in ('{"security": "none", "general": [], "model": null}', '{"security": {"auth": null}}', ""):
        assert given(tmp_path, odd) == ours


LOW: dict[str, dict[str, JsonValue]] = {
    "chat-base-3": {"thinkingLevel": "LOW"},
    "chat-base-2.5": {"thinkingBudget": 1024},
}


@pytest.mark.parametrize(
    ("named", "users", "alias"),
    [
        ("gemini-2.5-pro", None, {"gemini-2.5-pro": "chat-base-2.5"}),
        ("gemini-9", "gemini-2.5-pro", {"gemini-9": "chat-base-3"}),
        (None, "gemini-9", {"gemini-9": "chat-base-3"}),
        (None, None, {}),
    ],
)
def test_an_effort_is_configured_for_known_models_and_the_named_one(
    named: str | None, users: str | None, alias: dict[str, str], tmp_path: Path
) -> None:
    aliases = {name: {"extends": base, "modelConfig": {"model": name}} for name, base in alias.items()}
    thinking = {name: {"generateContentConfig": {"thinkingConfig": effort}} for name, effort in LOW.items()}
    assert given(tmp_path, {"model": {"name": users}}, effort=LOW, model=named)["modelConfigs"] == {
        "customAliases": {"classifier": {"extends": "none"}} | aliases,
        "customOverrides": [{"match": {"model": name}, "modelConfig": config} for name, config in thinking.items()],
    }


def test_gemini_is_not_started_if_administrator_settings_outweigh_ours(tmp_path: Path) -> None:
    file = tmp_path / "system.json"
    outweighing: dict[str, dict[str, Any]] = {
        **{name: {name: {}} for name in ("agents", "context", "experimental", "hooksConfig", "policyPaths", "skills")},
        "security.folderTrust, tools": {"tools": {}, "security": {"folderTrust": {"enabled": True}}},
    }
    for names, settings in outweighing.items():
        told = f"{file} sets {names}, which would outweigh what keeps gemini to answering."
        with pytest.raises(ConfigurationError, match=re.escape(told)):
            refuse_outweighing(write(file, settings))
    harmless = {"security": {"auth": {"enforcedType": "vertex-ai"}}, "mcp": {"excluded": ["*"]}, "telemetry": {}}
    refuse_outweighing(write(file, harmless))
    refuse_outweighing(tmp_path / "nowhere.json")


def test_variables_are_read_as_gemini_would_read_them(tmp_path: Path) -> None:
    tables = texts("providers")
    (file,), found = tables["a-file-of-variables"], dict(tables["what-gemini-reads-in-it"])
    write(tmp_path / ".gemini" / ".env", file.replace("\n", "\r\n"))
    write(tmp_path / ".env", "GEMINI_API_KEY=another")
    allowed = ("GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_*")
    assert users_variables(tmp_path / ".gemini", {"HOME": "/home"}, allowed) == found


def test_the_environment_outweighs_the_file(tmp_path: Path) -> None:
    assert users_variables(tmp_path / ".gemini", {}, ["GEMINI_*"]) == {}
    write(tmp_path / ".env", "GEMINI_API_KEY=of the file\nGEMINI_MODEL=of the file\n")
    told = users_variables(tmp_path / ".gemini", {"GEMINI_API_KEY": ""}, ["GEMINI_*"])
    assert told == {"GEMINI_MODEL": "of the file"}
