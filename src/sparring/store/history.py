"""List of the runs in a state directory, with their status.

A list is made from the first and the last line of each journal; only a loaded run is read and checked whole.
Runs that are never paid for twice are kept in a folder named after everything that decides their result.

A run is the user's own when the user's key has signed it and git does not track it. Any other came with the project: it
is listed and shown, and not used for anything else. The last of the user's own is recorded when it is
written; neither the name of a folder nor the time of a file decides that.
"""

import os
import random
import re
import shutil
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice, product
from pathlib import Path

from filelock import Timeout
from msgspec import Struct

from sparring.errors import RunNotFoundError, StateLockedError, StoreError
from sparring.formats.registry import FORMATS
from sparring.schema.base import RUN_ID, Role, RunId
from sparring.schema.runs import Limits, Run, RunStatus, RunSummary, Spent, spent
from sparring.schema.transcript import NOTE_LIMIT, Transcript, Turn, TurnKind
from sparring.store import files, index
from sparring.store.hosts import Place
from sparring.store.journal import JOURNAL_NAME, ReadJournal, foreign, journal_stream, read_journal
from sparring.store.last_run import noted_runs
from sparring.store.provenance import StateKey
from sparring.store.run_lock import is_locked
from sparring.store.summaries import read_header, status_of, summary
from sparring.text.tidying import did_you_mean, one_line


def is_own(folder: Path, place: Place) -> bool:
    """Report whether this user wrote the run that is kept in ``folder``."""
    return _is_signed(folder, place.provenance.key) and not place.provenance.is_tracked(folder)


def refuse_foreign(folder: Path, place: Place) -> None:
    """Check that this user wrote the run that is kept in ``folder``; one that cannot be read is refused elsewhere.

    Raises:
        ForeignStateError: It came with the project.
    """
    if (folder / JOURNAL_NAME).is_file() and not is_own(folder, place):
        raise foreign(folder.name)


def _is_signed(folder: Path, key: StateKey) -> bool:
    """Return whether the first and last line of the journal in ``folder`` are signed; no others are read."""
    return summary(folder, key).is_own


_LATEST = "last"
_REMOVED = ".removed"

_SEE_LIST = "'sparring runs list' shows all."
_RUN_ID = re.compile(RUN_ID)
_PART_OF_ID = re.compile(r"[a-z0-9][A-Za-z0-9-]{0,79}")
_STAMP = "%Y%m%dT%H%M%SZ"


def new_run_id(kind: str, now: datetime) -> RunId:
    """An id for a run that begins ``now``: ``{kind}-{YYYYMMDDTHHMMSSZ}-{4 random hex digits}``."""
    digits = f"{random.getrandbits(16):04x}"
    return f"{kind}-{now.astimezone(UTC).strftime(_STAMP)}-{digits}"


RESULT_NAME = "result.json"


def is_filed(folder: Path) -> bool:
    """Return whether all that is kept of the run in ``folder`` has been written: its result comes last."""
    return (folder / RESULT_NAME).is_file()


_LOOKED_AT = 200
"""Most folders that are searched for unfiled runs: a project may come with any number of them."""


def unfiled_runs(runs: Path, most: int, key: StateKey) -> list[Path]:
    """The newest signed runs in the folder for all runs of a kind of which not all that is kept has been written."""
    newest = sorted(_runs_in(runs), key=lambda folder: _stamp(folder.name), reverse=True)
    unfiled = (folder for folder in islice(newest, _LOOKED_AT) if not is_filed(folder) and _is_signed(folder, key))
    return list(islice(unfiled, most))


def has_later_result(folder: Path, key: StateKey) -> bool:
    """Report whether a signed run of the same kind that was begun after the one in ``folder`` has been filed."""
    ours = _stamp(folder.name)
    return any(_stamp(run.name) > ours and is_filed(run) and _is_signed(run, key) for run in _runs_in(folder.parent))


def unused_run_id(runs: Path, kind: str, now: datetime) -> RunId:
    """A new id that no run in the folder ``runs`` has: a server for many begins dozens in a second."""
    run_id = new_run_id(kind, now)
    while os.path.lexists(runs / run_id):
        run_id = new_run_id(kind, now)
    return run_id


def run_folder(state_root: Path, kind: str, run_id: RunId) -> Path:
    """Return the folder of the run with that id, whether or not it exists."""
    return run_folders(state_root, kind) / run_id


def run_folders(state_root: Path, kind: str) -> Path:
    """Return the folder of all runs of ``kind``."""
    return state_root / kind / "runs"


