"""Consultants in front of others: one asks again after a failure that passes, one asks somebody else after another.

Whatever is asked, over whichever transport, is asked again here alone. A program has asked the model several times
itself before it gives up, so that one more attempt is enough there.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import anyio

from sparring.providers import Consultant
from sparring.schema.base import RepoAccess, ToolName
from sparring.schema.consultation import DETAIL_LIMIT, Failure, Question, Reply
from sparring.text.tidying import one_line


@dataclass(frozen=True)
class Retries:
    """How often and how patiently.

    The wait is drawn evenly from nothing to a bound that doubles ("full jitter"), so that those who failed together do
    not come back together. A wait that the provider asks for is kept to, and the draw comes on top.

    Attributes:
        tries: The first one included.
        first_s: Bound of the first wait.
        longest_s: What the bound does not grow beyond.
        draw: Gives a number from 0 to 1.
    """

    tries: int = 3
    first_s: float = 2.0
    longest_s: float = 60.0
    draw: Callable[[], float] = random.random

    def wait_s(self, tried: int, told_s: float | None = None) -> float | None:
        """Seconds to wait when ``tried`` tries have failed; None when that was enough of them."""
        if tried >= self.tries:
            return None
        return (told_s or 0.0) + self.draw() * min(self.longest_s, self.first_s * 2 ** (tried - 1))


OF_PROGRAMS = Retries(tries=2, first_s=15.0)
"""For who has tried several times already."""

OF_APIS = Retries()

Repeated = Callable[[Failure, float, ToolName], None]
"""Is told why an ask is put again, in how many seconds, and to whom."""


def untold(_failure: Failure, _wait_s: float, _whom: ToolName) -> None:
    """Tells nobody."""


class WaitingConsultant(Consultant, Protocol):
    """A consultant that lets a question wait for its turn before it is put.

    Attributes:
        waited_s: Seconds that questions have waited so in all: they are not the question's time.
    """

    waited_s: float


class RetryingConsultant:
    """Asks again after a failure that passes: within the question's time, and within that of whoever asks.

    ``waited_s`` tells how many seconds questions have waited for their turn so far, if they do.
    """

    def __init__(
        self,
        inner: Consultant,
        retries: Retries,
        repeated: Repeated,
        waited_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._inner = inner
        self._retries = retries
        self._repeated = repeated
        self._waited_s = waited_s

    async def ask(self, question: Question) -> Reply:
        """The first answer or final failure, or the last failure that there was time for."""
        began, tried, time_s, waited_s = anyio.current_time(), 0, question.timeout_s, self._waited_s()
        while True:
            reply = await self._inner.ask(question)
            tried += 1
            now = anyio.current_time()
            ends = began + time_s + self._waited_s() - waited_s
            if tried > 1:
                reply = reply.model_copy(update={"duration_ms": round((now - began) * 1000)})
            if not isinstance(reply, Failure):
                return reply
            wait_s = self._retries.wait_s(tried, reply.retry_after_s) if reply.retryable else None
            reply = reply.model_copy(update={"retry_after_s": None})
            if wait_s is None or now + wait_s >= min(ends, anyio.current_effective_deadline()):
                return reply
            self._repeated(reply, wait_s, reply.tool)
            await anyio.sleep(wait_s)
            if (left_s := ends - anyio.current_time()) <= 0:  # a busy machine sleeps longer
                return reply
            question = question.model_copy(update={"timeout_s": left_s})


@dataclass(frozen=True)
class StandIn:
    """Who may answer in another's place.

    Attributes:
        may_read: Whether files of the project may be opened, where the other may; it is asked for no seat of its own.
    """

    consultant: Consultant
    name: ToolName
    may_read: bool = False


class SubstitutingConsultant:
    """Asks the stand-in where ``inner`` fails for good, and says so in the answer.

    A session goes on with the tool that holds it, or not at all.
    """

    def __init__(self, inner: Consultant, stand_in: StandIn, repeated: Repeated) -> None:
        self._inner = inner
        self._stand_in = stand_in
        self._repeated = repeated

    async def ask(self, question: Question) -> Reply:
        """The answer of one of the two, or why there is none of either. Each has the question's time."""
        reply = await self._inner.ask(question)
        if not isinstance(reply, Failure) or question.session_id is not None:
            return reply
        name = self._stand_in.name
        self._repeated(reply, 0.0, name)
        other = await self._stand_in.consultant.ask(self._question(question))
        redactions = max(reply.redactions, other.redactions)
        if isinstance(other, Failure):
            detail = f"{reply.detail.rstrip('.')}; {name} in its place: {other.cause}"
            return reply.model_copy(update={"detail": one_line(detail, DETAIL_LIMIT), "redactions": redactions})
        told = f"{reply.tool} did not answer ({reply.cause}); {name} answered in its place."
        return other.model_copy(update={"warnings": (told, *other.warnings), "redactions": redactions})

    def _question(self, question: Question) -> Question:
        # What it is asked is not written down as asked of it, so nobody could take its answer up.
        changes: dict[str, object] = {"model": None, "keep_session": False, "call": ""}
        if not self._stand_in.may_read:
            changes["repo_access"] = RepoAccess.NONE
        return question.model_copy(update=changes)
