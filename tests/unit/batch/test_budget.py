"""Money, calls and tokens of a whole batch, taken a little at a time."""

from typing import Any

import anyio
import pytest

from sparring.batch.allowances import LEASE_S
from sparring.batch.budget import (
    Amounts,
    BudgetRecord,
    Lease,
    Report,
    WorkerBudget,
    begin_budget,
    ceiling_of,
    close_budget,
    draw_budget,
)
from sparring.batch.job import LimitRules
from sparring.schema.consultation import Answer, Failure, FailureCode, Usage
from support.batches import OneProcess

FIVE = ceiling_of(LimitRules(max_cost_usd=5.0))


def usd(amount: float) -> Amounts:
    return Amounts(cost_usd=amount)


def answer(cost_usd: float | None, tokens: int | None = None) -> Answer:
    usage = Usage(input_tokens=tokens, output_tokens=None if tokens is None else 0, cost_usd=cost_usd)
    return Answer(tool="mine", response="Yes.", duration_ms=1, usage=usage)


def test_what_somebody_held_who_is_known_to_have_died_counts_as_used_and_keeps_nobody_waiting() -> None:
    record, _ = draw_budget(BudgetRecord(), 0.0, ceiling=FIVE, report=Report("dead", wanted=usd(1.0)))
    held = record.leases["dead"].left
    assert begin_budget(record.without(frozenset({"dead"})), 1.0)[0] == BudgetRecord()
    after, _ = close_budget(record.without(frozenset({"dead"})), 1.0, report=Report("other"))
    assert (after.lost, after.leases) == ({"dead": held}, {})


def budgets(rules: LimitRules, count: int = 1) -> list[WorkerBudget]:
    """Those of so many workers on one record, with a clock that stands still."""
    home, ceiling = OneProcess(lambda: 1000.0), ceiling_of(rules)
    return [WorkerBudget(home, "budget", ceiling, str(number)) for number in range(count)]


@pytest.mark.parametrize(("workers", "at_once", "cost_usd"), [(1, 1, 0.01), (1, 64, 0.01), (4, 16, 0.05), (3, 8, 2.0)])
async def test_the_limit_is_used_and_passed_by_no_more_than_what_the_rows_under_way_cost(
    workers: int, at_once: int, cost_usd: float
) -> None:
    refusals, totals = list[str](), list[BudgetRecord]()

    async def rows(budget: WorkerBudget) -> None:
        while not (refusal := await budget.begin_row()):
            for _ in range(2):
                await anyio.lowlevel.checkpoint()
                budget.note(answer(cost_usd / 2))
            budget.end_row()
        refusals.append(refusal)

    async def work(budget: WorkerBudget) -> None:
        async with anyio.create_task_group() as group:
            for _ in range(at_once):
                group.start_soon(rows, budget)
        totals.append(await budget.close())

    async with anyio.create_task_group() as group:
        for budget in budgets(LimitRules(max_cost_usd=5), workers):
            group.start_soon(work, budget)
    assert set(refusals) == {"The limit of $5 is used up."}
    assert 5 - cost_usd * workers <= totals[-1].used.cost_usd <= 5 + cost_usd * workers * at_once
    assert totals[-1].leases == {}


@pytest.mark.parametrize(
    ("limit", "said"),
    [({"max_cost_usd": 0.5}, "$0.5"), ({"max_calls": 3}, "3 calls"), ({"max_tokens": 250}, "250 tokens")],
)
async def test_each_kind_of_limit_says_which_is_used_up(limit: dict[str, Any], said: str) -> None:
    (budget,) = budgets(LimitRules(**limit))
    for _ in range(3):
        assert await budget.begin_row() == ""
        budget.note(answer(0.2, 100))
        budget.end_row()
    assert await budget.begin_row() == f"The limit of {said} is used up."


async def test_what_is_not_told_is_not_counted_and_a_failure_is_a_call() -> None:
    (budget,) = budgets(LimitRules())
    late = Failure(tool="mine", code=FailureCode.TIMEOUT, detail="Late.")
    for reply in (answer(None), answer(0.5, 10), late, late):
        budget.note(reply)
    assert await budget.close() == BudgetRecord(used=Amounts(cost_usd=0.5, calls=4, tokens=10))


async def test_a_row_that_would_not_be_paid_for_waits_for_those_under_way() -> None:
    (budget,) = budgets(LimitRules(max_cost_usd=1))
    begun = list[str]()

    async def begin() -> None:
        begun.append(await budget.begin_row())

    await begin()
    budget.note(answer(0.4))
    budget.end_row()
    await begin()
    async with anyio.create_task_group() as group:
        group.start_soon(begin)
        await anyio.wait_all_tasks_blocked()
        assert begun == ["", ""]
        budget.note(answer(0.1))
        budget.end_row()
    assert begun == ["", "", ""]


def test_a_worker_that_dies_is_taken_to_have_used_what_it_held_until_it_comes_back() -> None:
    record, left = draw_budget(BudgetRecord(), 0.0, ceiling=FIVE, report=Report("a", wanted=usd(3.0)))
    assert left == usd(3.0)
    late = LEASE_S + 1
    record, left = draw_budget(record, late, ceiling=FIVE, report=Report("b", wanted=usd(9.0)))
    assert (left, record.lost) == (usd(2.0), {"a": usd(3.0)})
    record, _ = draw_budget(record, late, ceiling=FIVE, report=Report("a", used=usd(1.0)))
    assert (record.used, record.lost, record.leases["b"]) == (usd(1.0), {}, Lease(left=usd(2.0), until=late + LEASE_S))
    record, _ = close_budget(record, late, report=Report("b", used=usd(0.5)))
    assert (record.used, set(record.leases)) == (usd(1.5), {"a"})
