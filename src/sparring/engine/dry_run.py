"""Seats, calls and costs of runs that are not started, from their plans."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from sparring.engine.estimate import RunPlan, plan_of
from sparring.engine.format import Format
from sparring.prompts import PromptLibrary
from sparring.schema.base import Effort, Role, ToolName
from sparring.schema.dry_run import CallRange, DryRun, SeatCalls, TableState
from sparring.schema.runs import Request


def dry_run(
    format_: Format,
    requests: Sequence[Request],
    prompts: PromptLibrary,
    is_paid: Callable[[ToolName], bool],
    rows: TableState | None = None,
) -> DryRun:
    """Return a dry run of all ``requests`` together, or of as many as ``rows`` are left, of which they are a sample.

    Args:
        format_: The format of all requests.
        requests: The requests; not empty.
        prompts: The library of its prompts.
        is_paid: Returns whether answers of a tool may cost money.
        rows: The table that the requests are a sample of; None where they are everything.
    """
    plans = [plan_of(format_, request, prompts) for request in requests]
    expected = [plan.expected for plan in plans]
    fewest, most = [each.fewest for each in expected], [each.most for each in expected]
    if rows is None:
        factor = 1.0
        calls = CallRange(fewest=sum(fewest), usual=sum(each.usual for each in expected), most=sum(most))
    else:
        # The requests are a sample of the rows: each row that is left may be as cheap or as dear as the extreme ones.
        factor = rows.remaining / len(plans)
        calls = CallRange(
            fewest=rows.remaining * min(fewest),
            usual=round(factor * sum(each.usual for each in expected)),
            most=rows.remaining * max(most),
        )
    seats = _seats(plans, factor)
    costs_money = factor > 0 and any(is_paid(seat.tool) for seat in seats)
    first_asks = [ask for plan in plans for ask in plan.first]
    return DryRun(
        kind=format_.name,
        seats=seats,
        rows=rows,
        calls=calls,
        prompt_tokens=round(factor * sum(each.prompt_tokens for each in expected)),
        cost_usd=None if costs_money else 0.0,
        expected_if=format_.expected_if,
        first_prompt=first_asks[0].question.prompt if first_asks else "",
    )


def _seats(plans: Iterable[RunPlan], factor: float) -> tuple[SeatCalls, ...]:
    """Return the seats with their usual numbers of calls, multiplied by ``factor``."""
    counts = Counter[tuple[ToolName, Role, str | None, Effort | None]]()
    for plan in plans:
        effort = plan.first[0].question.effort if plan.first else None
        for calls in plan.calls:
            counts[calls.seat.tool, calls.role, calls.seat.model, effort] += calls.usual
    return tuple(
        SeatCalls(tool=tool, role=role, model=model, effort=effort, calls=round(count * factor))
        for (tool, role, model, effort), count in counts.items()
        if count
    )
