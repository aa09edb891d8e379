"""``sparring review --bench``: planted bugs in, a table of what reviewers are worth out, nothing paid twice."""

import json
from collections.abc import Mapping
from typing import Any

from support.fact_checkers import failing
from support.workbench import Result, Workbench

CODE = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(30))


def table(*numbers: int) -> str:
    """A planted bug for each."""
    return "".join(
        f'[[bug]]\nname = "bug-{number}"\nold = "    return {number}\\n"\nnew = "    return -{number}\\n"\n'
        for number in numbers
    )


def finds(*numbers: int) -> Mapping[str, object]:
    """Says the same of every change; what its quote is not in is asked for once more, and struck."""
    words = dict.fromkeys(("title", "trigger", "consequence", "fix"), "It is negative.")
    found = [
        {**words, "file": "steps.py", "line": line, "end_line": line, "quote": f"return -{number}", "class": "bug"}
        | {"severity": "major", "confidence": 0.9}
        for number in numbers
        for line in (4 * number + 2,)
    ]
    return {"match": {"step": "review/findings"}, "response": json.dumps({"findings": found})}


CONFIRMS = json.dumps(
    {"verdict": "confirmed", "file": "steps.py", "line": 33, "quote": "def step_8", "reason": "Always."}
)


def measured(bench: Workbench, *more: str) -> Result:
    return bench.run("review", "--bench", "--with", "ann,bob", *more, "--json")


def planting(bench: Workbench, *numbers: int) -> Workbench:
    (bench.project / "steps.py").write_text(CODE, encoding="utf-8")
    (bench.project / "tools" / "mutants").mkdir(parents=True, exist_ok=True)
    (bench.project / "tools" / "mutants" / "steps.toml").write_text(table(*numbers), encoding="utf-8")
    examines = {"match": {"step": "review/examination"}, "response": CONFIRMS}
    bench.add_tool("ann", [finds(8, 15), examines])
    bench.add_tool("bob", [finds(15), examines])
    return bench


def recalls(done: Result) -> dict[str, str]:
    arms: list[dict[str, Any]] = done.json["arms"]
    return {each["arm"]: f"{each['recall']['value']:.2f}" for each in arms}


def test_planted_bugs_are_put_to_reviewers_once(bench: Workbench) -> None:
    first = measured(planting(bench, 8, 15, 22))
    assert first.code == 0, first.err
    assert recalls(first) == dict.fromkeys(("once", "again", "joined", "confirmed", "standing"), "0.67")
    assert "Expected for 3 changes: 12 to 180 calls, 24 if each" in first.err
    assert first.json["spent"]["calls"] == 18  # what the first reviewer says to both reviews is asked once
    assert not (bench.state / "review" / "last-review.json").exists()

    second = measured(bench)
    assert "Expected for 3 changes: 0 calls" in second.err
    assert (recalls(second), second.json["spent"]["calls"]) == (recalls(first), 0)

    shown = bench.run("review", "--bench", "--with", "ann,bob")
    assert "| ann, bob cross-examined: confirmed | 67 [21-94] | 100 [34-100] | 4.0 | not told | not told |" in shown.out


def test_a_limit_ends_it_and_the_next_call_goes_on(bench: Workbench) -> None:
    stopped = measured(planting(bench, 8, 15, 22), "--max-calls", "12")
    assert (stopped.code, "The limit of 12 calls is used up." in stopped.err) == (4, True), stopped.err
    used = stopped.json["spent"]["calls"]
    assert 0 < used <= 12
    done = measured(bench)
    assert (done.code, used + done.json["spent"]["calls"]) == (0, 18)


def test_with_the_call_that_uses_the_limit_up_it_is_over(bench: Workbench) -> None:
    stopped = measured(planting(bench, 22), "--max-calls", "4")  # the first of the two runs of a change
    assert (stopped.json["spent"]["calls"], "The limit of 4 calls is used up." in stopped.err) == (4, True), stopped.err


def test_a_change_without_all_answers_does_not_count_and_failed_calls_are_retried(bench: Workbench) -> None:
    planting(bench, 8, 15)
    bench.add_tool("bob", [failing("timeout")])
    failed = measured(bench)
    assert (failed.code, failed.json["arms"], failed.err.count("no answer of bob")) == (1, [], 1), failed.err
    planting(bench, 8, 15)
    done = measured(bench)
    assert (done.code, done.json["spent"]["calls"]) == (0, 4), done.err
    assert recalls(done)["confirmed"] == "1.00"


def test_benches_that_would_not_be_blind_are_refused(bench: Workbench) -> None:
    planting(bench, 8, 15)
    for typed, told in (
        (("--repo-access", "read"), "Reviewers that may open files could look planted bugs up."),
        (("--staged",), "--bench reviews planted bugs and nothing else; leave out --staged."),
        (("--set", "sample=-1"), "sample must be 0 (all) or more; it is -1."),
    ):
        done = measured(bench, *typed)
        assert (done.code, told in done.err) == (2, True), done.err
