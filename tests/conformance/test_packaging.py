"""The wheel and the bundle hold everything, and run without the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from sparring import __version__
from support.built import built_wheel
from support.inspection import inspect
from support.mcp_project import Era

ROOT = Path(__file__).parents[2]
BUNDLED = ("manifest.json", "pyproject.toml", "README.md", "LICENSE", "src/", "prompts/", "skills/")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed bundle, unpacked as a host would do it."""
    folder = tmp_path_factory.mktemp("bundle")
    packed = inspect(folder, "mcpb", "pack", str(ROOT), str(folder / "sparring.mcpb"))
    assert packed.returncode == 0, packed.stdout + packed.stderr
    zipfile.ZipFile(folder / "sparring.mcpb").extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.mark.process
def test_the_wheel_holds_prompts_skills_and_providers(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    places = {"prompts": "sparring/prompts/library", "skills": "sparring/skills", "src": "."}
    expected = {
        (Path(place) / file.relative_to(ROOT / folder)).as_posix()
        for folder, place in places.items()
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".json", ".md", ".py", ".toml"}
    }
    assert expected | {"sparring/py.typed"} <= names


@pytest.mark.process
def test_the_installed_program_answers_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    argv = [sys.executable, "-m", "sparring", "demo"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "scripted-proposer (proposer) wins" in done.stdout


@pytest.mark.npm
def test_the_bundle_holds_what_its_package_is_built_from_and_nothing_else(bundle: Path) -> None:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    wanted = {name for name in listed if name.startswith(BUNDLED) and (ROOT / name).exists()}
    assert {file.relative_to(bundle).as_posix() for file in bundle.rglob("*") if file.is_file()} == wanted


@pytest.mark.npm
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_bundle_alone_makes_a_server_that_runs_in_the_folder_of_its_user(
    bundle: Path, tmp_path: Path, era: Era
) -> None:
    # What `uv run` does with the bundle, except for fetching the dependencies: build the package, start its program.
    site, project = tmp_path / "site", tmp_path / "project"
    project.mkdir()
    zipfile.ZipFile(built_wheel(tmp_path / "dist", bundle)).extractall(site)
    *_, program, verb = json.loads((bundle / "manifest.json").read_bytes())["server"]["mcp_config"]["args"]
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", program, verb],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(site)},
        cwd=project,
    )
    async with Client(server, mode=era) as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("sparring", __version__)
        debate = {"topic": "Is the project documented?", "with": "offline", "rounds": 1}
        result = await client.call_tool("debate", debate)
    assert not result.is_error
    assert (project / ".sparring" / "debate" / "last-debate.json").exists()
