"""What an API has said so far, and what may be wrong with it: the same for every API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

from sparring.schema.consultation import FailureCode


class Stop(StrEnum):
    """Why a model said no more.

    DONE: it had said everything. CUT: a limit of tokens was reached. WITHHELD: it, or a filter, would not say it.
    """

    DONE = "done"
    CUT = "cut"
    WITHHELD = "withheld"


@dataclass(frozen=True)
class Fault:
    """That there is no answer, and why.

    Attributes:
        message: What the provider said about it if it is ``told``, else our own words, to follow the provider's name.
        again: Whether the same may succeed when it is tried once more.
        told_s: Seconds to wait before, if the provider tells.
    """

    code: FailureCode
    message: str
    told: bool = False
    again: bool = False
    told_s: float | None = None


@dataclass
class Heard:
    """An answer as far as it has come.

    Attributes:
        refusal: What the model said instead of an answer.
        stop: Why it said no more, and ``reason`` in the provider's own word.
        usage: What the provider told of it, as it told it.
        complete: Whether the answer is whole, should the stream end now.
        ended: Whether nothing more is to come.
    """

    texts: list[str] = field(default_factory=list[str])
    refusal: str = ""
    model: str | None = None
    stop: Stop = Stop.DONE
    reason: str = ""
    usage: dict[str, Any] = field(default_factory=dict[str, Any])
    fault: Fault | None = None
    complete: bool = False
    ended: bool = False

    @property
    def text(self) -> str:
        """The answer. JSON may have cut a character in two, into halves that no file can hold alone."""
        text = "".join(self.texts)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def stopped(self, reason: str, meanings: Mapping[str, Stop]) -> None:
        """Note the provider's ``reason`` to say no more; one that is not in ``meanings`` is no cause for worry."""
        self.reason = reason
        self.stop = meanings.get(reason, Stop.DONE)

    def fail(self, fault: Fault) -> None:
        """Note that the stream told of a failure: nothing that follows matters."""
        self.fault = fault
        self.ended = True


def count(tokens: object) -> int | None:
    """``tokens`` if it is a number of tokens; what else a provider may put there is no reason to lose its answer."""
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def part(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The part of ``usage`` of that name, which some leave out."""
    found = usage.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
