"""Estimate of the cost and duration of a batch: from a sample that is judged first, or without asking."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from statistics import mean, stdev

import anyio
from anyio import to_thread

from sparring.app import App
from sparring.batch.distinct import DistinctKeys
from sparring.batch.engine import RowEngine, format_of
from sparring.batch.job import Job, rows_in
from sparring.batch.results import JudgedRow
from sparring.batch.rows import BatchRow, Columns
from sparring.batch.work import Notify, engine_of
from sparring.engine.dry_run import dry_run
from sparring.errors import UsageError, raising_first
from sparring.schema.batch import BatchEstimate, EstimatedAmount
from sparring.schema.dry_run import DryRun, TableState
from sparring.schema.pairs import PairStatus
from sparring.schema.runs import Spent, summed

SAMPLED = 3
"""Rows in the sample, unless there are fewer or a limit ends it earlier."""

_SEED = 1
_Z = 1.96
"""Standard errors on either side of a mean, for 95 %."""


async def _table_state(app: App, job: Job, engine: RowEngine, *, most: int) -> tuple[TableState, list[BatchRow]]:
    """Count the rows of ``job`` in the ledger; return a sample of at most ``most`` open ones as well."""
    with DistinctKeys.opened() as distinct:
        return await _counted(app, job, engine, distinct, most=most)


async def _counted(
    app: App, job: Job, engine: RowEngine, distinct: DistinctKeys, *, most: int
) -> tuple[TableState, list[BatchRow]]:
    counts = Counter[str]()
    sample: list[BatchRow] = []
    draw = random.Random(_SEED)  # noqa: S311 -- the same sample every time
    source = rows_in(job, Columns(engine.requests.rows.fields, job.columns), app.settings.cwd)
    while (block := await to_thread.run_sync(next, source, None)) is not None:
        counts["rows"] += len(block)
        usable = [row for row in engine.requests.with_shown_names(block) if not row.problem]
        counts["rejected"] += len(block) - len(usable)

        by_key = {engine.key(row): row for row in usable}
        is_first = await to_thread.run_sync(distinct.add, list(by_key))
        keys = [key for key, first in zip(by_key, is_first, strict=True) if first]
        counts["repeated"] += len(usable) - len(keys)

        judged = {} if job.is_fresh else await to_thread.run_sync(engine.ledger.rows, keys)
        open_keys = [key for key in keys if key not in judged or not judged[key].is_complete]
        counts["judged_before"] += len(keys) - len(open_keys)

        reused = await engine.latest_results(open_keys) if job.reuses_rows else {}
        counts["reused"] += len(reused)

        for key in open_keys:
            if key in reused:
                continue
            counts["remaining"] += 1
            # Reservoir sampling (Vitter, algorithm R): every open row has the same chance.
            if len(sample) < most:
                sample.append(by_key[key])
            else:
                place = draw.randrange(counts["remaining"])
                if place < most:
                    sample[place] = by_key[key]
    return TableState(**counts), sample


async def estimated(app: App, job: Job, notify: Notify) -> BatchEstimate:
    """Judge a sample of the open rows, within the limits, and estimate the cost and duration of the whole table.

    Raises:
        SparringError: As ``work.take_part``.
    """
    format_ = format_of(job)
    if format_ is None:
        raise UsageError("Checks by code cost nothing; there is nothing to estimate.")
    async with engine_of(app, job, format_, notify) as engine:
        state, sample = await _table_state(app, job, engine, most=SAMPLED)
        judged = await _judged(engine, sample, job.concurrent_rows)
    return _estimate(job, state, judged)


async def count_rows(app: App, job: Job, notify: Notify) -> TableState:
    """Count the rows of ``job`` in the ledger, without asking. Raises ``SparringError``."""
    format_ = format_of(job)
    if format_ is None:
        raise UsageError("Checks by code keep no answers; there is nothing to reuse.")
    async with engine_of(app, job, format_, notify) as engine:
        state, _ = await _table_state(app, job, engine, most=0)
    return state


async def expected_of(app: App, job: Job, notify: Notify) -> DryRun:
    """Estimate the open rows by the rules of their format, without asking. Raises ``SparringError``."""
    format_ = format_of(job)
    if format_ is None:
        raise UsageError("Checks by code cost nothing and call no model.")
    async with engine_of(app, job, format_, notify) as engine:
        state, sample = await _table_state(app, job, engine, most=SAMPLED)
        requests = [await engine.request(row) for row in sample] or [engine.requests.sample]
    estimate = await to_thread.run_sync(dry_run, format_, requests, app.prompts, app.roster.is_paid, state)
    return estimate.model_copy(update={"first_prompt": "", "notices": engine.requests.sample.notices})


async def _judged(engine: RowEngine, rows: Sequence[BatchRow], at_once: int) -> list[tuple[JudgedRow, float]]:
    """Judge ``rows`` and return the results with the seconds that each took."""
    limiter = anyio.CapacityLimiter(at_once)
    judged: list[tuple[JudgedRow, float]] = []

    async def judge(row: BatchRow) -> None:
        async with limiter:
            began = anyio.current_time()
            (judged_row,) = await engine.judged([row])
            judged.append((judged_row, anyio.current_time() - began))

    with raising_first():
        async with anyio.create_task_group() as group:
            for row in rows:
                group.start_soon(judge, row)
    return judged


def _estimate(job: Job, state: TableState, judged: Sequence[tuple[JudgedRow, float]]) -> BatchEstimate:
    """Extrapolate from the judged rows; rows that a limit refused do not count."""
    paid: list[Spent] = []
    seconds: list[float] = []
    refused: list[str] = []
    at_once = min(job.concurrent_rows, max(state.remaining, 1))
    for row, duration_s in judged:
        if row.result["status"] == PairStatus.NOT_ASKED:
            refused.append(row.result["problem"])
        else:
            paid.append(row.paid)
            seconds.append(duration_s / at_once)
    used = summed(paid)
    left = state.remaining
    return BatchEstimate(
        **state.model_dump(),
        sampled=len(paid),
        calls=_spread([spent.calls for spent in paid], left),
        tokens=None if used.uncounted_calls else _spread([spent.tokens for spent in paid], left),
        cost_usd=None if used.unpriced_calls else _spread([spent.cost_usd for spent in paid], left),
        seconds=_spread(seconds, left),
        spent_calls=used.calls,
        spent_cost_usd=None if used.unpriced_calls else used.cost_usd,
        problem=f"{len(refused)} of the sample were not asked: {refused[0]}" if refused else "",
    )


def _spread(values: Sequence[float], rows: int) -> EstimatedAmount | None:
    """Extrapolate ``values`` to ``rows`` rows: the mean, with a 95 % interval of the sum.

    None if there is no value although rows are left.

    By the normal approximation, with the correction for a sample that is a large part of the whole (Cochran 1977, 2.6).
    """
    if not values:
        return None if rows else EstimatedAmount(mean=0.0, low=0.0, high=0.0)
    average = mean(values)
    error = 0.0
    if rows and len(values) > 1:
        correction = max(0.0, 1 - len(values) / rows)
        error = stdev(values) * math.sqrt(correction / len(values))
    return EstimatedAmount(
        mean=average * rows,
        low=max(0.0, (average - _Z * error) * rows),
        high=(average + _Z * error) * rows,
    )
