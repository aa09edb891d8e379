"""A batch from its rows to its shards, by any number of processes.

Each process claims blocks of the table, judges their rows and writes their shards (``blocks``); the ledger records the
blocks and their owners. Checks by code alone use no ledger; one process writes them (``table_output``).
"""

import hashlib
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial

from sparring.app import App
from sparring.app.exchanges.opening import using_ledger
from sparring.app.exchanges.pacing import ToolRates
from sparring.app.exchanges.session import Exchanges
from sparring.batch.batch_consultant import BatchQueues
from sparring.batch.blocks import JudgedBlocks
from sparring.batch.checks import FIELDS, ClaimChecks
from sparring.batch.engine import RowEngine, RowRequests, format_of, rows_of
from sparring.batch.job import Job, LimitRules
from sparring.batch.rows import Columns
from sparring.batch.table_output import CheckedTable, Watch
from sparring.engine.format import Format
from sparring.errors import UsageError
from sparring.schema import batch, runs
from sparring.store.exchanges.amounts import Maximum
from sparring.store.exchanges.ledger import ExchangeLedger

CHECKED_BLOCK = 500
"""Rows that a process checks together when code alone checks."""

Notify = Callable[[str], None]


async def take_part(
    app: App, job: Job, watch: Watch = lambda _: None, notify: Notify = lambda _: None
) -> batch.Manifest:
    """Judge this process's part of the batch, and return the manifest.

    If it is cancelled or its time ends, it leaves a ledger with which the next call continues.

    Raises:
        SparringError: Before anything is paid: the input cannot be read, the output cannot be written, a tool is
            missing, or a limit is less than a verdict needs. Afterwards: the ledger or the output cannot be written.
    """
    format_ = format_of(job)
    if format_ is None:
        with ClaimChecks(job.processes) as checks:
            writing = CheckedTable(app, job, Columns(FIELDS, job.columns), watch)
            return await writing.run(checks.judged, CHECKED_BLOCK, window=2 + 2 * checks.processes)
    columns = Columns(rows_of(format_).fields, job.columns)
    async with engine_of(app, job, format_, notify) as engine:
        return await JudgedBlocks(app, job, columns, watch, engine).run()


@asynccontextmanager
async def engine_of(app: App, job: Job, format_: Format, notify: Notify = lambda _: None) -> AsyncGenerator[RowEngine]:
    """Build the engine that judges the rows of ``job`` in this process, through its ledger and within its limits.

    Raises:
        SparringError: As ``take_part``, before anything is paid.
    """
    for tool in sorted(job.limits.tools):
        app.roster.spec(tool)  # reports a limit for a tool that does not exist
    app.roster.sweep()
    requests = RowRequests(app, job, format_)
    if not maximum_of(job.limits).is_none:
        refuse_too_little(job.limits, requests.need())
    async with AsyncExitStack() as stack:
        taken = exchanges_of(app, job, requests, partial(batch_id, job, requests), notify)
        exchanges = await stack.enter_async_context(taken)
        through = exchanges.consultant
        if job.by_batch:
            gatherings = BatchQueues(app.roster, exchanges)
            await stack.enter_async_context(gatherings.running(requests.tools))
            through = gatherings.consultant
        yield RowEngine(app, job, requests, exchanges, through)


def exchanges_of(
    app: App, job: Job, requests: RowRequests, batch: Callable[[ExchangeLedger], str], notify: Notify
) -> AbstractAsyncContextManager[Exchanges]:
    """Return the exchanges of ``job`` through its ledger and within its limits, open while the block runs.

    ``batch`` makes the id of the batch whose limits apply; errors are those of ``using_ledger``.
    """
    rules = job.limits.with_usual_at_once(app.roster.providers.specs.values())
    return using_ledger(
        app,
        batch,
        maximum_of(job.limits),
        requests.tools,
        address=job.ledger,
        rates=ToolRates(rules.rpm, rules.tpm, rules.at_once),
        is_fresh=job.is_fresh,
        notify=notify,
    )


def maximum_of(rules: LimitRules) -> Maximum:
    """Return the limits of a batch from ``rules``."""
    return Maximum.of(rules.max_calls, rules.max_tokens, rules.max_cost_usd)


def refuse_too_little(rules: LimitRules, need: runs.Expected) -> None:
    """Raise ``UsageError`` for a limit that is less than one row needs."""
    if shortfall := need.shortfall(rules.max_calls, rules.max_tokens):
        raise UsageError(f"A row {shortfall}.", hint="No tool was called. Raise the limit.")


def batch_id(job: Job, requests: RowRequests, ledger: ExchangeLedger) -> str:
    """Return the id of limits and counters: the same for all starts and all parts of one table.

    A batch that asks again (``is_fresh``) has another id.
    """
    parts = [job.kind, requests.settings.digest.hex(), list(job.inputs), list(job.columns)]
    anew = [ledger.start] if job.is_fresh else []
    return hashlib.sha256(json.dumps([*parts, *anew]).encode()).hexdigest()[:16]
