"""Planted bugs as changes, and a table that tells how good reviewers are whose worth is known."""

import json
import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from sparring.app.planted_bugs import Drawing, Planted, PlantedBug, bench_requests, planted, read_bugs
from sparring.errors import UsageError
from sparring.formats.review.rules import Review
from sparring.reports.bench import (
    Arm,
    ArmFigures,
    BenchResult,
    Bounded,
    BugReviewed,
    Hits,
    bench_report,
    figures,
    hits,
    silence,
)
from sparring.schema.consultation import Answer, FailureCode, Reply, Usage
from sparring.schema.review import Reviewer, ReviewOutcome, ReviewRequest
from sparring.schema.runs import Run, Spent
from sparring.schema.transcript import Ask, TurnKind
from sparring.text.redaction import Redactor
from support.playing import PROMPTS, failure, play
from support.runs import run

REDACTOR = Redactor()
FAMILIES = ("anthropic", "openai", "google")
CHANGES = 60
_LINE = 30
_ELSEWHERE = (19, 24, 37)
"""Where the reviewers of each family invent something: far from the bug and from each other."""


def _text(number: int, *, is_ill: bool) -> str:
    lines = [f"line {line} of {number}" for line in range(1, 61)]
    return "\n".join((*lines[: _LINE - 1], "a bug" if is_ill else "all is well", *lines[_LINE:], ""))


def _change(number: int) -> Planted:
    return planted(
        f"bug-{number}", f"src/file_{number}.py", (_text(number, is_ill=False), _text(number, is_ill=True)), REDACTOR
    )


SEED = 3
"""With ten of them the intervals held what was to be expected in 95 of 100 cases."""


def _chance(*of: object) -> float:
    return random.Random(repr((SEED, *of))).random()  # noqa: S311 -- nothing secret


Drawn = Callable[[Ask, str], object]
"""What the draw of a reviewer depends on beside the change: who has the same finds the same."""


def _reply(ask: Ask, number: int, drawn: Drawn) -> Reply:
    """Finds the bug with 0.6, invents something with 0.3; confirms bugs with 0.9, and what is none with 0.1.

    Something that is struck it imagines in every other change, which is to change nothing.
    """
    family = FAMILIES[("claude", "codex", "gemini").index(ask.tool)]
    if ask.kind is TurnKind.EXAMINATION:
        is_true = "title: A bug" in ask.question.prompt
        confirms = _chance(number, ask.id) < (0.9 if is_true else 0.1)
        verdict = "confirmed" if confirms else "unsure" if is_true else "refuted"
        said: object = {
            "verdict": verdict,
            "file": f"src/file_{number}.py",
            "line": 28,
            "quote": f"line 28 of {number}",
        }
        response = json.dumps({**cast("dict[str, object]", said), "reason": "Whenever it runs."})
    else:
        key = drawn(ask, family)
        elsewhere = _ELSEWHERE[FAMILIES.index(str(key))] if key in FAMILIES else _ELSEWHERE[0]
        found = [_finding(number, _LINE, "a bug", "A bug")] if _chance(number, key) < 0.6 else []
        if _chance(number, key, "invented") < 0.3:
            found.append(_finding(number, elsewhere, f"line {elsewhere} of {number}", "Invented"))
        if _chance(number, key, "imagined") < 0.5:
            found.append(_finding(number, _LINE, "stands nowhere", "A bug"))
        response = json.dumps({"findings": found})
    usage = Usage(input_tokens=90, output_tokens=10, cost_usd=0.01)
    return Answer(tool=ask.tool, response=response, duration_ms=1, usage=usage)


def _finding(number: int, line: int, quote: str, title: str) -> dict[str, object]:
    words = dict.fromkeys(("trigger", "consequence", "fix"), "It breaks.")
    place = {"file": f"src/file_{number}.py", "line": line, "end_line": line, "quote": quote}
    return {**words, **place, "title": title, "class": "bug", "severity": "major", "confidence": 0.7}


