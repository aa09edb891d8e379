"""What was read for a request, and how much of it there may be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.errors import UsageError
from sparring.reports.runs import byte_size, context_sizes
from sparring.schema.context import ContextPart, ContextSize
from sparring.text.redaction import Redactor

_BIGGEST_SHOWN = 3


@dataclass(frozen=True)
class Material:
    """The parts without their secrets, how many those were, and what the user should know."""

    parts: tuple[ContextPart, ...] = ()
    redactions: int = 0
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Read:
    """A part before it is known whether all fit together.

    Attributes:
        text: Empty when the part alone does not fit.
        is_broken_off: Whether it was not read to its end, so that ``size_bytes`` is only the least that it can be.
    """

    name: str
    size_bytes: int
    text: str
    notices: tuple[str, ...] = ()
    is_broken_off: bool = False


def harmless(read: Iterable[Read], redactor: Redactor) -> Material:
    """What was read without its secrets."""
    parts: list[ContextPart] = []
    notices: list[str] = []
    redactions = 0
    for part in read:
        text, name = redactor.redact(part.text), redactor.redact(part.name)
        redactions += text.count + name.count
        parts.append(ContextPart(name=name.text, size_bytes=part.size_bytes, text=text.text))
        notices += part.notices
    return Material(tuple(parts), redactions, tuple(notices))


def too_much(called: str, option: str, read: Sequence[Read], limit: int) -> UsageError:
    """That all that was read has more than ``limit`` bytes; ``option`` raises it."""
    biggest = sorted(read, key=lambda part: -part.size_bytes)[:_BIGGEST_SHOWN]
    named = context_sizes([ContextSize(name=part.name, size_bytes=part.size_bytes) for part in biggest])
    total = byte_size(sum(part.size_bytes for part in read))
    least = "more than " if any(part.is_broken_off for part in read) else ""
    return UsageError(
        f"The {called} has {least}{total}; the limit is {byte_size(limit)}. Biggest: {named}.",
        hint=f"Leave something out, or raise it on the command line with {option}.",
    )
