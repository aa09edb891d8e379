"""The home that Copilot gets instead of the user's."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.cli.confinement import Addition
from sparring.providers.cli.copilot.confinement import users_folder
from sparring.schema.base import RepoAccess
from support.confined import furnished
from support.desk import write

ALWAYS = {"autoUpdate": False, "disableAllHooks": True, "ide": {"autoConnect": False}, "memory": False}
LOGIN, SETTINGS = "home/.copilot/config.json", "home/.copilot/settings.json"


def settings(root: Path) -> Any:
    return json.loads((root / "folder" / "settings.json").read_text())


def test_it_is_a_bare_home_with_an_empty_repository_and_a_link_to_the_login(tmp_path: Path) -> None:
    write(tmp_path / LOGIN, "{}")
    write(tmp_path / SETTINGS, "// nothing\n")
    own, folder = furnished("copilot", tmp_path), tmp_path / "folder"
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == [
        "config.json", "empty", "empty/.git", "empty/.git/HEAD", "empty/.git/objects", "empty/.git/refs",
        "settings.json",
    ]  # fmt: skip
    assert (folder / "config.json").readlink() == tmp_path / LOGIN
    assert settings(tmp_path) == ALWAYS
    assert own == Addition(
        arguments=(f"--usage-output-file={folder}/usage.json",),
        variables={"COPILOT_HOME": str(folder)},
        cwd=folder / "empty",
        report=folder / "usage.json",
    )


def test_of_the_settings_only_which_model_is_asked_and_how_is_taken_over(tmp_path: Path) -> None:
    taken = {"model": "gpt-5.5", "proxyUrl": "http://127.0.0.1:8080/*not a comment*/", "copilotUrl": 'a "// b" ,}'}
    others = {"hooks": {"sessionStart": [{"bash": "touch pwned"}]}, "trustedFolders": ["/"]}
    write(tmp_path / SETTINGS, f"\ufeff// What the user prefers\n{json.dumps(taken | others)}")
    furnished("copilot", tmp_path)
    assert settings(tmp_path) == ALWAYS | taken


@pytest.mark.parametrize("key", ["trustedFolders", "trusted_folders"])
def test_a_home_in_a_trusted_folder_is_not_one_to_read_a_project_from(key: str, tmp_path: Path) -> None:
    reads: dict[str, Any] = {"repo_access": RepoAccess.READ}
    write(tmp_path / LOGIN, {key: [str(tmp_path / "project")]})  # which the home is not in
    own = furnished("copilot", tmp_path, **reads)
    assert own.report == tmp_path / "folder" / "usage.json"
    assert own.preamble == f"The project is in the folder {tmp_path}/project. Name files by their whole path.\n\n"
    (tmp_path / "loop").symlink_to("loop")
    odd = ["/nowhere", "~nobody at all/x", "a\0", "half \ud83e", str(tmp_path / "loop")]
    for name, trusted in (("own", [*odd, str(tmp_path)]), ("another", str(tmp_path))):
        write(tmp_path / LOGIN, f"// managed automatically\n{json.dumps({key: trusted})}")
        with pytest.raises(ConfigurationError, match=f"Copilot trusts {tmp_path}, and so would run the project's"):
            furnished("copilot", tmp_path, name, **reads)


def test_the_users_folder_is_where_copilot_looks_for_it() -> None:
    me, project = {"HOME": "/home/me"}, Path("/project")
    assert users_folder(me, project) == Path("/home/me/.copilot")
    assert users_folder(me | {"COPILOT_HOME": "/elsewhere"}, project) == Path("/elsewhere")
    assert users_folder(me | {"COPILOT_HOME": "beside"}, project) == Path("/project/beside")
    assert users_folder({}, project) == Path("~/.copilot").expanduser()
