"""Consultants that wrap others: one receives answers, one redacts, one retries, one uses a stand-in.

Only this module repeats questions, for every transport. A program has asked its model several times
before it fails, so that one more attempt is enough there.
"""

import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol

import anyio
from anyio.to_thread import run_sync
from msgspec import Struct

from sparring.providers import Consultant
from sparring.providers.receiving.answers import received
from sparring.schema.base import RepoAccess, ToolName
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Brief, Failure, FailureCode, Question, Reply
from sparring.text.redaction import Redactor
from sparring.text.tidying import for_terminal, one_line

_SHORT = 16_384
"""Text of so many characters is searched before it could have been handed to another thread and back."""

_CUT_WORD = re.compile(r"[^\s\"'`<>]*…$")


class ReceivingConsultant:
    """Removes from the answers of another consultant parts that do not belong to them (``receiving.answers``)."""

    def __init__(
        self,
        inner: Consultant,
        failures: Sequence[str] = (),
        family: Callable[[str | None, str | None], str] = lambda _asked, _reported: "",
    ) -> None:
        self._inner = inner
        self._failures = failures
        self._family = family

    async def ask(self, question: Question) -> Reply:
        """Return the reply of the inner consultant; an answer that only explains a failure is a failure."""
        return received(await self._inner.ask(question), self._failures, partial(self._family, question.model))


class RedactingConsultant:
    """Redacts the questions to another consultant and its replies, and counts both in the reply.

    A session id stays unchanged, or the session could not be continued; one that contains a secret is dropped.
    """

    def __init__(self, inner: Consultant, redactor: Redactor) -> None:
        self._inner = inner
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """Put the redacted question to the inner consultant and redact its reply."""
        harmless, count = await self._harmless(question)
        return await self._with_count(await self._inner.ask(harmless), count)

    async def recover(
        self, question: Question, reply_to: Callable[[Question], Awaitable[Reply | None]]
    ) -> Reply | None:
        """As ``ask``, for the reply to a question of an earlier process; None when there is none."""
        harmless, count = await self._harmless(question)
        reply = await reply_to(harmless)
        return reply and await self._with_count(reply, count)

    async def harmless_question(self, question: Question) -> Question:
        """Return ``question`` without secrets, for a caller that asks it in another way."""
        return (await self._harmless(question))[0]

    async def harmless_reply(self, reply: Reply) -> Reply:
        """``reply`` without secrets."""
        return await self._with_count(reply, 0)

    async def _harmless(self, question: Question) -> tuple[Question, int]:
        asked = len(question.prompt) + sum(len(speech.text) for speech in question.brief.speeches)
        if asked <= _SHORT:
            return self._redacted_question(question)
        return await run_sync(self._redacted_question, question)

    async def _with_count(self, reply: Reply, count: int) -> Reply:
        length = len(reply.detail if isinstance(reply, Failure) else reply.response + reply.thought)
        if length <= _SHORT:
            return self._redacted_reply(reply, count)
        with anyio.CancelScope(shield=True):  # the answer is paid for
            reply = await run_sync(self._redacted_reply, reply, count)
        return reply  # noqa: RET504 -- a scope may swallow what passes it, so nothing returns from inside

    def _redacted_question(self, question: Question) -> tuple[Question, int]:
        prompt = self._redactor.redact(question.prompt)
        # Not counted: the brief repeats text of the prompt.
        brief = self._without_secrets(question.brief)
        is_kept = prompt.text.startswith(question.prompt[: question.stable])
        stable = question.stable if is_kept else 0
        if brief is question.brief and stable == question.stable and prompt.text == question.prompt:
            return question, 0
        changes = {"prompt": prompt.text, "brief": brief, "stable": stable}
        return question.model_copy(update=changes), prompt.count

    def _redacted_reply(self, reply: Reply, count: int) -> Reply:
        if isinstance(reply, Failure):
            return self._redacted_failure(reply, count)
        return self._redacted_answer(reply, count)

    def _without_secrets(self, brief: Brief) -> Brief:
        texts = [brief.topic, *(speech.text for speech in brief.speeches)]
        topic, *redacted = harmless = [self._redactor.redact(text).text for text in texts]
        if harmless == texts:
            return brief
        pairs = zip(brief.speeches, redacted, strict=True)
        speeches = tuple(speech.model_copy(update={"text": text}) for speech, text in pairs)
        return brief.model_copy(update={"topic": topic, "speeches": speeches})

    def _redacted_answer(self, answer: Answer, count: int) -> Answer:
        response = self._redactor.redact(answer.response)
        thought = self._redactor.redact(answer.thought)
        model = self._redactor.redact(answer.model or "")
        warnings = [self._redactor.redact(warning) for warning in answer.warnings]
        session = self._redactor.redact(answer.session_id or "")
        redacted = (
            response.count + thought.count + model.count + session.count + sum(warning.count for warning in warnings)
        )
        changes = {
            "response": response.text,
            "thought": thought.text,
            "model": model.text or None,
            "warnings": tuple(warning.text for warning in warnings),
            "redactions": answer.redactions + count + redacted,
        }
        if session.count:
            changes |= {"session_id": None, "continuable": False}
        # Validated again, not copied: the result is stored and shown without a further check.
        return Answer.model_validate(dict(answer) | changes)

    def _redacted_failure(self, failure: Failure, count: int) -> Failure:
        detail = for_terminal(failure.detail)  # first, or a secret with an escape sequence inside would pass
        if len(detail) >= DETAIL_LIMIT - 1:
            # A secret that was cut at the limit is no longer recognised, so the cut word goes.
            detail = _CUT_WORD.sub("…", detail)
        redacted = self._redactor.redact(detail)
        changes = {
            "detail": one_line(redacted.text, DETAIL_LIMIT),
            "redactions": failure.redactions + count + redacted.count,
        }
        return Failure.model_validate(dict(failure) | changes)


