"""The package installs by its name from an index, as its users do it: with pipx, and for one call with uvx."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from sparring import __version__
from support.built import built_wheel
from support.local_index import local_index

pytestmark = [pytest.mark.process, pytest.mark.slow]

PROGRAMS = Path(sys.executable).parent
PATIENCE_S = 240
"""How long a test waits for an installation before it fails; nothing depends on how long it takes."""


class Newcomer(Struct, frozen=True):
    """A user with an empty home, for whom one index is all there is."""

    home: Path
    index: str

    def run(self, *argv: str) -> str:
        path = os.pathsep.join((str(self.home / "bin"), str(PROGRAMS), "/usr/bin", "/bin"))
        environment = {
            "HOME": str(self.home),
            "PATH": path,
            "LANG": "C.UTF-8",
            "PIPX_HOME": str(self.home / "pipx"),
            "PIPX_BIN_DIR": str(self.home / "bin"),
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": self.index,
            "UV_NO_CONFIG": "1",
            "UV_DEFAULT_INDEX": self.index,
            "UV_PYTHON": sys.executable,
            "UV_PYTHON_DOWNLOADS": "never",
        }
        done = subprocess.run(
            argv,
            cwd=self.home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("index")
    with local_index(folder, built_wheel(folder / "dist"), "pip", "pypdf") as address:
        yield address


@pytest.fixture
def user(tmp_path: Path, index: str) -> Newcomer:
    return Newcomer(tmp_path, index)


def test_uvx_runs_the_program_by_the_name_of_its_package(user: Newcomer) -> None:
    assert user.run("uvx", "--from", "sparring", "sparring", "--version").split()[1] == __version__
    # As the registry's entry says: the package and the program have one name.
    assert user.run("uvx", f"sparring@{__version__}", "--version").split()[1] == __version__


def test_pipx_installs_the_program_and_adds_to_it_what_a_hint_names(user: Newcomer) -> None:
    user.run("pipx", "install", "sparring")
    assert user.run("sparring", "--version").split()[1] == __version__
    python = user.home / "pipx" / "venvs" / "sparring" / "bin" / "python"
    can_read = "import importlib.util as found; print(found.find_spec('pypdf') is not None)"
    assert user.run(str(python), "-c", can_read).strip() == "False"
    hint = user.run(str(python), "-c", "from sparring.extras import install_command; print(install_command('pdf'))")
    assert hint.startswith("pipx inject sparring ")
    user.run(*shlex.split(hint))
    assert user.run(str(python), "-c", can_read).strip() == "True"


def test_a_wheel_installs_with_an_extra(user: Newcomer) -> None:
    user.run("pipx", "install", "sparring[pdf]")
    assert "pypdf" in user.run("pipx", "runpip", "sparring", "list")
