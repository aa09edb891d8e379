"""The last step of every answer, from every kind of provider: removal of parts that do not belong to it."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from sparring.providers.receiving.causes import RETRYABLE, code_of_notice
from sparring.providers.receiving.thoughts import without_thought
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Ending, Failure, FailureCode, Reply
from sparring.text.tidying import for_terminal, is_blank, one_line

_NOTICE_LIMIT = 400
"""Most characters of an answer that may be only a tool's sentence on a failure."""


def received(
    reply: Reply, failures: Sequence[str] = (), family: Callable[[str | None], str] = lambda _model: ""
) -> Reply:
    """Return ``reply`` with a leading thought moved out of its text; a failure if no answer remains.

    Args:
        reply: As the provider gave it, before redaction.
        failures: Regular expressions of the provider file. An answer that one of them matches as a whole is a failure,
            and so is a sentence by which a known tool reports that it did not answer.
        family: The family of the model in the answer, where it is another than was expected; else empty.
    """
    if isinstance(reply, Failure):
        return reply
    thought, text = without_thought(reply.response)
    if is_blank(text):
        return _empty_answer(reply, thought)
    if (code := _failure_in(text, tuple(failures))) is not None:
        return _failure(reply, code, text.strip())
    changes: dict[str, object] = {"family": other} if (other := family(reply.model)) else {}
    if thought or text != reply.response:
        changes |= {"response": text, "thought": "\n\n".join(filter(None, (reply.thought, thought)))}
    return reply.model_copy(update=changes) if changes else reply


def _empty_answer(answer: Answer, thought: str) -> Failure:
    if answer.ending is Ending.CUT_OFF:
        return _failure(answer, FailureCode.CUT_OFF, f"{answer.tool} reached its limit of tokens before it answered.")
    if answer.ending is Ending.WITHHELD:
        return _failure(answer, FailureCode.REFUSED, f"{answer.tool} was stopped before it answered.")
    problem = "wrote down a thought and gave no answer" if thought else "gave an empty answer"
    return _failure(answer, FailureCode.EMPTY, f"{answer.tool} {problem}.")


def _failure(answer: Answer, code: FailureCode, detail: str) -> Failure:
    # Not redacted yet: it is before anything is stored or shown, as the answer would have been.
    return Failure(
        tool=answer.tool,
        code=code,
        detail=one_line(detail, DETAIL_LIMIT),
        retryable=code in RETRYABLE,
        duration_ms=answer.duration_ms,
        redactions=answer.redactions,
    )


def _failure_in(text: str, failures: tuple[str, ...]) -> FailureCode | None:
    notice = " ".join(for_terminal(text[: _NOTICE_LIMIT + 1]).split())
    if len(notice) > _NOTICE_LIMIT or len(text) > _NOTICE_LIMIT * 2:
        return None
    code = code_of_notice(notice)
    if code is None and any(pattern.fullmatch(notice) for pattern in _compiled(failures)):
        return FailureCode.UNKNOWN
    return code


@lru_cache(maxsize=64)
def _compiled(failures: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, failures))