class Retries(Struct, frozen=True):
    """Number of tries and waiting time between them.

    The wait is drawn evenly from nothing to a bound that doubles ("full jitter"), so that clients that failed together
    do not return together. A wait that the provider demands is kept, and the draw comes on top.

    Attributes:
        tries: The first one included.
        first_s: Bound of the first wait.
        draw: Returns a number from 0 to 1.
    """

    tries: int = 3
    first_s: float = 2.0
    draw: Callable[[], float] = random.random

    def wait_s(self, tried: int, advised_s: float | None = None) -> float | None:
        """Seconds to wait when ``tried`` tries have failed; None when that was enough of them."""
        if tried >= self.tries:
            return None
        return (advised_s or 0.0) + self.draw() * self.first_s * 2 ** (tried - 1)


OF_APIS = Retries()


def of_programs(tries: int) -> Retries:
    """Return how often a program is asked that has asked its model several times itself before it gave up."""
    return Retries(tries=tries, first_s=15.0)


Repeated = Callable[[Failure, float, ToolName], None]
"""Called before a repeated ask with the failure, the seconds until then, and the tool."""


def no_report(_failure: Failure, _wait_s: float, _next_tool: ToolName) -> None:
    """Report nothing."""


class WaitingConsultant(Consultant, Protocol):
    """A consultant at which a question waits for its turn.

    Attributes:
        waited_s: Seconds of such waiting in all: they do not count as the question's time.
    """

    waited_s: float


