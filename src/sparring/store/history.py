"""Which runs there are in a state directory, and how each of them stands.

A list is made from the first and the last line of each journal; only a run that is loaded is read and checked whole.
Runs of which none is paid twice are kept in a folder named after all that decides their result.
"""

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import chain, product
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic_core import from_json

from sparring.errors import RunNotFoundError, StateLockedError, StoreError
from sparring.formats.registry import FORMATS
from sparring.schema.base import RUN_ID, Role, RunId
from sparring.schema.runs import BESIDE, Limits, Outcome, Request, Run, RunHeader, RunStatus, RunSummary, Spent, spent
from sparring.store import files, index, lines
from sparring.store.journal import JOURNAL_NAME, ReadJournal, is_locked, journal_stream, read_journal, untrusted
from sparring.text.tidying import did_you_mean, one_line

_DIGEST_LENGTH = 20


def pairs_folder(state: Path, kind: str) -> Path:
    """Where all pairs that runs of ``kind`` have judged are kept."""
    return state / kind / "pairs"


def pair_folder(state: Path, request: Request) -> Path:
    """Where the runs of that request are kept, whether or not there are any."""
    said = request.model_dump_json(exclude=BESIDE)
    return pairs_folder(state, request.kind) / hashlib.sha256(said.encode()).hexdigest()[:_DIGEST_LENGTH]


def latest_run(state: Path, folder: Path) -> Path | None:
    """The newest run in the folder of a pair, if there is one.

    Raises:
        StateUnwritableError: The folder cannot be read, or is a link.
    """
    return max(_runs(state, folder), key=_written, default=None)


def set_aside(run: Path) -> Path:
    """Move the folder of a run of a pair, which cannot be read, out of the way: it is none of them any more.

    Raises:
        StateUnwritableError: It cannot be moved.
    """
    with files.accessing(run):
        return run.rename(run.with_name(f"{run.name}.broken"))


def _runs_of_pairs(*states: Path) -> tuple[Path, ...]:
    """Every run of every pair; raises like ``latest_run``."""
    entries = (
        (state, entry) for state in states for kind in FORMATS for entry in _entries(state, pairs_folder(state, kind))
    )
    return tuple(run for state, pair in entries if pair.is_dir() for run in _runs(state, pair))


def _runs(state: Path, folder: Path) -> list[Path]:
    """The runs in the folder of a pair, which lies in the one of all pairs and that in the one of its kind."""
    kind = folder.parents[1].name
    return [entry for entry in _entries(state, folder) if _is_run(entry, kind) and (entry / JOURNAL_NAME).is_file()]


def _entries(state: Path, folder: Path) -> list[Path]:
    files.refuse_links(state, folder)
    with files.accessing(folder):
        return list(folder.iterdir()) if folder.is_dir() else []


def _written(run: Path) -> tuple[str, int]:
    # Two runs of one second are told apart by their files.
    return _stamp(run.name), (run / JOURNAL_NAME).stat().st_mtime_ns


_LATEST = "last"
_REMOVED = ".removed"

_SEE_LIST = "'sparring runs list' shows all."
_TOPIC_LENGTH = 200
_FINDING_LENGTH = 60
_RUN_ID = re.compile(RUN_ID)
_PART_OF_ID = re.compile(r"[a-z0-9][A-Za-z0-9-]{0,79}")
_STAMP = "%Y%m%dT%H%M%SZ"


def new_run_id(kind: str, now: datetime) -> RunId:
    """An id for a run that begins ``now``: ``{kind}-{YYYYMMDDTHHMMSSZ}-{4 random hex digits}``."""
    return f"{kind}-{now.astimezone(UTC).strftime(_STAMP)}-{secrets.token_hex(2)}"


RESULT_NAME = "result.json"


def is_filed(folder: Path) -> bool:
    """Whether all that is kept of the run in ``folder`` has been written: its result comes last."""
    return (folder / RESULT_NAME).is_file()


def newest_runs(runs: Path, most: int) -> list[Path]:
    """The newest folders in the one for all runs of a kind."""
    return sorted(_runs_in(runs), key=lambda folder: _stamp(folder.name), reverse=True)[:most]


