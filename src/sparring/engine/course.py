"""Rules as a coroutine: it yields what it wants asked, is sent the turns that came of it, and returns the outcome.

So the rules of a deliberation read from top to bottom, as it is held. A course is started anew for every transcript
and is run against it up to the first thing that nobody has answered yet (``held``): it has no memory of its own, and
loading a journal is all there is to resuming one. What is wanted is worded as a prompt only when it is put.

Three things that every format needs are said here once: asking several at the same time (``together``), asking once
more with what was wrong (``until_usable``), and what a failed consultation is: an attempt with nothing in it.

And how the JSON object that somebody was asked for is read; what it has to hold, each format knows for itself.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from pydantic import ValidationError

from sparring.schema.base import Record
from sparring.schema.transcript import Ask, Transcript, Turn
from sparring.text.extraction import json_object

_Said = TypeVar("_Said", bound=Record)


_MOST_PROBLEMS = 20


class UnusableReplyError(ValueError):
    """A reply does not hold what was asked for; the message is the one that whoever gave it is shown."""


def read_object(reply: str) -> dict[str, Any]:
    """The object in ``reply``.

    Raises:
        UnusableReplyError: There is none.
    """
    found = json_object(reply)
    if found is None:
        raise UnusableReplyError("There is no JSON object in the reply.")
    return found


def as_record(found: Mapping[str, Any], kind: type[_Said]) -> _Said:
    """``found`` as a record. Fields that we do not know are ignored, missing ones are not made up.

    Raises:
        UnusableReplyError: A field is missing, or has no value that it may have.
    """
    try:
        return kind.model_validate(found, extra="ignore")
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()[:_MOST_PROBLEMS]
        ]
        raise UnusableReplyError("\n".join(problems)) from error


Asks: TypeAlias = tuple[Ask, ...]
"""Asks that may be put at the same time; never empty."""


class Due(Protocol):
    """Something that is wanted: the id of its ask says which turn answers it."""

    @property
    def id(self) -> str:
        """Id of the ask."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What most formats want: an ask that is worded when it is put."""

    id: str
    ask: Callable[[], Ask]


_Due = TypeVar("_Due", bound=Due)
_End = TypeVar("_End")
_Outcome = TypeVar("_Outcome", bound=Record)
_Said_co = TypeVar("_Said_co", covariant=True)

Course: TypeAlias = Generator[tuple[_Due, ...], tuple[Turn, ...], _End]
"""Yields what may be asked at the same time, is sent a turn for each in that order, returns how it ends."""


def held(course: Course[_Due, _Outcome], transcript: Transcript) -> tuple[_Due, ...] | _Outcome:
    """How far ``course`` comes with the turns of ``transcript``: what is due then, or its end."""
    turns = {turn.ask_id: turn for turn in transcript.turns}
    try:
        due = next(course)
        while all(each.id in turns for each in due):
            due = course.send(tuple(turns[each.id] for each in due))
    except StopIteration as end:
        return end.value
    return tuple(each for each in due if each.id not in turns)


def decided(course: Course[Wanted, _Outcome], transcript: Transcript) -> Asks | _Outcome:
    """What ``next`` of a format answers: the asks that are due after ``transcript``, or the outcome."""
    reached = held(course, transcript)
    return reached if isinstance(reached, Record) else tuple(wanted.ask() for wanted in reached)


def asked(wanted: _Due) -> Course[_Due, Turn]:
    """Ask one thing."""
    (turn,) = yield (wanted,)
    return turn


def together(*courses: Course[_Due, _End]) -> Course[_Due, tuple[_End, ...]]:
    """Hold several courses side by side; what they want at the same time is asked at the same time."""
    due: dict[int, tuple[_Due, ...]] = {}
    ends: dict[int, _End] = {}

    def go_on(place: int, turns: tuple[Turn, ...] | None) -> None:
        try:
            due[place] = next(courses[place]) if turns is None else courses[place].send(turns)
        except StopIteration as end:
            due.pop(place, None)
            ends[place] = end.value

    for place in range(len(courses)):
        go_on(place, None)
    while due:
        under_way = dict(sorted(due.items()))
        turns = yield tuple(each for wanted in under_way.values() for each in wanted)
        taken = iter(turns)
        for place, wanted in under_way.items():
            go_on(place, tuple(next(taken) for _ in wanted))
    return tuple(ends[place] for place in range(len(courses)))


@dataclass(frozen=True)
class Reading(Generic[_Said_co]):
    """What an answer says, and what is wrong with it, in words for whoever gave it."""

    said: _Said_co
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attempt(Generic[_Said_co]):
    """One attempt to get an answer.

    Attributes:
        said: What it says; None when the consultation failed or nothing of the answer can be used.
        problems: What is wrong with the answer, so that it is asked for once more; empty when nothing is, and when
            there is none.
    """

    turn: Turn
    said: _Said_co | None = None
    problems: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """What is wrong, one problem a line."""
        return "\n".join(self.problems)


def attempted(wanted: _Due, read: Callable[[str], Reading[_Said_co]]) -> Course[_Due, Attempt[_Said_co]]:
    """Ask one thing and read the answer; ``read`` raises ``UnusableReplyError`` where nothing of it can be used."""
    turn = yield from asked(wanted)
    if turn.answer is None:
        return Attempt(turn)
    try:
        reading = read(turn.answer.response)
    except UnusableReplyError as error:
        return Attempt(turn, problems=tuple(str(error).splitlines()))
    return Attempt(turn, reading.said, reading.problems)


def until_usable(
    want: Callable[[Attempt[_Said_co] | None], _Due], read: Callable[[str], Reading[_Said_co]]
) -> Course[_Due, tuple[Attempt[_Said_co], ...]]:
    """Ask, and once more if there is anything wrong with the answer: the one attempt, or both.

    ``want`` is given the first attempt when it wants the second. A failed consultation is not repeated: what could
    be tried again was tried by whoever consulted.
    """
    first = yield from attempted(want(None), read)
    if not first.problems:
        return (first,)
    return (first, (yield from attempted(want(first), read)))