def list_runs(place: Place) -> tuple[RunSummary, ...]:
    """All runs of a project, the user's own first, then the newest. One that cannot be read is listed with its problem.

    Raises:
        StateUnwritableError: A state directory itself cannot be read.
    """
    key = place.provenance.key
    runs_by_folder = [
        _with_ownership(runs, index.RunIndex(runs, partial(summary, key=key), key).summaries(_names_in(runs)), place)
        for runs in _runs_folders(place)
    ]
    listed = {
        run.run_id: run for run in reversed([*chain.from_iterable(runs_by_folder)])
    }  # of two copies the first counts
    return tuple(sorted(listed.values(), key=lambda run: (run.is_own, _beginning(run)), reverse=True))


class NewestRuns(Struct, frozen=True):
    """The first runs of a list, and how many ``more`` it holds."""

    runs: tuple[RunSummary, ...]
    more: int


def newest_runs(place: Place, most: int) -> NewestRuns:
    """Return the first ``most`` of ``list_runs``; where they are the user's own, no other run is read.

    Raises:
        StateUnwritableError: As ``list_runs``.
    """
    named = {name: folder for folder in reversed(_runs_folders(place)) for name in _names_in(folder)}
    ordered = sorted(named, key=_stamp, reverse=True)
    # Among runs of the same second, the summaries decide about the order.
    last = _stamp(ordered[most - 1]) if len(ordered) >= most else ""
    wanted = [name for name in ordered[: most + _ONE_SECOND] if _stamp(name) >= last]
    by_folder = {folder: [name for name in wanted if named[name] == folder] for folder in _runs_folders(place)}
    key = place.provenance.key
    looked = [
        run
        for folder, names in by_folder.items()
        for run in _with_ownership(folder, [summary(folder / name, key) for name in names], place)
    ]
    if len(wanted) >= most + _ONE_SECOND or not all(run.is_own for run in looked):
        listed = list_runs(place)
        return NewestRuns(listed[:most], max(len(listed) - most, 0))
    looked.sort(key=_beginning, reverse=True)
    return NewestRuns(tuple(looked[:most]), len(ordered) - len(looked[:most]))


_ONE_SECOND = 100
"""More runs than usually begin in one."""


def _with_ownership(folder: Path, runs: Sequence[RunSummary], place: Place) -> Sequence[RunSummary]:
    """Return ``runs`` of ``folder``; runs that git tracks are not the user's own, with any signature."""
    if not any(run.is_own for run in runs):
        return runs
    tracked = {path.relative_to(folder).parts[0] for path in place.provenance.tracked(folder)}
    return [run.model_copy(update={"is_own": False}) if run.run_id in tracked else run for run in runs]


def find_run(run_id: str, place: Place) -> Path:
    """Return the folder of the run of that id, of the only one with an id that begins or ends so, or of the ``last``.

    The last one is the most recently written of the user's own. The id is only compared with existing names;
    no path is made from it.

    Raises:
        RunNotFoundError: There is none, or there are several.
        StateUnwritableError: A state directory itself cannot be read.
    """
    states, folders = place.states, _run_folders(*place.states)
    if run_id == _LATEST:
        return _last(place, len(folders))
    if not _PART_OF_ID.fullmatch(run_id):
        raise RunNotFoundError(f"{run_id[:80]!r} is not the id of a run.", hint=_SEE_LIST)
    matches = _matching(run_id, folders)
    if not matches:
        raise RunNotFoundError(
            f"There is no run {run_id!r} in {_named(states)}.{_suggestion(run_id, folders)}", hint=_SEE_LIST
        )
    if len(matches) > 1:
        names = ", ".join(sorted(matches)[:5])
        raise RunNotFoundError(
            f"{len(matches)} runs begin or end with {run_id!r}: {names}.", hint="Give more of the id."
        )
    return next(iter(matches.values()))


def _last(place: Place, count: int) -> Path:
    """The run of the user's own that was written last, of ``count`` runs that there are."""
    if newest := next((folder for folder, _ in noted_runs(place) if is_own(folder, place)), None):
        return newest
    listed = {run.run_id: run for run in list_runs(place) if run.is_own and run.created_at}
    if own := folders_of(listed, place):
        return max(own, key=lambda folder: (folder / JOURNAL_NAME).stat().st_mtime_ns)
    where = _named(place.states)
    if count:
        counted = "The run there" if count == 1 else f"The {count:,} runs there"
        message = f"You have no runs in {where} yet. {counted} came with the project."
        raise RunNotFoundError(message, hint=f"Name one to see it: {_SEE_LIST}")
    raise RunNotFoundError(f"There is no run in {where} yet.", hint='Start one: sparring debate "..."')


