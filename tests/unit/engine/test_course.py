"""Rules as a coroutine: how far it comes with what was said, several at once, and what is asked for once more."""

import copy
import pickle
from collections.abc import Mapping
from functools import cache, partial
from operator import attrgetter
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.engine.course import (
    CUT_OFF,
    Attempt,
    Course,
    CourseCursor,
    DeferredAsk,
    ReadReply,
    UnusableReplyError,
    ask_until_usable,
    attempt_ask,
    run_course,
    run_together,
)
from sparring.schema.base import Record, Role
from sparring.schema.consultation import Ending, FailureCode
from sparring.schema.transcript import Transcript, Turn, TurnKind
from support.runs import answer, failure, turn


class End(Record):
    """How a course of these tests ends."""

    heard: tuple[str, ...]


def wanted(id_: str) -> DeferredAsk:
    return DeferredAsk(id_, partial(pytest.fail, "it is worded only when it is put"))


def spoken(replies: Mapping[str, str | None]) -> Transcript:
    """Each id answered with that text; None is a failure."""
    return Transcript(turns=tuple(said(id_, text) for id_, text in replies.items()))


@cache
def said(id_: str, text: str | None) -> Turn:
    return turn(TurnKind.OPENING, Role.PROPOSER, failure() if text is None else answer(text), ask_id=id_)


def even(text: str) -> ReadReply[int]:
    """A number, which ought to be even."""
    if not text.isdigit():
        raise UnusableReplyError("It is no number.\nSay a number.")
    return ReadReply(int(text), ("It is odd.",) if int(text) % 2 else ())


def asked_for(stem: str) -> Course[DeferredAsk, tuple[Attempt[int], ...]]:
    return (yield from ask_until_usable(lambda first: wanted(f"{stem}.{2 if first else 1}"), even))


def course(*stems: str) -> Course[DeferredAsk, End]:
    found = yield from run_together(*map(asked_for, stems))
    heard = tuple(f"{attempt.value}: {attempt.problem}" for attempts in found for attempt in attempts)
    last = yield from attempt_ask(wanted("last"), even)
    return End(heard=(*heard, f"{last.value}: {last.problem}"))


def due(replies: Mapping[str, str | None], *stems: str) -> list[str] | tuple[str, ...]:
    """The ids that are due after ``replies``, or what was heard at the end."""
    reached = run_course(course(*stems), spoken(replies))
    return reached.heard if isinstance(reached, End) else [each.id for each in reached]


ODD, NO = "It is odd.", "None: It is no number.\nSay a number."

REACHED: list[tuple[dict[str, str | None], list[str] | tuple[str, ...]]] = [
    ({}, ["a.1", "b.1"]),
    ({"b.1": "2"}, ["a.1"]),
    ({"a.1": "2", "b.1": "4"}, ["last"]),
    ({"a.1": "2", "b.1": "3"}, ["b.2"]),
    ({"a.1": "x", "b.1": "3"}, ["a.2", "b.2"]),
    ({"a.1": "2", "b.1": None}, ["last"]),  # what failed is not asked again
    ({"a.1": "2", "b.1": "4", "last": "6"}, ("2: ", "4: ", "6: ")),
    (
        {"a.1": "x", "b.1": "3", "b.2": "5", "a.2": "4", "last": "1"},
        (NO, "4: ", f"3: {ODD}", f"5: {ODD}", f"1: {ODD}"),
    ),
    ({"a.1": None, "b.1": "3", "b.2": None, "last": None}, ("None: ", f"3: {ODD}", "None: ", "None: ")),
]


@pytest.mark.parametrize(("replies", "then"), REACHED)
def test_a_course_advances_to_the_end_of_its_transcript(replies: dict[str, str | None], then: list[str]) -> None:
    assert due(replies, "a", "b") == then


def pickled(bookmark: CourseCursor[DeferredAsk, End]) -> CourseCursor[DeferredAsk, End]:
    return pickle.loads(pickle.dumps(bookmark))  # noqa: S301 -- made here


@given(st.lists(st.tuples(st.sampled_from(REACHED), st.sampled_from([None, pickled, copy.copy])), max_size=9))
def test_a_bookmark_answers_any_transcript_as_a_fresh_one_does(visits: list[Any]) -> None:
    bookmark = CourseCursor[DeferredAsk, End]()
    for (replies, then), copied in visits:
        bookmark = copied(bookmark) if copied else bookmark
        answered = bookmark.next(lambda: course("a", "b"), spoken(replies), cast("Any", attrgetter("id")))
        assert (answered.heard if isinstance(answered, End) else list(answered)) == then


@pytest.mark.parametrize("ending", [Ending.CUT_OFF, Ending.WITHHELD])
def test_an_incomplete_answer_is_requested_again_and_then_counts_as_empty(
    ending: Ending,
) -> None:
    incomplete = answer("2").model_copy(update={"ending": ending})
    cut_off = [turn(TurnKind.OPENING, Role.PROPOSER, incomplete, ask_id=id_) for id_ in ("a.1", "a.2", "last")]
    reached = run_course(course("a"), Transcript(turns=tuple(cut_off)))
    assert reached == End(heard=(f"None: {CUT_OFF} Give a shorter one.",) * 3)
    attempt = Attempt[int](cut_off[0], problems=(CUT_OFF,))
    assert (attempt.is_cut_off, attempt.cause) == (True, f"cut_off: {CUT_OFF.rstrip('.')}")


@pytest.mark.parametrize("code", [FailureCode.EMPTY, FailureCode.CUT_OFF])
def test_a_reply_without_an_answer_is_requested_again_and_counts_as_empty(code: FailureCode) -> None:
    silent = failure(code, "It gave no answer.")
    turns = [turn(TurnKind.OPENING, Role.PROPOSER, silent, ask_id=id_) for id_ in ("a.1", "a.2", "last")]
    reached = run_course(course("a"), Transcript(turns=tuple(turns)))
    assert isinstance(reached, End)
    assert all(each.startswith("None: ") and each != "None: " for each in reached.heard)
    assert Attempt[int](turns[0]).has_reply
