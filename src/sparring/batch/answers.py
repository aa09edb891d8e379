"""The run of one row, stored in a ledger instead of a folder: the parts that its exchanges lack, and the way back.

Its answers are exchanges. The record has the request in addition, and the place of each exchange in the run. A run
that was exported from a ledger is a run of the project like any other, with report and page.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anyio import to_thread
from msgspec import Struct, field
from pydantic import JsonValue, ValidationError
from pydantic_core import from_json

from sparring.app import App
from sparring.app.artifacts import file_run
from sparring.app.exchanges.opening import ledger_address
from sparring.app.exchanges.session import RunOwner
from sparring.errors import StateCorruptError, UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.base import Record, Role
from sparring.schema.runs import Outcome, Run, RunHeader, RunStatus, Spent, spent
from sparring.schema.transcript import PendingAsk, Transcript, Turn
from sparring.store import files, history, lines
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.sqlite import SqliteDatabase
from sparring.store.journal import JournalWriter


class TurnRecord(Record):
    """A turn of a run.

    Attributes:
        turn: The turn without its reply, if that is the answer of an exchange.
        exchange: The key of that exchange, in hexadecimal digits; empty if the turn is complete without it.
    """

    turn: dict[str, JsonValue]
    exchange: str = ""


class RunRecord(Record):
    """Record of a row's run in addition to its exchanges: the turns of each step, in asking order."""

    header: lines.Header
    steps: tuple[tuple[TurnRecord, ...], ...]


class RowJournal(Struct):
    """A journal as ``engine.runner`` needs it; the answers are already in the ledger."""

    steps: list[tuple[Turn, ...]] = field(default_factory=list[tuple[Turn, ...]])
    _open: dict[int, Turn] = field(default_factory=dict[int, Turn])

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return all turns of complete steps."""
        return tuple(turn for step in self.steps for turn in step)

    async def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """See ``engine.runner.Journal``."""

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``engine.runner.Journal``."""
        del step
        self._open[index] = turn
        if len(self._open) == of:
            self.steps.append(tuple(self._open[place] for place in range(of)))
            self._open = {}

    async def end(self, outcome: Outcome) -> None:
        """See ``engine.runner.Journal``. The outcome follows from the turns."""


def run_record(header: RunHeader, steps: Iterable[Sequence[Turn]], owner: RunOwner) -> bytes:
    """Return the record of a run in addition to its exchanges."""
    run = RunRecord(header=header, steps=tuple(tuple(_turn_record(turn, owner) for turn in step) for step in steps))
    return run.model_dump_json().encode()


def _turn_record(turn: Turn, owner: RunOwner) -> TurnRecord:
    exchange = owner.replies.get(turn.ask_id)
    dumped = turn.model_dump(mode="json")
    if exchange is None or turn.answer is None or exchange[1] != turn.reply:
        return TurnRecord(turn=dumped)
    return TurnRecord(turn={**dumped, "reply": None}, exchange=exchange[0].hex())


Steps = tuple[tuple[Turn, ...], ...]
"""The turns of each step of a run, in asking order."""


def read_run_record(ledger: ExchangeLedger, run: bytes) -> tuple[RunHeader, Steps]:
    """Return the header and the turns of a recorded run.

    Raises:
        ValidationError: The bytes are not such a record.
        KeyError: An exchange is missing.
    """
    stored = RunRecord.model_validate_json(run)
    answers = ledger.answers([bytes.fromhex(each.exchange) for step in stored.steps for each in step if each.exchange])
    return stored.header, tuple(tuple(_turn(each, answers) for each in step) for step in stored.steps)


def _turn(each: TurnRecord, answers: Mapping[Key, bytes]) -> Turn:
    fields: dict[str, Any] = dict(each.turn)
    if each.exchange:
        fields["reply"] = from_json(answers[bytes.fromhex(each.exchange)])
    return Turn.model_validate(fields)


async def discard_unusable(ledger: ExchangeLedger, key: Key) -> None:
    """Discard the last answers of a run without a verdict if they were unusable, so that they are asked for again."""
    whole = await to_thread.run_sync(ledger.find, key.hex())
    await ledger.discard(unusable(whole.run))


