"""The tool ``verify``: code checks a claim and quotes, and nobody is asked."""

from collections.abc import Mapping

from sparring.server.results import ToolResult
from support.mcp_project import AT_ONCE, client, said
from support.workbench import Workbench

CASTLE = "The castle has 250 rooms.\nIt was built in 1999."
TOKEN = "ghp_" + "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"


async def verified(bench: Workbench, arguments: Mapping[str, object]) -> ToolResult:
    """What the tool says, and that it has begun no run."""
    async with client(bench) as host:
        result = said(await host.call_tool("verify", dict(arguments)))
    assert not list(bench.root.rglob("journal.jsonl"))
    return result


async def test_a_claim_and_quotes_are_checked_in_one_call(bench: Workbench) -> None:
    quotes = ["has 250 rooms", "The castle has 300 rooms", "made of green cheese"]
    arguments = {"claim": "The castle has 300 rooms.", "quotes": quotes, "evidence": ["Nothing.", CASTLE]}
    result = await verified(bench, arguments)
    assert (result.status, result.run_id, result.next) == ("finished", "", "")
    lines = result.text.split("\n")
    assert lines[0] == "## Claim: REFUTED"
    assert [line for line in lines if "“300”" in line and "“250” (evidence 2, 15–18)" in line]
    assert [line for line in lines if line[:1] in {"1", "2", "3", "#"}][1:] == [
        "## Quotes: 1 of 3 verbatim",
        "2. **altered**: “The castle has 300 rooms”. Most like it (evidence 2, 0–24):",
        "3. **not found**: “made of green cheese”. Nothing like it is in the evidence.",
        "1. **verbatim**: “has 250 rooms” (evidence 2, 11–24), leaves the claim open: code can show neither",
    ]
    assert "   The castle has \\[-300-] {+250+} rooms" in lines
    assert not (bench.project / ".sparring").exists()


async def test_a_check_that_takes_too_long_for_a_call_is_given_up(bench: Workbench) -> None:
    async with client(bench, limits=AT_ONCE) as host:
        result = said(await host.call_tool("verify", {"claim": "There are 45.", "evidence": [CASTLE]}))
    assert (result.status, "To check this takes more than the 0 s" in result.text) == ("refused", True)


async def test_secrets_of_the_evidence_are_redacted(bench: Workbench) -> None:
    (bench.project / "notes.txt").write_text(f"The key {TOKEN} opens 12 doors.", encoding="utf-8")
    quotes = [f"The key {TOKEN} opens 13 doors"]
    result = await verified(bench, {"claim": "It opens 13 doors.", "quotes": quotes, "evidence": ["file=notes.txt"]})
    assert TOKEN[:12] not in result.text
    assert result.text.endswith("2 secrets were taken out before anything was compared.")


async def test_citations_of_a_text_are_looked_up_in_the_project(bench: Workbench) -> None:
    text = f"It retries (`README.md:3`), see `client.py:40` and `{TOKEN}`."
    result = await verified(bench, {"text": text})
    assert result.text.split("\n") == [
        "## Cited of the project",
        "",
        "- **not found**: client.py:40: there is no such file",
        "",
        "0 verified, 1 existing, 1 not found, 0 that code cannot check.",
        "",
        "1 secret was taken out before anything was compared.",
    ]
