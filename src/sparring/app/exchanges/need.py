"""Upper bounds of the cost of an exchange or a run, as far as they are known before it is asked.

The length and the price of an answer are not known in advance. One and a half times the largest observed for a tool and
model is reserved; where a limit has no room for the half, the largest alone. Before the first answer, one question
goes first and the others wait for it.
"""

import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from msgspec import Struct, field

from sparring.schema.consultation import Answer, Reply
from sparring.schema.runs import CHARACTERS_PER_TOKEN
from sparring.store.exchanges.amounts import Amounts, Maximum, micros

_MARGIN = 1.5


class RunNeed(Struct, frozen=True):
    """Calls and tokens that a run needs, by the rules of its format.

    Attributes:
        fewest, most: Calls on the shortest and on the longest course of the run.
        prompt_tokens: Total of all prompts on the shortest course.
    """

    fewest: int = 1
    most: int = 1
    prompt_tokens: int = 0


class _Seen(Struct):
    """Largest usage observed for one tool and model."""

    tokens: int = 0
    cost: int = 0
    answers: int = 0
    first: anyio.Lock = field(default_factory=anyio.Lock)


class Ceilings:
    """Largest usage per answer of each tool so far, in this process."""

    def __init__(self, maximum: Maximum) -> None:
        self._maximum = maximum
        self._seen: dict[tuple[str, str], _Seen] = {}

    def reservation(self, tool: str, model: str, characters: int, margin: float = _MARGIN) -> Amounts:
        """Return the reservation for a prompt of that length; without a margin, the least that is enough."""
        seen = self._of(tool, model)
        tokens = _prompt_tokens(characters) + math.ceil(margin * seen.tokens)
        return self._limited(Amounts(1, tokens, math.ceil(margin * seen.cost)))

    def needed(self, need: RunNeed) -> Amounts:
        """Return the amounts to set aside for a run before it begins."""
        return self._of_calls(need, need.most, _MARGIN)

    def least(self, need: RunNeed) -> Amounts:
        """Return the least amounts with which any verdict is possible."""
        return self._of_calls(need, need.fewest, 1.0)

    def _of_calls(self, need: RunNeed, calls: int, margin: float) -> Amounts:
        largest = max((seen.tokens for seen in self._seen.values()), default=0)
        costliest = max((seen.cost for seen in self._seen.values()), default=0)
        tokens = need.prompt_tokens * calls / max(1, need.fewest) + calls * margin * largest
        return self._limited(Amounts(calls, math.ceil(tokens), math.ceil(calls * margin * costliest)))

    def _limited(self, amounts: Amounts) -> Amounts:
        """Return the part of ``amounts`` that has a limit; a call is counted in any case.

        A limited amount is at least one even if no answer is known yet: otherwise the first question of each start
        would be asked although the limit is used up.
        """
        calls, tokens, cost = self._maximum.each
        return Amounts(
            amounts.calls if calls is not None else min(1, amounts.calls),
            max(1, amounts.tokens) if tokens is not None else 0,
            max(1, amounts.cost) if cost is not None else 0,
        )

    def learn(self, tool: str, model: str, characters: int, reply: Reply) -> None:
        """Record the usage of a reply."""
        if isinstance(reply, Answer):
            seen = self._of(tool, model)
            seen.answers += 1
            seen.tokens = max(seen.tokens, (reply.usage.tokens or 0) - _prompt_tokens(characters))
            seen.cost = max(seen.cost, micros(reply.usage.cost_usd or 0.0))

    @asynccontextmanager
    async def turn(self, tool: str, model: str) -> AsyncGenerator[None]:
        """Let one question go first while no usage is known, and make the others wait for it."""
        seen = self._of(tool, model)
        if seen.answers or (self._maximum.tokens is None and self._maximum.cost is None):
            yield
            return
        async with seen.first:
            if not seen.answers:
                yield
                return
        yield

    def _of(self, tool: str, model: str) -> _Seen:
        seen = self._seen.get((tool, model))
        if seen is None:  # not by ``setdefault``, which would create a lock for each question
            seen = self._seen[tool, model] = _Seen()
        return seen


def _prompt_tokens(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)
