"""What a run may use, what it was thought to use, and what it has used."""

from collections.abc import Iterable

from pydantic import Field

from sparring.schema.base import Record, Role
from sparring.schema.consultation import FailureCode
from sparring.schema.transcript import Turn


class Limits(Record):
    """Most that a run may use; None is no limit.

    A limit on tokens or money counts what the providers tell. What a provider does not tell is unknown, not zero,
    and is reported as such.
    """

    wall_s: float | None = Field(default=None, gt=0)
    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    cost_usd: float | None = Field(default=None, gt=0)


class Spent(Record):
    """What a run has used so far.

    Attributes:
        unpriced_calls: Answers whose provider told no price; with any, ``cost_usd`` is a lower bound.
        uncounted_calls: Answers whose provider told no token counts; with any, ``tokens`` is a lower bound.
    """

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    uncounted_calls: int = 0


CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English; code and other languages take more tokens."""


class Estimate(Record):
    """An estimate from the length of prompts. What a tool adds of its own, and what it answers, is not in it.

    Attributes:
        calls: Consultations, if nothing fails.
        prompt_tokens: Tokens of all prompts together.
    """

    calls: int = Field(ge=1)
    prompt_tokens: int = Field(ge=0)


def spent(turns: Iterable[Turn]) -> Spent:
    """What ``turns`` have used.

    A failed consultation is a call too; an ask that a limit kept from being put is none, nor is a check by code. What
    an answer does not tell is counted as unknown, never as zero.
    """
    calls = tuple(turn for turn in turns if turn.role is not Role.VERIFIER and not _was_refused(turn))
    usages = tuple(turn.answer.usage for turn in calls if turn.answer)
    tokens = tuple(usage.tokens for usage in usages if usage.tokens is not None)
    prices = tuple(usage.cost_usd for usage in usages if usage.cost_usd is not None)
    return Spent(
        calls=len(calls),
        tokens=sum(tokens),
        cost_usd=sum(prices),
        unpriced_calls=len(usages) - len(prices),
        uncounted_calls=len(usages) - len(tokens),
    )


def _was_refused(turn: Turn) -> bool:
    # A consultation that the end of the run's time broke off fails for the same reason, but took its time.
    failure = turn.failure
    return failure is not None and failure.code is FailureCode.BUDGET and failure.duration_ms == 0
