"""Money, calls and tokens of a whole batch: what its workers know of it together, and what each may use by itself.

A worker takes a little at a time, uses it, tells what it used when it needs more, and returns the rest when it ends.
When all is used up, rows that have begun are finished and no further one begins: so the limit may be passed by what the
rows under way cost, and by no more. A row begins only if what is left is enough, by what a row has cost so far, for all
that are under way. A worker that is gone without having told is taken to have used all that it held.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Self

import anyio

from sparring.batch.allowances import LEASE_S, Home, SharedRecord
from sparring.batch.job import LimitRules
from sparring.schema.base import Record
from sparring.schema.consultation import Failure, Reply, Usage


class Amounts(Record):
    """So much of each of the three."""

    cost_usd: float = 0.0
    calls: float = 0.0
    tokens: float = 0.0

    @property
    def each(self) -> tuple[float, float, float]:
        """The three, in their order."""
        return self.cost_usd, self.calls, self.tokens

    @classmethod
    def of(cls, each: Iterable[float]) -> Self:
        """The amounts that are ``each``, in their order."""
        cost_usd, calls, tokens = each
        return cls(cost_usd=cost_usd, calls=calls, tokens=tokens)

    def plus(self, other: "Amounts", times: float = 1.0) -> "Amounts":
        """The sum of this and so many times the other."""
        return self.of(mine + times * its for mine, its in zip(self.each, other.each, strict=True))


NOTHING = Amounts()


Ceiling = tuple[float, float, float]
"""What the whole batch may use, in the order of ``Amounts``; infinity where there is no limit."""


def ceiling_of(rules: LimitRules) -> Ceiling:
    """What ``rules`` say."""
    cost_usd, calls, tokens = rules.max_cost_usd, rules.max_calls, rules.max_tokens
    return cost_usd or math.inf, calls or math.inf, tokens or math.inf


class Lease(Record):
    """What a worker may use by itself, and has not told that it did."""

    left: Amounts = Amounts()
    until: float = 0.0


class BudgetRecord(SharedRecord):
    """What the whole batch has used.

    Attributes:
        used: What workers have told.
        leases: What each living worker may use by itself.
        lost: Leases of workers that are gone: whether they were used is not known, so they count as used.
    """

    used: Amounts = Amounts()
    leases: Mapping[str, Lease] = {}
    lost: Mapping[str, Amounts] = {}

    def without(self, ended: frozenset[str]) -> Self:
        """See ``SharedRecord``: their leases have expired."""
        leases = {
            name: lease.model_copy(update={"until": 0.0}) if name in ended else lease
            for name, lease in self.leases.items()
        }
        return self.model_copy(update={"leases": leases})


@dataclass(frozen=True)
class Report:
    """What a worker has used since it last told, and what it would like to have for the rows that it works on."""

    worker: str
    used: Amounts = NOTHING
    wanted: Amounts = NOTHING


_A_LITTLE = 8
"""A worker takes this part of what is left, divided by the number of workers."""

DUST = 1e-9
"""What is left over where amounts are added and taken away: nothing can be had for it."""


def draw_budget(record: BudgetRecord, now: float, *, ceiling: Ceiling, report: Report) -> tuple[BudgetRecord, Amounts]:
    """Note what was used, and fill up what the worker may use by itself for ``LEASE_S``; tells how much that is.

    Nothing is told of what has no limit.
    """
    record = _reported(record, now, report)
    held = [lease.left.each for lease in record.leases.values()]
    lost = [amounts.each for amounts in record.lost.values()]
    gone = [sum(each) for each in zip(record.used.each, *held, *lost, strict=True)]
    part = _A_LITTLE * (len(held) + 1)
    left = Amounts.of(
        0.0 if math.isinf(limit) or limit - used < DUST else min(limit - used, max((limit - used) / part, wanted))
        for limit, used, wanted in zip(ceiling, gone, report.wanted.each, strict=True)
    )
    leases = {**record.leases, report.worker: Lease(left=left, until=now + LEASE_S)}
    return record.model_copy(update={"leases": leases}), left


def close_budget(record: BudgetRecord, now: float, *, report: Report) -> tuple[BudgetRecord, BudgetRecord]:
    """Note what was used by a worker that ends: the rest of its lease is everybody's again. Tells the whole."""
    record = _reported(record, now, report)
    return record, record


