"""What chair and audience answer in JSON: read, and asked for once more where it cannot be used."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Generic, TypeVar

from pydantic import BeforeValidator, Field

from sparring.engine.replies import UnusableReplyError
from sparring.formats.chaired_debate.course import Course, Returned, Wanted, asked
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.spelling import or_empty, plain
from sparring.schema.base import Record
from sparring.schema.chaired_debate import DebateDecision
from sparring.schema.chaired_debate.log import CONTENT_LIMIT
from sparring.schema.transcript import Turn

_Said = TypeVar("_Said")


def _upheld(value: object) -> object:
    return {"upheld": True, "dismissed": False}.get(str(plain(value)), value)


class SaidRuling(Record):
    """The chair's ruling on the challenge that an entry raised."""

    challenge_seq: int
    is_upheld: Annotated[bool, BeforeValidator(_upheld)] = Field(alias="ruling")
    reason: str = Field(min_length=1)


class SaidReview(Record):
    """The chair's review of what was said. ``goes_on`` is None where the chair says nothing of it."""

    rulings: Annotated[tuple[SaidRuling, ...], BeforeValidator(or_empty)] = ()
    goes_on: bool | None = Field(default=None, alias="continue")
    reason: str = ""


class SaidConclusion(Record):
    """The chair's decision."""

    outcome: Annotated[DebateDecision, BeforeValidator(plain)]
    reasoning: str = Field(min_length=1)
    decisive: Annotated[tuple[int, ...], BeforeValidator(or_empty)] = ()


class SaidQuestions(Record):
    """The audience's questions."""

    questions: Annotated[tuple[str, ...], BeforeValidator(or_empty)]


@dataclass(frozen=True)
class Reading(Generic[_Said]):
    """What an answer says, and what is wrong with it so that it is asked for once more."""

    said: _Said
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answered(Generic[_Said]):
    """What came of asking, at the end: what stands, with what is still wrong with it, or None; and the last turn."""

    floor: Floor
    reading: Reading[_Said] | None
    turn: Turn


def answered(
    floor: Floor,
    stem: str,
    wanted: Wanted,
    read: Callable[[str], Reading[_Said]],
    *,
    first: Reading[_Said] | None = None,
) -> Course[Answered[_Said]]:
    """Ask for something, and once more if there is anything wrong with the answer, with ids that begin with ``stem``.

    The second answer stands whatever is wrong with it, the ``first`` one where nothing of the second can be used.
    ``read`` raises ``UnusableReplyError`` for an answer of which nothing can be used.
    """
    heard = yield from asked(floor, replace(wanted, id=f"{stem}.{wanted.attempt}"))
    floor, turn = heard.floor, heard.turn
    said = turn.answer.response if turn.answer else ""
    try:
        reading = read(said)
        problems = reading.problems
    except UnusableReplyError as error:
        reading, problems = first, tuple(str(error).splitlines())
    if wanted.returned or not problems:
        return Answered(floor, reading, turn)
    again = replace(wanted, returned=Returned(floor.withheld.masked(said)[:CONTENT_LIMIT], problems))
    return (yield from answered(floor, stem, again, read, first=reading))


def why_unusable(turn: Turn) -> str:
    """Why there is no answer, for people."""
    if turn.failure:
        return f"{turn.failure.code}: {turn.failure.detail.rstrip('.')}"
    return "the answer could not be used"
