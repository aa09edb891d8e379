"""What hosts see of the server before they call anything."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client

from sparring import __version__
from sparring.server.building import build_server
from sparring.server.doorway import snapshot
from support.mcp_peer import INITIALIZE, modern, piped, request
from support.mcp_project import Era, said
from support.workbench import Workbench

pytestmark = pytest.mark.process


RENEW = "if that is meant, renew the snapshot: python -m sparring.server.snapshot"
DEFINITIONS_LIMIT = 12_000
ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


def agreed() -> list[dict[str, object]]:
    """The definitions in the snapshot that the doorway answers from; a change of them shows there."""
    known = snapshot.load()
    assert known is not None, RENEW
    result = known.result("2025-11-25", "tools/list")
    assert result is not None
    return result["tools"]


@ERAS
async def test_the_tools_are_defined_as_agreed(era: Era) -> None:
    async with Client(build_server(), mode=era) as client:
        listed = await client.list_tools()
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    assert tools == agreed(), RENEW


@pytest.mark.parametrize(
    "messages",
    [
        (request(1, "initialize", INITIALIZE), request(2, "tools/list")),
        (modern(1, "server/discover"), modern(2, "tools/list")),
    ],
    ids=["legacy", "modern"],
)
def test_all_definitions_together_are_small_on_the_wire(
    tmp_path: Path, messages: tuple[dict[str, object], ...]
) -> None:
    *_, answer = piped(Workbench.below(tmp_path), *messages)
    assert len(json.dumps(answer["result"]["tools"])) < DEFINITIONS_LIMIT
    assert answer["result"]["tools"] == agreed(), RENEW


def test_nothing_of_a_deliberation_is_imported_before_a_call_needs_it() -> None:
    program = "import sys, sparring.server.building; sparring.server.building.build_server(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    ours = {module for module in done.stdout.split() if module.startswith("sparring.")}
    assert {module.split(".")[1] for module in ours} == {"errors", "server", "settings", "text"}
    assert ours.isdisjoint({"sparring.server.answers", "sparring.server.deliberations"})
    assert "httpx" not in done.stdout.split()


@ERAS
async def test_the_server_says_who_it_is_and_when_to_use_what(era: Era) -> None:
    async with Client(build_server(), mode=era) as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("sparring", __version__)
        assert client.instructions is not None
        listed = await client.list_tools()
        assert all(tool.name in client.instructions for tool in listed.tools)


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("consult", {}, "question: Field required."),
        ("debate", {"topic": "x", "round": 1, "topics": ""}, "not round, topics."),
        ("debate", {"topic": "x", "rounds": "two"}, "rounds: Input should be a valid integer"),
        ("debate", {"topic": "x", "effort": "most"}, "effort: Input should be 'low', 'medium', 'high' or 'max'."),
        ("wait", {"run_id": 7}, "run_id: Input should be a valid string."),
        ("runs", {"x" * 1_000_000: 1}, "runs knows these arguments: run_id, page; not xxx"),
    ],
)
@ERAS
async def test_arguments_that_do_not_fit_are_refused_in_a_sentence(
    era: Era, tool: str, arguments: dict[str, object], sentence: str
) -> None:
    async with Client(build_server(), mode=era) as client:
        refusal = said(await client.call_tool(tool, arguments))
    assert (refusal.status, sentence in refusal.text, len(refusal.text.splitlines())) == ("refused", True, 1)


@ERAS
async def test_an_unknown_tool_is_an_error_that_the_model_reads(era: Era) -> None:
    async with Client(build_server(), mode=era) as client:
        result = await client.call_tool("quarrel", {})
    assert result.is_error
