"""Compare the calls that a run made with the estimate that precedes it."""

from sparring.engine.estimate import RunPlan, plan_of
from sparring.formats.registry import FORMATS
from sparring.schema.base import Role
from sparring.schema.runs import Expected, Request
from support.playing import PROMPTS, Played


def planned(request: Request) -> RunPlan:
    return plan_of(FORMATS[request.kind], request, PROMPTS)


def expected(request: Request) -> Expected:
    return planned(request).expected


def calls(played: Played) -> int:
    """Return how many asks of ``played`` went to a participant, not to code."""
    return sum(turn.role is not Role.VERIFIER for turn in played.transcript.turns)


def check_most(request: Request, played: Played) -> None:
    """Check that ``played`` exceeds the estimate of ``request`` in no step of any seat."""
    plan = planned(request)
    assert 0 <= plan.expected.fewest <= plan.expected.usual <= plan.expected.most
    assert calls(played) <= plan.expected.most
    for role in {turn.role for turn in played.transcript.turns} - {Role.VERIFIER}:
        made = sum(turn.role is role for turn in played.transcript.turns)
        assert made <= sum(each.most for each in plan.calls if each.role is role)
