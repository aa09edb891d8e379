"""``sparring review`` as somebody types it: what it ends with, what it leaves, and going on."""

import json
import signal
from collections.abc import Mapping, Sequence

import pytest

from support.fact_checkers import failing
from support.reviewing import FINDS, NOTHING, QUOTE
from support.workbench import PATIENCE_S, Workbench

NEVER_S = 3600
EXAMINES = {"match": {"step": "review/examination"}}
CONFIRMS = json.dumps({"verdict": "confirmed", "file": "README.md", "line": 3, "quote": QUOTE, "reason": "Always."})
REFUTES = json.dumps({"verdict": "refuted", "file": "README.md", "line": 1, "quote": "# A project", "reason": "No."})
SEATS = ("--reviewers", "ann,bob")
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
        ([failing("timeout")], [{"response": "All is well."}], (), 1, "failed"),
        ([NOTHING], [NOTHING], ("--reviewers", "ann,ann"), 4, "incomplete"),
    ],
)
def test_what_a_review_of_a_plan_ends_with(
    bench: Workbench, ann: Script, bob: Script, more: tuple[str, ...], code: int, status: str
) -> None:
    done = answering(bench, ann, bob).run(*TYPED, *more)
    assert (done.code, done.json["status"]) == (code, status), done.err
    assert (bench.state / "review" / "last-review.json").exists() == (status != "failed")
    assert (ONE_FAMILY in done.json["notices"]) == ("ann,ann" in more)


@pytest.mark.process
def test_a_review_that_was_killed_goes_on_where_it_was(bench: Workbench) -> None:
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


def test_what_too_few_have_answered_for_is_reviewed_again(bench: Workbench) -> None:
    assert answering(bench, [NOTHING], [failing("auth")]).run(*TYPED, "--substitute", "ann").code == 4
    again = answering(bench, [FINDS], [FINDS]).run(*TYPED, "--since", "last")
    assert [each["state"] for each in again.json["findings"]] == ["confirmed"]
    assert "[WARN] Fewer than two families answered in the last review: all is reviewed again." in again.json["notices"]
    rest = bench.run(*TYPED, "--since", "last")
    assert (rest.code, "There is nothing to review" in rest.json["error"]["message"]) == (2, True), rest.err
