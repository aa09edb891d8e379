"""Seats, calls and costs of runs that are not started, from their plans."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from sparring.engine.estimate import RunPlan, plan_of
from sparring.engine.format import Format
from sparring.prompts import PromptLibrary
from sparring.schema.base import ToolName
from sparring.schema.dry_run import CallRange, DryRun, SeatAsked, TableState
from sparring.schema.runs import Request


def dry_run(
    format_: Format,
    requests: Sequence[Request],
    prompts: PromptLibrary,
    is_paid: Callable[[ToolName], bool],
    rows: TableState | None = None,
) -> DryRun:
    """Return a dry run of all ``requests`` together, or of as many as ``rows`` are left, of which they are a sample.

    ``is_paid`` tells whether answers of a tool may cost money.
    """
    plans = [plan_of(format_, request, prompts) for request in requests]
    expected = [plan.expected for plan in plans]
    times = rows.remaining / len(plans) if rows else 1
    seats = _seats(plans, times)
    first = next((ask for plan in plans for ask in plan.first), None)
    return DryRun(
        kind=format_.name,
        seats=seats,
        rows=rows,
        calls=CallRange(
            fewest=_total([each.fewest for each in expected], rows, min),
            usual=round(times * sum(each.usual for each in expected)),
            most=_total([each.most for each in expected], rows, max),
        ),
        prompt_tokens=round(times * sum(each.prompt_tokens for each in expected)),
        cost_usd=None if times and any(is_paid(seat.tool) for seat in seats) else 0.0,
        expected_if=format_.expected_if,
        first_prompt=first.question.prompt if first else "",
    )


def _total(each: Sequence[int], rows: TableState | None, extreme: Callable[[Iterable[int]], int]) -> int:
    """Return the sum of ``each``; of a sample, what all rows take that are left if each is as the ``extreme`` one."""
    return rows.remaining * extreme(each) if rows else sum(each)


def _seats(plans: Iterable[RunPlan], times: float) -> tuple[SeatAsked, ...]:
    """Return the seats with their usual numbers of calls, ``times`` those of the plans."""
    counts = Counter[tuple[object, ...]]()
    for plan in plans:
        effort = plan.first[0].question.effort if plan.first else None
        for each in plan.calls:
            counts[each.seat.tool, each.role, each.seat.model, effort] += each.usual
    return tuple(
        SeatAsked.model_validate(
            {"tool": tool, "role": role, "model": model, "effort": effort, "calls": round(count * times)}
        )
        for (tool, role, model, effort), count in counts.items()
        if count
    )
