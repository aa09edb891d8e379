"""The consultant in front of every other one: nothing passes it, either way, with a secret in it."""

import re

from sparring.consult import Consultant
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Brief, Failure, Question, Reply
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line

_CUT_WORD = re.compile(r"[^\s\"'`,;()<>{}]*…$")


class RedactingConsultant:
    """Redacts what another consultant is asked and what it replies, and counts both in the reply.

    A session id stays as it is, or the session could not be continued; its pattern leaves no room for prose.
    """

    def __init__(self, inner: Consultant, redactor: Redactor) -> None:
        self._inner = inner
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """Put the redacted question to the inner consultant and redact its reply."""
        prompt = self._redactor.redact(question.prompt)
        # Not counted: the brief holds again what stands in the prompt.
        brief = self._without_secrets(question.brief)
        reply = await self._inner.ask(question.model_copy(update={"prompt": prompt.text, "brief": brief}))
        if isinstance(reply, Failure):
            return self._redacted_failure(reply, prompt.count)
        return self._redacted_answer(reply, prompt.count)

    def _without_secrets(self, brief: Brief) -> Brief:
        speeches = tuple(
            speech.model_copy(update={"text": self._redactor.redact(speech.text).text}) for speech in brief.speeches
        )
        return brief.model_copy(update={"topic": self._redactor.redact(brief.topic).text, "speeches": speeches})

    def _redacted_answer(self, answer: Answer, count: int) -> Answer:
        response = self._redactor.redact(answer.response)
        model = self._redactor.redact(answer.model or "")
        warnings = [self._redactor.redact(warning) for warning in answer.warnings]
        found = response.count + model.count + sum(warning.count for warning in warnings)
        changes = {
            "response": response.text,
            "model": model.text or None,
            "warnings": tuple(warning.text for warning in warnings),
            "redactions": answer.redactions + count + found,
        }
        # Validated anew, not copied: what leaves here is stored and shown without another look.
        return Answer.model_validate(answer.model_dump() | changes)

    def _redacted_failure(self, failure: Failure, count: int) -> Failure:
        detail = failure.detail
        if len(detail) >= DETAIL_LIMIT - 1:
            # A secret that was cut at the limit is no longer recognised, so the cut word goes.
            detail = _CUT_WORD.sub("…", detail)
        redacted = self._redactor.redact(detail)
        changes = {
            "detail": one_line(redacted.text, DETAIL_LIMIT),
            "redactions": failure.redactions + count + redacted.count,
        }
        return Failure.model_validate(failure.model_dump() | changes)
