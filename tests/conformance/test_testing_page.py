"""``docs/testing.md`` promises only what runs: its blocks are written into a folder, as it says, and run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
BOUND_S = 240
"""How long the tests of the page may take before this one fails; nothing depends on how long they do."""


def python(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the page needs none of ours
    argv = [sys.executable, *arguments]
    return subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, timeout=BOUND_S, check=False)


def test_the_example_of_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    tests = [text for language, text in blocks if language == "python"]
    files = {text.partition("\n")[0].removeprefix("# "): text for language, text in blocks if language == "toml"}
    for name, text in (files | {"test_mine.py": "\n\n".join(tests)}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{sum(text.count('def test_') for text in tests)} passed" in done.stdout


def test_only_the_agent_needs_the_extra(tmp_path: Path) -> None:
    without = "import sys; sys.modules['acp'] = None; from sparring.testing import "
    modules = "fake_cli, fake_claude, Workspace, ModelEndpoint"
    assert python("-c", without + modules, cwd=tmp_path).returncode == 0
    assert "ModuleNotFoundError" in python("-c", without + "acp_agent", cwd=tmp_path).stderr
