"""The run of a row, taken out of a ledger: from then on a run of the project like any other, with report and page."""

from pydantic import ValidationError

from sparring.app import App
from sparring.app.keeping import file_run
from sparring.batch.answers import Steps, read_kept
from sparring.batch.engine import finished
from sparring.batch.work import ledger_of
from sparring.errors import StateCorruptError, UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.runs import Outcome, Run, RunHeader
from sparring.schema.transcript import Transcript
from sparring.store.files import StateFolder
from sparring.store.history import load_run, run_folder
from sparring.store.journal import JournalWriter
from sparring.store.ledger import KeptRow, Ledger


def taken_out(app: App, address: str, row: str) -> Run:
    """The run of the ``row`` whose key begins so in the ledger at ``address`` (empty: the project's own).

    It is written once: asked for again, the run that is there is given.

    Raises:
        UsageError: There is no such row, or several; or it has not ended.
        StoreError: The ledger cannot be read, or the run not be written.
    """
    with Ledger.open(ledger_of(app, address)) as ledger:
        found = ledger.find(row)
    if not found.was_filed:
        raise UsageError(
            f"Row {found.key.hex()} has not ended.", hint="The command that judges its table goes on with it."
        )
    header, steps = _read(found)
    folder = run_folder(app.place.state, header.kind, header.run_id)
    if not folder.exists():
        _write(app, header, steps)
    return load_run(folder)


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
    folder = run_folder(app.place.state, header.kind, header.run_id)
    StateFolder(app.place.state).hide_from_git(app.place.state / header.kind)
    transcript = Transcript.of_steps(steps)
    outcome = FORMATS[header.kind].rules(header.request, app.prompts).next(transcript)
    if not isinstance(outcome, Outcome):
        raise UsageError(
            f"Run {header.run_id} was held by other rules than these, by which it has not ended.",
            hint=f"It was held by sparring {header.sparring_version}.",
        )
    with JournalWriter.create(folder, header) as journal:
        for step, turns in enumerate(steps):
            for index, turn in enumerate(turns):
                journal.turn(turn, step=step, of=len(turns), index=index)
        journal.end(outcome)
        file_run(finished(header, transcript.turns, outcome), folder, app.place, is_late=True)
