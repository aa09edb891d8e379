"""What a batch will cost and take, by a sample of its rows that is judged first, and is then judged already."""

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev

import anyio
from anyio import to_thread

from sparring.app import App
from sparring.batch.engine import RowEngine, format_of, rows_of
from sparring.batch.job import Job, rows_in
from sparring.batch.results import Told
from sparring.batch.rows import BatchRow, Columns
from sparring.batch.work import engine_of
from sparring.engine.format import Format
from sparring.errors import UsageError, first_alone
from sparring.schema.batch import BatchEstimate, Spread

SAMPLED = 20
"""Rows that are judged, unless there are fewer."""

_SEED = 1
_Z = 1.96
"""Standard errors to either side of a mean, for 95 %."""


@dataclass
class RowsStanding:
    """How the rows of a table stand before anybody is asked.

    Attributes:
        repeated: That say the same as one before them, which is judged for both.
        judged_before: Under these settings, and not to be asked anew; ``reused`` under others, and taken where that is
            asked for.
        left: That will be asked.
        sample: Some of these, each as probable as any other.
    """

    rows: int = 0
    rejected: int = 0
    repeated: int = 0
    judged_before: int = 0
    reused: int = 0
    left: int = 0
    sample: list[BatchRow] = field(default_factory=list[BatchRow])


async def _standing(engine: RowEngine, job: Job, blocks: Iterable[Sequence[BatchRow]], *, most: int) -> RowsStanding:
    """How the rows of ``blocks`` stand in the ledger, with a sample of ``most`` of those that are left."""
    found, draw = RowsStanding(), random.Random(_SEED)  # noqa: S311 -- the same sample every time
    source, met = iter(blocks), set[int]()
    while (block := await to_thread.run_sync(next, source, None)) is not None:
        rows = [row for row in engine.named(block) if not row.problem]
        keys = {key: row for row in rows if hash(key := engine.key(row)) not in met}
        met.update(map(hash, keys))
        filed = {} if job.is_fresh else await to_thread.run_sync(engine.ledger.filed, list(keys))
        left = {key: row for key, row in keys.items() if key not in filed or not filed[key].is_complete}
        alike = await engine.alike(left.keys()) if job.reuses_rows else {}
        found.rows += len(block)
        found.rejected += len(block) - len(rows)
        found.repeated += len(rows) - len(keys)
        found.judged_before += len(keys) - len(left)
        found.reused += len(alike)
        for key, row in left.items():
            if key in alike:
                continue
            found.left += 1
            if len(found.sample) < most:
                found.sample.append(row)
            elif (place := draw.randrange(found.left)) < most:  # reservoir sampling (Vitter, algorithm R)
                found.sample[place] = row
    return found


async def estimated(app: App, job: Job, most: int = SAMPLED) -> BatchEstimate:
    """Judge a sample of the rows that are left, and say what the whole will cost and take.

    Raises:
        SparringError: As ``work.hold``.
    """
    format_ = format_of(job)
    if format_ is None:
        raise UsageError("Checks by code cost nothing; there is nothing to estimate.")
    async with engine_of(app, job, format_) as engine:
        found = await _standing(engine, job, _blocks(app, job, format_), most=most)
        judged = await _judged(engine, found.sample, job.side_by_side)
    return _estimate(job, found, judged)


async def looked_over(app: App, job: Job) -> RowsStanding:
    """How the rows of ``job`` stand; nobody is asked. Raises ``SparringError``."""
    format_ = format_of(job)
    if format_ is None:
        raise UsageError("Checks by code keep no answers; there is nothing to reuse.")
    async with engine_of(app, job, format_) as engine:
        return await _standing(engine, job, _blocks(app, job, format_), most=0)


def _blocks(app: App, job: Job, format_: Format) -> Iterator[list[BatchRow]]:
    return rows_in(job, Columns(rows_of(format_).fields, job.columns), app.settings.cwd)


async def _judged(engine: RowEngine, rows: Sequence[BatchRow], at_once: int) -> list[tuple[Told, float]]:
    """What comes of ``rows``, and the seconds that each took."""
    room, came = anyio.CapacityLimiter(at_once), list[tuple[Told, float]]()

    async def judge(row: BatchRow) -> None:
        async with room:
            began = anyio.current_time()
            (told,) = await engine.judged([row])
            came.append((told, anyio.current_time() - began))

    with first_alone():
        async with anyio.create_task_group() as group:
            for row in rows:
                group.start_soon(judge, row)
    return came


def _estimate(job: Job, found: RowsStanding, judged: Sequence[tuple[Told, float]]) -> BatchEstimate:
    paid = [told.paid for told, _ in judged]
    unpriced = sum(each.unpriced_calls for each in paid)
    seconds = _spread([taken / min(job.side_by_side, max(found.left, 1)) for _, taken in judged], found.left)
    calls = _spread([each.calls for each in paid], found.left)
    return BatchEstimate(
        rows=found.rows,
        rejected=found.rejected,
        repeated=found.repeated,
        judged_before=found.judged_before,
        reused=found.reused,
        left=found.left,
        sampled=len(judged),
        calls=calls,
        tokens=_spread([each.tokens for each in paid], found.left),
        cost_usd=None if unpriced else _spread([each.cost_usd for each in paid], found.left),
        seconds=seconds,
        spent_cost_usd=sum(each.cost_usd for each in paid),
    )


def _spread(values: Sequence[float], rows: int) -> Spread:
    """What ``rows`` come to that are like those of ``values``: the mean, and 95 % of what the whole may be.

    By the normal approximation, with the correction for a sample that is a large part of the whole (Cochran 1977, 2.6).
    """
    if not values:
        return Spread(mean=0.0, low=0.0, high=0.0)
    left = max(0.0, 1 - len(values) / rows) if rows else 0.0
    error = stdev(values) * math.sqrt(left / len(values)) if len(values) > 1 else 0.0
    return Spread(
        mean=mean(values) * rows,
        low=max(0.0, (mean(values) - _Z * error) * rows),
        high=(mean(values) + _Z * error) * rows,
    )