def _request(change: Planted, tools: Sequence[str] = ("claude", "codex", "gemini")) -> ReviewRequest:
    seats = tuple(Reviewer(tool=tool, family=family) for tool, family in zip(tools, FAMILIES, strict=False))
    return ReviewRequest(change=change.change, reviewers=seats)


def _held(request: ReviewRequest, reply: Callable[[Ask], Reply]) -> Run:
    played = play(Review(request, PROMPTS), reply)
    return run(request, played.transcript.turns, cast("ReviewOutcome", played.outcome))


@cache
def _measured(drawn: Drawn) -> dict[Arm, ArmFigures]:
    reviewed = list[BugReviewed]()
    for number in range(CHANGES):
        change = _change(number)
        again, joined = (
            _held(each, lambda ask, number=number: _reply(ask, number, drawn))
            for each in bench_requests(_request(change))
        )
        assert (silence(again), silence(joined)) == ("", "")
        reviewed.append(BugReviewed(name=change.name, place=change.place, hits=hits(change.place, again, joined)))
    return {each.arm: each for each in figures(reviewed, dict.fromkeys(Arm, ""))}


def _holds(figure: Bounded | None, expected: float) -> bool:
    return figure is not None and figure.low <= expected <= (figure.high or expected)


def _of_each_family(_: Ask, family: str) -> object:
    return family


def _of_all_alike(_: Ask, family: str) -> object:
    del family
    return "anthropic"


def _of_each_answer(ask: Ask, family: str) -> object:
    return family, ask.number


P, INVENTED = 0.6, 0.3
ANY = 1 - (1 - P) ** 3
ALONE = 3 * P * (1 - P) ** 2
CONFIRMED = ANY - ALONE + 0.9 * ALONE


@pytest.mark.parametrize(
    ("drawn", "recalls", "precisions"),
    [
        pytest.param(
            _of_each_family,
            {Arm.ONCE: P, Arm.AGAIN: P, Arm.JOINED: ANY, Arm.CONFIRMED: CONFIRMED, Arm.STANDING: ANY},
            {
                Arm.ONCE: P / (P + INVENTED),
                Arm.JOINED: ANY / (ANY + 3 * INVENTED),
                Arm.CONFIRMED: CONFIRMED / (CONFIRMED + 3 * INVENTED * 0.1),
                Arm.STANDING: ANY / (ANY + 3 * INVENTED * 0.1),
            },
            id="families that err independently",
        ),
        pytest.param(
            _of_all_alike,
            dict.fromkeys(Arm, P),
            dict.fromkeys(Arm, P / (P + INVENTED)),
            id="families of one mind",
        ),
        pytest.param(
            _of_each_answer,
            {Arm.ONCE: P, Arm.AGAIN: ANY, Arm.JOINED: ANY, Arm.STANDING: ANY},
            {Arm.ONCE: P / (P + INVENTED)},
            id="models that err anew each time",
        ),
    ],
)
def test_the_table_tells_what_reviewers_of_known_quality_are_worth(
    drawn: Drawn, recalls: dict[Arm, float], precisions: dict[Arm, float]
) -> None:
    arms = _measured(drawn)
    wrong = [arm for arm, expected in recalls.items() if not _holds(arms[arm].recall, expected)]
    wrong += [arm for arm, expected in precisions.items() if not _holds(arms[arm].precision, expected)]
    wrong += [arm for arm in (Arm.ONCE, Arm.AGAIN, Arm.JOINED) if not _holds(arms[arm].tokens, _tokens(arm, recalls))]
    assert wrong == []
    apart = arms[Arm.JOINED].recall.low - (arms[Arm.AGAIN].recall.high or 1)
    assert (apart > 0) == (recalls[Arm.JOINED] > recalls[Arm.AGAIN])


def _tokens(arm: Arm, recalls: dict[Arm, float]) -> float:
    return (100 if arm is Arm.ONCE else 300) / recalls[arm]


