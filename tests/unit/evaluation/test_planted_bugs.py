"""Planted bugs as changes, and a table that tells how good reviewers are whose worth is known."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from sparring.errors import UsageError
from sparring.evaluation.planted_bugs import Drawing, PlantedBug, bench_requests, planted, read_bugs
from sparring.formats.review.flow import Review
from sparring.reports.bench import (
    Arm,
    BenchResult,
    Hits,
    ReviewedBug,
    bench_report,
    count_hits,
    figures,
    reason_not_counted,
)
from sparring.schema.consultation import Answer, Reply, Usage
from sparring.schema.review import Reviewer, ReviewOutcome, ReviewRequest
from sparring.schema.runs import Run, Spent
from sparring.schema.transcript import Ask, TurnKind
from sparring.text.redaction import Redactor
from support.playing import PROMPTS, play
from support.runs import run

REDACTOR = Redactor()
LINE, ELSEWHERE, DOUBTFUL = 30, 19, 37
"""Where the bug is planted, and where a reviewer sees something else: far from it and from each other."""


def _text(line: str) -> str:
    lines = [f"line {number}" for number in range(1, 61)]
    return "\n".join((*lines[: LINE - 1], line, *lines[LINE:], ""))


CHANGE = planted("bug-1", "src/file.py", (_text("all is well"), _text("a bug")), REDACTOR)
BUG = (LINE, "a bug", "A bug")
IMAGINED = (LINE, "stands nowhere", "Imagined")
INVENTED = (ELSEWHERE, f"line {ELSEWHERE}", "Invented")
DOUBTED = (DOUBTFUL, f"line {DOUBTFUL}", "Doubted")
SAID = {
    ("claude", 1): (BUG, IMAGINED),
    ("claude", 2): (INVENTED,),
    ("claude", 3): (),
    ("codex", 2): (INVENTED,),
    ("gemini", 3): (DOUBTED,),
}
"""What reviewers report: the same model again and again, or each family once. What is imagined is struck."""

VERDICTS = {"A bug": "confirmed", "Invented": "refuted", "Doubted": "unsure"}


def _reply(ask: Ask) -> Reply:
    if ask.kind is TurnKind.EXAMINATION:
        (verdict,) = (said for title, said in VERDICTS.items() if f"title: {title}" in ask.question.prompt)
        place = {"file": "src/file.py", "line": 28, "quote": "line 28"}
        response = json.dumps({"verdict": verdict, **place, "reason": "Whenever it runs."})
    else:
        response = json.dumps({"findings": [_finding(*each) for each in SAID[ask.tool, ask.number]]})
    usage = Usage(input_tokens=90, output_tokens=10, cost_usd=0.01)
    return Answer(tool=ask.tool, response=response, duration_ms=1, usage=usage)


def _finding(line: int, quote: str, title: str) -> dict[str, object]:
    words = dict.fromkeys(("trigger", "consequence", "fix"), "It breaks.")
    place = {"file": "src/file.py", "line": line, "end_line": line, "quote": quote}
    return {**words, **place, "title": title, "class": "bug", "severity": "major", "confidence": 0.7}


def _request(**families: str) -> ReviewRequest:
    seats = families or {"claude": "anthropic", "codex": "openai", "gemini": "google"}
    reviewers = tuple(Reviewer(tool=tool, family=family) for tool, family in seats.items())
    return ReviewRequest(change=CHANGE.change, reviewers=reviewers)


def _held(request: ReviewRequest, reply: Callable[[Ask], Reply]) -> Run:
    played = play(Review(request, PROMPTS), reply)
    return run(request, played.transcript.turns, cast("ReviewOutcome", played.outcome))


def test_each_arm_reports_its_findings_and_its_calls() -> None:
    again, joined = (_held(each, _reply) for each in bench_requests(_request()))
    assert (reason_not_counted(again), reason_not_counted(joined)) == ("", "")
    found = count_hits(CHANGE.place, again, joined)
    counted = {arm: (each.at_place, each.findings, each.spent.calls) for arm, each in found.items()}
    examined = counted[Arm.CONFIRMED][2]
    assert examined > 3
    blind = {Arm.ONCE: (1, 1, 2), Arm.AGAIN: (1, 2, 4), Arm.JOINED: (1, 3, 4)}
    assert counted == {**blind, Arm.CONFIRMED: (1, 1, examined), Arm.STANDING: (1, 2, examined)}
    assert {each.spent.tokens / each.spent.calls for each in found.values()} == {100}


def test_a_reviewer_that_objects_to_everything_is_exposed_by_repairs() -> None:
    objecting = Hits(at_place=1, findings=1, spent=Spent(calls=1, tokens=300))
    reviewed = [
        ReviewedBug(name=f"bug-{number}", place=CHANGE.place, is_repair=is_repair, hits={Arm.ONCE: objecting})
        for number in range(30)
        for is_repair in (False, True)
    ]
    (arm,) = figures(reviewed, {Arm.ONCE: "ann once"})
    assert (arm.changes, arm.spent.calls) == (30, 30)
    result = BenchResult(arms=(arm,), reviewed=tuple(reviewed), budget="", drawn_of=30, seed=1, spent=Spent())
    assert [line for line in bench_report(result).splitlines() if "ann once" in line] == [
        "| ann once | 100 [89-100] | 50 [38-62] | 100 [89-100] | 1.0 | 300 [300-300] | 0 |"
    ]


def test_tools_of_one_family_are_not_a_joined_arm() -> None:
    (again,) = bench_requests(_request(claude="anthropic"))
    assert [each.tool for each in again.reviewers] == ["claude"] * 3


BEFORE = "".join(f"line {number}\n" for number in range(1, 41))


@pytest.mark.parametrize(
    ("old", "new", "first", "last", "touched"),
    [
        ("line 20\n", "line twenty\n", 20, 20, ["-line 20", "+line twenty"]),
        ("line 20\nline 21\n", "", 20, 20, ["-line 20", "-line 21"]),
        ("line 1\n", "line 1\nline 1b\n", 2, 2, ["+line 1b"]),
        ("line 5\nline 6\nline 7\n", "five\nline 6\nseven\n", 5, 7, ["-line 5", "+five", "-line 7", "+seven"]),
    ],
)
def test_a_planted_bug_is_shown_as_git_would(old: str, new: str, first: int, last: int, touched: list[str]) -> None:
    found = planted("bug", "a.py", (BEFORE, BEFORE.replace(old, new)), REDACTOR)
    (hunk,) = found.change.files[0].hunks
    assert [line for line in hunk.lines if line[0] != " "] == touched
    assert (found.place.first, found.place.last) == (first, last)
    after = BEFORE.replace(old, new).splitlines()
    assert all(after[number - 1] == text for number, mark, text in hunk.numbered if mark != "-")
    assert "bug" not in found.change.model_dump_json()


def test_the_sample_depends_only_on_the_seed_and_skips_bugs_without_a_place() -> None:
    texts = {"a.py": BEFORE, "b.py": "twice\ntwice\n"}
    bugs = [PlantedBug(name=f"bug-{number}", old=f"line {number}\n", new="") for number in range(10, 30)]
    bugs.append(PlantedBug(name="twice", old="twice", new="once"))
    drawn, passed_over = Drawing(0, seed=3).drawn(bugs, texts, REDACTOR)
    assert len(drawn) == 20
    assert passed_over == ("[WARN] Planted bugs passed over: twice (its text occurs in 2 places of the project).",)
    few, _ = Drawing(5, seed=3, with_repairs=True).drawn(bugs, texts, REDACTOR)
    assert [each.name for each in few if not each.is_repair] == [each.name for each in drawn[:5]]
    planted_, repaired = few[:2]
    turned = {"+": "-", "-": "+", " ": " "}
    lines = sorted(turned[line[0]] + line[1:] for line in planted_.change.files[0].hunks[0].lines)
    assert (repaired.is_repair, sorted(repaired.change.files[0].hunks[0].lines)) == (True, lines)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("bug = []", "There is no planted bug in "),
        ("[[bug]]\nname = 'a'\nold = 'b'\n", "is not a table of planted bugs: bug.0.new"),
        ("[[bug]\n", "cannot be read: "),
        ("[[bug]]\nname='a'\nold='b'\nnew=''\n" * 2, "Two planted bugs are called 'a'"),
    ],
)
def test_an_invalid_table_of_bugs_is_refused_in_a_sentence(tmp_path: Path, table: str, told: str) -> None:
    (tmp_path / "bugs.toml").write_text(table, encoding="utf-8")
    with pytest.raises(UsageError, match=told):
        read_bugs(tmp_path)
