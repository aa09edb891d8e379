"""The consultant in front of every other one: nothing passes it, either way, with a secret in it."""

import re
from collections.abc import Awaitable, Callable

import anyio
from anyio.to_thread import run_sync

from sparring.providers import Consultant
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Brief, Failure, Question, Reply
from sparring.text.redaction import Redactor
from sparring.text.tidying import for_terminal, one_line

_SHORT = 16_384
"""Text of so many characters is searched before it could have been handed to another thread and back."""

_CUT_WORD = re.compile(r"[^\s\"'`<>]*…$")


class RedactingConsultant:
    """Redacts what another consultant is asked and what it replies, and counts both in the reply.

    A session id stays as it is, or the session could not be continued; one that holds a secret is dropped.
    """

    def __init__(self, inner: Consultant, redactor: Redactor) -> None:
        self._inner = inner
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """Put the redacted question to the inner consultant and redact its reply."""
        harmless, count = await self._harmless(question)
        return await self._told(await self._inner.ask(harmless), count)

    async def taken_up(
        self, question: Question, reply_to: Callable[[Question], Awaitable[Reply | None]]
    ) -> Reply | None:
        """As ``ask``, of a reply to a question that a process before us has put; None when there is none."""
        harmless, count = await self._harmless(question)
        reply = await reply_to(harmless)
        return reply and await self._told(reply, count)

    async def _harmless(self, question: Question) -> tuple[Question, int]:
        asked = len(question.prompt) + sum(len(speech.text) for speech in question.brief.speeches)
        if asked <= _SHORT:
            return self._redacted_question(question)
        return await run_sync(self._redacted_question, question)

    async def _told(self, reply: Reply, count: int) -> Reply:
        said = len(reply.detail if isinstance(reply, Failure) else reply.response)
        if said <= _SHORT:
            return self._redacted_reply(reply, count)
        with anyio.CancelScope(shield=True):  # the answer is paid for
            reply = await run_sync(self._redacted_reply, reply, count)
        return reply  # noqa: RET504 -- a scope may swallow what passes it, so nothing returns from inside

    def _redacted_question(self, question: Question) -> tuple[Question, int]:
        prompt = self._redactor.redact(question.prompt)
        # Not counted: the brief holds again what stands in the prompt.
        brief = self._without_secrets(question.brief)
        is_kept = prompt.text.startswith(question.prompt[: question.stable])
        stable = question.stable if is_kept else 0
        if brief is question.brief and stable == question.stable and prompt.text == question.prompt:
            return question, 0
        changes = {"prompt": prompt.text, "brief": brief, "stable": stable}
        return question.model_copy(update=changes), prompt.count

    def _redacted_reply(self, reply: Reply, count: int) -> Reply:
        return (
            self._redacted_failure(reply, count) if isinstance(reply, Failure) else self._redacted_answer(reply, count)
        )

    def _without_secrets(self, brief: Brief) -> Brief:
        texts = [brief.topic, *(speech.text for speech in brief.speeches)]
        topic, *said = harmless = [self._redactor.redact(text).text for text in texts]
        if harmless == texts:
            return brief
        pairs = zip(brief.speeches, said, strict=True)
        speeches = tuple(speech.model_copy(update={"text": text}) for speech, text in pairs)
        return brief.model_copy(update={"topic": topic, "speeches": speeches})

    def _redacted_answer(self, answer: Answer, count: int) -> Answer:
        response = self._redactor.redact(answer.response)
        model = self._redactor.redact(answer.model or "")
        warnings = [self._redactor.redact(warning) for warning in answer.warnings]
        session = self._redactor.redact(answer.session_id or "")
        found = response.count + model.count + session.count + sum(warning.count for warning in warnings)
        changes = {
            "response": response.text,
            "model": model.text or None,
            "warnings": tuple(warning.text for warning in warnings),
            "redactions": answer.redactions + count + found,
        }
        if session.count:
            changes |= {"session_id": None, "continuable": False}
        # Validated anew, not copied: what leaves here is stored and shown without another look.
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
