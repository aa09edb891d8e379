"""The blocks of a table, judged and written by this process and any number of others.

A process claims a block, derives its rows, and writes its shard. When no block is free, it helps with the blocks of
other processes: it derives their rows, so that their questions get answers. A new start keeps complete shards.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct

from sparring.app import App
from sparring.batch import block_output, local, results, tables
from sparring.batch.engine import RowEngine
from sparring.batch.job import BLOCK, Job
from sparring.batch.rows import BatchRow, Columns
from sparring.batch.table_output import TableOutput, Watch, digest_of, place_of
from sparring.schema import batch
from sparring.store.exchanges.amounts import MICRO
from sparring.store.exchanges.kept import BatchState, TableBlock
from sparring.store.exchanges.ledger import ExchangeLedger

_LOOK_AGAIN_S = 0.5
"""Seconds between checks whether other processes have finished their blocks."""


class _Chunk(Struct, frozen=True):
    """Some rows of a block.

    Attributes:
        is_ours: Whether this process writes its shard; if not, it helps another process.
        is_last: Whether this is the last chunk of the block.
        left: Earlier rows of the block that were not judged.
    """

    number: int
    rows: list[BatchRow]
    is_ours: bool
    is_last: bool


class JudgedBlocks:
    """A table whose blocks are judged and written by this process and any number of others."""

    def __init__(self, app: App, job: Job, columns: Columns, watch: Watch, engine: RowEngine) -> None:
        self._table = TableOutput(app, job, columns, watch, engine.requests)
        self._job = job
        self._engine = engine
        self._ledger = engine.ledger
        digest = digest_of(job, engine.requests)
        self._output = block_output.SharedOutput(
            job.output,
            form=job.form,
            writer=self._ledger.worker,
            name=job.shard.name,
            job=digest,
            cwd=self._table.cwd,
        )
        anew = [self._ledger.start] if job.is_fresh else []
        parts = [digest, job.shard.name, str(place_of(job.output, self._table.cwd)), *anew]
        self._work = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
        self._open: dict[int, block_output.OpenBlock] = {}
        self._counted: set[int] = set()

    async def run(self) -> batch.Manifest:
        """Judge until all processes together have judged every block, or the time is over; write the manifest last."""
        await to_thread.run_sync(self._begin)
        try:
            with anyio.move_on_after(self._job.wall_s) as time:
                await self._all_blocks()
            is_whole = not time.cancelled_caught
            return await to_thread.run_sync(self._ended, is_whole)
        finally:
            await to_thread.run_sync(self._leave)

    def _begin(self) -> None:
        self._output.begin(self._ledger.workers)
        for block in self._ledger.blocks(self._work):
            if block.state == "done" and not self._output.holds(block.report):
                self._ledger.free_block(self._work, block.number)
        self._output.remove_manifest()

    async def _all_blocks(self) -> None:
        window = 2 + 2 * self._job.concurrent_rows // BLOCK
        helps = False
        while True:
            count = await self._judge_once(window, helps=helps)
            left = await to_thread.run_sync(self._kind_of_free_blocks, count)
            while left == "others'" and helps:
                await anyio.sleep(_LOOK_AGAIN_S)  # other workers finish their blocks, or turn out to have died
                left = await to_thread.run_sync(self._kind_of_free_blocks, count)
            if not left:
                return
            helps = left == "others'"

    async def _judge_once(self, window: int, *, helps: bool) -> int:
        """Go through the table once; return the number of its blocks."""
        reading = _Reading(self._table, self._ledger, self._work, helps=helps)

        async def judge(chunk: _Chunk) -> tuple[_Chunk, list[results.JudgedRow]]:
            return chunk, await self._engine.judged(chunk.rows)

        async def take(chunk_judged: tuple[_Chunk, list[results.JudgedRow]]) -> None:
            chunk, judged = chunk_judged
            if chunk.is_ours:
                await self._write(chunk, judged)

        await local.run_in_order(reading.chunks(), judge, take, window=window)
        return reading.count

    async def _write(self, chunk: _Chunk, judged: list[results.JudgedRow]) -> None:
        await to_thread.run_sync(self._written, chunk, judged)
        self._table.watch(self._table.progress)

    def _written(self, chunk: _Chunk, judged: list[results.JudgedRow]) -> None:
        number = chunk.number
        if number not in self._open:
            self._open[number] = self._output.open(number)
        self._open[number].add(*self._table.shard_rows(judged))
        if chunk.is_last:
            self._publish(self._open.pop(number), left=0)

    def _publish(self, block: block_output.OpenBlock, *, left: int) -> None:
        if not self._ledger.has_block(self._work, block.number):
            block.drop()  # this worker was taken for dead, and another one has the block now
            return
        report = block.publish(left=left)
        is_whole = block_output.read_report(report)[0].is_whole
        self._ledger.end_block(self._work, block.number, report, is_whole=is_whole)
        self._counted.add(block.number)

    def _kind_of_free_blocks(self, count: int) -> str:
        """Return the kind of blocks left: ``some`` that are free, or only ``others'``; empty if all are done."""
        blocks = {block.number: block for block in self._ledger.blocks(self._work)}
        left = [number for number in range(count) if not self._is_done(blocks.get(number))]
        if not left:
            return ""
        taken = {number for number in left if number in blocks and blocks[number].state == "taken"}
        return "some" if len(taken) < len(left) else "others'"

    def _is_done(self, block: TableBlock | None) -> bool:
        return block is not None and block.state == "done" and (block.is_whole or block.stamp >= self._ledger.start)

    def _ended(self, is_whole: bool) -> batch.Manifest:  # noqa: FBT001 -- called by a thread
        for number in list(self._open):
            self._publish(self._open.pop(number), left=1)
        done = [block for block in self._ledger.blocks(self._work) if block.state == "done"]
        for block in done:
            if block.number not in self._counted:
                self._table.progress.add_block(block_output.read_report(block.report)[0])
        state = self._ledger.batch_state(self._engine.batch)
        manifest = self._table.manifest(is_whole=is_whole).model_copy(
            update={
                "spent": usage_of_batch(state),
                "ledger": request_counts(state),
                "process": self._engine.use,
                "limits": limit_use(state),
            }
        )
        self._output.write_file(*self._table.page(self._output.address))
        return self._output.finish((block.report for block in done), manifest)

    def _leave(self) -> None:
        for number, block in self._open.items():
            block.drop()
            self._ledger.leave_block(self._work, number)
        self._open.clear()


