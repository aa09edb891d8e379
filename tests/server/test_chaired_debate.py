"""The tool ``chaired_debate`` as a host calls it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.chaired_debaters import CHAIRED_SPEECHES, TOPIC
from support.fact_checkers import failing
from support.mcp_calls import assert_refused, cancelled_run
from support.mcp_project import Era, client, said, stdio_client
from support.workbench import Workbench

pytestmark = pytest.mark.process


ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
CASE: Mapping[str, object] = {"topic": TOPIC, "promoter": "ann", "detractor": "bob", "chair": "cy", "max_rounds": 2}
NO_RUN = "chaired-debate-20260301T120000Z-c0de"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = Workbench.below(tmp_path)
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, CHAIRED_SPEECHES)
    return bench


def metadata(bench: Workbench, folder: str = "out") -> dict[str, Any]:
    return json.loads((bench.project / folder / "metadata.json").read_text(encoding="utf-8"))


@ERAS
async def test_a_debate_is_held_in_one_call(bench: Workbench, era: Era) -> None:
    async with client(bench, era) as host:
        call = {**CASE, "audience": "cy", "reporter": "cy", "output_dir": "out", "time_budget_minutes": 5}
        result = said(await host.call_tool("chaired_debate", call))
        assert (result.status, "Chaired debate" in result.text.splitlines()[0]) == ("finished", True)
        transcript = said(await host.call_tool("runs", {"run_id": result.run_id}))
    kept = metadata(bench)
    assert (kept["id"], kept["decision"], kept["time_budget_s"]) == (result.run_id, "negative_wins", 300.0)
    assert "A retry costs one more request" in transcript.text


@ERAS
async def test_without_a_topic_the_config_file_has_it(bench: Workbench, era: Era) -> None:
    config = {"topic": TOPIC, "output_dir": "here", "max_rounds": 1, "models": {"promoter": "ann", "detractor": "bob"}}
    (bench.project / "config").mkdir()
    (bench.project / "config" / "debate-config.json").write_text(json.dumps(config), encoding="utf-8")
    async with client(bench, era) as host:
        result = said(await host.call_tool("chaired_debate", {"chair": "cy", "no_web": True, "min_rounds": 0}))
    assert result.status == "finished", result.text
    assert (metadata(bench, "here")["topic"], metadata(bench, "here")["max_rounds"]) == (TOPIC, 1)


@ERAS
async def test_a_real_server_waits_with_its_host(bench: Workbench, era: Era) -> None:
    bench.add_tool("bob", [{"delay_s": 0.7, **reply} for reply in CHAIRED_SPEECHES])
    async with stdio_client(bench, era, SPARRING_CALL_BUDGET_S="1") as host:
        result = said(await host.call_tool("chaired_debate", {**CASE, "output_dir": "out"}))
        assert result.status == "running"
        while result.status == "running":
            result = said(await host.call_tool("wait", {"run_id": result.run_id}))
    assert (result.status, metadata(bench)["status"]) == ("finished", "completed")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"topic": " "}, ("There is no topic to debate.", "config/debate-config.json")),
        ({"topic": "a\x00b"}, ("topic: must not hold control characters",)),
        ({"chair": "nobody"}, ("no tool named 'nobody'",)),
        ({"detractor": "ann"}, ("Promoter and detractor must be different tools",)),
        ({"max_rounds": 11}, ("max_rounds", "10", "11")),
        ({"min_rounds": 3}, ("min_rounds is 3 and max_rounds is 2: the least cannot be more than the most.",)),
        ({"time_budget_minutes": -1}, ("The time budget must be a number of minutes above 0; it is -1.",)),
        ({"output_dir": "/etc"}, ("is not relative to the project",)),
        ({"output_dir": "link"}, ("leads out of the project",)),
        ({"context": ["file=/etc/passwd"]}, ("outside of the project",)),
        ({"resume": NO_RUN}, ("topic or resume",)),
        ({"rounds": 2}, ("not rounds",)),
    ],
)
@ERAS
async def test_what_cannot_be_debated_is_refused_in_a_sentence_and_nobody_is_asked(
    bench: Workbench, era: Era, changes: dict[str, object], words: tuple[str, ...]
) -> None:
    (bench.project / "link").symlink_to(bench.root)
    await assert_refused(bench, era, "chaired_debate", {**CASE, **changes}, words)


@ERAS
async def test_a_chair_that_fails_leaves_no_decision_and_says_so(bench: Workbench, era: Era) -> None:
    bench.add_tool("cy", [failing("overloaded")])
    async with client(bench, era) as host:
        result = said(await host.call_tool("chaired_debate", {**CASE, "output_dir": "out"}))
    assert (result.status, "overloaded" in result.text) == ("finished", True)
    assert (metadata(bench)["status"], metadata(bench)["decision"]) == ("unjudged", None)


@ERAS
async def test_a_cancelled_debate_goes_on_with_the_same_tool(bench: Workbench, era: Era) -> None:
    run_id = await cancelled_run(bench, era, "chaired_debate", {**CASE, "output_dir": "out"})
    assert (bench.project / "out" / "debate-log.jsonl").exists()

    bench.add_tool("cy", CHAIRED_SPEECHES)
    async with client(bench, era) as host:
        resumed = said(await host.call_tool("chaired_debate", {"resume": run_id}))
    assert (resumed.status, resumed.run_id, metadata(bench)["id"]) == ("finished", run_id, run_id)
