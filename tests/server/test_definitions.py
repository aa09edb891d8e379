"""What hosts see of the server before they call anything, and how what they cannot call is refused."""

import json
import re
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client

from sparring import __version__
from sparring.formats.registry import FORMATS
from sparring.server import snapshot
from sparring.server.arguments import settings_of
from sparring.server.building import build_server
from sparring.server.stdio import recorded
from support.mcp_project import said


def test_the_snapshot_equals_the_definitions_of_the_sdk() -> None:
    shipped = json.loads(Path(snapshot.SHIPPED).read_text(encoding="utf-8"))
    told = anyio.run(recorded, build_server())
    assert told == shipped, "if that is meant, renew it: python -m sparring.server.stdio"


async def test_all_definitions_together_are_small_and_leave_room_for_two_more_formats() -> None:
    async with Client(build_server()) as client:
        listed = await client.list_tools()
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("sparring", __version__)
        assert client.instructions is not None
        assert all(tool.name in client.instructions for tool in listed.tools)
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    of_a_format = min(len(json.dumps(tool)) for tool in tools if "set" in tool["inputSchema"]["properties"])
    assert len(json.dumps(tools)) + 2 * of_a_format < 9_000


@pytest.mark.parametrize("kind", tuple(FORMATS))
async def test_a_tool_lists_the_settings_that_its_definition_omits(kind: str) -> None:
    format_ = FORMATS[kind]
    name, settings = kind.replace("-", "_"), settings_of(format_)
    async with Client(build_server()) as client:
        (tool,) = [each for each in (await client.list_tools()).tools if each.name == name]
        listed = said(await client.call_tool(name, {"set": "help"}))
    assert listed.status == "listed"
    assert settings
    assert not {*settings} & tool.input_schema["properties"].keys()
    assert re.findall(r"^- `(\w+)=", listed.text, re.MULTILINE) == [*settings]


async def test_settings_are_read_in_each_way_in_which_models_write_them() -> None:
    spellings = (
        ["seat=judge=cy", "rounds=9"],
        {"seat": ["judge=cy"], "rounds": 9},
        {"seat": "judge=cy", "rounds": "9"},
    )
    async with Client(build_server()) as host:
        refusals = [said(await host.call_tool("debate", {"topic": "x", "set": each})).text for each in spellings]
        odd = [said(await host.call_tool("debate", {"topic": "x", "set": each})).text for each in ([5], 5)]
    assert len({*refusals}) == 1
    assert "rounds must be at most 5; it is 9." in refusals[0]
    assert all('set takes "NAME=VALUE"' in each for each in odd)


async def test_a_setting_that_does_not_exist_or_has_no_value_is_refused_with_the_way_to_the_list() -> None:
    faults = {
        "effort": 'set takes "NAME=VALUE", not \'effort\'. set ["help"] lists them.',
        "efort=high": "There is no setting 'efort'. Did you mean effort? set [\"help\"] lists them.",
        "question=x": "question is given twice.",
        "timeout_s=soon": "timeout_s must be a number, e.g. 120.",
    }
    async with Client(build_server()) as client:
        for entry, sentence in faults.items():
            refusal = said(await client.call_tool("consult", {"question": "x", "set": [entry]}))
            assert sentence in refusal.text
            assert refusal.status == "refused"


@pytest.mark.process
def test_no_format_is_imported_before_a_call_needs_it() -> None:
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
