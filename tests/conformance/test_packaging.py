"""The wheel holds everything and runs without the checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_prompts_skills_and_providers(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"sparring/prompts/library/{file.relative_to(ROOT / 'prompts').as_posix()}"
        for file in (ROOT / "prompts").rglob("*.md")
    }
    expected |= {
        f"sparring/skills/{file.relative_to(ROOT / 'skills').as_posix()}" for file in (ROOT / "skills").rglob("*.md")
    }
    expected |= {
        file.relative_to(ROOT / "src").as_posix()
        for file in (ROOT / "src").rglob("*")
        if file.suffix in {".py", ".toml"}
    }
    assert expected - names == set()
    assert "sparring/py.typed" in names


def test_the_installed_program_debates_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    project = tmp_path / "project"
    project.mkdir()
    (project / "notes.md").write_text(
        "The cache is written through, so that a crash loses nothing.\n", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "sparring", "debate", "Should the cache be written through?", "--provider", "offline"],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(site)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "notes.md:1" in done.stdout.decode()
