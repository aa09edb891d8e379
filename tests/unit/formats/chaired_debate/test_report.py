"""A chaired debate as people and programs read it; what the chair took out is in nothing of it."""

from collections.abc import Callable

import pytest

from sparring.formats.chaired_debate.report import summary
from sparring.formats.reports import decision, report
from sparring.schema.chaired_debate import (
    ChairedDebateOutcome,
    ChairedDebateStatus,
    CheckedSource,
    DebateDecision,
    EndReason,
)
from sparring.schema.lookups import SourceStatus
from sparring.schema.runs import Run
from support.stored_runs import ended, stored

SHOWN: tuple[Callable[[Run], str], ...] = (report, decision, summary)


def usual() -> ChairedDebateOutcome:
    outcome = ended("chaired-debate")
    assert isinstance(outcome, ChairedDebateOutcome)
    return outcome


def without(found: str) -> tuple[CheckedSource, ...]:
    """The usual sources but for those with that status."""
    return tuple(each for each in usual().sources if each.finding.status != found)


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize(
    "debate",
    [
        stored("chaired-debate"),
        stored("chaired-debate", summary=""),
        stored("chaired-debate-disqualified"),
        stored("chaired-debate-unjudged"),
    ],
)
def test_what_was_taken_out_is_not_shown(debate: Run, show: Callable[[Run], str]) -> None:
    shown = show(debate)
    assert "made-up.example" not in shown
    assert "walkers" not in shown


def test_what_a_page_really_says_stands_beside_a_quote_that_is_not_on_it() -> None:
    first = usual().sources[0]
    differs = {"status": SourceStatus.UNRELIABLE, "reason": "altered", "found": "fell by *7* percent"}
    checked = CheckedSource(seq=1, finding=first.finding.model_copy(update=differs))
    shown = report(stored("chaired-debate", sources=(checked,)))
    assert "  - quoted: “NO2 fell by 17 percent”\n  - on the page: “fell by \\*7\\* percent”\n\n### Seq 2" in shown


@pytest.mark.parametrize(
    ("debate", "told"),
    [
        (
            stored("chaired-debate-unjudged", status=ChairedDebateStatus.FAILED, log=(), sources=()),
            "**No decision**: a debater never spoke.",
        ),
        (
            stored("chaired-debate", decision=DebateDecision.DRAW),
            "**A draw**, decided by the chair, gemini (gemini-pro).",
        ),
        (stored("chaired-debate-disqualified"), "**The negative wins**, decided by the rules."),
    ],
)
def test_how_it_was_decided_stands_below_the_title(debate: Run, told: str) -> None:
    assert [show(debate).split("\n\n")[1] for show in SHOWN] == [told] * len(SHOWN)


@pytest.mark.parametrize(
    ("debate", "warnings"),
    [
        (stored("chaired-debate"), 2),
        (stored("chaired-debate", status=ChairedDebateStatus.INCOMPLETE), 3),
        (stored("chaired-debate", sources=without(SourceStatus.VERIFIED)), 3),
        (stored("chaired-debate", sources=()), 3),
        (stored("chaired-debate-unjudged", sources=()), 1),
        (stored("chaired-debate-disqualified"), 2),
    ],
    ids=["usual", "incomplete", "nothing verified", "nothing looked up", "no decision", "disqualified"],
)
def test_what_makes_a_decision_weak_is_said_at_the_top(debate: Run, warnings: int) -> None:
    top = decision(debate).split("\n\nTopic: ")[0].split("\n\n")[2:]
    assert len(top) == warnings
    assert all(line.startswith(("[WARN] ", "A debater could not be had")) for line in top)


def test_why_no_further_round_was_held_is_said_in_words_of_its_own() -> None:
    texts = [decision(stored("chaired-debate", ended=ended)) for ended in EndReason]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("Rebuttal rounds: ")]
    assert len({line.rstrip().split("; then ")[1] for line in lines}) == len(EndReason)


WHOLE = "The whole: `sparring runs show chaired-debate-20260301T120000Z-c0de`, and below the project in debates/first"


@pytest.mark.parametrize(
    ("request_", "outcome", "told"),
    [
        pytest.param({"min_rounds": 0, "max_rounds": 2}, {}, "(0 to 2 were asked for)", id="a range of rounds"),
        pytest.param({"min_rounds": 2, "max_rounds": 2}, {}, "(2 were asked for)", id="a number of rounds"),
        pytest.param({"output_dir": "debates/first_*one*"}, {}, WHOLE, id="the folder that holds the whole"),
        pytest.param({}, {"decisive": ()}, "## Decisive entries\n\nThe chair names none.", id="none is named"),
    ],
)
def test_a_reader_is_told(request_: dict[str, object], outcome: dict[str, object], told: str) -> None:
    shown = decision(stored("chaired-debate", request=request_, **outcome))
    assert told in shown
    assert "*one*" not in shown.replace("\\*", "")


def test_a_debate_without_sources_or_points_says_so() -> None:
    shown = summary(stored("chaired-debate", log=(), sources=(), summary="", decisive=(), reasoning=""))
    sections = ("## Position of the promoter (affirmative)", "## Points in the rebuttal rounds", "## Sources")
    told = [shown.split(f"{section}\n\n")[1].split("\n\n")[0] for section in sections]
    assert told == ["None that stands.", "None.", "None was given."]
    assert "## Reasoning" not in shown


def test_points_are_listed_by_their_number_and_long_positions_are_cut() -> None:
    opening, *rest = usual().log
    long = opening.model_copy(update={"content": "word " * 1_000})
    shown = summary(stored("chaired-debate", log=(long, *rest), summary=""))
    assert "| 9 | detractor | rebuttal to seq 1, about seq 1 | \\[REDACTED], you said. But \\| shops" in shown
    assert "| 6 |" not in shown.split("## Sources")[0]
    position = shown.split("Seq 1, opening statement:\n\n")[1].split("\n\n")[0]
    assert len(position) < 1_600
    assert position.endswith("\n> […]")


@pytest.mark.parametrize("show", SHOWN)
def test_the_first_line_says_that_a_decision_rests_on_nothing_that_carries_it(show: Callable[[Run], str]) -> None:
    flagged = stored("chaired-debate", weak_grounds=("seq 4 is a conjecture",))
    assert show(flagged).splitlines()[0].endswith(", resting on nothing that carries it")
    assert "resting on nothing" not in show(stored("chaired-debate"))
