"""The run of one row, kept in a ledger instead of a folder: its journal, what is left of it, and itself once more.

Taken out of a ledger it is from then on a run of the project like any other, with report and page.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field, ValidationError

from sparring.app import App
from sparring.app.keeping import file_run
from sparring.engine.runner import NOTHING_EARLIER, EarlierRun, Progress
from sparring.errors import StateCorruptError, UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.base import Record, Role
from sparring.schema.runs import Outcome, Run, RunHeader, RunStatus, Spent, spent
from sparring.schema.transcript import PutAsk, Transcript, Turn
from sparring.store import files, history, lines
from sparring.store.journal import JournalWriter
from sparring.store.ledger import KeptRow, Key, Ledger, Taken
from sparring.store.ledger_origin import LEDGER
from sparring.store.sqlite import SqliteDatabase


def ledger_of(app: App, address: str) -> str:
    """Where the answers are kept: at ``address``, or with the project."""
    if not address:
        folder = files.StateFolder(app.place.state)
        folder.ensure_writable(app.place.state / LEDGER.parent)
        folder.hide_from_git(app.place.state / LEDGER.parent)
    return _found_at(app, address)


def _found_at(app: App, address: str) -> str:
    return address if "://" in address else str(app.settings.cwd / (address or app.place.state / LEDGER))


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

    header: lines.Header
    places: tuple[str, ...]


@dataclass
class RowJournal:
    """A journal as ``engine.runner`` wants it; what it is given is safe in the ledger when it returns.

    Attributes:
        steps: The turns of all complete steps, in asking order.
        paid: The turns that this process has asked for.
        unanswered: Where was asked before, and not answered: asking there again may be paying twice.
        asked_again: How often this process has done so, at a cost.
    """

    ledger: Ledger
    key: Key
    steps: list[tuple[Turn, ...]]
    open_step: dict[int, Turn]
    paid: list[Turn] = field(default_factory=list[Turn])
    unanswered: Collection[str] = ()
    asked_again: int = 0

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All of them."""
        return tuple(turn for step in self.steps for turn in step)

    async def asked(self, asks: Sequence[PutAsk], *, step: int, of: int) -> None:
        """See ``engine.runner.Journal``; raises ``LeaseLostError`` when another process has the row now."""
        put = {ask.ask_id: _Put(**dict(ask), step=step, of=of).model_dump_json().encode() for ask in asks}
        await self.ledger.asked(self.key, put, costs=[ask.ask_id for ask in asks if ask.costs])
        self.asked_again += sum(ask.costs and ask.ask_id in self.unanswered for ask in asks)

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``engine.runner.Journal``. What another run of the row has paid for is this row's own."""
        if is_new := not turn.taken_from:
            self.paid.append(turn)
        else:
            turn = turn.model_copy(update={"taken_from": None})
        body = lines.TurnBody(step=step, of=of, index=index, turn=turn)
        await self.ledger.answered(self.key, turn.ask_id, body.model_dump_json().encode(), is_new=is_new)
        self.open_step[index] = turn
        if len(self.open_step) == of:
            self.steps.append(tuple(self.open_step[place] for place in range(of)))
            self.open_step = {}

    async def end(self, outcome: Outcome) -> None:
        """See ``engine.runner.Journal``. The outcome follows from the turns, and is filed with the row."""


NO_PROGRESS = Progress()


@dataclass(frozen=True)
class LeftOver:
    """What was said of a row before: to be gone on with, or to be taken over by a run of its own.

    Attributes:
        asked_again: How often something was asked once more, at a cost, although it had not been answered.
    """

    progress: Progress = NO_PROGRESS
    open_step: Mapping[int, Turn] = field(default_factory=dict[int, Turn])
    earlier: EarlierRun = NOTHING_EARLIER
    asked_again: int = 0


