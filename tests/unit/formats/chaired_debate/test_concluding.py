"""The decision: the chair's own, or one by rule, or none."""

import pytest

from sparring.schema.chaired_debate import ChairedDebateStatus, DebateDecision, DecidedBy
from sparring.schema.lookups import SourceStatus
from support.chaired_playing import UNRELIABLE, VERIFIED, action, conclusion, found, outcome, play_chaired
from support.playing import Special, prompt


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("affirmative_wins", DebateDecision.AFFIRMATIVE_WINS),
        ("Negative wins", DebateDecision.NEGATIVE_WINS),
        ("DRAW", DebateDecision.DRAW),
        ("void", DebateDecision.VOID),
    ],
)
def test_the_chair_decides(said: str, decision: DebateDecision) -> None:
    end = outcome(play_chaired({"conclusion.1": conclusion(said, 5, 1, 5)}))
    assert (end.status, end.decision, end.decided_by, end.decisive) == (
        ChairedDebateStatus.COMPLETED,
        decision,
        DecidedBy.CHAIR,
        (5, 1),
    )
    assert (end.log[-1].type, end.log[-1].content) == ("conclusion", f"{decision}: Seq 1 was never answered.")


STRUCK: dict[str, Special] = {"r1.promoter.1": "No.", "r1.promoter.2": "No."}


def test_entries_that_are_not_there_or_count_for_nothing_are_asked_about_once() -> None:
    second = conclusion("draw", 3)
    played = play_chaired({**STRUCK, "conclusion.1": conclusion("draw", 1, 2, 5, 99), "conclusion.2": second})
    again = prompt(played, "conclusion.2")
    assert [seq for seq in (1, 2, 5, 99) if f'"decisive" names seq {seq}, which is no entry' in again] == [2, 5, 99]
    assert (outcome(played).decisive, outcome(played).notices[1:]) == ((3,), ())


CONJECTURE: Special = action("conjecture", "[CONJECTURE] It may be so.", sources=[])
PAIRED: Special = action("conjecture", "[CONJECTURE] It may be so, as a page suggests [1].")
REASONED: Special = action("new_point", "Whoever pays twice pays too much.", sources=[])
UNREACHABLE = found(SourceStatus.UNREACHABLE)
WIN = "affirmative_wins"


def resting(on: str, *decisive: int, opened: Special = UNRELIABLE, said: Special = CONJECTURE) -> dict[str, Special]:
    """Entry 1 has a source. What is ``said`` is entry 6 behind a warning of an unreliable one, else entry 5."""
    special: dict[str, Special] = {"opening.promoter.1.sources": opened, "r1.promoter.1": said}
    return special | {"conclusion.1": conclusion(on, *decisive)}


@pytest.mark.parametrize(
    ("special", "grounds"),
    [
        (resting(WIN, 1, 6), ("the sources of seq 1 are unreliable", "seq 6 is a conjecture")),
        (resting("draw", 6), ("seq 6 is a conjecture",)),
        (resting(WIN), ("no entry is named that stands",)),
        # A closing statement that refers to nothing but entry 1.
        (resting(WIN, 10), ("seq 10 rests on what carries nothing, seq 1",)),
        (resting(WIN, 5, said=CONJECTURE, opened=UNREACHABLE), ("seq 5 is a conjecture",)),
    ],
)
def test_a_decision_on_sand_goes_back_once_and_then_stands_and_is_flagged(
    special: dict[str, Special], grounds: tuple[str, ...]
) -> None:
    played = play_chaired({**special, "conclusion.2": special["conclusion.1"]})
    why = f"The decision rests on nothing that carries it: {'; '.join(grounds)}."
    assert f"- {why} Name in" in prompt(played, "conclusion.2")
    end = outcome(played)
    assert (end.weak_grounds, end.notices[-1]) == (grounds, f"[WARN] {why}")
    assert (end.status, end.decided_by) == (ChairedDebateStatus.COMPLETED, DecidedBy.CHAIR)


@pytest.mark.parametrize(
    "special",
    [
        resting("draw"),
        resting(WIN, 1, 6, 4),
        resting(WIN, 1, opened=UNREACHABLE),
        resting(WIN, 6, said=REASONED),
        resting(WIN, 6, said=PAIRED),
        resting(WIN, 9, opened=VERIFIED),
    ],
)
def test_one_ground_that_carries_is_enough(special: dict[str, Special]) -> None:
    played = play_chaired(special)
    assert "conclusion.2" not in played.asks
    assert outcome(played).weak_grounds == ()


def test_who_names_what_carries_the_second_time_is_not_flagged() -> None:
    end = outcome(play_chaired({**resting(WIN, 6), "conclusion.2": conclusion("negative_wins", 4)}))
    assert (end.decision, end.decisive, end.weak_grounds) == (DebateDecision.NEGATIVE_WINS, (4,), ())
