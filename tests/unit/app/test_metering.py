from datetime import UTC, datetime, timedelta

import pytest

from sparring.app.metering import Meter
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.limits import Allowance, Limits, Spent
from sparring.schema.transcript import Ask, TurnKind

NOON = datetime(2026, 2, 28, 12, tzinfo=UTC)
NOTHING = Spent()
MIDNIGHT = datetime(2026, 2, 28, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def answer(tokens: int | None = None, cost_usd: float | None = None) -> Answer:
    """An answer that used that much."""
    usage = Usage(input_tokens=tokens, output_tokens=0, cost_usd=cost_usd)
    return Answer(tool="ann", response="Yes.", duration_ms=1, usage=usage)


def metered(allowance: Allowance, used: Spent = NOTHING, clock: Clock | None = None) -> Meter:
    """A meter of somebody who has used that much today."""

    def used_since(moment: datetime) -> Spent:
        assert moment == MIDNIGHT
        return used

    return Meter(allowance, used_since, clock or Clock())


def test_a_run_gets_what_the_journals_leave_of_the_day() -> None:
    allowance = Allowance(calls_per_day=10, tokens_per_day=1_000, cost_usd_per_day=2)
    meter = metered(allowance, Spent(calls=3, tokens=400, cost_usd=0.5))
    assert meter.left() == Limits(calls=7, tokens=600, cost_usd=1.5)
    assert meter.take() == ""
    meter.note(answer(100, 0.25))
    meter.note(answer())
    meter.note(Failure(tool="ann", code=FailureCode.TIMEOUT, detail="late"))
    assert meter.left() == Limits(calls=6, tokens=500, cost_usd=1.25)


def test_a_run_that_goes_on_may_use_what_is_left_besides_what_it_has_used() -> None:
    meter = metered(Allowance(calls_per_day=10, tokens_per_day=1_000, cost_usd_per_day=2), Spent(calls=9))
    assert meter.left(Spent(calls=5, tokens=50, cost_usd=1)) == Limits(calls=6, tokens=1_050, cost_usd=3)


def test_an_allowance_without_budgets_sets_no_limits() -> None:
    meter = metered(Allowance(most_runs=1), Spent(calls=10**6, tokens=10**9, cost_usd=10**4))
    assert meter.left(Spent(calls=5)) == Limits()
    assert meter.take() == ""


@pytest.mark.parametrize(
    ("allowance", "used", "what"),
    [
        (Allowance(calls_per_day=1_000), Spent(calls=1_000), "1,000 calls"),
        (Allowance(tokens_per_day=10), Spent(tokens=10), "10 tokens"),
        (Allowance(cost_usd_per_day=0.5), Spent(cost_usd=0.5), "$0.5"),
    ],
)
def test_nothing_left_is_refused_until_the_next_day(allowance: Allowance, used: Spent, what: str) -> None:
    clock = Clock()
    meter = metered(allowance, used, clock)
    assert meter.take() == f"today's budget of {what} is used up"
    with pytest.raises(UsageError) as refused:
        meter.left()
    assert str(refused.value) == (f"Today's budget of {what} is used up. You have it again at 2026-03-01 00:00 UTC.")
    clock.now += timedelta(hours=12)
    assert meter.take() == ""
    meter.left()


class Inner:
    """A consultant that keeps what it is asked."""

    def __init__(self) -> None:
        self.asked = list[Role]()

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question.brief.role)
        return answer(10)


def test_the_last_call_is_taken_once() -> None:
    meter = metered(Allowance(calls_per_day=2), Spent(calls=1))
    assert [meter.take() for _ in range(3)] == ["", *["today's budget of 2 calls is used up"] * 2]


def question(role: Role) -> Question:
    """Something to be asked in that role."""
    return Question(prompt="Why?", brief=Brief(step="test", topic="Why?", role=role, round=1), timeout_s=1)


def asked_of(tool: str) -> Ask:
    """An ask of that tool."""
    return Ask(
        id="a", kind=TurnKind.OPENING, role=Role.CONSULTANT, round=1, tool=tool, question=question(Role.CONSULTANT)
    )


async def test_a_consultant_is_asked_while_something_is_left_and_code_always() -> None:
    inner, meter = Inner(), metered(Allowance(calls_per_day=2, tokens_per_day=100))
    consultant = meter.metered(lambda _: inner)(asked_of("ann"))
    replies = [await consultant.ask(question(Role.JUDGE)) for _ in range(3)]
    used_up = Failure(tool="ann", code=FailureCode.BUDGET, detail="today's budget of 2 calls is used up")
    assert replies == [answer(10), answer(10), used_up]
    assert inner.asked == [Role.JUDGE, Role.JUDGE]
    assert await consultant.ask(question(Role.VERIFIER)) == answer(10)
    assert inner.asked[2:] == [Role.VERIFIER]


async def test_what_a_call_used_is_not_left_for_the_next() -> None:
    meter = metered(Allowance(tokens_per_day=20))
    consultant = meter.metered(lambda _: Inner())(asked_of("ann"))
    replies = [await consultant.ask(question(Role.JUDGE)) for _ in range(3)]
    used_up = Failure(tool="ann", code=FailureCode.BUDGET, detail="today's budget of 20 tokens is used up")
    assert replies == [answer(10), answer(10), used_up]


def test_only_what_lasts_a_day_is_a_budget() -> None:
    assert not Allowance(most_runs=3).is_budget
    assert Allowance(calls_per_day=1).is_budget
    assert Allowance(tokens_per_day=1).is_budget
    assert Allowance(cost_usd_per_day=1).is_budget