def last_runs(kind: str, place: Place) -> Iterator[Path]:
    """The finished runs of the user's own of that kind, the one that was written last first."""
    noted = [folder for folder, _ in noted_runs(place) if folder.parent.parent.name == kind and is_own(folder, place)]
    yield from noted
    listed = [run for run in list_runs(place) if run.is_own and run.kind == kind]
    others = folders_of([run.run_id for run in listed if run.status is RunStatus.FINISHED], place)
    yield from (folder for folder in others if folder not in noted)


def _matching(run_id: str, folders: Iterable[Path]) -> dict[str, Path]:
    """Return runs by id whose ids begin so, else those that end so; the first of two with the same id."""
    named = {folder.name: folder for folder in reversed(tuple(folders))}
    begin = {name: folder for name, folder in named.items() if name.startswith(run_id)}
    return begin or {name: folder for name, folder in named.items() if name.endswith(f"-{run_id}")}


def _named(states: Iterable[Path]) -> str:
    return ", ".join(map(str, states))


def _suggestion(run_id: str, folders: Iterable[Path]) -> str:
    return did_you_mean(run_id, [folder.name for folder in folders])


@contextmanager
def reopening(folder: Path) -> Generator[None]:
    """Keep other processes from repeating the run in ``folder``.

    Raises:
        StateLockedError: Another process has held the lock for too long.
        StateUnwritableError: The lock cannot be made.
    """
    lock = files.lock_file(folder.parent / "opening.lock")
    with files.accessing(folder.parent):
        try:
            lock.acquire(timeout=_OPENING_WAIT_S)
        except Timeout as error:
            message = f"Another process is retrying the failed calls of {folder.name}."
            raise StateLockedError(message, hint="Wait until it has finished.") from error
    try:
        yield
    finally:
        lock.release()


_OPENING_WAIT_S = 5.0
"""Seconds. A run is opened in an instant; a row is judged for minutes, which is too long to wait."""


def retries_of(folder: Path, place: Place) -> list[Path]:
    """Return the user's own runs in the folder of ``folder`` that repeat it, newest first."""
    with files.accessing(folder.parent):
        runs = [run for run in folder.parent.iterdir() if _is_run(run, _kind(folder)) and _is_retry(run, folder.name)]
    return sorted((run for run in runs if is_own(run, place)), reverse=True)


def _is_retry(run: Path, run_id: RunId) -> bool:
    try:
        with journal_stream(run) as stream:
            first = stream.readline()
        return run_id.encode() in first and read_header(run, first)[0].retry_of == run_id
    except StoreError:
        return False


def remove_runs(folders: Sequence[Path]) -> None:
    """Remove the runs in ``folders``: each disappears from lists at once, and completely in the end.

    Raises:
        StateLockedError: A process is working on one; those before it are removed.
        StateUnwritableError: One cannot be removed.
    """
    for folder in folders:
        if is_locked(folder):
            raise StateLockedError(
                f"Run {folder.name} is still running.", hint="Wait until it has finished, or stop it."
            )
        with files.accessing(folder):
            removed = folder.rename(folder.with_name(f".{folder.name}{_REMOVED}"))
            shutil.rmtree(removed)
    for runs in {folder.parent for folder in folders}:
        for left in runs.glob(f".*{_REMOVED}"):  # by a crash
            shutil.rmtree(left, ignore_errors=True)


def folders_of(run_ids: Iterable[str], place: Place) -> list[Path]:
    """Return the folders of those runs, all of which exist; raises like ``list_runs``."""
    named = {folder.name: folder for folder in reversed(_run_folders(*place.states))}
    return [named[run_id] for run_id in run_ids]


CAME_WITH_PROJECT = "[WARN] This run came with the project or was signed with another key: it is only shown."


