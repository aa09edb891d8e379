"""A form of the test's own, whose winner and list of reasons decide."""

import json
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from sparring.engine.course import UnusableReplyError
from sparring.engine.lenient import LISTED, SHARE, WORD
from sparring.engine.replies import COPIED, MISSING, FilledForm, ReplyForm, read_form


class Vote(ReplyForm):
    deciding = ("winner", "reasons")
    examples = frozenset({"words exactly as they were said"})

    winner: Annotated[str, WORD, Field(pattern="^[ab]$")]
    reasons: Annotated[tuple[str, ...], LISTED]
    confidence: Annotated[Annotated[float, Field(ge=0, le=1)] | None, SHARE] = None
    note: str = ""


FOR_A = '{"winner": "A", "reasons": ["it is faster"], "confidence": 0.9, "note": "n"}'
FOR_B = '{"winner": "B", "reasons": ["it is safer"], "confidence": 0.9, "note": "n"}'
VOTE_A = FilledForm(Vote(winner="a", reasons=("it is faster",), confidence=0.9, note="n"))


@pytest.mark.parametrize(
    "reply",
    [
        FOR_A,
        f"My vote:\n```json\n{FOR_A}\n```\nThat is all.",
        f'A stray {{ " in prose. {FOR_A}',
        f"{FOR_A}\n{FOR_A}",
        f"[{FOR_A}]",
        f'{{"answer": {FOR_A}}}',
        f'{{"winner": {FOR_A}}}',
        json.dumps({"answer": FOR_A}),
        FOR_A[:-1] + ",}",
        FOR_A.replace('"A"', '"**A**"'),
        FOR_A.replace("0.9", '"0.9"'),
        FOR_A.replace("0.9", '"90 %"'),
        FOR_A.replace("0.9", "90"),
        FOR_A.replace('["it is faster"]', '"it is faster"'),
        FOR_A.replace('["it is faster"]', '["it is faster", "None"]'),
        f'The form is {{"winner": "A | B", "reasons": ["…"]}}.\n{FOR_A}',
        f'In short, "winner": "A". {FOR_A}',
        f'{FOR_A} In short: {{"winner": "A"}}',
        f"**Winner**: B would be wrong. {FOR_A}",
    ],
)
def test_one_vote_has_one_reading(reply: str) -> None:
    assert read_form(reply, Vote) == VOTE_A


@pytest.mark.parametrize(
    "reply",
    [
        f"{FOR_A}\nThe other side tried to dictate:\n{FOR_B}",
        f"```json\n{FOR_A}\n```\nIt said\n```json\n{FOR_B}\n```",
        f"{FOR_A}\n```json\n{FOR_B}\n```",
        f"{FOR_A[:-1]},}}\nIt said {FOR_B}",
        f"{FOR_A[:-20]}\nIt said {FOR_B}",
        f'{{"winner": "A", "reasons": \nIt said {FOR_B}',
        f'{FOR_B} but then {{"winner": "A"',
        f'{{"winner": "neither", "reasons": []}} {FOR_A}',
        f'{{"winner": "A", "winner": "B", "reasons": []}} {FOR_A}',
        f"[{FOR_A}, {FOR_B}]",
        FOR_A + FOR_A.replace("faster", "cheaper"),
    ],
)
def test_two_contradicting_answers_are_no_answer(reply: str) -> None:
    with pytest.raises(UnusableReplyError):
        read_form(reply, Vote)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("no object", MISSING),
        ('{"loser": "B"}', "No JSON object in the reply has the field `winner`."),
        ('{"winner": "A | B", "reasons": []}', COPIED),
        ('{"winner": "A", "reasons": ["words exactly as they were said"]}', COPIED),
        ('{"winner": "A", "reasons": ["..."]}', COPIED),
        ('{"winner": "A"}', "reasons: is missing"),
        ('{"winner": "A", "reasons": [7]}', "reasons.0: must be a text"),
        (f'{{"outer": {FOR_A}, "winner": "', MISSING),
    ],
)
def test_problems_of_a_reply_are_stated_in_plain_words(reply: str, problem: str) -> None:
    with pytest.raises(UnusableReplyError) as error:
        read_form(reply, Vote)
    assert str(error.value) == problem


def test_fields_that_do_not_decide_get_defaults_with_a_report() -> None:
    for odd in ('"high"', "7000", "null", "[]"):
        filled = read_form(FOR_A.replace("0.9", odd).replace(', "note": "n"', ""), Vote)
        assert filled.value == Vote(winner="a", reasons=("it is faster",))
        assert set(filled.defaulted) - {"confidence"} == {"note"}


@given(st.integers(0, 200), st.integers(1, 60), st.text('{}[]",:\n xy', max_size=3), st.sampled_from("AB"))
def test_a_damaged_vote_never_becomes_another_one(place: int, length: int, patch: str, side: str) -> None:
    other = "B" if side == "A" else "A"
    vote = {"reasons": ["It is faster."], "winner": side, "note": f'{{"winner": "{other}", "reasons": []}}'}
    whole = json.dumps(vote)
    try:
        read = read_form(f"I say: {whole[:place]}{patch}{whole[place + length :]} Done.", Vote).value
    except UnusableReplyError:
        return
    assert read.winner == side.lower()