def later_runs(folder: Path) -> Iterator[Path]:
    """The runs of the same kind that were begun after the one in ``folder``."""
    ours = _stamp(folder.name)
    return (run for run in _runs_in(folder.parent) if _stamp(run.name) > ours)


def next_moment(now: datetime, *states: Path) -> datetime:
    """``now``, or a second after the newest run if the clock has been put back behind that; a wrong day is left."""
    until = now + timedelta(days=1)
    begun = (moment for folder in _run_folders(*states) if (moment := _moment(_stamp(folder.name))))
    newest = max((moment for moment in begun if moment < until), default=now)
    return newest + timedelta(seconds=1) if now < newest else now


def _moment(stamp: str) -> datetime | None:
    """The moment that a run is named after; None where there is no such day, or hour: anybody can make a folder."""
    with suppress(ValueError):
        return datetime.fromisoformat(stamp)
    return None


def unused_run_id(runs: Path, kind: str, now: datetime) -> RunId:
    """A new id that no run in the folder ``runs`` has: a server for many begins dozens in a second."""
    run_id = new_run_id(kind, now)
    while os.path.lexists(runs / run_id):
        run_id = new_run_id(kind, now)
    return run_id


def run_folder(state_root: Path, kind: str, run_id: RunId) -> Path:
    """Where the run of that id is kept, whether or not it exists."""
    return run_folders(state_root, kind) / run_id


def run_folders(state_root: Path, kind: str) -> Path:
    """Where all runs of ``kind`` are kept."""
    return state_root / kind / "runs"


def list_runs(*states: Path) -> tuple[RunSummary, ...]:
    """All runs in these state directories, newest first. One that cannot be read is listed with its problem.

    Raises:
        StateUnwritableError: A state directory itself cannot be read.
    """
    folders = [run_folders(state, kind) for state, kind in product(states, FORMATS)]
    found = (index.Indexed(runs, _summary).summaries(_names_in(runs)) for runs in folders)
    listed = {run.run_id: run for run in reversed([*chain.from_iterable(found)])}  # of two copies the first counts
    return tuple(sorted(listed.values(), key=_beginning, reverse=True))


def find_run(run_id: str, *states: Path) -> Path:
    """The folder of the run of that id, of the only run whose id begins or ends so, or of the newest one (``last``).

    Runs of the rows of a table are found as well, though they are not listed, and none of them is the newest. What is
    asked for is only compared with the names that are there; no path is made from it.

    Raises:
        RunNotFoundError: There is none, or there are several.
        StateUnwritableError: A state directory itself cannot be read.
    """
    folders = _run_folders(*states)
    if run_id == _LATEST:
        if not folders:
            raise RunNotFoundError(f"There is no run in {_named(states)} yet.")
        return _newest(folders)
    if not _PART_OF_ID.fullmatch(run_id):
        raise RunNotFoundError(f"{run_id[:80]!r} is not the id of a run.", hint=_SEE_LIST)
    matches = _matching(run_id, folders) or _matching(run_id, _runs_of_pairs(*states))
    if not matches:
        raise RunNotFoundError(
            f"There is no run {run_id!r} in {_named(states)}.{_meant(run_id, folders)}", hint=_SEE_LIST
        )
    if len(matches) > 1:
        names = ", ".join(sorted(matches)[:5])
        raise RunNotFoundError(
            f"{len(matches)} runs begin or end with {run_id!r}: {names}.", hint="Give more of the id."
        )
    return next(iter(matches.values()))


def _matching(run_id: str, folders: Iterable[Path]) -> dict[str, Path]:
    """Those whose ids begin so, else those that end so, by their ids; the first of two that have the same one."""
    named = {folder.name: folder for folder in reversed(tuple(folders))}
    begin = {name: folder for name, folder in named.items() if name.startswith(run_id)}
    return begin or {name: folder for name, folder in named.items() if name.endswith(f"-{run_id}")}


def _named(states: Iterable[Path]) -> str:
    return ", ".join(map(str, states))


def _meant(run_id: str, folders: Iterable[Path]) -> str:
    return did_you_mean(run_id, [folder.name for folder in folders])


