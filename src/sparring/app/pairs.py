"""Many claims with their truths or evidence: a table of them, several at a time, each a run of its own, none twice.

The runs of a pair lie in a folder that is named after all that decides its verdict: both texts, the seats, the
settings. So a call that was interrupted is simply made again: what was judged is read, what was begun is gone on with,
who failed is asked again, and a row that was changed meanwhile is another pair. Whoever judges a pair holds its lock,
and everybody else, in this process or another, waits and reads what came of it.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from filelock import Timeout
from pydantic import JsonValue

from sparring.app.application import NO_LIMITS, App, OpenRun
from sparring.app.keeping import file_late
from sparring.engine.format import Format, Rows
from sparring.errors import DeliberationError, StateCorruptError, StateLockedError, StateNewerError, UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.pairs import Pair, PairStatus, RowResult
from sparring.schema.runs import Limits, Request, Run, RunStatus, Spent, lost_seats, spent
from sparring.schema.transcript import Turn
from sparring.seating.options import Given, Options
from sparring.store.files import StateFolder, accessing, make_folder
from sparring.store.history import latest_run, load_run, opening_lock, pair_folder, pairs_folder, set_aside
from sparring.text.tables import Row, TableError, read_csv, read_json_lines
from sparring.text.tidying import is_encodable, one_line

TABLE_LIMIT = 256 * 1024 * 1024
"""Most bytes of a table: all of it is in memory, and read before the first row is judged."""

TYPED = Given(is_by_user=True)
"""What stands in a table is a text, whatever it begins with."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "claim": ("claim",),
    "truth": ("truth", "evidence"),
    "row_id": ("row_id", "id"),
    "dataset": ("dataset",),
}
"""What is taken from a row, and the columns that it is looked for in unless one is named."""

_NEEDED = ("claim", "truth")
_READERS = {".csv": read_csv, ".tsv": read_csv, ".jsonl": read_json_lines, ".ndjson": read_json_lines}
_SHOWN = 5
_NAME_SHOWN = 60


