"""What hosts see of the server before they call anything, and how what they cannot call is refused."""

import json
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client

from sparring import __version__
from sparring.server import snapshot
from sparring.server.building import build_server
from sparring.server.stdio import recorded
from support.mcp_project import said


def test_the_snapshot_says_what_the_sdk_says() -> None:
    shipped = json.loads(Path(snapshot.SHIPPED).read_text(encoding="utf-8"))
    told = anyio.run(recorded, build_server())
    assert told == shipped, "if that is meant, renew it: python -m sparring.server.stdio"


async def test_all_definitions_together_are_small() -> None:
    async with Client(build_server()) as client:
        listed = await client.list_tools()
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("sparring", __version__)
        assert client.instructions is not None
        assert all(tool.name in client.instructions for tool in listed.tools)
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    assert len(json.dumps(tools)) < 12_600


@pytest.mark.process
def test_nothing_of_a_deliberation_is_imported_before_a_call_needs_it() -> None:
    program = "import sys, sparring.server.building; sparring.server.building.build_server(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    ours = {module for module in done.stdout.split() if module.startswith("sparring.")}
    assert {module.split(".")[1] for module in ours}.isdisjoint({"app", "checks", "consult", "providers", "store"})
    assert ours.isdisjoint({"sparring.server.answers", "sparring.server.deliberations"})
    assert not [module for module in ours if module.endswith((".rules", ".report"))]
    assert "httpx" not in done.stdout.split()


REFUSED: tuple[tuple[str, dict[str, object], str], ...] = (
    ("consult", {}, "question is missing."),
    ("debate", {"topic": "x", "round": 1, "topics": ""}, "not round, topics. Did you mean rounds?"),
    ("debate", {"topic": "x", "rounds": "two"}, 'rounds must be a whole number, e.g. 2. Example: debate {"topic": '),
    ("debate", {"topic": "x", "effort": "most"}, "effort must be one of low, medium, high, max."),
    ("wait", {"run_id": {}}, 'run_id must be a text, e.g. "a text". Example: wait {"run_id": "'),
    ("runs", {"x" * 1_000_000: 1}, "runs knows these arguments: run_id, page; not xxx"),
)


async def test_arguments_that_do_not_fit_are_refused_in_a_sentence() -> None:
    async with Client(build_server()) as client:
        for tool, arguments, sentence in REFUSED:
            refusal = said(await client.call_tool(tool, arguments))
            assert sentence in refusal.text
            assert (refusal.status, len(refusal.text.splitlines())) == ("refused", 1)
