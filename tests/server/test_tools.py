"""The tools that begin deliberations, as a host calls them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.chaired_debaters import CHAIRED_SPEECHES, TOPIC
from support.fact_checkers import FOR
from support.fact_checking import CLAIM, SOURCES
from support.jurors import REPLIES
from support.mcp_project import AT_ONCE, DEBATE, NEVER, client, project, said
from support.workbench import SPEECHES, Workbench

TRUTH = "As of March 25, more than 645,000 cases were reported."
CALLS: Mapping[str, Mapping[str, object]] = {
    "debate": DEBATE,
    "chaired_debate": {
        "topic": TOPIC,
        "promoter": "ann",
        "detractor": "bob",
        "chair": "cy",
        "audience": "cy",
        "reporter": "cy",
        "min_rounds": 0,
        "max_rounds": 2,
        "output_dir": "out",
        "time_budget_minutes": 5,
    },
    "fact_check": {"claim": CLAIM, "evidence": list(SOURCES), "agents": "ann,bob,cy", "max_rounds": 2},
    "jury": {
        "claim": "Under 650,000 cases were reported.",
        "truth": TRUTH,
        "row_id": "17",
        "dataset": "nova",
        "advocate": "ann",
        "skeptic": "bob",
        "judge": "cy",
        "provider": "ann",
    },
}
SCRIPTS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "debate": SPEECHES,
    "chaired_debate": CHAIRED_SPEECHES,
    "fact_check": FOR,
    "jury": REPLIES,
}
HEADLINES = {
    "debate": "bob (challenger) wins",
    "chaired_debate": "Chaired debate",
    "fact_check": "SUPPORTED",
    "jury": "MUTATED",
}
SPOKEN = {
    "debate": "I concede: it needs a test.",
    "chaired_debate": "A retry costs one more request",
    "fact_check": SOURCES[0][:40],
    "jury": TRUTH,
}
FILES = {
    "debate": ".sparring/debate/last-debate.json",
    "chaired_debate": "out/metadata.json",
    "fact_check": ".sparring/fact-check/last-fact-check.json",
    "jury": ".sparring/jury/last-verdict.json",
}
KEPT: Mapping[str, Mapping[str, object]] = {
    "debate": {"topic": DEBATE["topic"], "rounds_completed": 2},
    "chaired_debate": {"topic": TOPIC, "decision": "negative_wins", "time_budget_s": 300.0, "max_rounds": 2},
    "fact_check": {"claim": CLAIM, "rounds_completed": 1},
    "jury": {"truth": TRUTH, "row_id": "17", "dataset": "nova"},
}
each_tool = pytest.mark.parametrize("tool", CALLS)


def benched(root: Path, tool: str) -> Workbench:
    """A project whose tools know what to say when ``tool`` is called."""
    bench = project(root)
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, SCRIPTS[tool])
    return bench


def kept(bench: Workbench, tool: str) -> dict[str, Any]:
    """What is kept of the last run for others to read."""
    return json.loads((bench.project / FILES[tool]).read_text(encoding="utf-8"))


@each_tool
async def test_a_deliberation_is_held_in_one_call_and_its_transcript_can_be_read(tmp_path: Path, tool: str) -> None:
    bench = benched(tmp_path, tool)
    async with client(bench) as host:
        result = said(await host.call_tool(tool, dict(CALLS[tool])))
        assert (result.status, HEADLINES[tool] in result.outcome) == ("finished", True)
        assert tool != "debate" or (result.winner_role, result.firmness) == ("challenger", "unanimous")
        assert result.next == f'For the whole transcript call runs with run_id "{result.run_id}".'
        assert SPOKEN[tool] in said(await host.call_tool("runs", {"run_id": result.run_id})).text
    record = kept(bench, tool)
    assert {"id": result.run_id, **KEPT[tool]} == {key: record[key] for key in ("id", *KEPT[tool])}


async def test_resuming_a_run_that_is_under_way_waits_for_it(tmp_path: Path) -> None:
    bench = project(tmp_path)
    bench.add_tool("bob", NEVER)
    async with client(bench, pace=AT_ONCE) as host:
        begun = said(await host.call_tool("debate", DEBATE))
        again = said(await host.call_tool("debate", {"resume": begun.run_id}))
        assert (begun.status, again.status, again.run_id) == ("running", "running", begun.run_id)
        assert said(await host.call_tool("cancel", {"run_id": begun.run_id})).status == "interrupted"


async def test_what_is_judged_may_be_a_file_of_the_project(tmp_path: Path) -> None:
    bench = benched(tmp_path, "jury")
    (bench.project / "truth.txt").write_text(TRUTH, encoding="utf-8")
    async with client(bench) as host:
        assert said(await host.call_tool("jury", {**CALLS["jury"], "truth": "file=truth.txt"})).status == "finished"
    assert kept(bench, "jury")["truth"] == TRUTH
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, FOR)
    wish = {**CALLS["fact_check"], "evidence": ["file=truth.txt", "A text."]}
    async with client(bench) as host:
        assert said(await host.call_tool("fact_check", wish)).status == "finished"
    assert [source["name"] for source in kept(bench, "fact_check")["evidence"]] == ["truth.txt", "evidence 1"]


async def test_the_users_defaults_count_where_a_call_leaves_something_open(tmp_path: Path) -> None:
    bench = project(tmp_path)
    config = tmp_path / "config" / "config.toml"
    config.write_text('[defaults]\njudge = "cy"\neffort = "low"\n[defaults.debate]\nrounds = 1\n', encoding="utf-8")
    async with client(bench) as host:
        said(await host.call_tool("debate", {**DEBATE, "judge": "", "effort": "medium"}))
    record = kept(bench, "debate")
    assert (record["max_rounds"], record["effort"], record["judge"]["tool"]) == (1, "medium", "cy")
