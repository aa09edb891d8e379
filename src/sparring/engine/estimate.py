"""Estimate of a run before it begins: the sum of the calls that its format plans (``Format.plan``).

Only the first prompts are worded and measured. A plan states by how much the later ones are longer.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from sparring.engine.course import Asks
from sparring.engine.format import Format, PlannedCalls
from sparring.prompts import PromptLibrary
from sparring.schema.base import ToolName
from sparring.schema.dry_run import CallRange, DryRun, SeatAsked, TableStanding
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Expected, Request
from sparring.schema.transcript import Transcript


class RunPlan(Struct, frozen=True):
    """Calls that a run is planned to make.

    Attributes:
        first: Its first asks; empty where no tool is asked.
    """

    calls: tuple[PlannedCalls, ...]
    first: Asks

    def tokens(self, calls: PlannedCalls) -> float:
        """Return the tokens of one prompt of ``calls``, by a rule of thumb."""
        first = sum(len(ask.question.prompt) for ask in self.first) / max(1, len(self.first))
        return (calls.whole or first + calls.added) / CHARACTERS_PER_TOKEN

    @property
    def expected(self) -> Expected:
        """Range of the calls, and the tokens of their prompts."""
        return Expected(
            fewest=sum(each.fewest for each in self.calls),
            usual=sum(each.usual for each in self.calls),
            most=sum(each.most for each in self.calls),
            least_tokens=round(sum(each.fewest * self.tokens(each) for each in self.calls)),
            prompt_tokens=round(sum(each.usual * self.tokens(each) for each in self.calls)),
        )


def plan_of(format_: Format, request: Request, prompts: PromptLibrary) -> RunPlan:
    """Return the plan of a run of ``request``."""
    calls = tuple(format_.plan(request))
    first = format_.rules(request, prompts).next(Transcript()) if calls else ()
    return RunPlan(calls, first if isinstance(first, tuple) else ())


def dry_run(
    format_: Format,
    requests: Sequence[Request],
    prompts: PromptLibrary,
    is_paid: Callable[[ToolName], bool],
    rows: TableStanding | None = None,
) -> DryRun:
    """Return a dry run of all ``requests`` together, or of as many as ``rows`` are left, of which they are a sample.

    ``is_paid`` tells whether answers of a tool may cost money.
    """
    plans = [plan_of(format_, request, prompts) for request in requests]
    expected = [plan.expected for plan in plans]
    times = rows.left / len(plans) if rows else 1
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


def _total(each: Sequence[int], rows: TableStanding | None, extreme: Callable[[Iterable[int]], int]) -> int:
    """Return the sum of ``each``; of a sample, what all rows take that are left if each is as the ``extreme`` one."""
    return rows.left * extreme(each) if rows else sum(each)


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
