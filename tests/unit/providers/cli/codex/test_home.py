"""The home that Codex gets instead of the user's."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sparring.providers.cli.codex.confinement import confine
from sparring.providers.cli.codex.home import CodexHome, furnish
from sparring.providers.cli.confinement import Surroundings
from support.desk import command_line, files, question, write

SESSION = "5b457fc8-2b21-46c9-92e6-08596458a8e7"
DAY = Path("2026", "11", "22", f"rollout-2026-11-22T10-00-00-{SESSION}.jsonl")


def home(root: Path, settings: dict[str, Any] | None = None, **asked: Any) -> CodexHome:
    return CodexHome(root / "users", settings or {}, root / "kept", question(**asked))


def furnished(root: Path, users: CodexHome) -> Path:
    folder = root / "folder"
    folder.mkdir()
    assert furnish(folder, users) == {"CODEX_HOME": str(folder), "CODEX_SQLITE_HOME": str(folder)}
    return folder


def test_it_has_the_login_and_the_models_of_the_user_and_nothing_else(tmp_path: Path) -> None:
    for name in ("auth.json", ".env", "AGENTS.md", "hooks.json", "skills/one/SKILL.md", "rules/default.rules"):
        write(tmp_path / "users" / name, "{}")
    settings = tomllib.loads(r"""
model = "m"
model_catalog_json = "models.json"
model_instructions_file = "leaked.md"
developer_instructions = "leaked"
notify = ["leaked"]
[features]
hooks = true
respect_system_proxy = true
[model_providers."my \"own\""]
base_url = "http://there"
query_params = { "a b" = "c\u007f\U0001f642" }
stream_max_retries = 7
[mcp_servers.leaked]
command = "leaked"
""")

    folder = furnished(tmp_path, home(tmp_path, settings))

    assert sorted(path.name for path in folder.iterdir()) == [".env", "auth.json", "config.toml"]
    assert (folder / "auth.json").readlink() == tmp_path / "users" / "auth.json"
    assert tomllib.loads((folder / "config.toml").read_text(encoding="utf-8")) == {
        "model": "m",
        "model_catalog_json": str(tmp_path / "users" / "models.json"),
        "model_providers": {
            'my "own"': {
                "base_url": "http://there",
                "query_params": {"a b": "c\x7f🙂"},
                "request_max_retries": 1,
                "stream_max_retries": 7,
            }
        },
        "features": {"respect_system_proxy": True},
        "analytics": {"enabled": False},
        "check_for_update_on_startup": False,
    }


@pytest.mark.parametrize("begun", ["kept", "users/sessions"])
def test_a_session_goes_on_where_it_was_held_or_in_a_copy_of_it(begun: str, tmp_path: Path) -> None:
    write(tmp_path / begun / DAY, "said\n")
    kept = furnished(tmp_path, home(tmp_path, session_id=SESSION, keep_session=True))
    assert (kept / "sessions").readlink() == tmp_path / begun
    (tmp_path / "once").mkdir()
    furnish(tmp_path / "once", home(tmp_path, session_id=SESSION))
    assert files(tmp_path / "once" / "sessions") == {str(tmp_path / "once" / "sessions" / DAY): b"said\n"}


@pytest.mark.parametrize(
    ("store", "has_file", "own_home"), [("keyring", False, False), ("auto", True, True), ("file", False, True)]
)
def test_a_login_in_the_keyring_is_found_by_the_users_own_folder(
    store: str, tmp_path: Path, *, has_file: bool, own_home: bool
) -> None:
    write(tmp_path / ".codex" / "config.toml", f'cli_auth_credentials_store = "{store}"')
    if has_file:
        write(tmp_path / ".codex" / "auth.json", "{}")
    spec = command_line("codex")
    confined = confine(spec, question(), Surroundings({"HOME": str(tmp_path)}, tmp_path, tmp_path / "private"))
    assert (confined.furnish is not None) == own_home