def opening_lock(runs: Path) -> FileLock:
    """The lock in the folder ``runs``: of a row while it is judged, of others while one of them is held once more."""
    return files.lock_file(runs / "opening.lock")


@contextmanager
def opening_once_more(folder: Path) -> Generator[None]:
    """Keep everybody else from holding the run in ``folder`` once more.

    Raises:
        StateLockedError: Somebody else has been at it for too long.
        StateUnwritableError: The lock cannot be made.
    """
    lock = opening_lock(folder.parent)
    with files.accessing(folder.parent):
        try:
            lock.acquire(timeout=_OPENING_PATIENCE_S)
        except Timeout as error:
            told = f"Another process is judging the row of {folder.name}, or asking again who failed."
            raise StateLockedError(told, hint="Wait until it has ended.") from error
    try:
        yield
    finally:
        lock.release()


_OPENING_PATIENCE_S = 5.0
"""A run is opened in an instant; a row is judged for minutes, and nobody waits for that."""


def retries_of(folder: Path) -> list[Path]:
    """The runs beside the one in ``folder`` that hold it once more, newest first; one that cannot be read is none."""
    with files.accessing(folder.parent):
        runs = [run for run in folder.parent.iterdir() if _is_run(run, _kind(folder)) and _is_retry(run, folder.name)]
    return sorted(runs, reverse=True)


def _is_retry(run: Path, run_id: RunId) -> bool:
    try:
        with journal_stream(run) as stream:
            first = stream.readline()
        return run_id.encode() in first and _header(run, first).retry_of == run_id
    except StoreError:
        return False


def remove_runs(folders: Sequence[Path]) -> None:
    """Remove the runs that are kept in ``folders``: each at once for whoever lists runs, and whole in the end.

    Raises:
        StateLockedError: Somebody is at work on one; those before it are gone.
        StateUnwritableError: One cannot be removed.
    """
    for folder in folders:
        if is_locked(folder):
            raise StateLockedError(f"Run {folder.name} is at work.", hint="Wait until it has ended, or stop it.")
        with files.accessing(folder):
            aside = folder.rename(folder.with_name(f".{folder.name}{_REMOVED}"))
            shutil.rmtree(aside)
    for runs in {folder.parent for folder in folders}:
        for left in runs.glob(f".*{_REMOVED}"):  # by a crash
            shutil.rmtree(left, ignore_errors=True)


def folders_of(run_ids: Iterable[str], *states: Path) -> list[Path]:
    """Where those runs are kept, of which each is there; raises like ``list_runs``."""
    named = {folder.name: folder for folder in reversed(_run_folders(*states))}
    return [named[run_id] for run_id in run_ids]


def load_run(folder: Path) -> Run:
    """The run that is kept in ``folder``.

    Raises:
        StateCorruptError: Its journal cannot be trusted.
        StateUnwritableError: It cannot be read.
    """
    journal = read_journal(folder)
    locked = journal.outcome is None and is_locked(folder)
    if journal.outcome is None and not locked:
        journal = read_journal(folder)  # once more: a run that has ended meanwhile is finished, never interrupted
    transcript = journal.transcript
    used = spent((*transcript.turns, *journal.pending)).model_copy(
        update={"maybe_paid_twice": journal.maybe_paid_twice}
    )
    return Run(
        header=journal.header,
        status=_status(journal.outcome, locked=locked),
        transcript=transcript,
        outcome=journal.outcome,
        spent=used,
        notices=(*uncounted(journal.header.limits, used), *_taken_over(journal), *journal.notices),
    )


def uncounted(limits: Limits, used: Spent) -> Iterator[str]:
    """That a limit could not count what answers do not tell, if there is one."""
    limit = "[WARN] The limit of {} does not count {} without {}."
    if limits.cost_usd is not None and used.unpriced_calls:
        yield limit.format(f"${limits.cost_usd:g}", _answers(used.unpriced_calls), "a price")
    if limits.tokens is not None and used.uncounted_calls:
        yield limit.format(f"{limits.tokens:,} tokens", _answers(used.uncounted_calls), "token counts")


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def _taken_over(journal: ReadJournal) -> tuple[str, ...]:
    """That answers are those of another run, if some are."""
    turns = (*journal.transcript.turns, *journal.pending)
    taken = [turn.taken_from for turn in turns if turn.taken_from and turn.role is not Role.VERIFIER]
    if not taken:
        return ()
    were = "was" if len(taken) == 1 else "were"
    from_ = ", ".join(dict.fromkeys(taken))
    return (f"{_answers(len(taken))} {were} taken over from {from_}, and cost nothing anew.",)


