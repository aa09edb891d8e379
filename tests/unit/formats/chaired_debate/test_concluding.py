"""The decision: the chair's own, or one by rule, or none."""

import pytest

from sparring.schema.chaired_debate import ChairedDebateStatus, DebateDecision, DecidedBy
from support.chaired_playing import conclusion, outcome, play_chaired
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
