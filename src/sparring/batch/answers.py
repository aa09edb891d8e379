"""The run of one row, kept in a ledger instead of a folder: its journal, what is left of it, and itself once more."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from sparring.engine.earlier import NOTHING_EARLIER, EarlierRun
from sparring.engine.runner import Progress
from sparring.schema.base import Record, Role
from sparring.schema.runs import Outcome, RunHeader
from sparring.schema.transcript import PutAsk, Turn
from sparring.store.ledger import Key, Ledger, Taken
from sparring.store.lines import Header, TurnBody


class _Put(PutAsk):
    """That somebody is about to be asked: the ``index``-th of the ``of`` asks of a step."""

    step: int = Field(ge=0)
    of: int = Field(ge=1)


class RowRun(Record):
    """What is kept of a row that has ended, beside its exchanges.

    Attributes:
        places: Which of the exchanges are turns of this run, in asking order: of a row that is held once more some may
            be left of the time before.
    """

    header: Header
    places: tuple[str, ...]


@dataclass
class RowJournal:
    """A journal as ``engine.runner`` wants it; what it is given is safe in the ledger when it returns.

    Attributes:
        steps: The turns of all complete steps, in asking order.
        paid: The turns that this process has asked for.
    """

    ledger: Ledger
    key: Key
    steps: list[tuple[Turn, ...]] = field(default_factory=list[tuple[Turn, ...]])
    open_step: dict[int, Turn] = field(default_factory=dict[int, Turn])
    paid: list[Turn] = field(default_factory=list[Turn])

    @classmethod
    def of(cls, ledger: Ledger, key: Key, progress: Progress, open_step: Mapping[int, Turn]) -> "RowJournal":
        """The journal of a row that goes on from ``progress``."""
        return cls(ledger, key, list(progress.steps), dict(open_step))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All of them."""
        return tuple(turn for step in self.steps for turn in step)

    async def asked(self, asks: Sequence[PutAsk], *, step: int, of: int) -> None:
        """See ``engine.runner.Journal``; raises ``LeaseLostError`` when another process has the row now."""
        put = {ask.ask_id: _Put(**dict(ask), step=step, of=of).model_dump_json().encode() for ask in asks}
        await self.ledger.asked(self.key, put, costs=[ask.ask_id for ask in asks if ask.costs])

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``engine.runner.Journal``. What another run of the row has paid for is this row's own."""
        if turn.taken_from:
            turn = turn.model_copy(update={"taken_from": None})
        else:
            self.paid.append(turn)
        body = TurnBody(step=step, of=of, index=index, turn=turn)
        await self.ledger.answered(self.key, turn.ask_id, body.model_dump_json().encode())
        self.open_step[index] = turn
        if len(self.open_step) == of:
            self.steps.append(tuple(self.open_step[place] for place in range(of)))
            self.open_step = {}

    async def end(self, outcome: Outcome) -> None:
        """See ``engine.runner.Journal``. The outcome follows from the turns, and is filed with the row."""


NO_PROGRESS = Progress()


@dataclass(frozen=True)
class LeftOver:
    """What was said of a row before: to be gone on with, or to be taken over by a run of its own."""

    progress: Progress = NO_PROGRESS
    open_step: Mapping[int, Turn] = field(default_factory=dict[int, Turn])
    earlier: EarlierRun = NOTHING_EARLIER


def left_of(taken: Taken, run_id: str) -> LeftOver:
    """What is left of a row that was taken.

    One that was broken off goes on where it was. One that has ended, and somebody failed in it, is held anew as run
    ``run_id``, and takes over what was answered.
    """
    bodies = [TurnBody.model_validate_json(body) for body in taken.answered.values()]
    if taken.was_filed:
        return LeftOver(earlier=EarlierRun.of(run_id, _usable(bodies)))
    steps, open_step = _steps(bodies)
    asked = [_Put.model_validate_json(body) for body in taken.asked.values()]
    unanswered = {ask.ask_id: ask.call for ask in asked if ask.step == len(steps)}
    pending = tuple(open_step[place] for place in sorted(open_step))
    return LeftOver(Progress(tuple(steps), pending, unanswered), open_step)


def _usable(bodies: Sequence[TurnBody]) -> Iterable[Turn]:
    """What need not be asked again. Where everybody answered, whoever spoke last said nothing that could be used."""
    last = max((body.step for body in bodies if body.turn.role is not Role.VERIFIER), default=0)
    is_lost = any(body.turn.failure for body in bodies)
    return (body.turn for body in bodies if is_lost or body.step < last)


def _steps(bodies: Iterable[TurnBody]) -> tuple[list[tuple[Turn, ...]], dict[int, Turn]]:
    """The turns of all complete steps, and those of the one that is not."""
    by_step: dict[int, dict[int, TurnBody]] = {}
    for body in bodies:
        by_step.setdefault(body.step, {})[body.index] = body
    steps = list[tuple[Turn, ...]]()
    for number in range(len(by_step)):
        found = by_step.get(number, {})
        turns = {place: body.turn for place, body in found.items()}
        if not found or len(turns) < next(iter(found.values())).of:
            return steps, turns
        steps.append(tuple(turns[place] for place in sorted(turns)))
    return steps, {}


def kept(header: RunHeader, turns: Iterable[Turn]) -> bytes:
    """What is filed of a run beside its exchanges."""
    return RowRun(header=header, places=tuple(turn.ask_id for turn in turns)).model_dump_json().encode()


Steps = tuple[tuple[Turn, ...], ...]
"""The turns of each step of a run, in asking order."""


def read_kept(run: bytes, answered: Mapping[str, bytes]) -> tuple[RunHeader, Steps]:
    """The header and the turns of a run that was filed.

    Raises:
        ValidationError: This is nothing that was filed.
        KeyError: An exchange is missing.
    """
    found = RowRun.model_validate_json(run)
    steps, _ = _steps(TurnBody.model_validate_json(answered[place]) for place in found.places)
    return found.header, tuple(steps)
