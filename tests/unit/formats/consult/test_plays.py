"""Whole runs, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, and the outcome with everything that the user is told.
"""

from collections.abc import Mapping

import pytest

from support.consulting import SEVERAL, play_consult
from support.golden import Golden
from support.playing import FAILS, Special, told

CONSULTS: dict[str, Mapping[str, Special]] = {
    "a-failure-is-told-beside-those-who-answered": {"question.2": FAILS},
    "citations-that-cannot-be-looked-up-keep-no-answer-back": {"citations": FAILS},
    "a-single-answer-of-several-is-compared-with-nothing": dict.fromkeys(("question.2", "question.3"), FAILS),
    "when-none-answers-it-has-failed-with-every-cause": {f"question.{number}": FAILS for number in (1, 2, 3)},
}


@pytest.mark.parametrize("name", CONSULTS)
def test_a_consultation_of_several_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    golden.holds(f"plays/consult/{name}.txt", told(play_consult(SEVERAL, CONSULTS[name])))
