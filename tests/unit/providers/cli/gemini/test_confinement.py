"""What Gemini CLI is given in place of the user's folder."""

import json
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.gemini.home import GeminiHome, furnish, gemini_folder
from sparring.schema.base import Effort, RepoAccess
from support.desk import command_line, question, write

SESSION = "0a1b2c3d-0000-4000-8000-00000000000a"


def home(tmp_path: Path, **changes: Any) -> GeminiHome:
    private = tmp_path / "private"
    bare = GeminiHome(tmp_path / "users", sessions=private / "sessions", work=private / "empty", settings={"a": "đ"})
    return replace(bare, **changes)


def own(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


def test_its_folder_holds_links_to_the_login_and_nothing_else_of_the_users(tmp_path: Path) -> None:
    for name in ("oauth_creds.json", "google_accounts.json", "settings.json", "GEMINI.md", "extensions/x.json", ".env"):
        write(tmp_path / "users" / name, "of the user")
    folder = own(tmp_path)

    furnished = furnish(folder, home(tmp_path, policies="# đ"))

    assert furnished.arguments == ()
    assert furnished.variables == {
        "GEMINI_CLI_HOME": str(folder),
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(folder / "none.json"),
        "TMPDIR": str(folder / "temporary"),
    }
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == [
        ".gemini", ".gemini/google_accounts.json", ".gemini/oauth_creds.json", ".gemini/policies",
        ".gemini/policies/sparring.toml", ".gemini/settings.json", "temporary",
    ]  # fmt: skip
    assert (folder / ".gemini" / "oauth_creds.json").readlink() == tmp_path / "users" / "oauth_creds.json"
    assert json.loads((folder / ".gemini" / "settings.json").read_bytes()) == {"a": "đ"}
    assert (folder / ".gemini" / "policies" / "sparring.toml").read_text(encoding="utf-8") == "# đ"
    assert [path.name for path in (tmp_path / "private" / "empty").iterdir()] == [".geminiignore"]
    assert (tmp_path / "private" / "empty" / ".geminiignore").read_text(encoding="utf-8") == "*\n"
    assert not (tmp_path / "private" / "sessions").exists()


def test_a_session_that_is_to_be_kept_is_named_and_lies_in_a_folder_of_its_own(tmp_path: Path) -> None:
    folder = own(tmp_path)
    (argument,) = furnish(folder, home(tmp_path, keeps_session=True)).arguments
    flag, name = argument.split("=")
    assert flag == "--session-id"
    assert re.fullmatch(command_line("gemini").command.session_pattern, name)
    write(folder / ".gemini" / "tmp" / "chat", "said")
    kept = tmp_path / "private" / "sessions" / name
    assert (kept / "chat").read_text(encoding="utf-8") == "said"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


@pytest.mark.parametrize("keeps", [True, False])
def test_a_session_is_continued_where_it_was_kept_or_in_a_copy_and_never_made_up(
    tmp_path: Path, *, keeps: bool
) -> None:
    users, missing, folder = home(tmp_path, session_id=SESSION, keeps_session=keeps), tmp_path / "x", own(tmp_path)
    missing.mkdir()
    assert furnish(missing, users).arguments == ()
    assert not (missing / ".gemini" / "tmp").exists()
    assert not (tmp_path / "private" / "sessions").exists()

    kept = write(tmp_path / "private" / "sessions" / SESSION / "chat", "said")
    assert furnish(folder, users).arguments == ()
    seen = folder / ".gemini" / "tmp" / "chat"
    assert seen.read_text(encoding="utf-8") == "said"
    seen.write_text("more", encoding="utf-8")
    assert kept.read_text(encoding="utf-8") == ("more" if keeps else "said")


def test_the_users_folder_is_found_where_it_would_look() -> None:
    me, project = {"HOME": "/home/me"}, Path("/srv")
    assert gemini_folder(me, project) == Path("/home/me/.gemini")
    assert gemini_folder(me | {"GEMINI_CLI_HOME": "/elsewhere"}, project) == Path("/elsewhere/.gemini")
    assert gemini_folder({"GEMINI_CLI_HOME": "below"}, project) == Path("/srv/below/.gemini")
    assert gemini_folder({}, project) == Path("~/.gemini").expanduser()


def test_a_question_gets_what_the_user_and_the_provider_say(tmp_path: Path) -> None:
    users, folder = tmp_path / "home" / ".gemini", own(tmp_path)
    write(users / ".env", "GEMINI_API_KEY=mine\nGEMINI_MODEL=gemini-9\nEDITOR=vi\n")
    (tmp_path / "project").mkdir()
    surroundings = Surroundings({"HOME": str(tmp_path / "home")}, tmp_path / "project", tmp_path / "private")

    confinement = confine(
        command_line("gemini"), question(effort=Effort.MAX, repo_access=RepoAccess.READ), surroundings
    )
    assert confinement.furnish is not None
    furnished = confinement.furnish(folder)

    assert furnished.variables.items() >= {("GEMINI_API_KEY", "mine"), ("GEMINI_MODEL", "gemini-9")}
    assert "EDITOR" not in furnished.variables
    settings = json.loads((folder / ".gemini" / "settings.json").read_bytes())
    assert settings["context"]["includeDirectories"] == [str((tmp_path / "project").resolve())]
    assert list(settings["modelConfigs"]["customAliases"]) == ["classifier", "gemini-9"]
    assert (folder / ".gemini" / "policies" / "sparring.toml").exists()


def test_the_administrators_settings_are_looked_for_where_the_environment_says(tmp_path: Path) -> None:
    file = write(tmp_path / "system.json", {"tools": {"core": ["run_shell_command"]}})
    environment = {"HOME": str(tmp_path), "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(file)}
    with pytest.raises(ConfigurationError, match=re.escape(f"{file} sets tools, ")):
        confine(command_line("gemini"), question(), Surroundings(environment, tmp_path, tmp_path / "private"))