def read_pairs(path: Path, columns: Iterable[str], cwd: Path = Path()) -> tuple[Pair, ...]:
    """The rows of the table at ``path``, as seen from ``cwd``; ``columns`` are spelled ``claim=Headline``.

    Raises:
        UsageError: It cannot be read, a column that is needed is missing, or two rows have the same id.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path} must be a table whose name ends with {', '.join(_READERS)}.")
    named = _named_columns(columns)
    try:
        rows = reader(_content(path, cwd))
    except TableError as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    _refuse_missing_columns(path, rows, named)
    pairs = tuple(_pair(row, named) for row in rows)
    _refuse_same_ids(path, pairs)
    return pairs


def _content(path: Path, cwd: Path) -> bytes:
    try:
        with (cwd / path).open("rb") as stream:
            content = stream.read(TABLE_LIMIT + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > TABLE_LIMIT:
        raise UsageError(f"{path} has more than {TABLE_LIMIT // 1024 // 1024} MiB; split it.")
    return content


def _named_columns(columns: Iterable[str]) -> dict[str, str]:
    named: dict[str, str] = {}
    for spelling in columns:
        field, _, column = (part.strip() for part in spelling.partition("="))
        if field not in FIELDS or not column:
            shown = one_line(repr(spelling), _NAME_SHOWN)
            raise UsageError(f"There is no column mapping {shown}; write FIELD=COLUMN with one of {', '.join(FIELDS)}.")
        if field in named:
            raise UsageError(f"Two columns are named for {field}.")
        named[field] = column
    return named


def _refuse_missing_columns(path: Path, rows: tuple[Row, ...], named: Mapping[str, str]) -> None:
    usable = [row for row in rows if row.cells]
    for field in dict.fromkeys((*_NEEDED, *named)):
        if usable and all(_column(row, field, named) is None for row in usable):
            wanted = named.get(field) or " or ".join(FIELDS[field])
            found = one_line(", ".join(usable[0].cells), _NAME_SHOWN * 3)
            raise UsageError(
                f"{path} has no column {wanted} for the {field}; it has {found}.",
                hint=f"Name it with --column {field}=COLUMN.",
            )


def _refuse_same_ids(path: Path, pairs: tuple[Pair, ...]) -> None:
    lines: dict[tuple[str | None, str], list[int]] = {}
    for pair in pairs:
        if pair.row_id:
            lines.setdefault((pair.dataset, pair.row_id), []).append(pair.line)
    same = [(row_id, places) for (_, row_id), places in lines.items() if len(places) > 1]
    if same:
        shown = "; ".join(
            f"{one_line(repr(row_id), _NAME_SHOWN)} in lines {', '.join(map(str, places[:_SHOWN]))}"
            for row_id, places in same[:_SHOWN]
        )
        more = f"; and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
        raise UsageError(f"Rows of {path} share an id: {shown}{more}.", hint="Give each row its own; nobody was asked.")


def _column(row: Row, field: str, named: Mapping[str, str]) -> str | None:
    """The column of ``row`` that holds ``field``, as it is spelled there."""
    spelled = {column.strip().casefold(): column for column in row.cells}
    wanted = (named[field],) if field in named else FIELDS[field]
    return next((spelled[name.casefold()] for name in wanted if name.casefold() in spelled), None)


def _pair(row: Row, named: Mapping[str, str]) -> Pair:
    found, problem = dict[str, str](), row.problem
    for field in FIELDS:
        column = _column(row, field, named)
        text = _text(row.cells[column]) if column is not None else ""
        if text is None and not problem:
            problem = f"its {field} is no text"
        found[field] = text or ""
    for field in _NEEDED:
        if not problem and not found[field].strip():
            problem = f"it has no {field}"
    return Pair(
        row=row.number,
        line=row.line,
        row_id=_harmless(found["row_id"]) or None,
        dataset=_harmless(found["dataset"]) or None,
        truth="" if problem else found["truth"],
        claim="" if problem else found["claim"],
        problem=problem,
    )


def _text(cell: JsonValue) -> str | None:
    """What a cell says; None when that is no text. Several sentences of evidence are one truth."""
    match cell:
        case None:
            return ""
        case bool() | dict():
            return None
        case str():
            return cell if is_encodable(cell) else None
        case int() | float():
            return str(cell)
        case list():
            parts = [part for part in cell if isinstance(part, str) and is_encodable(part)]
            return "\n".join(parts) if len(parts) == len(cell) else None


def _harmless(name: str) -> str:
    return name.encode(errors="replace").decode().strip()


Tell = Callable[[RowResult], Awaitable[None]]

MOST_AT_ONCE = 32

ANY_ROW = Pair(row=1, line=1, truth="-", claim="-")
"""A row by which it is found out whether there is anything that would keep every row from being judged."""


def rows_of(format_: Format) -> Rows:
    """How ``format_`` judges a table; raises ``UsageError`` where it does not."""
    if format_.rows is None:
        raise UsageError(f"A {format_.title.lower()} judges no table.")
    return format_.rows


@dataclass(frozen=True)
class Batch:
    """How the rows of a table are judged.

    Attributes:
        format: What judges them; one that judges tables.
        options: Those of every row; its texts are those of the row.
        limits: For all rows together. What is under way is brought to its end, but for the time.
        at_once: How many rows are judged side by side.
        is_fresh: Ask anew for what was judged before.
    """

    format: Format
    options: Options[Any]
    limits: Limits = NO_LIMITS
    at_once: int = 4
    is_fresh: bool = False


@dataclass(frozen=True)
class _Earlier:
    """A run about a pair that an earlier call has left, and where it is kept."""

    folder: Path
    run: Run


class TableJudge:
    """Judges the rows of one table.

    Attributes:
        spent: What this call has used; rows that were judged before cost nothing.
    """

    def __init__(self, app: App, batch: Batch) -> None:
        """Find out all that would keep every row from being judged, before anything is paid.

        Raises:
            SparringError: As for a single run.
        """
        if not 1 <= batch.at_once <= MOST_AT_ONCE:
            raise UsageError(f"The number of rows judged at once must be 1 to {MOST_AT_ONCE}; it is {batch.at_once}.")
        self._app = app
        self._batch = batch
        self.spent = Spent()
        self._rows = rows_of(batch.format)
        self.notices = app.request(self._options(ANY_ROW), TYPED).notices
        StateFolder(app.place.state).ensure_writable(pairs_folder(app.place.state, batch.format.name))
        app.roster.sweep()

    async def judge(self, pairs: Sequence[Pair], tell: Tell) -> None:
        """Judge ``pairs``; ``tell`` hears of each in their order, as soon as all before it are told.

        Cancelled, it leaves runs that the next call goes on with.

        Raises:
            StoreError: What is judged cannot be kept; rows that are told are safe.
        """
        told = _InOrder(tell)
        try:
            with anyio.move_on_after(self._batch.limits.wall_s):
                await self._judge_all(pairs, told)
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        for place, pair in enumerate(pairs):
            if not told.knows(place):
                await told.put(
                    place, self._without(pair, PairStatus.NOT_ASKED, "The time was over before it was judged.")
                )

    async def _judge_all(self, pairs: Sequence[Pair], told: "_InOrder") -> None:
        places = anyio.Semaphore(self._batch.at_once)

        async def judge(place: int, pair: Pair) -> None:
            await told.put(place, await self._result(pair))
            places.release()

        async with self._app.roster.connections.held(), anyio.create_task_group() as group:
            for place, pair in enumerate(pairs):
                await places.acquire()
                group.start_soon(judge, place, pair)

    async def _result(self, pair: Pair) -> RowResult:
        if pair.problem:
            return self._without(pair, PairStatus.REFUSED, f"Line {pair.line} cannot be judged: {pair.problem}.")
        try:
            request = self._app.request(self._options(pair), TYPED)
        except UsageError as error:
            return self._without(pair, PairStatus.REFUSED, f"Line {pair.line} cannot be judged: {error}")
        folder = pair_folder(self._app.place.state, request)
        try:
            if (earlier := await to_thread.run_sync(self._earlier, folder)) and _is_complete(earlier.run):
                return self._told(pair, earlier.run, was_judged_before=True)
            async with _alone_with(folder):
                return await self._judgement(pair, request, folder)
        except (StateLockedError, StateNewerError) as error:
            return self._without(pair, PairStatus.NOT_ASKED, str(error))

    async def _judgement(self, pair: Pair, request: Request, folder: Path) -> RowResult:
        notices = () if self._batch.is_fresh else await to_thread.run_sync(self._swept, folder)
        earlier = await to_thread.run_sync(self._earlier, folder)
        reason = self._limit_reached()
        if earlier and (_is_complete(earlier.run) or (reason and earlier.run.outcome)):
            return self._told(pair, earlier.run, notices, was_judged_before=True)
        if reason:
            return self._without(pair, PairStatus.NOT_ASKED, reason)
        run = await self._judged(folder, request, earlier)
        return self._told(pair, run, notices, was_judged_before=False)

    def _options(self, pair: Pair) -> Options[Any]:
        named = {name: getattr(pair, name) for name in self._rows.row_names}
        known = {name: text for name, text in named.items() if text}
        return self._batch.options.model_copy(update={**self._rows.texts(pair), **known})

    def _earlier(self, folder: Path) -> "_Earlier | None":
        """The last run about the pair, unless it is broken or to be judged anew; raises ``StateNewerError``."""
        latest = None if self._batch.is_fresh else latest_run(self._app.place.state, folder)
        try:
            if latest:
                file_late(latest, self._app.place)
            return _Earlier(latest, load_run(latest)) if latest else None
        except StateNewerError:
            raise
        except StateCorruptError:
            return None

    def _swept(self, folder: Path) -> tuple[str, ...]:
        """Set aside what is broken of the runs about the pair, the newest first; what is to be known of that."""
        notices = list[str]()
        while latest := latest_run(self._app.place.state, folder):
            try:
                load_run(latest)
                break
            except StateNewerError:
                raise
            except StateCorruptError as error:
                notices.append(f"What was left of it was broken, and is set aside as {set_aside(latest).name}: {error}")
        return tuple(notices)

    async def _judged(self, folder: Path, request: Request, earlier: "_Earlier | None") -> Run:
        opened = await to_thread.run_sync(self._opened, folder, request, earlier)
        run = await self._app.work(opened, lambda _: None)
        self.spent = _sum(self.spent, run.spent)
        return run

    def _opened(self, folder: Path, request: Request, earlier: "_Earlier | None") -> OpenRun:
        if earlier and earlier.run.status is not RunStatus.FINISHED:
            return self._app.take_up(earlier.folder)
        is_retried = earlier and lost_seats(earlier.run.transcript.turns)
        return self._app.begin(request, beside=folder, retry_of=earlier.folder.name if earlier and is_retried else None)

    def _limit_reached(self) -> str:
        limits, spent = self._batch.limits, self.spent
        if limits.calls is not None and spent.calls >= limits.calls:
            return f"The limit of {limits.calls} calls is used up."
        if limits.tokens is not None and spent.tokens >= limits.tokens:
            return f"The limit of {limits.tokens:,} tokens is used up."
        if limits.cost_usd is not None and spent.cost_usd >= limits.cost_usd:
            return f"The limit of ${limits.cost_usd:g} is used up."
        return ""

    def _without(self, pair: Pair, status: PairStatus, problem: str) -> RowResult:
        return self._rows.record(row=pair.row, row_id=pair.row_id, dataset=pair.dataset, status=status, problem=problem)

    def _told(self, pair: Pair, run: Run, notices: tuple[str, ...] = (), *, was_judged_before: bool) -> RowResult:
        outcome, title = run.outcome, self._batch.format.title.lower()
        if outcome is None:
            raise DeliberationError(f"Run {run.header.run_id} is not a finished {title}.")
        found: dict[str, Any] = {**self._rows.found(outcome)}
        lost = lost_seats(run.transcript.turns)
        return self._rows.record(
            row=pair.row,
            row_id=pair.row_id,
            dataset=pair.dataset,
            status=_status(found, lost),
            problem=_lost(lost) if found else " ".join(outcome.notices) or f"The {title} is {outcome.status}.",
            notices=notices,
            run_id=run.header.run_id,
            was_judged_before=was_judged_before,
            spent=spent(turn.model_copy(update={"taken_from": None}) for turn in run.transcript.turns),
            **found,
        )


def _is_complete(run: Run) -> bool:
    """Whether ``run`` has ended, with a verdict to which everybody was heard who has a seat."""
    rows = FORMATS[run.header.kind].rows
    return bool(run.outcome and rows and rows.found(run.outcome)) and not lost_seats(run.transcript.turns)


def _status(found: Mapping[str, object], lost: Sequence[Turn]) -> PairStatus:
    if not found:
        return PairStatus.UNJUDGED
    return PairStatus.INCOMPLETE if lost else PairStatus.JUDGED


def _lost(lost: Sequence[Turn]) -> str:
    causes = dict.fromkeys(f"{turn.tool} did not answer ({turn.failure.cause})" for turn in lost if turn.failure)
    return f"{'; '.join(causes)}." if causes else ""


@asynccontextmanager
async def _alone_with(folder: Path) -> AsyncGenerator[None]:
    """Hold the lock of the pair whose runs lie in ``folder``; whoever else has it is waited for.

    Raises:
        StateUnwritableError: The folder cannot be made or written.
    """
    lock = opening_lock(folder)

    def is_taken() -> bool:
        with accessing(folder):
            make_folder(folder)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                return False
        return True

    while not await to_thread.run_sync(is_taken):  # noqa: ASYNC110 -- another process can set no event
        await anyio.sleep(_LOOK_AGAIN_S)
    try:
        yield
    finally:
        lock.release()


_LOOK_AGAIN_S = 0.2


class _InOrder:
    """Tells results in the order of their places, however they come."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._waiting: dict[int, RowResult] = {}
        self._told = 0
        self._telling = anyio.Lock()

    def knows(self, place: int) -> bool:
        """Whether there is a result for ``place``."""
        return place < self._told or place in self._waiting

    async def put(self, place: int, result: RowResult) -> None:
        """Take in the result for ``place``, and tell what can be told now."""
        self._waiting[place] = result
        async with self._telling:
            while (due := self._waiting.get(self._told)) is not None:
                await self._tell(due)
                del self._waiting[self._told]
                self._told += 1


def _sum(one: Spent, other: Spent) -> Spent:
    return Spent(
        calls=one.calls + other.calls,
        tokens=one.tokens + other.tokens,
        cost_usd=one.cost_usd + other.cost_usd,
        unpriced_calls=one.unpriced_calls + other.unpriced_calls,
        uncounted_calls=one.uncounted_calls + other.uncounted_calls,
    )
