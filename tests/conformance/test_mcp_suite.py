"""The conformance suite of the protocol, against the server for a team."""

from pathlib import Path

import pytest

from support.http_server import HostedServer
from support.inspection import inspect

pytestmark = pytest.mark.npm


EXPECTED = Path(__file__).parent / "expected_failures"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_server_for_a_team_passes_all_that_needs_no_tool_of_the_suites_own(tmp_path: Path, revision: str) -> None:
    with HostedServer(tmp_path, token="") as server:
        arguments = ("--url", f"{server.url}/mcp", "--requirements", revision, "-o", str(tmp_path / "results"))
        expected = ("--expected-failures", str(EXPECTED / f"sparring-{revision}.yml"))
        done = inspect(tmp_path, "conformance", "server", *arguments, *expected)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ tools-list" in done.stdout
