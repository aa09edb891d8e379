"""A chaired debate as people and programs read it; what the chair took out is in nothing of it."""

from collections.abc import Callable

import pytest

from sparring.formats.chaired_debate.report import summary
from sparring.formats.reports import report, verdict_first
from sparring.schema.chaired_debate import (
    ChairedDebateOutcome,
    ChairedDebateStatus,
    CheckedSource,
    DebateDecision,
    EndReason,
)
from sparring.schema.lookups import SourceStatus
from sparring.schema.runs import Run
from support.decisions import decision
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
            "no decision: a debater never spoke",
        ),
        (stored("chaired-debate", decision=DebateDecision.DRAW), "a draw"),
        (stored("chaired-debate-disqualified"), "the negative wins"),
    ],
)
def test_how_it_was_decided_is_the_title(debate: Run, told: str) -> None:
    assert [show(debate).splitlines()[0].split(": ", 1)[1] for show in SHOWN] == [told] * len(SHOWN)


@pytest.mark.parametrize(
    ("debate", "decided"),
    [
        (stored("chaired-debate"), "decided by the chair, gemini (gemini-pro); it rests on seq 1, seq 13"),
        (stored("chaired-debate-disqualified"), "decided by the rules"),
    ],
)
def test_who_decided_and_on_what_that_rests_stands_first(debate: Run, decided: str) -> None:
    assert f"\nFirmness: {decided}" in verdict_first(debate)


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
    top = verdict_first(debate).splitlines()
    assert sum(line.startswith(("[WARN] ", "A debater could not be had")) for line in top) == warnings


def test_why_no_further_round_was_held_is_said_in_words_of_its_own() -> None:
    texts = [report(stored("chaired-debate", ended=ended)) for ended in EndReason]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("Rebuttal rounds: ")]
    assert len({line.rstrip().split("; then ")[1] for line in lines}) == len(EndReason)


@pytest.mark.parametrize(
    ("rounds", "told"),
    [
        pytest.param({"min_rounds": 0, "max_rounds": 2}, "(0 to 2 were asked for)", id="a range of rounds"),
        pytest.param({"min_rounds": 2, "max_rounds": 2}, "(2 were asked for)", id="a number of rounds"),
    ],
)
def test_a_reader_is_told(rounds: dict[str, object], told: str) -> None:
    assert told in report(stored("chaired-debate", request=rounds))


def test_the_folder_that_holds_the_whole_is_named_and_does_not_act() -> None:
    shown = decision(stored("chaired-debate", request={"output_dir": "debates/first_*one*"}))
    assert "Kept, too, below the project in debates/first\\_\\*one\\*." in shown


def test_of_what_nobody_named_nothing_is_said() -> None:
    shown = summary(stored("chaired-debate", log=(), sources=(), summary="", decisive=(), reasoning=""))
    assert shown.split("## Position of the promoter (affirmative)\n\n")[1].startswith("None that stands.")
    for heading in ("## Points in the rebuttal rounds", "## Sources", "## Reasoning", "## Decisive entries"):
        assert heading not in shown


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
