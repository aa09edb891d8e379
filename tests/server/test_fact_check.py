"""The tool ``fact_check`` as a host calls it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sparring.schema.fact_check import LastFactCheck
from sparring.server.pace import Pace
from sparring.store.history import load_run
from sparring.testing.attendance import Attendance
from support.fact_checkers import AGAINST, PROSE, add_checkers, failing
from support.fact_checking import CLAIM, SOURCES
from support.mcp_calls import assert_refused, cancelled_run
from support.mcp_project import Era, add_staying_tool, client, said, stdio_client
from support.workbench import Workbench

pytestmark = pytest.mark.process


ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
AT_ONCE = Pace(call_s=0)
CHECK: Mapping[str, object] = {"claim": CLAIM, "evidence": list(SOURCES), "agents": "ann,bob,cy"}
NO_RUN = "fact-check-20260301T120000Z-c0de"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = Workbench.below(tmp_path)
    add_checkers(bench)
    return bench


def last_fact_check(bench: Workbench) -> LastFactCheck:
    file = bench.state / "fact-check" / "last-fact-check.json"
    return LastFactCheck.model_validate_json(file.read_bytes())


@ERAS
async def test_a_claim_is_checked_in_one_call_and_its_transcript_can_be_read(bench: Workbench, era: Era) -> None:
    async with client(bench, era) as host:
        result = said(await host.call_tool("fact_check", dict(CHECK)))
        assert (result.status, "SUPPORTED" in result.text.splitlines()[0]) == ("finished", True)
        transcript = said(await host.call_tool("runs", {"run_id": result.run_id}))
        assert SOURCES[0][:40] in transcript.text
    assert last_fact_check(bench).id == result.run_id


@ERAS
async def test_a_real_server_waits_with_its_host(bench: Workbench, era: Era) -> None:
    add_checkers(bench, bob=[{"delay_s": 1.5, **reply} for reply in AGAINST])
    async with stdio_client(bench, era, SPARRING_CALL_BUDGET_S="1") as host:
        result = said(await host.call_tool("fact_check", dict(CHECK) | {"max_rounds": 2}))
        assert (result.status, result.next) == (
            "running",
            f'It is still at work: call wait with run_id "{result.run_id}" and again 1.',
        )
        while result.status == "running":
            result = said(await host.call_tool("wait", {"run_id": result.run_id}))
    assert result.status == "finished"
    assert last_fact_check(bench).rounds_completed == 2


@ERAS
async def test_offline_needs_no_ai_tool(bench: Workbench, era: Era) -> None:
    wish = {"claim": "The Eiffel Tower opened in 1899.", "evidence": list(SOURCES), "agents": "offline,offline"}
    async with client(bench, era) as host:
        result = said(await host.call_tool("fact_check", wish))
    assert "REFUTED" in result.text.splitlines()[0]


@ERAS
async def test_evidence_may_be_a_file_of_the_project(bench: Workbench, era: Era) -> None:
    (bench.project / "source.md").write_text("\n".join(SOURCES), encoding="utf-8")
    async with client(bench, era) as host:
        result = said(await host.call_tool("fact_check", {**CHECK, "evidence": ["file=source.md", "A text."]}))
    assert result.status == "finished"
    assert [source.name for source in last_fact_check(bench).evidence] == ["source.md", "evidence 1"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"claim": ""}, ("claim: string should have at least 1 character",)),
        ({"claim": "a\x00b"}, ("claim: must not hold control characters",)),
        ({"evidence": []}, ("no evidence",)),
        ({"evidence": [" "]}, ("evidence 1 is empty",)),
        ({"evidence": ["a\x00b"]}, ("evidence 1 holds the control character U+0000 in line 1",)),
        ({"evidence": ["x" * (5 * 1024 * 1024)]}, ("5,120 KiB", "1,024 KiB", "evidence 1")),
        ({"evidence": ["file=/etc/passwd"]}, ("outside of the project",)),
        ({"evidence": ["file=../x"]}, ("leads upwards",)),
        ({"evidence": ["file=.git/config"]}, ("may hold secrets",)),
        ({"agents": "ann"}, ("2 to 7 agents; 1 is named",)),
        ({"agents": ",".join(["ann"] * 8)}, ("2 to 7 agents; 8 are named",)),
        ({"agents": "ann,nobody"}, ("no tool named 'nobody'",)),
        ({"max_rounds": 9}, ("max_rounds", "5", "9")),
        ({"escalation": "often"}, ("escalation: Input should be 'auto', 'always' or 'never'",)),
        ({"language": "Vietnamese"}, ("The language must be a tag",)),
        ({"resume": NO_RUN}, ("claim or resume",)),
        ({"claim": "", "resume": NO_RUN}, (NO_RUN,)),
        ({"quotes": []}, ("not quotes",)),
    ],
)
@ERAS
async def test_what_cannot_be_checked_is_refused_in_a_sentence_and_nobody_is_asked(
    bench: Workbench, era: Era, changes: dict[str, object], words: tuple[str, ...]
) -> None:
    await assert_refused(bench, era, "fact_check", {**CHECK, **changes}, words)


@ERAS
async def test_agents_that_talk_prose_have_no_vote_and_without_any_vote_the_call_has_failed(
    bench: Workbench, era: Era
) -> None:
    add_checkers(bench, bob=PROSE, cy=[failing("quota")])
    async with client(bench, era) as host:
        result = said(await host.call_tool("fact_check", dict(CHECK)))
        assert (result.status, "no verdict" in result.text.splitlines()[0]) == ("finished", True)
    add_checkers(bench, ann=PROSE, bob=PROSE, cy=[failing("quota")])
    async with client(bench, era) as host:
        assert said(await host.call_tool("fact_check", dict(CHECK))).status == "failed"


@ERAS
async def test_a_cancelled_fact_check_goes_on_without_asking_anybody_twice(bench: Workbench, era: Era) -> None:
    run_id = await cancelled_run(bench, era, "fact_check", CHECK)

    add_checkers(bench)
    async with client(bench, era) as host:
        wrong = said(await host.call_tool("debate", {"resume": run_id}))
        assert (wrong.status, wrong.text) == ("refused", f"{run_id} is no debate. It is one of the tool fact_check.")
        resumed = said(await host.call_tool("fact_check", {"resume": run_id}))
        assert (resumed.status, resumed.run_id) == ("finished", run_id)
    turns = load_run(bench.state / "fact-check" / "runs" / run_id).transcript.turns
    assert [turn.ask_id for turn in turns] == ["r1.a1", "r1.a2", "r1.a3"]


@ERAS
async def test_resuming_a_fact_check_that_is_under_way_waits_for_it(bench: Workbench, era: Era) -> None:
    with Attendance() as attendance:
        add_staying_tool(bench, "bob", attendance)
        async with client(bench, era, AT_ONCE) as host:
            begun = said(await host.call_tool("fact_check", dict(CHECK)))
            again = said(await host.call_tool("fact_check", {"resume": begun.run_id}))
            assert (begun.status, again.status, again.run_id) == ("running", "running", begun.run_id)
            assert said(await host.call_tool("cancel", {"run_id": begun.run_id})).status == "interrupted"
