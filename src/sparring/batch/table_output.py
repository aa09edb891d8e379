"""Input and output of a table, common to all judges, and tables that code alone checks."""

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import anyio
from anyio import to_thread
from msgspec import Struct, field
from pydantic_core import from_json, to_json

from sparring import __version__
from sparring.app import App
from sparring.batch import addresses, block_output, local, results, shards, tables
from sparring.batch.checks import LABELS
from sparring.batch.engine import RowRequests
from sparring.batch.job import Job, rows_in
from sparring.batch.rows import BatchRow, Columns
from sparring.errors import UsageError
from sparring.schema import base, batch, pairs, runs


class BatchProgress(Struct):
    """Progress of a batch.

    Attributes:
        existing: Rows that were judged earlier.
        rejected: Rows that cannot be judged.
        statuses, labels: Number of rows for each.
    """

    rows: int = 0
    existing: int = 0
    rejected: int = 0
    calls: int = 0
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    statuses: Counter[str] = field(default_factory=Counter[str])
    labels: Counter[str] = field(default_factory=Counter[str])

    def add(self, judged: results.JudgedRow) -> None:
        """Count a row; rows that were paid for earlier add no cost."""
        result = judged.result
        self.rows += 1
        self.existing += judged.is_reused
        self.rejected += result["status"] == pairs.PairStatus.REFUSED
        self.statuses[result["status"]] += 1
        if result["label"]:
            self.labels[result["label"]] += 1
        self.calls += judged.paid.calls
        self.cost_usd += judged.paid.cost_usd
        self.unpriced_calls += judged.paid.unpriced_calls

    def add_block(self, report: block_output.BlockReport) -> None:
        """Count a block whose shard is kept."""
        self.rows += report.rows
        self.existing += report.rows - report.rejected
        self.rejected += report.rejected
        self.statuses.update(report.statuses)
        self.labels.update(report.labels)


_NAMED = 3
"""Tables that are named in the title of the page."""

Watch = Callable[[BatchProgress], None]


def _refuse_own_output(inputs: Sequence[batch.InputFile], output: str, cwd: Path) -> None:
    """Refuse an output among the inputs: a second start would read the results of the first as rows."""
    place = place_of(output, cwd)
    if any(place_of(each.address, cwd).is_relative_to(place) for each in inputs):
        raise UsageError(f"{output} contains the input itself.", hint="Use a separate folder for the output.")


def place_of(address: str, cwd: Path) -> PurePath:
    """Return the path of a local address, resolved; a remote one is not resolved."""
    return PurePosixPath(address) if addresses.is_remote(address) else addresses.local_path(address, cwd).resolve()


