"""What a hint tells to install is what the extra needs, into the environment that runs the program."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from sparring.extras import install_command

ROOT = Path(__file__).parents[2]
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


def names(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w-]+(?:\[[\w,-]+\])?", each)[0].replace(" ", "") for each in requirements}  # type: ignore[index]


@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - {"dev"}))
def test_an_install_command_names_published_packages_of_the_extra(extra: str) -> None:
    python, *command = shlex.split(install_command(extra))
    assert (python, command[:3]) == (sys.executable, ["-m", "pip", "install"])
    assert {part for each in names(command[3:]) for part in re.findall(r"[\w-]+", each)} == {
        part for each in names(EXTRAS[extra]) for part in re.findall(r"[\w-]+", each)
    }


@pytest.mark.parametrize(
    ("mark", "command"),
    [("pipx_metadata.json", "pipx inject sparring"), ("uv-receipt.toml", "uv pip install --python {}/bin/python")],
)
def test_environments_of_pipx_and_uv_are_extended_by_their_own_programs(
    tmp_path: Path, mark: str, command: str
) -> None:
    (tmp_path / mark).touch()
    (package,) = EXTRAS["pdf"]
    told, wanted = shlex.split(install_command("pdf", prefix=tmp_path)), shlex.split(command.format(tmp_path))
    assert told[: len(wanted)] == wanted
    assert [each.partition("<")[0].partition(">")[0] for each in told[len(wanted) :]] == [package.partition(">")[0]]
