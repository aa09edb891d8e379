"""What the protocol's own inspector and its suite find at the server: over its input and output, and over HTTP."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring import __version__
from sparring.server.building import build_server
from support.http_server import HostedServer
from support.inspection import inspect

pytestmark = pytest.mark.npm


def inspected(home: Path, *arguments: str) -> Any:
    """The result of a method, from a server as ``sparring serve`` starts it."""
    server = (sys.executable, "-m", "sparring", "serve")
    done = inspect(home, "inspector", "--cli", *server, "--format", "json", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["result"]


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_every_tool_is_portable_under_strict_rules(tmp_path: Path, era: str) -> None:
    listed = inspected(tmp_path, "--method", "tools/list", "--strict", "--protocol-era", era)
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in await build_server().list_tools()]


@pytest.mark.parametrize(("era", "revision"), [("modern", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_server_introduces_itself_in_both_eras(tmp_path: Path, era: str, revision: str) -> None:
    result = inspected(tmp_path, "--method", "initialize", "--protocol-era", era)
    assert result["protocolVersion"] == revision
    assert result["serverInfo"] == {"name": "sparring", "title": "sparring", "version": __version__}
    assert {"completions", "prompts", "resources", "tools"} <= result["capabilities"].keys()
    assert result["instructions"]


EXPECTED = Path(__file__).parent / "expected_failures"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_server_for_a_team_passes_all_that_needs_no_tool_of_the_suites_own(tmp_path: Path, revision: str) -> None:
    with HostedServer(tmp_path, token="") as server:
        arguments = ("--url", f"{server.url}/mcp", "--requirements", revision, "-o", str(tmp_path / "results"))
        expected = ("--expected-failures", str(EXPECTED / f"sparring-{revision}.yml"))
        done = inspect(tmp_path, "conformance", "server", *arguments, *expected)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ tools-list" in done.stdout
