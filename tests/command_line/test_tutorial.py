"""The tutorial: typed from top to bottom by a new user, it prints what it shows."""

import os
import sys
from pathlib import Path

import pytest

from support.doc_sessions import run_session, steps

pytestmark = pytest.mark.process

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
CODES = {"sparring verify": 1, "sparring debate": 4}
"""Exit codes that the tutorial explains; all others are 0."""


def test_the_tutorial_prints_what_it_shows(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    folder.mkdir()
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    variables = {"HOME": str(home), "PATH": path, "XDG_CONFIG_HOME": str(home / ".config"), "LANG": "C.UTF-8"}
    session = tuple(steps(PAGE))
    done = run_session(session, folder, variables)
    assert len(done) == len(session) > 10
    for step, (code, output) in zip(session, done, strict=True):
        expected = next((code for start, code in CODES.items() if step.command.startswith(start)), 0)
        assert (step.missing(output), code) == ("", expected), (step.command, output)