def left_of(taken: Taken, run_id: str) -> LeftOver:
    """What is left of a row that was taken.

    One that was broken off goes on where it was. One that has ended, and somebody failed in it, is held anew as run
    ``run_id``, and takes over what was answered.
    """
    bodies = [lines.TurnBody.model_validate_json(body) for body in taken.answered.values()]
    again = sum(_Put.model_validate_json(body).costs for body in taken.repeated)
    if taken.was_filed:
        return LeftOver(earlier=EarlierRun.of(run_id, _usable(bodies)), asked_again=again)
    steps, open_step = _steps(bodies)
    asked = [_Put.model_validate_json(body) for body in taken.asked.values()]
    unanswered = {ask.ask_id: ask.call for ask in asked if ask.step == len(steps)}
    pending = tuple(open_step[place] for place in sorted(open_step))
    return LeftOver(Progress(tuple(steps), pending, unanswered), open_step, asked_again=again)


def _usable(bodies: Sequence[lines.TurnBody]) -> Iterable[Turn]:
    """What need not be asked again. Where everybody answered, whoever spoke last said nothing that could be used."""
    last = max((body.step for body in bodies if body.turn.role is not Role.VERIFIER), default=0)
    is_lost = any(body.turn.failure for body in bodies)
    return (body.turn for body in bodies if is_lost or body.step < last)


def _steps(bodies: Iterable[lines.TurnBody]) -> tuple[list[tuple[Turn, ...]], dict[int, Turn]]:
    """The turns of all complete steps, and those of the one that is not."""
    by_step: dict[int, dict[int, lines.TurnBody]] = {}
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
    steps, _ = _steps(lines.TurnBody.model_validate_json(answered[place]) for place in found.places)
    return found.header, tuple(steps)


def finished(header: RunHeader, turns: tuple[Turn, ...], outcome: Outcome, used: Spent | None = None) -> Run:
    """The run of a row that has ended; ``used`` is what all starts have used for it, else what its turns have."""
    return Run(
        header=header,
        status=RunStatus.FINISHED,
        transcript=Transcript(turns=turns),
        outcome=outcome,
        spent=used or spent(turns),
    )


def taken_out(app: App, address: str, row: str) -> Run:
    """The run of the ``row`` whose key begins so in the ledger at ``address`` (empty: the project's own).

    It is written once: asked for again, the run that is there is given.

    Raises:
        UsageError: There is no such ledger, or no such row in it, or several; or it has not ended.
        StoreError: The ledger cannot be read, or the run not be written.
    """
    place = _found_at(app, address)
    if "://" not in place and not SqliteDatabase(Path(place), busy_s=0).path.exists():
        raise UsageError(f"There is no ledger at {place}.", hint="Name the one that the batch was given, or `project`.")
    with Ledger.open(place, provenance=app.place.provenance) as ledger:
        found = ledger.find(row)
    if not found.was_filed:
        raise UsageError(
            f"Row {found.key.hex()} has not ended.", hint="The command that judges its table goes on with it."
        )
    header, steps = _read(found)
    folder = history.run_folder(app.place.state, header.kind, header.run_id)
    if not folder.exists():
        _write(app, header, steps)
    return history.load_run(folder)


def _read(found: KeptRow) -> tuple[RunHeader, Steps]:
    answered = {each.place: each.answered for each in found.exchanges if each.answered is not None}
    try:
        return read_kept(found.run, answered)
    except (ValidationError, KeyError) as error:
        raise StateCorruptError(
            f"What the ledger holds of row {found.key.hex()} cannot be read.", hint="Judge it anew with --fresh."
        ) from error


def _write(app: App, header: RunHeader, steps: Steps) -> None:
    """Write the run as if it had been held in a folder: its journal first, then all that is made of it."""
    folder = history.run_folder(app.place.state, header.kind, header.run_id)
    files.StateFolder(app.place.state).hide_from_git(app.place.state / header.kind)
    transcript = Transcript.of_steps(steps)
    outcome = FORMATS[header.kind].rules(header.request, app.prompts).next(transcript)
    if not isinstance(outcome, Outcome):
        raise UsageError(
            f"Run {header.run_id} was held by other rules than these, by which it has not ended.",
            hint=f"It was held by sparring {header.sparring_version}.",
        )
    with JournalWriter.create(folder, header, key=app.key) as journal:
        for step, turns in enumerate(steps):
            for index, turn in enumerate(turns):
                journal.turn(turn, step=step, of=len(turns), index=index)
        journal.end(outcome)
        file_run(finished(header, transcript.turns, outcome), folder, app.place, is_late=True)
