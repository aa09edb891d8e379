"""The decision: the chair's own, or one by rule, or none."""

import json

import pytest

from sparring.schema.chaired_debate import ChairedDebateStatus, DebateDecision, DecidedBy, EndReason
from support.chaired_playing import FAILS, Special, asked, conclusion, log, outcome, play_chaired, prompt


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


def test_it_may_rest_on_nothing_in_particular() -> None:
    said = json.dumps({"outcome": "draw", "reasoning": "It is even.", "decisive": None})
    assert outcome(play_chaired({"conclusion.1": said})).decisive == ()


STRUCK: dict[str, Special] = {"r1.promoter.1": "No.", "r1.promoter.2": "No."}


def test_entries_that_are_not_there_or_count_for_nothing_are_asked_about_once() -> None:
    second = conclusion("draw", 3)
    played = play_chaired({**STRUCK, "conclusion.1": conclusion("draw", 1, 2, 5, 99), "conclusion.2": second})
    again = prompt(played, "conclusion.2")
    assert [seq for seq in (1, 2, 5, 99) if f'"decisive" names seq {seq}, which is no entry' in again] == [2, 5, 99]
    assert (outcome(played).decisive, outcome(played).notices[1:]) == ((3,), ())


def dropped(seqs: str) -> str:
    return (
        f"[WARN] The chair rests its decision on what is no entry of a debater that stands, which was dropped: {seqs}"
    )


@pytest.mark.parametrize(
    ("second", "decision", "decisive", "wrong"),
    [
        (conclusion("draw", 3, 77, 2, 77), DebateDecision.DRAW, (3,), "seq 77, 2."),
        (conclusion("draw", 3, 10**99), DebateDecision.DRAW, (3,), f"seq 1{'0' * 58}…."),
        (FAILS, DebateDecision.NEGATIVE_WINS, (1,), "seq 99."),
        ("It is hard to say.", DebateDecision.NEGATIVE_WINS, (1,), "seq 99."),
    ],
)
def test_then_the_decision_stands_without_the_wrong_ones_and_that_is_said(
    second: Special, decision: DebateDecision, decisive: tuple[int, ...], wrong: str
) -> None:
    end = outcome(play_chaired({"conclusion.1": conclusion("negative_wins", 1, 99), "conclusion.2": second}))
    assert (end.decision, end.decisive, end.notices) == (decision, decisive, (dropped(wrong),))
    assert end.status is ChairedDebateStatus.COMPLETED


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("Well.", "Well.", "the answer could not be used"),
        (conclusion("promoter"), conclusion(reasoning=""), "the answer could not be used"),
        (FAILS, FAILS, "timeout: no answer within 240 s"),
    ],
)
def test_without_a_usable_decision_the_debate_is_unjudged(first: Special, second: Special, why: str) -> None:
    end = outcome(play_chaired({"conclusion.1": first, "conclusion.2": second}))
    assert (end.status, end.decision, end.decided_by, end.reasoning) == (ChairedDebateStatus.UNJUDGED, None, None, "")
    assert end.notices == (f"[WARN] No decision: {why}.",)
    assert end.log[-1].type == "closing_statement"


def test_a_debate_of_which_nothing_stands_is_void_without_asking_the_chair() -> None:
    places = [f"{place}.{role}" for place in ("opening", "r1", "closing") for role in ("promoter", "detractor")]
    played = play_chaired(dict.fromkeys([f"{place}.{attempt}" for place in places for attempt in (1, 2)], "No."))
    end = outcome(played)
    assert "conclusion.1" not in asked(played)
    assert (end.status, end.decision, end.decided_by, end.ended) == (
        ChairedDebateStatus.COMPLETED,
        DebateDecision.VOID,
        DecidedBy.RULE,
        EndReason.MAX_ROUNDS,
    )
    assert log(played)[-1] == "7 chair conclusion"
    assert end.reasoning == "Nothing that was said in this debate stands, so that there is nothing to decide."


def test_reasoning_of_nothing_but_white_space_is_no_reason_to_break() -> None:
    end = outcome(play_chaired({"conclusion.1": conclusion("draw", reasoning="  ")}))
    assert (end.decision, end.reasoning) == (DebateDecision.DRAW, "[…]")
