"""The tool ``jury`` as a host calls it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sparring.schema.jury import TEXT_LIMIT, Faithfulness, LastVerdict
from support.fact_checkers import failing
from support.jurors import REPLIES
from support.mcp_calls import assert_refused, cancelled_run
from support.mcp_project import Era, client, said, stdio_client
from support.workbench import Workbench

pytestmark = pytest.mark.process


ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
TRUTH = "As of March 25, more than 645,000 cases were reported."
CASE: Mapping[str, object] = {
    "claim": "Under 650,000 cases were reported.",
    "truth": TRUTH,
    "advocate": "ann",
    "skeptic": "bob",
    "judge": "cy",
    "provider": "ann",
}
NO_RUN = "jury-20260301T120000Z-c0de"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = Workbench.below(tmp_path)
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, REPLIES)
    return bench


def last_verdict(bench: Workbench) -> LastVerdict:
    return LastVerdict.model_validate_json((bench.state / "jury" / "last-verdict.json").read_bytes())


@ERAS
async def test_a_claim_is_judged_in_one_call(bench: Workbench, era: Era) -> None:
    async with client(bench, era) as host:
        result = said(await host.call_tool("jury", {**CASE, "row_id": "17", "dataset": "nova"}))
        assert (result.status, "MUTATED" in result.text.splitlines()[0]) == ("finished", True)
        transcript = said(await host.call_tool("runs", {"run_id": result.run_id}))
        assert TRUTH in transcript.text
    kept = last_verdict(bench)
    assert (kept.id, kept.row_id, kept.dataset) == (result.run_id, "17", "nova")
    assert kept.verdict is not None
    assert kept.verdict.verdict is Faithfulness.MUTATED


@ERAS
async def test_a_real_server_waits_with_its_host(bench: Workbench, era: Era) -> None:
    (bench.project / "truth.txt").write_text(TRUTH, encoding="utf-8")
    bench.add_tool("bob", [{"delay_s": 1.5, **reply} for reply in REPLIES])
    async with stdio_client(bench, era, SPARRING_CALL_BUDGET_S="1") as host:
        result = said(await host.call_tool("jury", {**CASE, "truth": "file=truth.txt"}))
        assert result.status == "running"
        while result.status == "running":
            result = said(await host.call_tool("wait", {"run_id": result.run_id}))
    assert (result.status, last_verdict(bench).truth) == ("finished", TRUTH)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"claim": " "}, ("claim: string should have at least 1 character",)),
        ({"truth": ""}, ("truth: string should have at least 1 character",)),
        ({"truth": "a\x00b"}, ("truth: must not hold control characters",)),
        ({"truth": "x" * (5 * 1024 * 1024)}, (f"truth: string should have at most {TEXT_LIMIT} characters",)),
        ({"truth": "file=/etc/passwd"}, ("outside of the project",)),
        ({"truth": "file=.git/config"}, ("may hold secrets",)),
        ({"judge": "nobody"}, ("no tool named 'nobody'",)),
        ({"judge": "scripted"}, ("scripted has no script",)),
        ({"rebuttals": 3}, ("rebuttals", "2", "3")),
        ({"language": "?"}, ("The language must be a tag",)),
        ({"resume": NO_RUN}, ("claim or resume",)),
        ({"pairs": "x.csv"}, ("not pairs",)),
    ],
)
@ERAS
async def test_what_cannot_be_judged_is_refused_in_a_sentence_and_nobody_is_asked(
    bench: Workbench, era: Era, changes: dict[str, object], words: tuple[str, ...]
) -> None:
    await assert_refused(bench, era, "jury", {**CASE, **changes}, words)


@ERAS
async def test_a_judge_that_fails_leaves_no_verdict_and_says_so(bench: Workbench, era: Era) -> None:
    bench.add_tool("cy", [failing("overloaded")])
    async with client(bench, era) as host:
        result = said(await host.call_tool("jury", dict(CASE)))
    assert (result.status, "overloaded" in result.text) == ("finished", True)
    assert last_verdict(bench).verdict is None


@ERAS
async def test_a_cancelled_jury_goes_on_with_the_same_tool(bench: Workbench, era: Era) -> None:
    run_id = await cancelled_run(bench, era, "jury", CASE)

    bench.add_tool("cy", REPLIES)
    async with client(bench, era) as host:
        resumed = said(await host.call_tool("jury", {"resume": run_id}))
    assert (resumed.status, resumed.run_id, last_verdict(bench).spent.calls) == ("finished", run_id, 6)
