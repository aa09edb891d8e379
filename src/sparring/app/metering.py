"""What somebody who shares a server may still use today, held against all runs that are under way together.

A run gets what is left as its own limits, so that it can be refused before it begins and says why it stopped. Two runs
that begin at once get the same rest; so each call is counted again, by the meter, at the moment when it is made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sparring.consult import Consultant
from sparring.errors import UsageError
from sparring.schema.base import Role, ToolName, utc_now
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from sparring.schema.limits import Allowance, Limits, Spent
from sparring.schema.transcript import Ask


@dataclass
class _Day:
    """What has been used on the day that begins with ``midnight``."""

    midnight: datetime
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0


class Meter:
    """What is left of an allowance. Nothing here waits, so no two calls can take the same last one.

    ``used_since`` tells once what was used before: every run asks for what is left first.
    """

    def __init__(
        self, allowance: Allowance, used_since: Callable[[datetime], Spent], now: Callable[[], datetime] = utc_now
    ) -> None:
        self._allowance = allowance
        self._used_since = used_since
        self._now = now
        self._day: _Day | None = None

    def left(self, used: Spent | None = None) -> Limits:
        """The limits of a run that begins now; of one that goes on, what it has ``used`` before is added.

        Raises:
            UsageError: Nothing is left; says when there will be.
        """
        if refusal := self._refusal():
            again = f"{self._today().midnight + timedelta(days=1):%Y-%m-%d %H:%M} UTC"
            raise UsageError(f"{refusal[0].upper()}{refusal[1:]}.", hint=f"You have it again at {again}.")
        today, most, used = self._today(), self._allowance, used or Spent()
        return Limits(
            calls=None if most.calls_per_day is None else most.calls_per_day - today.calls + used.calls,
            tokens=None if most.tokens_per_day is None else most.tokens_per_day - today.tokens + used.tokens,
            cost_usd=None if most.cost_usd_per_day is None else most.cost_usd_per_day - today.cost_usd + used.cost_usd,
        )

    def take(self) -> str:
        """Count a call that is about to be made; or say why it may not be made, and count nothing."""
        refusal = self._refusal()
        if not refusal:
            self._today().calls += 1
        return refusal

    def note(self, reply: Reply) -> None:
        """Count what a call has used."""
        if isinstance(reply, Answer):
            usage, today = reply.usage, self._today()
            today.tokens += usage.tokens or 0
            today.cost_usd += usage.cost_usd or 0.0

    def metered(self, consultant: Callable[[Ask], Consultant]) -> Callable[[Ask], Consultant]:
        """The same consultants, each asked only while something is left."""
        return lambda ask: _MeteredConsultant(consultant(ask), ask.tool, self)

    def _refusal(self) -> str:
        today, most = self._today(), self._allowance
        if most.calls_per_day is not None and today.calls >= most.calls_per_day:
            return f"today's budget of {most.calls_per_day:,} calls is used up"
        if most.tokens_per_day is not None and today.tokens >= most.tokens_per_day:
            return f"today's budget of {most.tokens_per_day:,} tokens is used up"
        if most.cost_usd_per_day is not None and today.cost_usd >= most.cost_usd_per_day:
            return f"today's budget of ${most.cost_usd_per_day:g} is used up"
        return ""

    def _today(self) -> _Day:
        midnight = _midnight(self._now())
        if self._day is None:
            # Not before a run begins: reading the journals takes its time, and ``left`` is asked in another thread.
            used = self._used_since(midnight)
            self._day = _Day(midnight, used.calls, used.tokens, used.cost_usd)
        elif midnight > self._day.midnight:
            self._day = _Day(midnight)
        return self._day


class _MeteredConsultant:
    def __init__(self, inner: Consultant, tool: ToolName, meter: Meter) -> None:
        self._inner = inner
        self._tool = tool
        self._meter = meter

    async def ask(self, question: Question) -> Reply:
        """Ask the inner consultant, or fail as a run does whose limit is used up; code costs nothing."""
        if question.brief.role is Role.VERIFIER:
            return await self._inner.ask(question)
        if refusal := self._meter.take():
            return Failure(tool=self._tool, code=FailureCode.BUDGET, detail=refusal)
        reply = await self._inner.ask(question)
        self._meter.note(reply)
        return reply


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
