"""What turns have cost, counted from what the providers told."""

from collections.abc import Iterable

from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.limits import Spent
from sparring.schema.transcript import Turn


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
