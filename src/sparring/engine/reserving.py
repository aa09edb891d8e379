"""Limits of a run, held by reservation: an ask is put only where the most that it is likely to use has room.

What asks of the same step use is not known yet when the next one is put, so it is reserved: one call, the tokens of its
prompt, and the longest and dearest answer of the same tool so far with half as much again; where a limit has no room
for the half, without it. Of a tool that has not answered yet only the prompt can be known.
"""

import math
from collections.abc import Iterable

from sparring.schema.base import Role, ToolName
from sparring.schema.consultation import Usage
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Limits, spent
from sparring.schema.transcript import Ask, Turn

_MARGIN = 1.5


class Reserving:
    """The room that ``limits`` leave for the asks of one step, after ``turns``."""

    def __init__(self, limits: Limits, turns: Iterable[Turn]) -> None:
        turns = tuple(turns) if limits.are_any else ()
        used = spent(turns)
        self._limits = limits
        self._used = used
        self._calls, self._tokens, self._cost_usd = used.calls, float(used.tokens), used.cost_usd
        self._seen: dict[ToolName, Usage] = {}
        for turn in turns:
            if turn.answer:
                self._seen[turn.tool] = _larger(self._seen.get(turn.tool, Usage()), turn.answer.usage)

    def refusal(self, ask: Ask) -> str:
        """Return why ``ask`` must not be put; empty where it may: then what it is likely to use is reserved."""
        if ask.role is Role.VERIFIER or not self._limits.are_any:
            return ""  # code costs nothing
        refusal = self._refusal(ask, 1.0)
        if not refusal:
            margin = 1.0 if self._refusal(ask, _MARGIN) else _MARGIN
            tokens, cost_usd = self._need(ask, margin)
            self._calls, self._tokens, self._cost_usd = (
                self._calls + 1,
                self._tokens + tokens,
                self._cost_usd + cost_usd,
            )
        return refusal

    def _refusal(self, ask: Ask, margin: float) -> str:
        limits, (tokens, cost_usd) = self._limits, self._need(ask, margin)
        if limits.calls is not None and self._calls >= limits.calls:
            calls = "1 call" if limits.calls == 1 else f"{limits.calls} calls"
            return f"the run's limit of {calls} is used up"
        if limits.tokens is not None and not _has_room(limits.tokens, self._tokens, tokens):
            return f"the run's limit of {limits.tokens} tokens has no room for this ({self._used.tokens} used so far)"
        if limits.cost_usd is not None and not _has_room(limits.cost_usd, self._cost_usd, cost_usd):
            return (
                f"the run's limit of ${limits.cost_usd:g} has no room for this (${self._used.cost_usd:.4f} used so far)"
            )
        return ""

    def _need(self, ask: Ask, margin: float) -> tuple[float, float]:
        """Tokens and dollars that ``ask`` is likely to use at most, as far as they are known."""
        seen = self._seen.get(ask.tool, Usage())
        prompt = max(math.ceil(len(ask.question.prompt) / CHARACTERS_PER_TOKEN), seen.input_tokens or 0)
        return prompt + margin * (seen.output_tokens or 0), margin * (seen.cost_usd or 0.0)


_ROUNDING = 1e-9
"""Of sums of prices, relative to the limit."""


def _has_room(limit: float, used: float, need: float) -> bool:
    return used < limit and used + need <= limit * (1 + _ROUNDING)


def _larger(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=max(one.input_tokens or 0, other.input_tokens or 0),
        output_tokens=max(one.output_tokens or 0, other.output_tokens or 0),
        cost_usd=max(one.cost_usd or 0.0, other.cost_usd or 0.0),
    )
