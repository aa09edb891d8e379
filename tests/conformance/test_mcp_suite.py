"""The conformance suite of the protocol, against the server for a team."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.inspection import inspect

pytestmark = pytest.mark.npm


EXPECTED = Path(__file__).parent / "expected_failures"


@contextmanager
def served(home: Path, *argv: str) -> Generator[str]:
    """The URL of a server that is started in a project of its own; its first line says where it is."""
    (home / ".git").mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    with subprocess.Popen(
        [sys.executable, "-m", *argv], cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            assert process.stdout is not None
            (url,) = (word for word in process.stdout.readline().decode().split() if word.startswith("http://"))
            yield url
        finally:
            process.terminate()
            process.communicate()


def run_suite(home: Path, url: str, revision: str, expected: str) -> "subprocess.CompletedProcess[str]":
    arguments = ["--url", url, "--requirements", revision, "--expected-failures", str(EXPECTED / expected)]
    return inspect(home, "conformance", "server", *arguments, "-o", str(home / "results"))


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_server_for_a_team_passes_all_that_needs_no_tool_of_the_suites_own(tmp_path: Path, revision: str) -> None:
    with served(tmp_path, "sparring", "serve", "--http", "127.0.0.1:0") as url:
        done = run_suite(tmp_path, url, revision, f"sparring-{revision}.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ tools-list" in done.stdout
