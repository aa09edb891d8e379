"""Whole juries, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, what was returned and why, and the outcome with everything that the user is told.
"""

import pytest

from sparring.schema.base import Participant
from sparring.schema.jury import JuryStatus
from support.golden import Golden
from support.jury_playing import outcome, play_jury, said
from support.playing import parted, plays, steps, told


@pytest.mark.parametrize(
    ("truth", "claim", "verdict"),
    [
        ("It is in 190 countries.", "It is in 191 countries.", "MUTATED"),
        ("Apple bought Google in 2019.", "Google bought Apple in 2019.", "MUTATED"),
        ("It is in 190 countries.", "It is in 190 countries.", "FAITHFUL"),
        ("It is in 190 countries and territories.", "It is in 190 countries.", None),
        ("As of March 25, 300 were ill.", "Before March 26, 300 were ill.", None),
    ],
)
def test_without_a_model_nobody_is_asked_and_code_decides(truth: str, claim: str, verdict: str | None) -> None:
    seats = ("advocate", "skeptic", "fact_checker", "judge")
    played = play_jury({}, truth=truth, claim=claim, **dict.fromkeys(seats, Participant(tool="offline")))
    found = outcome(played)
    assert (steps(played), found.status) == ([], JuryStatus.BY_CODE if verdict else JuryStatus.UNJUDGED)
    assert (found.verdict and (found.verdict.verdict, found.verdict.confidence)) == (verdict and (verdict, None))
    assert bool(found.mutations) == (verdict == "MUTATED")


JURIES = plays("jury", said)


@pytest.mark.parametrize("name", JURIES)
def test_a_jury_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    special, wanted = parted(JURIES[name])
    golden.holds(f"plays/jury/{name}.txt", told(play_jury(special, **wanted)))
