"""The home that Copilot gets instead of the user's."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.cli.confinement import Confinement, Surroundings, confine
from sparring.providers.cli.copilot.confinement import FILE_LIMIT, users_folder
from sparring.schema.base import RepoAccess
from sparring.schema.providers import AcpProvider, ProgramProvider
from support.desk import command_line, question, write

SESSION = "5b457fc8-2b21-46c9-92e6-08596458a8e7"
ALWAYS = {"autoUpdate": False, "disableAllHooks": True, "ide": {"autoConnect": False}, "memory": False}
LOGIN, SETTINGS = "home/.copilot/config.json", "home/.copilot/settings.json"


def furnished(root: Path, name: str = "folder", *, spec: ProgramProvider | None = None, **asked: Any) -> Confinement:
    """What is added to a call below ``root``; the folder of that name is filled for it."""

    def own() -> Path:
        (root / name).mkdir()
        return root / name

    surroundings = Surroundings({"HOME": str(root / "home")}, root / "project", root / "private")
    return confine(spec or command_line("copilot"), question(**asked), surroundings, own)


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def settings(root: Path) -> Any:
    return json.loads((root / "folder" / "settings.json").read_text())


def test_it_is_a_bare_home_with_an_empty_repository_and_a_link_to_the_login(tmp_path: Path) -> None:
    write(tmp_path / LOGIN, "{}")
    write(tmp_path / SETTINGS, "// nothing\n")

    own, folder = furnished(tmp_path), tmp_path / "folder"

    assert names(folder) == [
        "config.json", "empty", "empty/.git", "empty/.git/HEAD", "empty/.git/objects", "empty/.git/refs",
        "settings.json",
    ]  # fmt: skip
    assert (folder / "config.json").readlink() == tmp_path / LOGIN
    assert settings(tmp_path) == ALWAYS
    assert own == Confinement(
        arguments=(f"--usage-output-file={folder}/usage.json",),
        variables={"COPILOT_HOME": str(folder)},
        cwd=folder / "empty",
        report=folder / "usage.json",
    )


PREFERRED = r"""
// What the user prefers, "quoted" or not
{
  "model": "gpt-5.5", /* not "//this" */
  "proxyUrl": "http://127.0.0.1:8080/*not a comment*/",
  "hooks": {"sessionStart": [{"bash": "touch pwned",}],},
  "copilotUrl": "a \"// b\" ,}",
  "trustedFolders": ["/"],
}
"""


def test_of_the_settings_only_which_model_is_asked_and_how_is_taken_over(tmp_path: Path) -> None:
    write(tmp_path / SETTINGS, "\ufeff" + PREFERRED)
    furnished(tmp_path)
    assert settings(tmp_path) == ALWAYS | {
        "model": "gpt-5.5",
        "proxyUrl": "http://127.0.0.1:8080/*not a comment*/",
        "copilotUrl": 'a "// b" ,}',
    }


@pytest.mark.parametrize("content", ["{", " " * (FILE_LIMIT + 1)], ids=["broken", "large"])
def test_settings_that_cannot_be_understood_are_said_to_be(content: str, tmp_path: Path) -> None:
    write(tmp_path / SETTINGS, content)
    with pytest.raises(ConfigurationError, match=r"settings\.json (cannot be understood|is larger than)"):
        furnished(tmp_path)


def test_a_session_that_is_kept_lies_where_the_next_question_finds_it_and_else_is_a_copy(tmp_path: Path) -> None:
    sessions = tmp_path / "private" / "copilot" / "sessions"
    furnished(tmp_path, "missing", session_id=SESSION)
    furnished(tmp_path, "kept", session_id=SESSION, keep_session=True)
    write(sessions / SESSION / "events.jsonl", "said\n")
    (sessions / "another").mkdir()
    furnished(tmp_path, "continued", session_id=SESSION)

    kept, continued = (tmp_path / name / "session-state" for name in ("kept", "continued"))
    assert kept.readlink() == sessions
    assert stat.S_IMODE(sessions.stat().st_mode) == 0o700
    assert names(continued) == [SESSION, f"{SESSION}/events.jsonl"]
    assert not continued.is_symlink()
    assert not (tmp_path / "missing" / "session-state" / SESSION).exists()


@pytest.mark.parametrize("key", ["trustedFolders", "trusted_folders"])
def test_a_home_in_a_trusted_folder_is_not_one_to_read_a_project_from(key: str, tmp_path: Path) -> None:
    reads: dict[str, Any] = {"repo_access": RepoAccess.READ}
    write(tmp_path / LOGIN, {key: [str(tmp_path / "project")]})  # which the home is not in
    own = furnished(tmp_path, **reads)
    assert own.report == tmp_path / "folder" / "usage.json"
    assert own.preamble == f"The project is in the folder {tmp_path}/project. Name files by their whole path.\n\n"
    for name, trusted in (("own", ["/nowhere", str(tmp_path)]), ("another", str(tmp_path))):
        write(tmp_path / LOGIN, f"// managed automatically\n{json.dumps({key: trusted})}")
        with pytest.raises(ConfigurationError, match=f"Copilot trusts {tmp_path}, and so would run the project's"):
            furnished(tmp_path, name, **reads)


def test_the_users_folder_is_where_copilot_looks_for_it() -> None:
    me, project = {"HOME": "/home/me"}, Path("/project")
    assert users_folder(me, project) == Path("/home/me/.copilot")
    assert users_folder(me | {"COPILOT_HOME": "/elsewhere"}, project) == Path("/elsewhere")
    assert users_folder(me | {"COPILOT_HOME": "beside"}, project) == Path("/project/beside")
    assert users_folder({}, project) == Path("~/.copilot").expanduser()


def test_an_agent_that_is_copilot_gets_such_a_home_and_no_words_before_the_prompt(tmp_path: Path) -> None:
    agent = AcpProvider(name="agent", family="mixed", title="Agent", program="copilot", confinement="copilot")
    own = furnished(tmp_path, spec=agent)
    assert (own.preamble, own.cwd) == ("", tmp_path / "folder" / "empty")