def _run_folders(*states: Path) -> tuple[Path, ...]:
    return tuple(run for state, kind in product(states, FORMATS) for run in _runs_in(run_folders(state, kind)))


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


def _newest(folders: tuple[Path, ...]) -> Path:
    """The newest run that has begun: one whose first line was torn is none, if there is any other."""
    stamps = sorted({_stamp(folder.name) for folder in folders}, reverse=True)
    for stamp in stamps:
        candidates = {folder.name: folder for folder in folders if _stamp(folder.name) == stamp}
        if begun := [run for run in map(_summary, candidates.values()) if run.created_at]:
            return candidates[max(begun, key=_beginning).run_id]
    return next(folder for folder in folders if _stamp(folder.name) == stamps[0])


def _beginning(run: RunSummary) -> tuple[str, float, str]:
    return _stamp(run.run_id), run.created_at.timestamp() if run.created_at else 0.0, run.run_id


def _status(outcome: Outcome | None, *, locked: bool) -> RunStatus:
    if outcome is not None:
        return RunStatus.FINISHED
    return RunStatus.RUNNING if locked else RunStatus.INTERRUPTED


def _summary(folder: Path) -> RunSummary:
    kind = _kind(folder)
    locked = is_locked(folder)
    try:
        header, outcome, costs = _skim(folder)
    except StoreError as error:
        return RunSummary(run_id=folder.name, kind=kind, problem=str(error))
    return RunSummary(
        run_id=folder.name,
        kind=kind,
        status=_status(outcome, locked=locked),
        outcome=outcome.status if outcome else None,
        finding=one_line(outcome.finding(header.request), _FINDING_LENGTH) if outcome else "",
        topic=one_line(header.request.subject, _TOPIC_LENGTH),
        created_at=header.created_at,
        turns=len(costs),
        cost_usd=sum(cost for cost in costs if cost is not None),
        unpriced_calls=sum(cost is None for cost in costs),
    )


def _skim(folder: Path) -> tuple[RunHeader, Outcome | None, list[float | None]]:
    """What a run was asked for, how it ended, and what each of its turns has cost."""
    with journal_stream(folder) as stream:
        first = last = stream.readline()
        costs, number = list[float | None](), 1
        for content in stream:
            if not content.endswith(b"\n"):
                break  # torn, or being written at this moment
            last, number = content, number + 1
            if lines.type_of(content) == "turn":
                costs.append(_cost(content))
    return _header(folder, first), _outcome(folder, number, last), costs


def _cost(line: bytes) -> float | None:
    """What a turn has cost; nothing where code or nobody has answered, None where the answer does not tell."""
    try:
        match from_json(line):
            case {"body": {"turn": {"taken_from": str()}}}:
                return 0.0
            case {"body": {"turn": {"role": role, "reply": {"usage": {"cost_usd": cost}}}}}:
                return 0.0 if role == Role.VERIFIER else cost
            case _:
                return 0.0
    except ValueError:
        return None


def _header(folder: Path, first: bytes) -> RunHeader:
    sealed = lines.unseal(first, lines.Link())
    if isinstance(sealed, lines.Sealed) and isinstance(sealed.line, lines.StartLine):
        return sealed.line.body
    raise untrusted(folder, 1, sealed if isinstance(sealed, str) else "the first line does not begin a run")


def _outcome(folder: Path, number: int, last: bytes) -> Outcome | None:
    sealed = lines.unseal(last)
    if sealed is lines.Defect.NOT_JSON:
        return None  # torn, as ``journal`` has it
    if isinstance(sealed, str):
        raise untrusted(folder, number, sealed)
    return sealed.line.body if isinstance(sealed.line, lines.EndLine) else None
