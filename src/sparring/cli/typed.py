"""What was typed beside the question: limits and context, made into what the use cases take."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sparring.app import ContextWish
from sparring.cli.piped import Piped, all_input, piped_input
from sparring.cli.printing import say
from sparring.errors import UsageError
from sparring.schema.context import ContextPart
from sparring.schema.limits import Limits

_STDIN = "stdin"
"""The context that waits for standard input."""

_SILENT = (
    "[WARN] Standard input is an open pipe that says nothing, and was not waited for any longer; "
    "`--context stdin` waits for it."
)
_MOST_KIB = 2048
"""Prompts of 1 MiB are known to arrive whole with every tool."""


@dataclass(frozen=True)
class Budget:
    """The limits as they were typed."""

    calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    wall_s: float | None = None

    def limits(self) -> Limits:
        """The limits as a record; raises ``UsageError``."""
        if not all(amount is None or 0 < amount < math.inf for amount in (self.cost_usd, self.wall_s)):
            raise UsageError("--max-cost and --max-time must be greater than 0, and finite.")
        if not all(count is None or count >= 1 for count in (self.calls, self.tokens)):
            raise UsageError("--max-calls and --max-tokens must be 1 or more.")
        return Limits(calls=self.calls, tokens=self.tokens, cost_usd=self.cost_usd, wall_s=self.wall_s)


@dataclass(frozen=True)
class Given:
    """The context as it was typed."""

    spellings: Sequence[str]
    limit_kib: int
    secrets_allowed: bool

    def wish(self, argument: str) -> ContextWish:
        """The context with what is piped in; ``argument`` is the question, which may be standard input itself.

        Raises:
            UsageError: The limit makes no sense, or standard input cannot be used.
        """
        if not 1 <= self.limit_kib <= _MOST_KIB:
            raise UsageError(f"--context-limit must be 1 to {_MOST_KIB:,} KiB; it is {self.limit_kib:,}.")
        return ContextWish(
            spellings=tuple(spelling for spelling in self.spellings if spelling != _STDIN),
            piped=_piped(argument, wanted=_STDIN in self.spellings),
            limit_bytes=self.limit_kib * 1024,
            secrets_allowed=self.secrets_allowed,
        )


def _piped(argument: str, *, wanted: bool) -> ContextPart | None:
    """What is piped in beside a question; None when nothing is, or when it is the question."""
    if argument == "-":
        if wanted:
            raise UsageError("Standard input cannot be both the question and its context.")
        return None
    piped = Piped(all_input()) if wanted else piped_input()
    if piped.is_silent:
        say(_SILENT)
    if not piped.text.strip():
        return None
    return ContextPart(name="standard input", size_bytes=len(piped.text.encode()), text=piped.text)