def test_equal_budget_is_as_many_calls_for_each_change_but_for_cross_examination() -> None:
    arms = _measured(_of_each_family)
    calls = {arm: figures.spent.calls / CHANGES for arm, figures in arms.items()}
    assert (calls[Arm.ONCE], calls[Arm.AGAIN], calls[Arm.JOINED]) == (1, 3, 3)
    assert calls[Arm.CONFIRMED] == calls[Arm.STANDING] > 3


def test_who_objects_to_everything_is_seen_by_objecting_to_repairs() -> None:
    change = _change(1)
    objecting = Hits(at_place=1, findings=1, spent=Spent(calls=1))
    reviewed = [
        BugReviewed(name=f"bug-{number}", place=change.place, is_repair=is_repair, hits={Arm.ONCE: objecting})
        for number in range(30)
        for is_repair in (False, True)
    ]
    (arm,) = figures(reviewed, {Arm.ONCE: "ann once"})
    assert (arm.recall.value, arm.precision.value, arm.changes, arm.spent.calls) == (1, 0.5, 30, 30)
    assert arm.false_alarms is not None
    assert arm.false_alarms.low > 0.8
    result = BenchResult(arms=(arm,), reviewed=tuple(reviewed), budget="", drawn_of=30, seed=1, spent=Spent())
    assert "| ann once | 100 [89-100] | 50 [38-62] | 100 [89-100] | 1.0 | 0 | 0 |" in bench_report(result)


def test_a_change_that_somebody_has_not_reviewed_does_not_count() -> None:
    change = _change(1)
    request = _request(change)

    def silent(ask: Ask) -> Reply:
        return failure(ask, FailureCode.TIMEOUT) if ask.tool == "gemini" else _reply(ask, 1, _of_each_family)

    assert silence(_held(request, silent)) == "no answer of gemini"


def test_tools_of_one_family_are_not_said_to_be_joined() -> None:
    (again,) = bench_requests(_request(_change(1), ("claude",)))
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
def test_a_planted_bug_is_shown_as_git_would_show_it(
    old: str, new: str, first: int, last: int, touched: list[str]
) -> None:
    found = planted("bug", "a.py", (BEFORE, BEFORE.replace(old, new)), REDACTOR)
    (hunk,) = found.change.files[0].hunks
    assert [line for line in hunk.lines if line[0] != " "] == touched
    assert (found.place.first, found.place.last) == (first, last)
    after = BEFORE.replace(old, new).splitlines()
    assert all(after[number - 1] == text for number, mark, text in hunk.numbered if mark != "-")
    assert "bug" not in found.change.model_dump_json()


def test_what_is_drawn_depends_on_the_seed_alone_and_what_cannot_be_planted_is_passed_over() -> None:
    texts = {"a.py": BEFORE, "b.py": "twice\ntwice\n"}
    bugs = [PlantedBug(name=f"bug-{number}", old=f"line {number}\n", new="") for number in range(10, 30)]
    bugs.append(PlantedBug(name="twice", old="twice", new="once"))
    drawn, passed_over = Drawing(0, seed=3).drawn(bugs, texts, REDACTOR)
    assert len(drawn) == 20
    assert passed_over == ("[WARN] Planted bugs passed over: twice (its text stands in 2 places of the project).",)
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
        ("[[bug]]\nname = 'a'\nold = 'b'\n", "is no table of planted bugs: bug.0.new"),
        ("[[bug]\n", "cannot be read: "),
        ("[[bug]]\nname='a'\nold='b'\nnew=''\n" * 2, "Two planted bugs are called 'a'."),
    ],
)
def test_a_table_that_is_none_is_refused_in_a_sentence(tmp_path: Path, table: str, told: str) -> None:
    (tmp_path / "bugs.toml").write_text(table, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        read_bugs(tmp_path)
    assert told in str(refused.value)
