"""``sparring review`` as somebody types it: what it ends with, what it leaves, and going on."""

import json
import signal
from collections.abc import Mapping, Sequence

import pytest

from support.fact_checkers import failing
from support.reviewing import FINDS, FOUND, NOTHING, QUOTE
from support.workbench import PATIENCE_S, Workbench

NEVER_S = 3600
EXAMINES = {"match": {"step": "review/examination"}}
CONFIRMS = json.dumps({"verdict": "confirmed", "file": "README.md", "line": 3, "quote": QUOTE, "reason": "Always."})
REFUTES = json.dumps({"verdict": "refuted", "file": "README.md", "line": 1, "quote": "# A project", "reason": "No."})
SEATS = ("--with", "ann,bob")
TYPED = ("review", "--plan", "README.md", *SEATS, "--json")
ONE_FAMILY = "[WARN] All reviewers are of one family (ann): the review can only end incomplete."


Script = Sequence[Mapping[str, object]]


def answering(bench: Workbench, ann: Script, bob: Script) -> Workbench:
    bench.add_tool("ann", ann)
    bench.add_tool("bob", bob)
    return bench


@pytest.mark.parametrize(
    ("ann", "bob", "more", "code", "status"),
    [
        ([NOTHING], [NOTHING], (), 0, "clean"),
        ([FINDS], [FINDS], ("--fail-on", "major"), 1, "blocking"),
        ([FINDS], [FINDS], ("--fail-on", "critical"), 0, "findings"),
        ([FINDS], [NOTHING, EXAMINES | {"response": CONFIRMS}], ("--fail-on", "note"), 1, "blocking"),
        ([FINDS], [NOTHING, EXAMINES | {"response": REFUTES}], ("--fail-on", "note"), 0, "clean"),
        ([FINDS], [NOTHING, failing("timeout")], ("--fail-on", "note"), 0, "findings"),
        ([FINDS], [failing("timeout")], ("--fail-on", "note"), 4, "incomplete"),
        ([failing("timeout")], [{"response": "All is well."}], (), 4, "incomplete"),
        ([NOTHING], [NOTHING], ("--with", "ann,ann"), 4, "incomplete"),
    ],
)
def test_a_review_of_a_plan_ends_with_the_exit_code_of_its_findings(
    bench: Workbench, ann: Script, bob: Script, more: tuple[str, ...], code: int, status: str
) -> None:
    done = answering(bench, ann, bob).run(*TYPED, *more)
    assert (done.code, done.json["status"]) == (code, status), done.err
    assert (bench.state / "review" / "last-review.json").exists() == (status != "failed")
    assert (ONE_FAMILY in done.json["notices"]) == ("ann,ann" in more)


@pytest.mark.process
def test_a_killed_review_can_be_resumed(bench: Workbench) -> None:
    answering(bench, [FINDS], [NOTHING, EXAMINES | {"response": CONFIRMS, "delay_s": NEVER_S}])
    process = bench.start("review", "--plan", "README.md", *SEATS, "--timeout", str(2 * NEVER_S))
    assert process.stderr is not None
    assert any(b"examiner" in line and b"asked" in line for line in process.stderr)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    (bench.project / "README.md").write_text("Quite another plan.\n", encoding="utf-8")
    answering(bench, [failing("auth")], [EXAMINES | {"response": CONFIRMS}])
    resumed = bench.run("runs", "resume", "last", "--json")
    assert resumed.code == 0, resumed.err
    (finding,) = resumed.json["findings"]
    assert (finding["state"], resumed.json["answered"]) == ("confirmed", [[1, 2]])


def test_parts_with_too_few_answers_are_reviewed_again(bench: Workbench) -> None:
    assert answering(bench, [NOTHING], [failing("auth")]).run(*TYPED, "--substitute", "ann").code == 4
    again = answering(bench, [FINDS], [FINDS]).run(*TYPED, "--since", "last")
    assert [each["state"] for each in again.json["findings"]] == ["confirmed"]
    assert "[WARN] The last review is not complete: all is reviewed again." in again.json["notices"]
    rest = bench.run(*TYPED, "--since", "last")
    assert (rest.code, rest.json["status"]) == (0, "nothing_to_review"), rest.err
    assert "There is nothing to review" in rest.json["message"]
    others = bench.run(*TYPED[:3], "--with", "ann,cy", "--json", "--since", "last")
    assert "[WARN] The last review had other reviewers or options: all is reviewed again." in others.json["notices"]


@pytest.mark.parametrize(
    ("typed", "authors", "code", "words"),
    [
        ((), [], 0, ""),
        (("--set", "author=ann"), ["one"], 4, "written by one, so ann does not count"),
        (("--set", "author=two"), ["two"], 4, "written by two, so bob does not count"),
        (("--set", "author=ann:m1", "--with", "ann:m2,bob"), ["one"], 0, "ann counts, since it is another model"),
        (("--set", "author=ann:m1", "--with", "ann:m1,bob"), ["one"], 4, "so ann does not count"),
        (("--set", "author=one", "--with", "ann,bob,cy"), ["one"], 0, ""),
        (("--set", "author=anthropic"), ["claude"], 0, ""),
        (("--set", "author=none"), [], 0, ""),
    ],
)
def test_a_reviewer_of_the_authors_family_is_not_independent(
    bench: Workbench, typed: tuple[str, ...], authors: list[str], code: int, words: str
) -> None:
    for name, family in (("ann", "one"), ("bob", "two"), ("cy", "three")):
        bench.add_tool(name, [NOTHING], family=family)
    done = bench.run(*TYPED, *typed)
    assert done.code == code, done.err
    assert [each["family"] for each in done.json["authors"]] == authors
    assert words in " ".join(done.json["notices"])


def test_an_author_that_is_no_tool_and_no_family_is_refused(bench: Workbench) -> None:
    done = answering(bench, [NOTHING], [NOTHING]).run(*TYPED, "--set", "author=antropic")
    assert (done.code, "There is no tool and no family named 'antropic'" in done.err) == (2, True)
    assert "claude" in done.err


def test_a_title_that_is_too_long_and_a_quote_that_is_not_there_leave_no_review_clean(bench: Workbench) -> None:
    long = {**FOUND, "title": "It never stops. " * 40, "severity": "critical"}
    for found, code, status in (
        ([long, {**FOUND, "quote": "is not there"}], 1, "blocking"),
        ([{**FOUND, "quote": "It retries a failed request four times."}], 4, "incomplete"),
        ([{**FOUND, "severity": "blocker"}, {**FOUND, "severity": "note"}], 4, "incomplete"),
        ([{**FOUND, "severity": "blocker"}], 4, "incomplete"),
    ):
        reply = {"match": {"step": "review/findings"}, "response": json.dumps({"findings": found})}
        done = answering(bench, [reply], [reply]).run(*TYPED, "--fail-on", "major")
        assert (done.code, done.json["status"]) == (code, status), done.err