def unusable(run: bytes) -> list[Key]:
    """Return the answers to discard of a run without a verdict.

    If every participant answered, these are the answers of the last step, which were unusable; otherwise none, because
    only the failed exchanges are asked again.
    """
    try:
        steps = RunRecord.model_validate_json(run).steps
    except ValidationError:
        return []
    if any(each.turn.get("reply") and not _is_answer(each) for step in steps for each in step):
        return []
    asked = [[each for each in step if each.turn.get("role") != Role.VERIFIER] for step in steps]
    last = next((step for step in reversed(asked) if step), list[TurnRecord]())
    return [bytes.fromhex(each.exchange) for each in last if each.exchange]


def _is_answer(each: TurnRecord) -> bool:
    match each.turn.get("reply"):
        case {"type": "answer"}:
            return True
        case _:
            return each.turn.get("role") == Role.VERIFIER


def finished(header: RunHeader, turns: tuple[Turn, ...], outcome: Outcome, used: Spent) -> Run:
    """Return the run of a row that has ended."""
    transcript = Transcript(turns=turns)
    return Run(header=header, status=RunStatus.FINISHED, transcript=transcript, outcome=outcome, spent=used)


def export_row_run(app: App, address: str, row: str) -> Run:
    """Export the run of the ``row`` with this key prefix from the ledger at ``address`` (empty: the project's own).

    It is written once: later calls return the run that exists.

    Raises:
        UsageError: There is no such ledger or row, or several rows match.
        StoreError: The ledger cannot be read, or the run cannot be written.
    """
    with _opened(app, address) as ledger:
        header, steps = _read(ledger, row)
    folder = history.run_folder(app.place.state, header.kind, header.run_id)
    if not folder.exists():
        _write(app, header, steps)
    return history.load_run(folder)


def runs_of(app: App, address: str, rows: Iterable[str]) -> dict[str, Run]:
    """Return the runs of ``rows`` by their keys, without writing anything.

    Arguments and errors are those of ``export_row_run``.
    """
    wanted = list(rows)
    if not wanted:
        return {}
    with _opened(app, address) as ledger:
        read = {row: _read(ledger, row) for row in wanted}
    return {row: _whole(header, steps, _outcome(app, header, steps)) for row, (header, steps) in read.items()}


def _opened(app: App, address: str) -> ExchangeLedger:
    place = ledger_address(app, address)
    if "://" not in place and not SqliteDatabase(Path(place)).path.exists():
        raise UsageError(f"There is no ledger at {place}.", hint="Name the one that the batch was given, or `project`.")
    return ExchangeLedger.open(place, provenance=app.place.provenance)


def _read(ledger: ExchangeLedger, row: str) -> tuple[RunHeader, Steps]:
    kept_row = ledger.find(row)
    try:
        return read_run_record(ledger, kept_row.run)
    except (ValidationError, KeyError, ValueError) as error:
        raise StateCorruptError(
            f"The ledger's entry for row {kept_row.key.hex()} cannot be read.",
            hint="Judge it again with --set fresh=true.",
        ) from error


def _outcome(app: App, header: RunHeader, steps: Steps) -> Outcome:
    outcome = FORMATS[header.kind].rules(header.request, app.prompts).next(Transcript.of_steps(steps))
    if not isinstance(outcome, Outcome):
        raise UsageError(
            f"Run {header.run_id} followed other rules; under these rules it has not finished.",
            hint=f"It was made by sparring {header.sparring_version}.",
        )
    return outcome


def _whole(header: RunHeader, steps: Steps, outcome: Outcome) -> Run:
    turns = Transcript.of_steps(steps).turns
    return finished(header, turns, outcome, spent(turns))


def _write(app: App, header: RunHeader, steps: Steps) -> None:
    """Write the run as if it had been recorded in a folder: its journal first, then everything derived from it."""
    folder = history.run_folder(app.place.state, header.kind, header.run_id)
    files.StateFolder(app.place.state).hide_from_git(app.place.state / header.kind)
    outcome = _outcome(app, header, steps)
    with JournalWriter.create(folder, header, key=app.key) as journal:
        for step, turns in enumerate(steps):
            for index, turn in enumerate(turns):
                journal.turn(turn, step=step, of=len(turns), index=index)
        journal.end(outcome)
        file_run(_whole(header, steps, outcome), folder, app.place, is_late=True)
