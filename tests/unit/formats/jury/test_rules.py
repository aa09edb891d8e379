"""Who is asked what, and when, played without runner, transport or clock."""

import pytest

from sparring.schema.jury import JuryStatus
from support.jury_playing import outcome, play_jury
from support.playing import steps

FIRST = ["opening.advocate", "opening.skeptic", "checklist.1"]


@pytest.mark.parametrize(
    ("rebuttals", "asked"),
    [
        (0, [FIRST, ["verdict.1"]]),
        (1, [FIRST, ["rebuttal.1.advocate", "rebuttal.1.skeptic"], ["verdict.1"]]),
        (
            2,
            [
                FIRST,
                ["rebuttal.1.advocate", "rebuttal.1.skeptic"],
                ["rebuttal.2.advocate", "rebuttal.2.skeptic"],
                ["verdict.1"],
            ],
        ),
    ],
)
def test_the_first_three_voices_are_asked_at_once_then_both_debaters_round_by_round_then_the_judge(
    rebuttals: int, asked: list[list[str]]
) -> None:
    played = play_jury(rebuttals=rebuttals)
    assert steps(played) == asked
    found = outcome(played)
    assert (found.status, found.rebuttals_completed, found.notices) == (JuryStatus.COMPLETED, rebuttals, ())


def test_second_attempts_are_asked_together_and_told_what_was_wrong() -> None:
    played = play_jury(
        {"opening.advocate": "It is fine.", "opening.skeptic": "It is not.", "checklist.1": "No."}, rebuttals=0
    )
    assert steps(played) == [FIRST, ["opening.advocate.2", "opening.skeptic.2", "checklist.2"], ["verdict.1"]]
    asks = played.asks
    assert [asks[id_].question.brief.attempt for id_ in steps(played)[1]] == [2, 2, 2]
    assert "It gives 0 reasons as a list, where 3 to 5 were asked for." in asks["opening.advocate.2"].question.prompt
    assert "There is no JSON object in the reply." in asks["checklist.2"].question.prompt
    assert outcome(played).status is JuryStatus.COMPLETED


def test_whoever_did_as_asked_is_not_asked_again_beside_one_who_did_not() -> None:
    played = play_jury({"opening.skeptic": "- One reason."}, rebuttals=0)
    assert steps(played)[1] == ["opening.skeptic.2"]