class TableOutput:
    """Input and output of a table: common to judged and checked tables."""

    def __init__(self, app: App, job: Job, columns: Columns, watch: Watch, requests: RowRequests | None) -> None:
        self.app = app
        self.cwd = app.settings.cwd
        self.job = job
        self.columns = columns
        self.watch = watch
        self.labels = frozenset(requests.labels if requests else LABELS)
        self.progress = BatchProgress()
        self.began = base.utc_now()
        self.inputs = tables.described(job.inputs, cwd=self.cwd)
        self._requests = requests
        _refuse_own_output(self.inputs, job.output, self.cwd)

    def shard_rows(
        self, judged: Sequence[results.JudgedRow]
    ) -> tuple[list[dict[str, Any]], list[tables.TableRow], int]:
        """Return the rows of a shard, the rejected ones, and the number of rows that are to be asked again."""
        rows: list[dict[str, Any]] = []
        rejected: list[tables.TableRow] = []
        incomplete = 0
        for each in judged:
            self.progress.add(each)
            row, status = each.row, each.result["status"]
            if status == pairs.PairStatus.REFUSED:
                rejected.append(tables.TableRow(row.number, row.source, row.line, problem=each.result["problem"]))
            else:
                rows.append(results.shard_row(row, each.result, self.labels))
                incomplete += status != pairs.PairStatus.JUDGED
        return rows, rejected, incomplete

    def page(self, address: str) -> tuple[str, bytes]:
        """Return the name and the content of the page, made from the first rows of the table and of the shards."""
        rows = self._requests.rows if self._requests else None
        labels, seats = (rows.labels, rows.seats) if rows else (LABELS, "")
        name = ", ".join(Path(each.address).name for each in self.inputs[:_NAMED])
        ledger = addresses.shown(self.job.ledger) or "project"
        table = pairs.JudgedTable(name, self.job.kind, (), labels, seats, ledger)
        page = results.PageRows(self.app.redact)
        page.add(list(self._first_rows()), total=self.progress.rows)
        share = self.job.shard.name
        return f"table-{share}.html" if share else results.PAGE_NAME, page.page(table, address).encode()

    def _first_rows(self) -> Iterator[results.JudgedRow]:
        rows: Iterator[Mapping[str, Any]] = iter(())
        if self.progress.rows:  # the time may be over before there is a first shard
            rows = shards.read_rows(self.job.output, cwd=self.cwd, name=self.job.shard.name)
        written = {int(row["row"]): row for row in islice(rows, results.PAGE_ROWS)}
        last = max(written, default=0)
        source = chain.from_iterable(rows_in(self.job, self.columns, self.cwd))
        for row in islice(source, results.PAGE_ROWS):
            if row.number in written:
                yield results.JudgedRow(self._named(row), written[row.number])
            elif row.number <= last and row.problem:
                status = pairs.PairStatus.REFUSED
                yield results.JudgedRow(self._named(row), results.unjudged_result(status, status, row.problem))

    def _named(self, row: BatchRow) -> BatchRow:
        return self._requests.with_shown_names([row])[0] if self._requests else row

    def manifest(self, *, is_whole: bool) -> batch.Manifest:
        """Return the manifest of the batch, without the counts of its shards."""
        job, requests = self.job, self._requests
        options = {name: value for name, value in job.options.items() if value is not None}
        return batch.Manifest(
            sparring_version=__version__,
            format=job.kind,
            rules_version=str(requests.settings.rules_version) if requests else "",
            prompts=requests.settings.prompts if requests else "",
            options=self._redacted(options),
            seats=seats_of(requests.settings.request) if requests else {},
            engine=job.engine,
            shard=str(job.shard) if job.shard.of > 1 else "",
            inputs=self.inputs,
            started_at=self.began,
            ended_at=base.utc_now(),
            is_whole=is_whole,
        )

    def _redacted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        plain: dict[str, Any] = from_json(to_json(options))
        redact = self.app.redact
        return {name: redact(value) if isinstance(value, str) else value for name, value in plain.items()}


class CheckedTable:
    """A table that code alone checks: one process writes its shards in order."""

    def __init__(self, app: App, job: Job, columns: Columns, watch: Watch) -> None:
        self._table = TableOutput(app, job, columns, watch, None)
        self._shards = shards.Shards(
            job.output,
            form=job.form,
            rows_per_shard=job.rows_per_shard,
            name=job.shard.name,
            job=digest_of(job, None),
            cwd=self._table.cwd,
        )

    async def run(
        self, judge: Callable[[Sequence[BatchRow]], Awaitable[list[results.JudgedRow]]], block: int, *, window: int
    ) -> batch.Manifest:
        """Check the blocks in order, ``window`` of them concurrently; write the results, and the manifest last."""
        table = self._table
        rows = rows_in(table.job, table.columns, table.cwd, block)
        try:
            with anyio.move_on_after(table.job.wall_s) as time:
                await local.run_in_order(rows, judge, self._write, window=window)
            return await to_thread.run_sync(self._ended, not time.cancelled_caught)
        finally:
            await to_thread.run_sync(self._shards.discard)

    async def _write(self, judged: list[results.JudgedRow]) -> None:
        await to_thread.run_sync(self._written, judged)
        self._table.watch(self._table.progress)

    def _written(self, judged: list[results.JudgedRow]) -> None:
        rows, rejected, _ = self._table.shard_rows(judged)
        for row in rejected:
            self._shards.reject(row)
        self._shards.add(rows)

    def _ended(self, is_whole: bool) -> batch.Manifest:  # noqa: FBT001 -- called by a thread
        self._shards.end()
        self._shards.write_file(*self._table.page(self._shards.address))
        return self._shards.close(self._table.manifest(is_whole=is_whole))


def digest_of(job: Job, requests: RowRequests | None) -> str:
    """Return the digest that distinguishes jobs with the same output; the parts of a job share it."""
    settings = requests.settings.digest.hex() if requests else ""
    parts = [job.kind, settings, list(job.inputs), list(job.columns), job.form, job.rows_per_shard]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def seats_of(request: runs.Request) -> dict[str, str]:
    """Return the tool in each seat, in the order in which they are needed."""
    seats = [needed.participant for needed in request.needed()]
    return {f"seat {number}": base.spelled_tool(seat.tool, seat.model) for number, seat in enumerate(seats, start=1)}
