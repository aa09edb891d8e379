"""The chair's review: rulings on source challenges, and what follows from them."""

import pytest

from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.lookups import SourceStatus
from support.chaired_playing import CHALLENGE, REASON, action, found, outcome, play_chaired, review, source
from support.playing import Played, Special, prompt

WORDS = "Bicycles were counted at every gate of the old town for a whole year"
OPENING: dict[str, Special] = {
    "opening.promoter.1": action("opening_statement", f"{WORDS} [1].", sources=[source()]),
    "opening.promoter.1.sources": found(SourceStatus.UNREACHABLE, reason="no network"),
}
CHALLENGED: dict[str, Special] = {**OPENING, "r1.detractor.1": CHALLENGE}
WHOSE = "The challenge by the detractor in seq 7 of the sources of seq 1"


def entries(played: Played, type_: str) -> list[str]:
    return [entry.content for entry in outcome(played).log if entry.type == type_]


def test_a_review_tells_code_the_open_challenges_behind_what_was_said() -> None:
    played = play_chaired({**CHALLENGED, "r1.chair.1": review((7, "dismissed"))}, max_rounds=2)
    assert played.asks["r1.chair.1"].question.brief.speeches[-1] == Speech(
        role=Role.DETRACTOR, round=1, text=REASON, name="challenge 7 of seq 1"
    )
    assert "challenge" not in played.asks["r2.promoter.1"].question.brief.speeches[-1].name


@pytest.mark.parametrize(
    ("first", "shown"),
    [
        ("Upheld.", "There is no JSON object in the reply."),
        (review((8, "upheld")), "There is no ruling with challenge_seq 7."),
        (review((7, "maybe")), "rulings.0.ruling"),
        (review((7, "upheld"), goes_on=None), '"continue" is missing: true or false.'),
    ],
)
def test_a_review_that_cannot_be_used_is_asked_for_once_more(first: Special, shown: str) -> None:
    second = review((7, "dismissed"))
    played = play_chaired({**CHALLENGED, "r1.chair.1": first, "r1.chair.2": second}, max_rounds=2)
    assert shown in prompt(played, "r1.chair.2")
    assert entries(played, "ruling")[0].startswith(f"{WHOSE} is dismissed. It said:")
    assert outcome(played).notices == ()