class _Reading:
    """One pass through a table: its blocks, as far as this process can claim them.

    Attributes:
        count: Blocks seen so far.
    """

    def __init__(self, table: TableOutput, ledger: ExchangeLedger, work: str, *, helps: bool) -> None:
        self._table = table
        self._ledger = ledger
        self._work = work
        self._helps = helps
        self.count = 0

    def chunks(self) -> Iterator[_Chunk]:
        """Yield the rows of free blocks, which are claimed; if this pass helps, also those of other workers."""
        job = self._table.job
        parts = self._parts()
        ahead = next(parts, None)
        if ahead is not None:
            refuse_other_columns(job, self._table.columns, self._table.cwd, ahead[1])
        taken: TableBlock | None = None
        while ahead is not None:
            (number, rows), ahead = ahead, next(parts, None)
            if number == self.count:
                taken = self._ledger.take_block(self._work, number)
                self.count = number + 1
            is_last = ahead is None or ahead[0] != number
            is_ours = taken is not None and self._ledger.is_ours(taken)
            if is_ours or (self._helps and taken is not None and taken.state == "taken"):
                yield _Chunk(number, [self._table.columns.row(row) for row in rows], is_ours, is_last)

    def _parts(self) -> Iterator[tuple[int, list[tables.TableRow]]]:
        """Yield rows that are read and judged together, with the number of their block."""
        job, columns = self._table.job, self._table.columns.wanted
        read = tables.blocks(job.inputs, cwd=self._table.cwd, rows=BLOCK, shard=job.shard, columns=columns)
        rows = itertools.chain.from_iterable(read)
        for number in itertools.count():
            left = job.rows_per_shard
            while left and (part := list(islice(rows, min(BLOCK, left)))):
                left -= len(part)
                yield number, part
            if left:
                return


def refuse_other_columns(job: Job, columns: Columns, cwd: Path, rows: Sequence[tables.TableRow]) -> None:
    """Raise ``UsageError`` if none of the first ``rows`` of a table has the required columns."""
    usable = [row for row in rows if row.cells]
    if usable and all(map(columns.lacking, usable)):
        whole = next(tables.blocks(job.inputs, cwd=cwd, rows=BLOCK, shard=job.shard))
        columns.refuse(next(row for row in whole if row.cells))  # the message lists all columns of this row


def usage_of_batch(state: BatchState) -> batch.BatchSpent:
    """Return the usage of a batch, with lost calls."""
    return batch.BatchSpent(
        calls=state.used.calls + state.reserved.calls + state.lost.calls,
        tokens=state.known_tokens,
        cost_usd=state.known_cost / MICRO,
        unpriced_calls=state.unpriced,
        uncounted_calls=state.uncounted,
    )


def request_counts(state: BatchState) -> batch.LedgerUse:
    """The requests of a batch."""
    return batch.LedgerUse(
        asked=state.asked,
        answered=state.answered,
        failed=state.failed,
        lost=state.lost_calls,
        asked_again=state.asked_again,
    )


def limit_use(state: BatchState) -> batch.LimitUse:
    """The limits of a batch, and by how much they were exceeded."""
    maximum, exceeded = state.maximum, state.exceeded
    return batch.LimitUse(
        max_calls=maximum.calls,
        max_tokens=maximum.tokens,
        max_cost_usd=None if maximum.cost is None else maximum.cost / MICRO,
        exceeded_calls=exceeded.calls,
        exceeded_tokens=exceeded.tokens,
        exceeded_cost_usd=exceeded.cost / MICRO,
        is_open=maximum.cost is not None and state.unpriced > 0,
    )
