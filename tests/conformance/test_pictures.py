"""The pictures of a terminal and of pages that the README shows: drawn anew from real runs."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
DRAWING = ROOT / "docs" / "pictures" / "terminal.py"
LIMIT = 150_000


def words(picture: Path) -> str:
    """What stands in it, in one line."""
    root = ET.parse(picture).getroot()  # noqa: S314 -- our own
    return " ".join("".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")).replace(
        "\xa0", " "
    )


def check(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")
    assert len(text) < LIMIT
    assert not any(word in text for word in ("@font-face", "url(http", "href"))
    for said in (
        "(proposer) wins",
        "[WARN] The judge",
        "not there: TIMEOUT_S = 30",
        "Struck, since nobody has said it",
    ):
        assert said in words(picture)
    assert "\x1b" not in text


def test_the_picture_that_is_shown_is_of_this_demonstration() -> None:
    check(ROOT / "docs" / "pictures" / "demo.svg")


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="it needs a pseudo-terminal")
def test_it_is_drawn_from_a_real_run(tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    done = subprocess.run((sys.executable, DRAWING, picture), capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    check(picture)


PAGES = ("debate", "fact-check", "table")


def check_page(picture: Path) -> None:
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert struct.unpack(">II", content[16:24]) == (1280, 800)
    assert len(content) < LIMIT


@pytest.mark.parametrize("name", PAGES)
def test_the_pictures_of_pages_are_there_and_small(name: str) -> None:
    check_page(ROOT / "docs" / "pictures" / f"{name}.png")


@pytest.mark.browser
def test_pages_are_pictured_from_real_runs(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    program = (sys.executable, DRAWING.with_name("pages.py"), tmp_path)
    done = subprocess.run(program, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    for name in PAGES:
        check_page(tmp_path / f"{name}.png")
