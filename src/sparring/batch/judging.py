"""A table whose verdicts are reported as they come, each in the words of its format: the short form of a batch."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import anyio
from anyio import to_thread

from sparring.app import App
from sparring.batch.engine import BUDGET, RowEngine, rows_of
from sparring.batch.job import Job, rows_in
from sparring.batch.local import in_order
from sparring.batch.results import JudgedRow, nothing_of
from sparring.batch.rows import BatchRow, Columns
from sparring.batch.work import engine_of
from sparring.engine.format import Format
from sparring.errors import UsageError
from sparring.schema.pairs import PairStatus, RowResult
from sparring.schema.runs import Spent, summed
from sparring.text.tidying import one_line

MOST_AT_ONCE = 32

_NAME_SHOWN = 60
_SHOWN = 5
_LATE = "The time was over before it was judged."

Tell = Callable[[RowResult], Awaitable[None]]


class Judging:
    """Judges the rows of one table.

    Attributes:
        count: Number of its rows.
        spent: Usage of this call; rows that were judged before cost nothing.
    """

    def __init__(self, app: App, job: Job, format_: Format) -> None:
        """Read the table once, to check it.

        Raises:
            UsageError: It cannot be read, a required column is missing, or two rows have the same id.
        """
        self._app = app
        self._job = job
        self._format = format_
        self._rows = rows_of(format_)
        self._columns = Columns(self._rows.fields, job.columns)
        self.count = _refuse_same_ids(job.inputs[0], self._read(1000))
        self.spent = Spent()

    async def judge(self, tell: Tell, say: Callable[[str], None]) -> None:
        """Judge all rows; ``tell`` receives each result in row order, ``say`` notices about the whole table.

        If it is cancelled, it leaves rows with which the next call continues.

        Raises:
            SparringError: As for a single run, before anything is paid.
            StoreError: A result cannot be stored; rows that were reported are safe.
        """
        async with engine_of(self._app, self._job, self._format, say) as engine:
            for notice in engine.requests.sample.notices:
                say(notice)
            reported = 0

            async def take(block: Sequence[JudgedRow]) -> None:
                nonlocal reported
                with anyio.CancelScope(shield=True):  # a reported row is always counted
                    for result in await self._results(engine, block):
                        await tell(result)
                        reported += 1

            with anyio.move_on_after(self._job.wall_s):
                await in_order(self._read(1), engine.judged, take, window=2 + 2 * self._job.side_by_side)
            if reported < self.count:
                for block in islice(self._read(1), reported, None):
                    await take(await self._known(engine, block))

    def _read(self, block: int) -> Iterator[list[BatchRow]]:
        return rows_in(self._job, self._columns, self._app.settings.cwd, block)

    async def _known(self, engine: RowEngine, rows: Sequence[BatchRow]) -> list[JudgedRow]:
        """Return the ledger's results for rows that the time limit has cut off."""
        rows = engine.requests.named(rows)
        keys = [engine.key(row) for row in rows if not row.problem]
        kept = await to_thread.run_sync(engine.ledger.rows, keys)
        return [engine.known(row, kept, nothing_of(PairStatus.NOT_ASKED, BUDGET, _LATE)) for row in rows]

    async def _results(self, engine: RowEngine, block: Sequence[JudgedRow]) -> list[RowResult]:
        keys = [each.key for each in block if each.key]
        records = await to_thread.run_sync(engine.ledger.reports, keys)
        results = [self._result(each, records.get(each.key) if each.key else None) for each in block]
        self.spent = summed((self.spent, *(each.paid for each in block)))
        return results

    def _result(self, judged: JudgedRow, record: bytes | None) -> RowResult:
        """Return the result of a row with the row's names."""
        row, known = judged.row, judged.result
        named: dict[str, Any] = {
            "row": row.number,
            "row_id": row.row_id or None,
            "dataset": row.dataset or None,
            "gold": one_line(row.gold, _NAME_SHOWN) or None,
            "was_judged_before": judged.was_there,
        }
        if record is None or known["status"] in {PairStatus.NOT_ASKED, PairStatus.REFUSED}:
            return self._rows.record(status=known["status"], problem=known["problem"], **named)
        return self._rows.record.model_validate_json(record).model_copy(update={**named, "key": known["run"]})


def _refuse_same_ids(path: str, blocks: Iterable[Sequence[BatchRow]]) -> int:
    """Return the number of rows; raises ``UsageError`` if two have the same id."""
    lines: dict[tuple[str, str], list[int]] = {}
    count = 0
    for block in blocks:
        count += len(block)
        for row in block:
            if row.row_id:
                lines.setdefault((row.dataset, row.row_id), []).append(row.line)
    same = [(row_id, places) for (_, row_id), places in lines.items() if len(places) > 1]
    if same:
        shown = "; ".join(
            f"{one_line(repr(row_id), _NAME_SHOWN)} in lines {', '.join(map(str, places[:_SHOWN]))}"
            for row_id, places in same[:_SHOWN]
        )
        more = f"; and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
        raise UsageError(
            f"Rows of {path} share an id: {shown}{more}.", hint="Give each row its own; no tool was asked."
        )
    return count
