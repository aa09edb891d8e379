"""Who is asked and fails: for a moment, for good, or because this machine lacks something."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sparring.app import App
from sparring.settings import Settings
from support.chaired_debaters import CHAIRED, CHAIRED_SPEECHES
from support.fact_checkers import EVIDENCE, FOR, failing
from support.fact_checking import CLAIM
from support.held_debates import Held
from support.jurors import REPLIES
from support.workbench import DEBATE, SPEECHES, Workbench

JURY = ("jury", "Under 650 cases.", "--truth", "More than 645 cases.", "--with", "ann")
KINDS = {
    "debate": (DEBATE, SPEECHES),
    "chaired-debate": (CHAIRED, CHAIRED_SPEECHES),
    "fact-check": (("fact-check", CLAIM, *EVIDENCE, "--with", "ann,bob,cy"), FOR),
    "jury": ((*JURY, "--seat", "skeptic=bob", "--seat", "judge=cy"), REPLIES),
}
PROSE: Mapping[str, object] = {"response": "Both have merit."}


@pytest.mark.parametrize(
    ("kind", "tools", "reply", "code", "status", "said"),
    [
        ("debate", "bob", failing("exit", round=1), 4, "uncontested",
         "[WARN] Challenger failed. Showing proposer's uncontested position."),
        ("debate", "ann", failing("timeout"), 1, "failed", "[ERROR] Debate failed: all tool invocations timed out."),
        ("chaired-debate", "bob", failing("timeout", step="chaired-debate/action"), 0, "incomplete", "timeout"),
        ("chaired-debate", "bob", failing("auth", step="chaired-debate/opening"), 3, "failed", "auth"),
        ("fact-check", "cy", PROSE, 0, "completed", "[WARN] Agent 3 (cy) abstains: parse"),
        ("fact-check", "bob cy", failing("auth"), 4, "no_quorum", "Agent 2: auth, Agent 3: auth"),
        ("jury", "cy", failing("overloaded"), 4, "unjudged", "overloaded"),
    ],
)  # fmt: skip
def test_a_failure_is_reported_sets_the_exit_code_and_never_becomes_a_verdict(
    bench: Workbench, kind: str, tools: str, reply: Mapping[str, object], code: int, status: str, said: str
) -> None:
    command, usual = KINDS[kind]
    for tool in ("ann", "bob", "cy"):
        bench.add_tool(tool, (reply, *usual) if tool in tools.split() else usual)
    done = bench.run(*command, "--json")
    found = done.json
    assert (done.code, found["status"]) == (code, status), done.err
    decided = [found[name] for name in ("decision", "label", "verdict") if name in found]
    assert (decided[-1] is None) == (code != 0)
    assert said in bench.run("runs", "show", "last").out
    assert any(bench.state.glob(f"{kind}/last-*.json")) == (status != "failed" and kind != "chaired-debate")


LOST: dict[str, object] = {"failure": {"code": "quota", "detail": "Nothing is left of it."}}
STOOD_IN = "[WARN] Challenger: bob did not answer (quota: Nothing is left of it); cy answered in its place."


def test_a_substitute_answers_for_a_failed_tool_and_every_output_states_it(bench: Workbench) -> None:
    bench.add_tool("bob", [LOST])
    bench.add_tool("cy", [{**reply, "model": "big-1"} for reply in SPEECHES])
    done = bench.run(*DEBATE, "--substitute", "cy")
    assert done.code == 0, done.err
    for told in (
        "cy answers where another tool fails for good.",
        "bob  failed: quota (Nothing is left of it.); cy is called in its place",
        "bob  cy answered in ",
    ):
        assert told in done.err
    assert STOOD_IN in " ".join(done.out.split())
    assert STOOD_IN in bench.run("runs", "show", "last").out
    last = bench.last_debate()
    assert last["challenger"] == {"tool": "cy", "model": "big-1", "stands_in_for": "bob"}
    assert [each["tool"] for each in last["exchanges"] if each["role"] == "challenger"] == ["cy", "cy"]
    assert "challenger cy for bob (big-1)" in " ".join(done.out.split())


@pytest.fixture
def unjudged(tmp_path: Path) -> Held:
    """A debate whose judge has failed, and would answer now."""
    held = Held.below(tmp_path, cy=[LOST])
    held.bench.add_tool("cy", SPEECHES)
    return held


def test_a_retry_asks_only_the_judge_that_failed(unjudged: Held) -> None:
    bench, failed, first = unjudged.bench, unjudged.done, unjudged.folder.name

    resumed = bench.run("runs", "resume", first)
    done = bench.run("runs", "retry", first)

    assert (failed.code, resumed.code, done.code) == (4, 2, 0), done.err
    offered = f"sparring runs retry {first}"
    assert (offered in failed.err, offered in resumed.err, offered in done.err) == (True, True, False)
    assert "Expected: 2 to 7 calls, usually 2, " in done.err
    retried = bench.last_debate()
    assert (retried["verdict"]["winner"], retried["spent"]["calls"]) == ("bob", 2)
    told = f"4 answers were reused from {first} at no cost."
    assert told in " ".join(bench.run("runs", "show", "last").out.split())


def test_a_journal_broken_in_the_middle_is_refused_with_the_way_out_which_pays_for_the_rest_alone(held: Held) -> None:
    bench, broken, journal = held.bench, held.folder.name, held.folder / "journal.jsonl"
    left = journal.read_bytes().replace(b"I concede: it", b"I insist: it")  # in the third speech of four
    journal.write_bytes(left)

    refused = [bench.run("runs", *command, broken) for command in (("show",), ("resume",), ("retry",))]
    done = bench.run("runs", "retry", broken, "--set", "salvage=true")

    for each in refused:
        assert (each.code, f"`sparring runs retry {broken} --set salvage=true`" in each.err) == (1, True), each.err
    assert done.code == 0, done.err
    assert bench.last_debate()["spent"]["calls"] == 6 - 2
    assert bench.last_debate()["verdict"]["winner"] == "bob"
    assert journal.read_bytes() == left


def test_only_a_finished_run_with_a_failure_can_be_retried(held: Held) -> None:
    done = held.bench.run("runs", "retry", "last")
    assert (done.code, "there is nothing to retry" in done.err) == (2, True)
    held.broken_off(-1)
    done = held.bench.run("runs", "retry", "last")
    assert (done.code, f"Run {held.folder.name} has not finished." in done.err) == (2, True)


@pytest.mark.process
def test_a_seat_that_is_being_retried_is_not_retried_twice(unjudged: Held) -> None:
    bench, first = unjudged.bench, unjudged.folder.name
    again = App(Settings.read(bench.environment, bench.project)).retry(first)

    at_work = bench.run("runs", "retry", first)
    again.journal.close()
    interrupted = bench.run("runs", "retry", first)
    resumed = bench.run("runs", "resume", again.run_id)
    ended = bench.run("runs", "retry", first)

    told = f"The failed calls of run {first} are retried in run {again.run_id}, which"
    for done, code, how, way in (
        (at_work, 1, "is still running", "watch"),
        (interrupted, 2, "was interrupted", "resume"),
        (ended, 2, "has finished", "show"),
    ):
        assert (done.code, f"{told} {how}." in done.err) == (code, True), done.err
        assert f"`sparring runs {way} {again.run_id}`" in done.err
    assert resumed.code == 0, resumed.err
    assert len(list(bench.state.glob("debate/runs/debate-*"))) == 2


def test_a_second_failure_is_retried_in_the_run_of_the_first_retry(unjudged: Held) -> None:
    bench, first = unjudged.bench, unjudged.folder.name
    bench.add_tool("cy", [LOST])
    bench.run("runs", "retry", first)
    (again,) = (each.name for each in bench.state.glob("debate/runs/debate-*") if each.name != first)
    done = bench.run("runs", "retry", first)
    assert (done.code, f"Retry it with `sparring runs retry {again}`." in done.err) == (2, True), done.err
