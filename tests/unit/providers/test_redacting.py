from typing import Any

import anyio
import pytest

from sparring.providers.wrappers import RedactingConsultant
from sparring.schema.base import Effort, Role
from sparring.schema.consultation import (
    DETAIL_LIMIT,
    Answer,
    Brief,
    Failure,
    FailureCode,
    Question,
    Reply,
    Speech,
    Usage,
)
from sparring.text.redaction import Redactor

KNOWN_VALUE = "correct-horse-7-battery"
GITHUB_TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


class Notebook:
    """A consultant that writes down what it is asked and gives the reply it was made with."""

    def __init__(self, reply: Reply) -> None:
        self.questions: list[Question] = []
        self._reply = reply

    async def ask(self, question: Question) -> Reply:
        self.questions.append(question)
        return self._reply


def question(prompt: str, topic: str = "A topic", speech: str = "A speech") -> Question:
    speeches = (Speech(role=Role.PROPOSER, round=1, text=speech),)
    brief = Brief(step="debate/response", topic=topic, role=Role.CHALLENGER, round=1, speeches=speeches)
    return Question(prompt=prompt, brief=brief, effort=Effort.HIGH, timeout_s=5, session_id="abc.1", keep_session=True)


async def ask(reply: Reply, asked: Question) -> tuple[Reply, list[Question]]:
    notebook = Notebook(reply)
    return await RedactingConsultant(notebook, Redactor([KNOWN_VALUE])).ask(asked), notebook.questions


async def test_what_a_consultant_is_asked_holds_no_secret() -> None:
    def about(value: str, token: str) -> Question:
        return question(f"Why {value} and {token}?", topic=f"Why {value}?", speech=f"Because of {token}.")

    _, asked = await ask(answer(), about(KNOWN_VALUE, GITHUB_TOKEN))
    assert asked == [about("[REDACTED:known-value]", "[REDACTED:github]")]


@pytest.mark.parametrize(("prompt", "kept"), [(f"Rules. {KNOWN_VALUE}", 6), (f"{KNOWN_VALUE} is.", 0)])
async def test_what_may_be_kept_of_a_prompt_is_what_redaction_has_left_alone(prompt: str, kept: int) -> None:
    _, asked = await ask(answer(), question(prompt).model_copy(update={"stable": 6}))
    assert [each.stable for each in asked] == [kept]


def answer(**fields: Any) -> Answer:
    return Answer.model_validate({"tool": "codex", "response": "Yes.", "duration_ms": 1, **fields})


def failure(detail: str, **fields: Any) -> Failure:
    return Failure.model_validate({"tool": "codex", "code": FailureCode.AUTH, "detail": detail, **fields})


def cut_at_the_limit(detail: str) -> str:
    return detail[: DETAIL_LIMIT - 1].ljust(DETAIL_LIMIT - 1, "r") + "…"


KEPT: dict[str, Any] = {"effort": Effort.HIGH, "session_id": "s-1", "continuable": True, "usage": Usage(input_tokens=3)}
REPLIES: dict[str, tuple[Reply, Reply]] = {
    "an answer": (answer(model=f"model-{KNOWN_VALUE}", response=f"{GITHUB_TOKEN}, {GITHUB_TOKEN}", redactions=1,
        warnings=(f"read {KNOWN_VALUE}", "slow"), **KEPT),
        answer(model="model-[REDACTED:known-value]", response="[REDACTED:github], [REDACTED:github]", redactions=6,
        warnings=("read [REDACTED:known-value]", "slow"), **KEPT)),
    "an answer without secrets": (answer(response="One\n\tTwo"), answer(response="One\n\tTwo", redactions=1)),
    "a session id that is a secret": (answer(session_id=GITHUB_TOKEN, continuable=True), answer(redactions=2)),
    "a failure, redacted before it is folded into one line": (
        failure(f"\x1b[31m401\x1b[0m\n  key {GITHUB_TOKEN}\n refused", retryable=True, duration_ms=4, redactions=1),
        failure("401 key [REDACTED:github] refused", retryable=True, duration_ms=4, redactions=3),
    ),
    "a detail that grows by redaction": (failure("ftp://:a1@b " * 16),
        failure(("ftp://[REDACTED:url-credentials]@b " * 16)[: DETAIL_LIMIT - 1] + "…", redactions=17)),
    "a secret that was cut at the limit": (failure(cut_at_the_limit(f"{'x ' * 90}value={KNOWN_VALUE}")),
        failure("x " * 90 + "…", redactions=1)),
    "a cut secret with a comma in it": (failure(cut_at_the_limit(f"{'x ' * 84}postgres://me:first,second;thi")),
        failure("x " * 84 + "…", redactions=1)),
    "a secret with an escape sequence inside": (failure(f"{GITHUB_TOKEN[:9]}\x1b[1m{GITHUB_TOKEN[9:]}"),
        failure("[REDACTED:github]", redactions=2)),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), REPLIES.values(), ids=REPLIES)
async def test_a_reply_holds_no_secret_and_counts_those_of_the_question_as_well(reply: Reply, expected: Reply) -> None:
    assert (await ask(reply, question(f"{KNOWN_VALUE}?")))[0] == expected


async def test_an_answer_that_was_paid_for_is_not_lost_by_a_cancellation_while_it_is_searched() -> None:
    long = answer(response="word " * 10_000)
    redacting = RedactingConsultant(Notebook(long), Redactor([KNOWN_VALUE]))
    replies: list[Reply] = []
    with anyio.CancelScope() as scope:
        scope.cancel()
        # Short enough to be searched at once, so the first that could be cancelled is the search of the answer.
        replies.append(await redacting.ask(question("Why?")))
    assert replies == [long]
