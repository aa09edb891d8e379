"""The home that Copilot gets instead of the user's."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.cli.call_folder import CallFolders
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.consultant import furnished
from sparring.providers.cli.copilot.confinement import FILE_LIMIT, CopilotHome, furnish, users_folder
from sparring.schema.base import RepoAccess
from sparring.schema.providers import AcpProvider
from support.desk import command_line, question

SESSION = "5b457fc8-2b21-46c9-92e6-08596458a8e7"
ALWAYS = {"autoUpdate": False, "disableAllHooks": True, "ide": {"autoConnect": False}, "memory": False}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def home(tmp_path: Path, **more: Any) -> CopilotHome:
    (tmp_path / "user").mkdir(exist_ok=True)
    return CopilotHome(users=tmp_path / "user", sessions=tmp_path / "sessions", **more)


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_it_is_a_bare_home_with_an_empty_repository_and_a_link_to_the_login(tmp_path: Path, folder: Path) -> None:
    users = home(tmp_path)
    (users.users / "config.json").write_text("{}")
    (users.users / "settings.json").write_text("// nothing\n")

    own = furnish(folder, users)

    assert names(folder) == [
        "config.json", "empty", "empty/.git", "empty/.git/HEAD", "empty/.git/objects", "empty/.git/refs",
        "settings.json",
    ]  # fmt: skip
    assert (folder / "config.json").readlink() == users.users / "config.json"
    assert json.loads((folder / "settings.json").read_text()) == ALWAYS
    assert (own.variables, own.arguments, own.cwd, own.report) == (
        {"COPILOT_HOME": str(folder)},
        (f"--usage-output-file={folder}/usage.json",),
        folder / "empty",
        folder / "usage.json",
    )


SETTINGS = r"""
// What the user prefers, "quoted" or not
{
  "model": "gpt-5.5", /* not "//this" */
  "proxyUrl": "http://127.0.0.1:8080/*not a comment*/",
  "hooks": {"sessionStart": [{"bash": "touch pwned",}],},
  "copilotUrl": "a \"// b\" ,}",
  "trustedFolders": ["/"],
}
"""


def test_of_the_settings_only_which_model_is_asked_and_how_is_taken_over(tmp_path: Path, folder: Path) -> None:
    users = home(tmp_path)
    (users.users / "settings.json").write_text("\ufeff" + SETTINGS, encoding="utf-8")
    furnish(folder, users)
    assert json.loads((folder / "settings.json").read_text()) == ALWAYS | {
        "model": "gpt-5.5",
        "proxyUrl": "http://127.0.0.1:8080/*not a comment*/",
        "copilotUrl": 'a "// b" ,}',
    }


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b"\xff\xfe", b'{"a":' * 10_000, b" " * (FILE_LIMIT + 1)], ids=range(5)
)
def test_settings_that_cannot_be_understood_are_said_to_be(content: bytes, tmp_path: Path, folder: Path) -> None:
    users = home(tmp_path)
    (users.users / "settings.json").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"settings\.json (cannot be understood|is larger than)"):
        furnish(folder, users)


def test_a_session_that_is_kept_lies_where_the_next_question_finds_it_and_else_is_a_copy(tmp_path: Path) -> None:
    kept, continued, missing = (tmp_path / name for name in ("kept", "continued", "missing"))
    for folder in (kept, continued, missing):
        folder.mkdir()
    furnish(missing, home(tmp_path, session_id=SESSION))
    users = home(tmp_path, session_id=SESSION, keeps_session=True)
    furnish(kept, users)
    (users.sessions / SESSION).mkdir(parents=True)
    (users.sessions / SESSION / "events.jsonl").write_text("said\n")
    (users.sessions / "another").mkdir()
    furnish(continued, home(tmp_path, session_id=SESSION))

    assert (kept / "session-state").readlink() == users.sessions
    assert stat.S_IMODE(users.sessions.stat().st_mode) == 0o700
    assert names(continued / "session-state") == [SESSION, f"{SESSION}/events.jsonl"]
    assert not (continued / "session-state").is_symlink()
    assert not (missing / "session-state" / SESSION).exists()


@pytest.mark.parametrize("key", ["trustedFolders", "trusted_folders"])
def test_a_home_in_a_trusted_folder_is_not_one_to_read_a_project_from(key: str, tmp_path: Path) -> None:
    users = home(tmp_path, reads=tmp_path / "project")
    login = users.users / "config.json"
    login.write_text(json.dumps({key: [str(tmp_path / "project")]}))  # which the home is not in
    (tmp_path / "other").mkdir()
    assert furnish(tmp_path / "other", users).report == tmp_path / "other" / "usage.json"
    for name, trusted in (("own", ["/nowhere", str(tmp_path)]), ("another", str(tmp_path))):
        login.write_text(f"// managed automatically\n{json.dumps({key: trusted})}")
        (tmp_path / name).mkdir()
        with pytest.raises(ConfigurationError, match=f"Copilot trusts {tmp_path}, and so would run the project's"):
            furnish(tmp_path / name, users)


def test_the_users_folder_is_where_copilot_looks_for_it() -> None:
    me, project = {"HOME": "/home/me"}, Path("/project")
    assert users_folder(me, project) == Path("/home/me/.copilot")
    assert users_folder(me | {"COPILOT_HOME": "/elsewhere"}, project) == Path("/elsewhere")
    assert users_folder(me | {"COPILOT_HOME": "beside"}, project) == Path("/project/beside")
    assert users_folder({}, project) == Path("~/.copilot").expanduser()


def test_it_reports_in_a_home_of_its_own_that_goes_with_the_call(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    asked = question(repo_access=RepoAccess.READ)
    surroundings = Surroundings({"HOME": str(tmp_path)}, tmp_path / "project", tmp_path / "private")
    confinement = confine(command_line("copilot"), asked, surroundings)

    with CallFolders(tmp_path / "calls").holding() as folder:
        confined = furnished(confinement, folder)
        assert (
            confined.preamble == f"The project is in the folder {tmp_path}/project. Name files by their whole path.\n\n"
        )
        assert confined.report is not None
        assert folder.path in confined.report.parents

    assert list((tmp_path / "calls").iterdir()) == []

    agent = AcpProvider(name="agent", family="mixed", title="Agent", program="copilot", confinement="copilot")
    with CallFolders(tmp_path / "calls").holding() as folder:
        confined = furnished(confine(agent, question(), surroundings), folder)
        assert (confined.preamble, confined.cwd is not None) == ("", True)
