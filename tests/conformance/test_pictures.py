"""The pictures of a terminal and of pages that the README shows: drawn anew from real runs."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
LIMIT = 150_000
SAID = ("(proposer) wins", "[WARN] The judge", "not there: TIMEOUT_S = 30", "Struck, since no side said it")


def drawn(program: str, *arguments: object) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    argv = [sys.executable, ROOT / "tools" / "pictures" / program, *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def check(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314 -- our own
    lines = ("".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text"))
    words = " ".join(" ".join(lines).replace("\xa0", " ").split())
    assert len(text) < LIMIT
    assert [word for word in ("@font-face", "url(http", "href", "\x1b") if word in text] == []
    assert [said for said in SAID if said not in words] == []


def check_page(picture: Path) -> None:
    content = picture.read_bytes()
    assert (content[:4], struct.unpack(">II", content[16:24])) == (b"\x89PNG", (1280, 800))
    assert len(content) < LIMIT


def test_the_pictures_that_are_shown_are_of_the_demonstration_and_of_pages_and_small() -> None:
    check(PICTURES / "demo.svg")
    for name in ("debate", "fact-check", "table"):
        check_page(PICTURES / f"{name}.png")


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="it needs a pseudo-terminal")
def test_the_terminal_picture_is_drawn_from_a_real_run(tmp_path: Path) -> None:
    drawn("terminal.py", tmp_path / "demo.svg")
    check(tmp_path / "demo.svg")


@pytest.mark.browser
def test_pages_are_pictured_from_real_runs(tmp_path: Path) -> None:
    drawn("pages.py", tmp_path, "table")
    check_page(tmp_path / "table.png")
