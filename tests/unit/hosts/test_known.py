"""Where the settings of hosts are, and the programs that are started."""

import os
from pathlib import Path

import pytest

from sparring.errors import ToolNotFoundError
from sparring.hosts.known import HostSurroundings, host_paths, known_host, on_path, server_program
from sparring.schema.setup import Scope
from support.desk import write
from support.texts import texts


@pytest.mark.parametrize(("host", "platform", "variables", "settings"), texts("settings-files")["settings"])
def test_a_host_is_where_its_user_keeps_it(host: str, platform: str, variables: dict[str, str], settings: str) -> None:
    around = HostSurroundings(Path("/home/ann"), Path("/srv/project"), variables, platform)
    assert host_paths(known_host(host), Scope.USER, around).settings[0] == Path(settings)


def program(path: Path) -> str:
    write(path, "#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_script_next_to_the_interpreter_precedes_the_one_on_path(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path / "bin")}
    python = tmp_path / "venv" / "python"
    with pytest.raises(ToolNotFoundError, match="no `sparring` next to"):
        server_program(Scope.USER, python, environment)
    for folder in ("bin", "venv"):
        assert program(tmp_path / folder / "sparring") == server_program(Scope.USER, python, environment)
    assert server_program(Scope.PROJECT, python, environment) == "sparring"


def test_a_relative_folder_on_path_does_not_count(tmp_path: Path) -> None:
    relative = os.path.relpath(tmp_path)
    program(tmp_path / "codex")
    assert on_path("codex", {}) is on_path("codex", {"PATH": os.pathsep.join(("", ".", relative))}) is None
    assert on_path("codex", {"PATH": os.pathsep.join((relative, str(tmp_path)))}) == str(tmp_path / "codex")
