"""A batch from its rows to its shards: on this machine, with whatever engine judges the rows."""

import hashlib
import json
import os
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import anyio
from anyio import to_thread
from pydantic_core import from_json, to_json

from sparring import __version__
from sparring.app import App
from sparring.batch import addresses, answers, local, results, shards, tables
from sparring.batch.allowances import Home
from sparring.batch.checks import FIELDS, LABELS, ClaimChecks
from sparring.batch.engine import RowEngine, format_of, rows_of
from sparring.batch.gathering import Gathering
from sparring.batch.job import BLOCK, Job, rows_in
from sparring.batch.limits import BatchLimits, CountingConsultant, PacedConsultant
from sparring.batch.rows import BatchRow, Columns
from sparring.engine.format import Format
from sparring.errors import UsageError
from sparring.providers import Consultant
from sparring.schema import base, batch, pairs, runs
from sparring.settings import Settings
from sparring.store.ledger import Ledger


class ByBatch:
    """Whoever puts questions to a tool, one by one or gathered; see ``roster.answering``."""

    def __init__(self, app: App, limits: BatchLimits) -> None:
        self._app = app
        self._limits = limits
        self._gathered: dict[base.ToolName, Consultant] = {}

    def consultant(self, inner: Consultant, tool: base.ToolName) -> PacedConsultant | CountingConsultant:
        """Whoever asks ``tool``: what its batches do not limit, the limits do."""
        if tool in self._gathered:
            return CountingConsultant(self._gathered[tool], self._limits.budget)
        return self._limits.consultant(inner, tool)

    @asynccontextmanager
    async def running(self, tools: Iterable[base.ToolName]) -> AsyncGenerator[None]:
        """Gather, while the block runs, what those of ``tools`` are asked that answer by batch.

        Raises:
            UsageError: None of them does.
        """
        async with AsyncExitStack() as stack:
            for tool in dict.fromkeys(tools):
                if batches := self._app.roster.batches(tool):
                    gathering = Gathering(batches, tool, self._limits.home, worker=self._limits.worker)
                    await stack.enter_async_context(gathering.running())
                    self._gathered[tool] = self._app.roster.receiving(gathering, tool)
            if not self._gathered:
                raise UsageError(
                    "None of the tools answers by batch: only APIs do.", hint="Leave out --provider-batches."
                )
            yield


CHECKED_BLOCK = 500
"""Rows that a process checks together where nobody is asked."""


@dataclass
class BatchProgress:
    """How far a batch has come.

    Attributes:
        there: Rows that were judged before.
        rejected: Rows that cannot be judged.
        statuses, labels: How many rows have each.
    """

    rows: int = 0
    there: int = 0
    rejected: int = 0
    calls: int = 0
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    statuses: Counter[str] = field(default_factory=Counter[str])
    labels: Counter[str] = field(default_factory=Counter[str])

    def add(self, told: results.Told) -> None:
        """Count a row; what was paid for before costs nothing now."""
        result = told.result
        self.rows += 1
        self.there += told.was_there
        self.rejected += result["status"] == pairs.PairStatus.REFUSED
        self.statuses[result["status"]] += 1
        if result["label"]:
            self.labels[result["label"]] += 1
        self.calls += told.paid.calls
        self.cost_usd += told.paid.cost_usd
        self.unpriced_calls += told.paid.unpriced_calls


_NAMED = 3
"""Tables that the title of the page names."""

Watch = Callable[[BatchProgress], None]


