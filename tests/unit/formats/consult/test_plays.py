"""Whole runs, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, and the outcome with everything that the user is told.
"""

from collections.abc import Mapping

import pytest

from sparring.schema.consult import ConsultOutcome, ConsultStatus
from support.consulting import SEVERAL, play_consult
from support.golden import Golden
from support.playing import FAILS, Special, told

CONSULTS: dict[str, Mapping[str, Special]] = {
    "a-failure-is-told-beside-those-who-answered": {"question.2": FAILS},
    "citations-that-cannot-be-looked-up-keep-no-answer-back": {"citations": FAILS},
    "a-single-answer-of-several-is-compared-with-nothing": dict.fromkeys(("question.2", "question.3"), FAILS),
    "when-none-answers-it-has-failed-with-every-cause": dict.fromkeys(
        ("question.1", "question.2", "question.3"), FAILS
    ),
}


@pytest.mark.parametrize("name", CONSULTS)
def test_a_consultation_of_several_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    golden.holds(f"plays/consult/{name}.txt", told(play_consult(SEVERAL, CONSULTS[name])))


@pytest.mark.parametrize("special", [{}, {"question": FAILS}], ids=["answered", "failed"])
def test_the_answer_or_the_failure_of_one_is_the_end(special: Mapping[str, Special]) -> None:
    played = play_consult(SEVERAL.model_copy(update={"asked": SEVERAL.asked[:1]}), special)
    (turn,) = played.transcript.turns
    status = ConsultStatus.COMPLETED if turn.answer else ConsultStatus.FAILED
    assert played.outcome == ConsultOutcome(status=status, reply=turn.reply)
