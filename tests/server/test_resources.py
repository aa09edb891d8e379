"""The runs as resources: the list, and each report, whole or page by page."""

import re

import pytest
from mcp import Client, MCPError
from mcp.types import INVALID_PARAMS, TextResourceContents

from sparring.server.results import RESULT_LIMIT
from support.journals import kept_runs
from support.mcp_project import client, said
from support.workbench import Workbench

RUNS = "sparring://runs"


async def read(host: Client, address: str) -> str:
    """The one text of a resource."""
    (content,) = (await host.read_resource(address)).contents
    assert isinstance(content, TextResourceContents)
    assert content.mime_type == "text/markdown"
    return content.text


async def missing(host: Client, address: str) -> str:
    """The sentence that says that there is no such resource."""
    with pytest.raises(MCPError) as caught:
        await host.read_resource(address)
    assert (caught.value.error.code, caught.value.error.data) == (INVALID_PARAMS, {"uri": address})
    return caught.value.error.message


async def pages(host: Client, address: str) -> list[str]:
    """The text of all pages, each without the address of the next, which is followed."""
    found: list[str] = []
    following: str | None = address
    while following and len(found) < 50:
        text = await read(host, following)
        assert len(text) < RESULT_LIMIT
        last = re.search(r"\nNext page: (\S+)\n\Z", text)
        following = last[1] if last else None
        found.append(text[: last.start()] if last else text)
    return found


async def test_a_report_is_read_whole_or_page_by_page(bench: Workbench) -> None:
    paragraph = 'It says "why" at length.\n'
    bench.add_tool("ann", [{"response": paragraph * 1_000}])
    async with client(bench) as host:
        result = said(await host.call_tool("consult", {"question": "Why?", "tool": "ann"}))
        address = f"{RUNS}/{result.run_id}"
        whole = await read(host, address)
        found = await pages(host, f"{address}?page=1")
        by_last = await pages(host, f"{RUNS}/last?page=2")
    assert whole == (bench.state / "consult" / "runs" / result.run_id / "report.md").read_text(encoding="utf-8")
    assert whole.count(paragraph) == 1_000
    assert len(found) > 2
    assert "\n".join(found).split() == whole.split()
    assert by_last == found[1:]


async def test_a_long_list_has_several_pages(bench: Workbench) -> None:
    ids = kept_runs(bench, 150)
    async with client(bench) as host:
        found = await pages(host, RUNS)
    assert len(found) > 1
    assert re.findall(r"^- `([^`]+)`", "\n".join(found), re.MULTILINE) == ids


MISSING = [
    (f"{RUNS}/debate-20260301T120000Z-c0de", "There is no run 'debate-20260301T120000Z-c0de'"),
    (f"{RUNS}/..%2F..%2Fetc%2Fpasswd", "Unknown resource"),
    (f"{RUNS}/last", "There is no run in "),
    (f"{RUNS}?page=2", "There is no page 2."),
    (f"{RUNS}?page=-1", "A page is a number."),
    (f"{RUNS}?page={'9' * 5_000}", "A page is a number."),
    (f"{RUNS}/x?page=\u0663", "A page is a number."),
    ("sparring://else", "Unknown resource"),
]


async def test_a_missing_resource_is_reported_in_a_sentence(bench: Workbench) -> None:
    async with client(bench) as host:
        told = [(address, sentence, await missing(host, address)) for address, sentence in MISSING]
        assert await read(host, RUNS)  # and the server is well
    assert [row for row in told if not row[2].startswith(row[1]) or len(row[2].splitlines()) != 1] == []
