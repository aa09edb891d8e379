"""Who is asked what, and when, played without runner, transport or clock."""

from typing import Any

import pytest

from sparring.schema.base import Participant
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


@pytest.mark.parametrize(
    ("truth", "claim", "status", "verdict"),
    [
        ("It is in 190 countries.", "It is in 191 countries.", JuryStatus.BY_CODE, "MUTATED"),
        ("Apple bought Google in 2019.", "Google bought Apple in 2019.", JuryStatus.BY_CODE, "MUTATED"),
        ("It is in 190 countries.", "It is in 190 countries.", JuryStatus.BY_CODE, "FAITHFUL"),
        ("It is in 190 countries and territories.", "It is in 190 countries.", JuryStatus.UNJUDGED, None),
        ("As of March 25, 300 were ill.", "Before March 26, 300 were ill.", JuryStatus.UNJUDGED, None),
    ],
)
def test_without_a_model_nobody_is_asked_and_code_says_what_it_alone_finds(
    truth: str, claim: str, status: JuryStatus, verdict: str | None
) -> None:
    offline: dict[str, Any] = {
        role: Participant(tool="offline") for role in ("advocate", "skeptic", "fact_checker", "judge")
    }
    played = play_jury({}, truth=truth, claim=claim, **offline)
    found = outcome(played)
    assert (steps(played), found.status, found.verdict and found.verdict.verdict) == ([], status, verdict)
    assert found.verdict is None or found.verdict.confidence is None
    assert bool(found.mutations) == (verdict == "MUTATED")