def begin_budget(record: BudgetRecord, now: float) -> tuple[BudgetRecord, BudgetRecord]:
    """Begin to count, unless workers live that have begun: a limit is for all that are at work at the same time."""
    record = record if _living(record, now) else BudgetRecord()
    return record, record


def _reported(record: BudgetRecord, now: float, report: Report) -> BudgetRecord:
    """``record`` with that report, without a lease of whom it is from, and with those that expired counted as lost."""
    living = _living(record, now)
    gone = {name: lease.left for name, lease in record.leases.items() if name not in living}
    return BudgetRecord(
        used=record.used.plus(report.used),
        leases={name: lease for name, lease in living.items() if name != report.worker},
        # Who was only slow tells now what it used.
        lost={name: left for name, left in {**record.lost, **gone}.items() if name != report.worker},
    )


def _living(record: BudgetRecord, now: float) -> Mapping[str, Lease]:
    return {name: lease for name, lease in record.leases.items() if lease.until > now}


class WorkerBudget:
    """What one worker knows of the limits of the whole batch."""

    def __init__(self, home: Home, name: str, ceiling: Ceiling, worker: str) -> None:
        self._home = home
        self._name = name
        self._ceiling = ceiling
        self._worker = worker
        self._left = NOTHING
        self._untold = self._whole = NOTHING
        self._rows, self._ended_rows = 0, 0
        self._queue = anyio.Lock(fast_acquire=True)
        self._renewing = anyio.Lock(fast_acquire=True)
        self._row_ended = anyio.Event()

    def note(self, reply: Reply) -> None:
        """Count a reply. What failed is a call too; what an answer does not tell is not counted."""
        usage = Usage() if isinstance(reply, Failure) else reply.usage
        used = Amounts(cost_usd=usage.cost_usd or 0.0, calls=1, tokens=usage.tokens or 0)
        self._untold, self._whole = self._untold.plus(used), self._whole.plus(used)

    async def begin_row(self) -> str:
        """Wait until a row may begin; tells nothing then, and else the sentence that says why none begins any more."""
        if all(map(math.isinf, self._ceiling)):
            self._rows += 1
            return ""
        async with self._queue:
            while not self._has_room():
                await self.renew(rows=self._rows + 1)
                if self._has_room():
                    break
                if not self._rows:
                    return self._used_up()
                self._row_ended = anyio.Event()
                await self._row_ended.wait()
            self._rows += 1
            return ""

    def end_row(self) -> None:
        """A row that had begun is at its end, whichever."""
        self._rows -= 1
        self._ended_rows += 1
        self._row_ended.set()

    async def renew(self, rows: int | None = None) -> None:
        """Tell what was used, and fill up what may be used for so many rows (default: those under way)."""
        async with self._renewing:
            wanted = NOTHING.plus(self._row_mean(), self._rows if rows is None else rows)
            report = Report(self._worker, self._untold, wanted)
            self._untold = self._left = NOTHING
            operation = partial(draw_budget, ceiling=self._ceiling, report=report)
            self._left = await self._home.change(BudgetRecord, self._name, operation)

    async def begin(self) -> BudgetRecord:
        """Begin to count, unless others of the same batch are at work."""
        return await self._home.change(BudgetRecord, self._name, begin_budget)

    async def close(self) -> BudgetRecord:
        """Return what was not used; tells what the whole batch has used."""
        report = Report(self._worker, self._untold)
        self._untold = self._left = NOTHING
        return await self._home.change(BudgetRecord, self._name, partial(close_budget, report=report))

    def _row_mean(self) -> Amounts:
        return NOTHING.plus(self._whole, 1 / self._ended_rows) if self._ended_rows else NOTHING

    def _lefts(self) -> list[float]:
        limited = zip(self._ceiling, self._left.each, self._untold.each, strict=True)
        return [math.inf if math.isinf(limit) else left - used for limit, left, used in limited]

    def _has_room(self) -> bool:
        wanted = self._row_mean().each
        return all(
            left > DUST and (not self._rows or left >= mean * (self._rows + 1))
            for left, mean in zip(self._lefts(), wanted, strict=True)
        )

    def _used_up(self) -> str:
        cost_usd, calls, tokens = self._ceiling
        shown = (f"${cost_usd:g}", f"{calls:g} calls", f"{tokens:.0f} tokens")
        which = next(name for name, left in zip(shown, self._lefts(), strict=True) if left <= DUST)
        return f"The limit of {which} is used up."