class TurnQueue:
    """Turns at a tool that is asked only so many questions at once; first come, first served."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self._free = anyio.Semaphore(at_once, fast_acquire=True)

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[float]:
        """Wait for a turn and keep it during the block; yields the seconds of waiting."""
        began = anyio.current_time()
        async with self._free:
            yield anyio.current_time() - began

    async def ask(self, consultant: Consultant, question: Question) -> tuple[Reply, float]:
        """The reply, and the seconds for which the question waited for its turn: its own time begins after them."""
        async with self.turn() as waited_s:
            return await consultant.ask(question), waited_s


_STARTING_S, _STARTING_MOST_S = 1.0, 8.0
"""Seconds between two tries while a server starts: the first time, and later, for it doubles."""


class RetryingConsultant:
    """Asks again after a transient failure: within the time of the question, and within that of the caller.

    A server that is only not ready yet is asked until the time is over, any number of times. ``waited_s`` is the
    number of seconds for which questions have waited for their turn so far. ``turns`` are waited for, too.
    """

    def __init__(
        self,
        inner: Consultant,
        retries: Retries,
        repeated: Repeated,
        waited_s: Callable[[], float] = lambda: 0.0,
        turns: TurnQueue | None = None,
    ) -> None:
        self._inner = inner
        self._retries = retries
        self._repeated = repeated
        self._waited_s = waited_s
        self._turns = turns

    async def ask(self, question: Question) -> Reply:
        """The first answer or final failure, or the last failure that there was time for."""
        began, tried, time_s, waited_s = anyio.current_time(), 0, question.timeout_s, self._waited_s()
        earlier: Failure | None = None
        queued_s, starting_s = 0.0, _STARTING_S
        while True:
            reply, turn_s = await self._asked(question)
            queued_s += turn_s
            tried += 1
            now = anyio.current_time()
            ends = began + time_s + self._waited_s() - waited_s + queued_s
            if earlier and isinstance(reply, Failure) and reply.code is FailureCode.TIMEOUT and now >= ends:
                reply = _late(earlier, time_s)
            if earlier:
                reply = reply.model_copy(update={"duration_ms": round((now - began - queued_s) * 1000)})
            if not isinstance(reply, Failure):
                return reply
            if reply.is_starting:
                tried, wait_s, starting_s = 0, starting_s, min(2 * starting_s, _STARTING_MOST_S)
            else:
                wait_s = self._retries.wait_s(tried, reply.retry_after_s) if reply.retryable else None
            earlier = reply = reply.model_copy(update={"retry_after_s": None})
            if wait_s is None or now + wait_s >= min(ends, anyio.current_effective_deadline()):
                return reply
            self._repeated(reply, wait_s, reply.tool)
            await anyio.sleep(wait_s)
            if (left_s := ends - anyio.current_time()) <= 0:  # a busy machine sleeps longer
                return reply
            question = question.model_copy(update={"timeout_s": left_s, "given_s": time_s})

    async def _asked(self, question: Question) -> tuple[Reply, float]:
        if self._turns is None:
            return await self._inner.ask(question), 0.0
        return await self._turns.ask(self._inner, question)


def _late(failure: Failure, time_s: float) -> Failure:
    """Return ``failure`` of an earlier try that had no later answer in time: it is more informative than a timeout."""
    detail = f"{failure.tool} gave no answer within {time_s:g} s; its last try failed: {failure.detail}"
    return failure.model_copy(update={"detail": one_line(detail, DETAIL_LIMIT)})


class SubstitutingConsultant:
    """Asks ``stand_in``, called ``name``, where ``inner`` fails for good, and records that in the answer.

    A session continues with the same tool, or not at all. ``may_read`` states whether the stand-in may open files
    of the project where the first tool may.
    """

    def __init__(
        self, inner: Consultant, stand_in: Consultant, name: ToolName, repeated: Repeated, *, may_read: bool = False
    ) -> None:
        self._inner = inner
        self._stand_in = stand_in
        self._name = name
        self._repeated = repeated
        self._may_read = may_read

    async def ask(self, question: Question) -> Reply:
        """Return the answer of one of the two, or the failure. Each has the question's time."""
        reply = await self._inner.ask(question)
        if not isinstance(reply, Failure) or question.session_id is not None:
            return reply
        name = self._name
        self._repeated(reply, 0.0, name)
        other = await self._stand_in.ask(self._question(question))
        redactions = max(reply.redactions, other.redactions)
        if isinstance(other, Failure):
            detail = f"{reply.detail.rstrip('.')}; {name} in its place: {other.cause}"
            return reply.model_copy(update={"detail": one_line(detail, DETAIL_LIMIT), "redactions": redactions})
        warning = f"{reply.tool} did not answer ({reply.cause}); {name} answered in its place."
        return other.model_copy(update={"warnings": (warning, *other.warnings), "redactions": redactions})

    def _question(self, question: Question) -> Question:
        # Its prompt is not recorded as one for it, so no later process could take over its answer.
        changes: dict[str, object] = {"model": None, "keep_session": False, "call": ""}
        if not self._may_read:
            changes["repo_access"] = RepoAccess.NONE
        return question.model_copy(update=changes)
