"""A debate's course as a coroutine: it hands out what is wanted next, and is sent the turns that came of it.

So the course reads from top to bottom as it is held. It is started anew for every transcript and keeps nothing: what
it needs of a turn is in the transcript, what it has made of it is in the ``Floor``.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from sparring.formats.chaired_debate.floor import Floor
from sparring.schema.base import Role
from sparring.schema.sources import Source
from sparring.schema.transcript import Transcript, Turn, TurnKind

_End = TypeVar("_End")


@dataclass(frozen=True)
class Returned:
    """A first answer that could not be used: what was said, without what may not be shown, and why not."""

    said: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Wanted:
    """Something to be asked.

    Attributes:
        step: Name of the prompt below ``chaired-debate/``.
        returned: The first answer, if this is the second attempt.
        sources: What is to be looked up.
        seq: The entry that it is about.
        may_go_on: Whether the chair is to say if another round is needed.
    """

    id: str
    step: str
    kind: TurnKind
    role: Role
    returned: Returned | None = None
    sources: tuple[Source, ...] = ()
    seq: int | None = None
    may_go_on: bool = False

    @property
    def attempt(self) -> int:
        """1, or 2 when the first answer was returned."""
        return 2 if self.returned else 1


@dataclass(frozen=True)
class Due:
    """What is to be asked at once, and where the debate stands meanwhile."""

    floor: Floor
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True)
class Heard:
    """A turn, and the floor when it was taken."""

    floor: Floor
    turn: Turn


Course = Generator[Due, tuple[Turn, ...], _End]


def asked(floor: Floor, wanted: Wanted) -> Course[Heard]:
    """Ask one thing."""
    turns = yield Due(floor, (wanted,))
    return Heard(floor.after(turns), turns[0])


def held(course: Course[_End], transcript: Transcript) -> Due | _End:
    """How far ``course`` comes with the turns of ``transcript``: what is due then, or its end."""
    turns = {turn.ask_id: turn for turn in transcript.turns}
    try:
        due = next(course)
        while all(wanted.id in turns for wanted in due.wanted):
            due = course.send(tuple(turns[wanted.id] for wanted in due.wanted))
    except StopIteration as end:
        return end.value
    return due