async def hold(app: App, job: Job, watch: Watch = lambda _: None) -> batch.Manifest:
    """Hold all of the batch that is this process's, and say what came of it.

    Cancelled, it leaves a ledger that the next call goes on with; so does the end of the job's time.

    Raises:
        SparringError: Before anything is paid: the input cannot be read, the output not be written, or a tool is not
            there. Afterwards: the ledger or the output cannot be written any more.
    """
    format_ = format_of(job)
    if format_ is None:
        if job.engine == "ray":
            return await _Writing(app, job, Columns(FIELDS, job.columns), watch).hold_on_cluster()
        with ClaimChecks(job.processes) as checks:
            writing = _Writing(app, job, Columns(FIELDS, job.columns), watch)
            return await writing.hold(checks.judged, CHECKED_BLOCK, window=2 + 2 * checks.processes)
    columns = Columns(rows_of(format_).fields, job.columns)
    async with engine_of(app, job, format_) as engine:
        writing = _Writing(app, job, columns, watch, engine)
        if job.engine == "ray":
            return await writing.hold_on_cluster()
        return await writing.hold(engine.judged, BLOCK, window=2 + 2 * job.side_by_side // BLOCK)


@asynccontextmanager
async def engine_of(app: App, job: Job, format_: Format) -> AsyncGenerator[RowEngine]:
    """What judges the rows of ``job`` in this process, with its ledger and its limits; raises ``SparringError``."""
    for tool in sorted(job.limits.tools):
        app.roster.spec(tool)  # a limit for one that is not there would hold for nobody
    app.roster.sweep()
    rules = job.limits.with_usual_at_once(app.roster.providers.specs.values())
    with Ledger.open(answers.ledger_of(app, job.ledger), provenance=app.place.provenance) as ledger:
        limits = BatchLimits(rules, Home(ledger, time.time, lambda: ledger.ended), ledger.worker)
        by_batch = ByBatch(app, limits) if job.by_batch else None
        engine = RowEngine(app, job, format_, ledger, limits, by_batch.consultant if by_batch else None)
        tools = [needed.participant.tool for needed in engine.sample.needed()]
        async with limits.running(), by_batch.running(tools) if by_batch else nullcontext():
            await limits.budget.begin()
            yield engine


def _refuse_own_output(inputs: Sequence[batch.InputFile], output: str, cwd: Path) -> None:
    """Refuse to write where is read: a second start would take what the first has written for rows."""
    place = _place(output, cwd)
    if any(_place(each.address, cwd).is_relative_to(place) for each in inputs):
        raise UsageError(f"{output} holds the input itself.", hint="Give a folder of its own for what comes of it.")


def _place(address: str, cwd: Path) -> PurePath:
    """Where that is, however it is spelled; of what is elsewhere the spelling is all that is known."""
    return PurePosixPath(address) if addresses.is_remote(address) else addresses.local_path(address, cwd).resolve()


class _Writing:
    """Reads the rows of a job and writes what comes of them."""

    def __init__(self, app: App, job: Job, columns: Columns, watch: Watch, engine: RowEngine | None = None) -> None:
        self._app = app
        self._cwd = app.settings.cwd
        self._redact = app.redact
        self._job = job
        self._columns = columns
        self._watch = watch
        self._engine = engine
        self._labels = frozenset(engine.labels if engine else LABELS)
        self._began = base.utc_now()
        self._progress = BatchProgress()
        self._page = results.PageRows(app.redact)
        self._inputs = tables.described(job.inputs, cwd=self._cwd)
        _refuse_own_output(self._inputs, job.output, self._cwd)
        self._shards = shards.Shards(
            job.output,
            form=job.form,
            rows_per_shard=job.rows_per_shard,
            name=job.shard.name,
            job=digest_of(job, engine),
            cwd=self._cwd,
        )

    async def hold(
        self, judge: Callable[[Sequence[BatchRow]], Awaitable[list[results.Told]]], block: int, *, window: int
    ) -> batch.Manifest:
        """Judge block after block, ``window`` of them at once; write what comes of them, and the manifest last."""
        rows = rows_in(self._job, self._columns, self._cwd, block)
        return await self._to_the_end(lambda: local.in_order(rows, judge, self._write, window=window))

    async def hold_on_cluster(self) -> batch.Manifest:
        """Have a cluster judge the rows; write what comes of them, and the manifest last."""
        from sparring.batch.ray import told_by  # noqa: PLC0415 -- it needs an optional package

        job, settings, stop = self._job, b"", threading.Event()
        if self._engine:
            job, settings = replace(job, ledger=answers.ledger_of(self._app, job.ledger)), self._engine.settings.digest
        told = told_by(job, self._columns, self._cwd, settings=settings, stop=stop)

        async def hold() -> None:
            try:
                async with local.beside(partial(_set_at_the_end, stop)):
                    await local.in_order(told, _as_it_is, self._write, window=2)
            finally:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(told.close)

        return await self._to_the_end(hold)

    async def _to_the_end(self, hold: Callable[[], Awaitable[None]]) -> batch.Manifest:
        before = await self._counted()
        try:
            with anyio.move_on_after(self._job.wall_s) as time:
                await hold()
            counted = await self._counted()
            manifest = self._manifest(counted.since(before), is_whole=not time.cancelled_caught)
            return await to_thread.run_sync(self._ended, manifest)
        finally:
            await to_thread.run_sync(self._shards.discard)

    async def _counted(self) -> batch.LedgerUse:
        """What the ledger has counted, of all times; nothing where there is none."""
        return await to_thread.run_sync(self._engine.ledger.counts) if self._engine else batch.LedgerUse()

    def _ended(self, manifest: batch.Manifest) -> batch.Manifest:
        """Write the page, and the manifest last: where that is, all is."""
        rows = self._engine.rows if self._engine else None
        labels, seats = (rows.labels, rows.seats) if rows else (LABELS, "")
        name = ", ".join(Path(each.address).name for each in self._inputs[:_NAMED])
        ledger = addresses.shown(self._job.ledger) or "project"
        table = pairs.JudgedTable(name, self._job.what, (), labels, seats, ledger)
        page = self._page.page(table, self._shards.address)
        self._shards.put(
            f"table-{self._job.shard.name}.html" if self._job.shard.name else results.PAGE_NAME, page.encode()
        )
        return self._shards.close(manifest)

    async def _write(self, told: list[results.Told]) -> None:
        await to_thread.run_sync(self._written, told)
        self._watch(self._progress)

    def _written(self, told: list[results.Told]) -> None:
        progress, rows = self._progress, list[dict[str, Any]]()
        for each in told:
            progress.add(each)
            row = each.row
            if each.result["status"] == pairs.PairStatus.REFUSED:
                self._shards.reject(tables.TableRow(row.number, row.source, row.line, problem=each.result["problem"]))
            else:
                rows.append(results.shard_row(row, each.result, self._labels))
        self._shards.add(rows)
        self._page.add(told)

    def _manifest(self, ledger: batch.LedgerUse, *, is_whole: bool) -> batch.Manifest:
        job, settings = self._job, self._engine.settings if self._engine else None
        options = {name: value for name, value in job.options.items() if value is not None}
        return batch.Manifest(
            sparring_version=__version__,
            format=job.what,
            rules_version=str(settings.rules_version) if settings else "",
            prompts=settings.prompts if settings else "",
            options=self._redacted(options),
            seats=_seats(settings.request) if settings else {},
            engine=job.engine,
            shard=str(job.shard) if job.shard.of > 1 else "",
            inputs=self._inputs,
            ledger=ledger,
            started_at=self._began,
            ended_at=base.utc_now(),
            is_whole=is_whole,
        )

    def _redacted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = from_json(to_json(options))
        redact = self._redact
        return {name: redact(value) if isinstance(value, str) else value for name, value in found.items()}


async def _set_at_the_end(stop: threading.Event) -> None:
    """Tell a thread by ``stop`` that what it works for has been cancelled."""
    try:
        await anyio.sleep_forever()
    finally:
        stop.set()


async def _as_it_is(told: list[results.Told]) -> list[results.Told]:
    return told


def digest_of(job: Job, engine: RowEngine | None) -> str:
    """What tells this job from others that could be written to the same place; its parts are one job."""
    settings = engine.settings.digest.hex() if engine else ""
    told = [job.what, settings, list(job.inputs), list(job.columns), job.form, job.rows_per_shard]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _seats(request: runs.Request) -> dict[str, str]:
    """Who has which seat, in the order in which they are looked for."""
    seats = [needed.participant for needed in request.needed()]
    return {
        f"seat {number}": f"{seat.tool}:{seat.model}" if seat.model else seat.tool
        for number, seat in enumerate(seats, start=1)
    }


def run(job: Job, watch: Watch = lambda _: None, *, folder: Path | None = None) -> batch.Manifest:
    """Hold the batch, and return its manifest; what came of each row stands in the shards (``shards.read_rows``).

    What code alone checks is checked by fresh processes, which import the program that calls this: there it has to
    stand behind ``if __name__ == "__main__":``, as ``multiprocessing`` wants it.

    Args:
        job: What is asked of which table.
        watch: Is told how far it has come, after every block of rows.
        folder: The project, and what paths are seen from; by default the folder of this process.

    Raises:
        SparringError: See ``work.hold``.
    """
    app = App(Settings.read(os.environ, folder or Path.cwd()))
    return anyio.run(hold, app, job, watch)
