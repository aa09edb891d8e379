"""The tools that begin deliberations, as a host calls them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from support.chaired_debaters import CHAIRED_SPEECHES, TOPIC
from support.fact_checkers import FOR
from support.fact_checking import CLAIM, SOURCES
from support.jurors import REPLIES
from support.mcp_project import AT_ONCE, DEBATE, NEVER, client, said
from support.reviewing import FINDS
from support.workbench import SPEECHES, Workbench

TRUTH = "As of March 25, more than 645,000 cases were reported."


class Deliberation(NamedTuple):
    """How one is called, what its seats say, and what comes of it.

    Attributes:
        spoken: Words that its transcript holds.
        file: What is kept of the last one for others to read.
        kept: Fields of that.
    """

    call: Mapping[str, object]
    script: Sequence[Mapping[str, object]]
    headline: str
    spoken: str
    file: str
    kept: Mapping[str, object]


CHAIRED_SEATS = {"with": "ann,bob,cy,cy,cy"}
CHAIRED = {"topic": TOPIC, **CHAIRED_SEATS, "min_rounds": 0, "max_rounds": 2}
CHECKED = {"claim": CLAIM, "evidence": list(SOURCES), "with": "ann,bob,cy", "max_rounds": 2}
JURORS = {"with": "ann,bob,ann,cy"}
ROW = {"truth": TRUTH, "row_id": "17", "dataset": "nova"}
DELIBERATIONS = {
    "debate": Deliberation(
        *(DEBATE, SPEECHES, "bob (challenger) wins", "I concede: it needs a test."),
        ".sparring/debate/last-debate.json",
        {"topic": DEBATE["topic"], "rounds_completed": 2},
    ),
    "chaired_debate": Deliberation(
        {**CHAIRED, "output_dir": "out", "time_budget_minutes": 5},
        *(CHAIRED_SPEECHES, "Chaired debate", "A retry costs one more request", "out/metadata.json"),
        {"topic": TOPIC, "decision": "negative_wins", "time_budget_s": 300.0, "max_rounds": 2},
    ),
    "fact_check": Deliberation(
        *(CHECKED, FOR, "SUPPORTED", SOURCES[0][:40], ".sparring/fact-check/last-fact-check.json"),
        {"claim": CLAIM, "rounds_completed": 1},
    ),
    "jury": Deliberation(
        {"claim": "Under 650,000 cases were reported.", **ROW, **JURORS},
        *(REPLIES, "MUTATED", TRUTH, ".sparring/jury/last-verdict.json"),
        ROW,
    ),
    "review": Deliberation(
        {"plan": "README.md", "with": "ann,bob"},
        *([FINDS], "confirmed", "README.md:3: It never stops.", ".sparring/review/last-review.json"),
        {"status": "findings", "files": ["README.md"]},
    ),
}


def script(bench: Workbench, tool: str) -> None:
    """Let everybody know what to say when ``tool`` is called."""
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, DELIBERATIONS[tool].script)


def kept(bench: Workbench, tool: str) -> dict[str, Any]:
    """What is kept of the last run for others to read."""
    return json.loads((bench.project / DELIBERATIONS[tool].file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("tool", DELIBERATIONS)
async def test_a_deliberation_runs_in_one_call_and_its_transcript_can_be_read(bench: Workbench, tool: str) -> None:
    held = DELIBERATIONS[tool]
    script(bench, tool)
    async with client(bench) as host:
        result = said(await host.call_tool(tool, dict(held.call)))
        assert (result.status, held.headline in result.outcome) == ("finished", True)
        assert tool != "debate" or (result.winner_role, result.firmness) == ("challenger", "both_orders")
        assert result.next == f'For the whole transcript call runs with run_id "{result.run_id}".'
        assert held.spoken in said(await host.call_tool("runs", {"run_id": result.run_id})).text
    assert kept(bench, tool).items() >= {"id": result.run_id, **held.kept}.items()


@pytest.mark.parametrize("tool", DELIBERATIONS)
async def test_an_estimate_predicts_a_run_without_calling_a_tool(bench: Workbench, tool: str) -> None:
    held = DELIBERATIONS[tool]
    script(bench, tool)
    before = bench.files()
    async with client(bench) as host:
        result = said(await host.call_tool(tool, {**held.call, "estimate": True}))
        assert bench.files() == before
        done = said(await host.call_tool(tool, dict(held.call)))
    assert (result.status, result.run_id, result.text.splitlines()[0][:19]) == ("estimated", "", "No tool was called.")
    calls = result.estimate["calls"]
    assert done.spent is not None
    assert calls["fewest"] <= done.spent.calls <= calls["most"]
    assert result.estimate["cost_usd"] == 0.0  # scripts are not paid


async def test_a_run_that_is_resumed_is_not_estimated(bench: Workbench) -> None:
    async with client(bench) as host:
        refused = said(await host.call_tool("debate", {"resume": "debate-20260102T030405Z-0a1b", "estimate": True}))
    assert (refused.status, "without estimate" in refused.text) == ("refused", True)


async def test_resuming_a_run_that_is_under_way_waits_for_it(bench: Workbench) -> None:
    bench.add_tool("bob", NEVER)
    async with client(bench, limits=AT_ONCE) as host:
        begun = said(await host.call_tool("debate", DEBATE))
        again = said(await host.call_tool("debate", {"resume": begun.run_id}))
        assert (begun.status, again.status, again.run_id) == ("running", "running", begun.run_id)
        assert said(await host.call_tool("cancel", {"run_id": begun.run_id})).status == "interrupted"


async def test_judged_material_may_be_a_file_of_the_project(bench: Workbench) -> None:
    (bench.project / "truth.txt").write_text(TRUTH, encoding="utf-8")
    from_file = {"jury": {"truth": "file=truth.txt"}, "fact_check": {"evidence": ["file=truth.txt", "A text."]}}
    for tool, given in from_file.items():
        script(bench, tool)
        async with client(bench) as host:
            assert said(await host.call_tool(tool, {**DELIBERATIONS[tool].call, **given})).status == "finished"
    assert kept(bench, "jury")["truth"] == TRUTH
    assert [source["name"] for source in kept(bench, "fact_check")["evidence"]] == ["truth.txt", "evidence 1"]


async def test_the_users_defaults_count_where_a_call_leaves_something_open(bench: Workbench) -> None:
    config = bench.root / "config" / "config.toml"
    defaults = '[defaults]\nseat = "judge=cy"\neffort = "low"\n[defaults.debate]\nrounds = 1\n'
    config.write_text(defaults, encoding="utf-8")
    async with client(bench) as host:
        said(await host.call_tool("debate", {**DEBATE, "seat": [], "effort": "medium"}))
    record = kept(bench, "debate")
    assert (record["max_rounds"], record["effort"], record["judge"]["tool"]) == (1, "medium", "cy")
