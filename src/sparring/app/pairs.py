"""Many claims with their truths or evidence: a table of them, several at a time, each a run of its own, none twice.

How a call that was interrupted is made again without paying anything twice stands in ``app.once``.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from pydantic import JsonValue

from sparring.app.application import NO_LIMITS, App
from sparring.app.once import RunsOnce
from sparring.engine.format import Format, Rows
from sparring.errors import DeliberationError, UsageError
from sparring.schema.pairs import Pair, PairStatus, RowResult
from sparring.schema.runs import Limits, Run, Spent, lost_seats, paid_for
from sparring.schema.transcript import Turn
from sparring.seating.options import Given, Options
from sparring.store.files import StateFolder
from sparring.store.history import pairs_folder
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
    "gold": ("gold", "label"),
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
        if text is None and not problem and field != "gold":
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
        gold=_harmless(found["gold"]) or None,
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

TEXT_SHOWN = 1_000
"""Characters of a claim, and of what it is held against, that are told with a verdict."""

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


class TableJudge:
    """Judges the rows of one table."""

    def __init__(self, app: App, batch: Batch) -> None:
        """Find out all that would keep every row from being judged, before anything is paid.

        Raises:
            SparringError: As for a single run.
        """
        if not 1 <= batch.at_once <= MOST_AT_ONCE:
            raise UsageError(f"The number of rows judged at once must be 1 to {MOST_AT_ONCE}; it is {batch.at_once}.")
        self._app = app
        self._batch = batch
        self._once = RunsOnce(app, batch.limits, is_fresh=batch.is_fresh)
        self._rows = rows_of(batch.format)
        self.notices = app.request(self._options(ANY_ROW), TYPED).notices
        StateFolder(app.place.state).ensure_writable(pairs_folder(app.place.state, batch.format.name))
        app.roster.sweep()

    @property
    def spent(self) -> Spent:
        """What this call has used; rows that were judged before cost nothing."""
        return self._once.spent

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
        once = await self._once.run(request)
        if once.run is None:
            return self._without(pair, PairStatus.NOT_ASKED, once.problem)
        return self._told(pair, once.run, once.notices, was_judged_before=once.was_there)

    def _options(self, pair: Pair) -> Options[Any]:
        named = {name: getattr(pair, name) for name in self._rows.row_names}
        known = {name: text for name, text in named.items() if text}
        return self._batch.options.model_copy(update={**self._rows.texts(pair), **known})

    def _without(self, pair: Pair, status: PairStatus, problem: str) -> RowResult:
        return self._rows.record(**self._named(pair), status=status, problem=problem)

    def _named(self, pair: Pair) -> dict[str, Any]:
        """What a result repeats of its row; secrets are taken out before anything is cut."""
        redact = self._app.redact
        names = {name: said and redact(said) for name in ("row_id", "dataset") for said in [getattr(pair, name)]}
        texts = {name: _beginning(redact(getattr(pair, name))) for name in ("claim", "truth")}
        gold = pair.gold and _spelled_label(one_line(redact(pair.gold), _NAME_SHOWN), self._rows.labels)
        return {"row": pair.row, **names, **texts, "gold": gold}

    def _told(self, pair: Pair, run: Run, notices: tuple[str, ...] = (), *, was_judged_before: bool) -> RowResult:
        outcome, title = run.outcome, self._batch.format.title.lower()
        if outcome is None:
            raise DeliberationError(f"Run {run.header.run_id} is not a finished {title}.")
        found: dict[str, Any] = {**self._rows.found(run)}
        lost = lost_seats(run.transcript.turns)
        return self._rows.record(
            **self._named(pair),
            status=_status(found, lost),
            problem=_lost(lost) if found else " ".join(outcome.notices) or f"The {title} is {outcome.status}.",
            notices=notices,
            run_id=run.header.run_id,
            was_judged_before=was_judged_before,
            spent=paid_for(run.transcript.turns),
            **found,
        )


def _beginning(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else text[: TEXT_SHOWN - 1] + "…"


def _spelled_label(said: str, labels: Iterable[str]) -> str:
    """``said`` as the format spells it where it is a label of it, whatever its case."""
    known = {label.casefold(): str(label) for label in labels}
    return known.get(re.sub(r"[\s-]+", "_", said.casefold()), said)


def _status(found: Mapping[str, object], lost: Sequence[Turn]) -> PairStatus:
    if not found:
        return PairStatus.UNJUDGED
    return PairStatus.INCOMPLETE if lost else PairStatus.JUDGED


def _lost(lost: Sequence[Turn]) -> str:
    causes = dict.fromkeys(f"{turn.tool} did not answer ({turn.failure.cause})" for turn in lost if turn.failure)
    return f"{'; '.join(causes)}." if causes else ""


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