def load_run(folder: Path, place: Place | None = None) -> Run:
    """Return the run in ``folder``; with ``place``, a run that came with the project has a notice.

    Raises:
        StateCorruptError: Its journal cannot be trusted.
        StateUnwritableError: It cannot be read.
    """
    is_foreign = place is not None and not is_own(folder, place)  # asked first: it takes time, in which a run may end
    journal = read_journal(folder)
    locked = journal.outcome is None and is_locked(folder)
    if journal.outcome is None and not locked:
        journal = read_journal(folder)  # read again: a run that has ended meanwhile is finished, never interrupted
    transcript = journal.transcript
    used = spent((*transcript.turns, *journal.pending)).model_copy(
        update={"maybe_paid_twice": journal.maybe_paid_twice}
    )
    return Run(
        header=journal.header,
        status=status_of(journal.outcome, locked=locked),
        transcript=transcript,
        outcome=journal.outcome,
        spent=used,
        notices=(
            *((CAME_WITH_PROJECT,) if is_foreign else ()),
            *uncounted(journal.header.limits, used),
            *_reuse_notice(journal),
            *_notes(transcript),
            *journal.notices,
        ),
    )


def uncounted(limits: Limits, used: Spent) -> Iterator[str]:
    """Yield a warning if a limit could not count answers without a price or token count."""
    limit = "[WARN] The limit of {} does not count {} without {}."
    if limits.cost_usd is not None and used.unpriced_calls:
        yield limit.format(f"${limits.cost_usd:g}", _answers(used.unpriced_calls), "a price")
    if limits.tokens is not None and used.uncounted_calls:
        yield limit.format(f"{limits.tokens:,} tokens", _answers(used.uncounted_calls), "token counts")


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def _notes(transcript: Transcript) -> Iterator[str]:
    """Yield the user's notes, each with the speech that was the first to be asked with it."""
    for place, turn in enumerate(transcript.turns):
        if turn.kind is TurnKind.NOTE and turn.answer:
            after = next((each for each in transcript.turns[place:] if each.role is not Role.VERIFIER), None)
            before = f" before the {after.role.display_name} spoke in round {after.round}" if after else ""
            yield f"Your note{before}: {one_line(turn.answer.response, NOTE_LIMIT)}"


def _reuse_notice(journal: ReadJournal) -> tuple[str, ...]:
    """Return a notice if answers were reused from another run."""
    turns = (*journal.transcript.turns, *journal.pending)
    taken = [turn.taken_from for turn in turns if turn.taken_from and turn.role is not Role.VERIFIER]
    if not taken:
        return ()
    were = "was" if len(taken) == 1 else "were"
    from_ = ", ".join(dict.fromkeys(taken))
    notice = f"{_answers(len(taken))} {were} reused from {from_} at no cost."
    return (notice, *_other_models(turns))


def _other_models(turns: Iterable[Turn]) -> Iterator[str]:
    """Yield notices on seats whose answers come from another model than in the run they were reused from."""
    seats = dict[tuple[Role, int], dict[str, bool]]()
    for turn in turns:
        if turn.respondent and turn.respondent.model:
            seat = seats.setdefault((turn.role, turn.number or 1), {})
            seat[turn.respondent.model] = seat.get(turn.respondent.model, False) or turn.taken_from is not None
    for (role, _), models in seats.items():
        before = [model for model, is_taken in models.items() if is_taken]
        now = [model for model, is_taken in models.items() if not is_taken]
        if before and now:
            yield f"[WARN] The {role} was {' and '.join(before)} in that run, and is {' and '.join(now)} in this one."


def _run_folders(*states: Path) -> tuple[Path, ...]:
    return tuple(run for state, kind in product(states, FORMATS) for run in _runs_in(run_folders(state, kind)))


def _runs_folders(place: Place) -> list[Path]:
    """The folders for all runs of a kind, of each kind in each state directory."""
    return [run_folders(state, kind) for state, kind in product(place.states, FORMATS)]


def _runs_in(folder: Path) -> list[Path]:
    """The folders of the runs in the one for all runs of a kind."""
    return [folder / name for name in _names_in(folder)]


def _names_in(folder: Path) -> list[str]:
    state, kind = folder.parents[1], folder.parent.name
    files.refuse_links(state, folder)
    with files.accessing(folder), suppress(FileNotFoundError), os.scandir(folder) as entries:
        named = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        return [name for name in named if _is_id(name, kind)]
    return []


def _is_run(entry: Path, kind: str) -> bool:
    return _is_id(entry.name, kind) and entry.is_dir() and not entry.is_symlink()


def _is_id(name: str, kind: str) -> bool:
    return bool(_RUN_ID.fullmatch(name)) and name.rsplit("-", 2)[0] == kind


def _kind(folder: Path) -> str:
    return folder.name.rsplit("-", 2)[0]


def _stamp(name: str) -> str:
    return name.rsplit("-", 2)[1]


def _beginning(run: RunSummary) -> tuple[str, float, str]:
    return _stamp(run.run_id), run.created_at.timestamp() if run.created_at else 0.0, run.run_id
