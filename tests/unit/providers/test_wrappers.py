"""Secrets kept on this side, what failed for a moment asked again, and somebody else where it failed for good."""

from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from sparring.providers.wrappers import (
    RedactingConsultant,
    Retries,
    RetryingConsultant,
    StandIn,
    SubstitutingConsultant,
)
from sparring.schema.base import Effort, RepoAccess, Role, ToolName
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
from support.clocks import on_its_own_clock, put_forward
from support.desk import question

KNOWN_VALUE = "correct-horse-7-battery"
GITHUB_TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@dataclass
class Voice:
    """Says one thing after the other, and the last one for ever."""

    replies: tuple[Reply, ...]
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


def telling(prompt: str, topic: str = "A topic", speech: str = "A speech") -> Question:
    speeches = (Speech(role=Role.PROPOSER, round=1, text=speech),)
    brief = Brief(step="debate/response", topic=topic, role=Role.CHALLENGER, round=1, speeches=speeches)
    return Question(prompt=prompt, brief=brief, effort=Effort.HIGH, timeout_s=5, session_id="abc.1", keep_session=True)


async def ask(reply: Reply, asked: Question) -> tuple[Reply, list[Question]]:
    voice = Voice((reply,))
    return await RedactingConsultant(voice, Redactor([KNOWN_VALUE])).ask(asked), voice.asked


async def test_what_a_consultant_is_asked_holds_no_secret() -> None:
    def about(value: str, token: str) -> Question:
        return telling(f"Why {value} and {token}?", topic=f"Why {value}?", speech=f"Because of {token}.")

    _, asked = await ask(answer(), about(KNOWN_VALUE, GITHUB_TOKEN))
    assert asked == [about("[REDACTED:known-value]", "[REDACTED:github]")]


@pytest.mark.parametrize(("prompt", "kept"), [(f"Rules. {KNOWN_VALUE}", 6), (f"{KNOWN_VALUE} is.", 0)])
async def test_what_may_be_kept_of_a_prompt_is_what_redaction_has_left_alone(prompt: str, kept: int) -> None:
    _, asked = await ask(answer(), telling(prompt).model_copy(update={"stable": 6}))
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
    assert (await ask(reply, telling(f"{KNOWN_VALUE}?")))[0] == expected


async def test_an_answer_that_was_paid_for_is_not_lost_by_a_cancellation_while_it_is_searched() -> None:
    long = answer(response="word " * 10_000)
    redacting = RedactingConsultant(Voice((long,)), Redactor([KNOWN_VALUE]))
    replies: list[Reply] = []
    with anyio.CancelScope() as scope:
        scope.cancel()
        # Short enough to be searched at once, so the first that could be cancelled is the search of the answer.
        replies.append(await redacting.ask(telling("Why?")))
    assert replies == [long]


AT_ONCE = Retries(draw=lambda: 0.0)
ANSWER = Answer(tool="codex", response="Yes.", duration_ms=1)
FULL = Failure(tool="codex", code=FailureCode.OVERLOADED, detail="Full.", retryable=True)
WRONG_KEY = Failure(tool="codex", code=FailureCode.AUTH, detail="No such key.")


@dataclass
class Heard:
    repeats: list[object] = field(default_factory=list[object])

    def __call__(self, failure: Failure, wait_s: float, whom: ToolName) -> None:
        self.repeats.append((failure.code, wait_s, whom))


@pytest.mark.parametrize(
    ("replies", "said", "times"),
    [
        ((ANSWER,), ANSWER, 1),
        ((FULL, ANSWER), ANSWER, 2),
        ((FULL, FULL, ANSWER), ANSWER, 3),
        ((FULL,), FULL, 3),
        ((FULL, WRONG_KEY), WRONG_KEY, 2),
        ((WRONG_KEY,), WRONG_KEY, 1),
    ],
    ids=["answered", "once", "twice", "never", "final then", "final"],
)
async def test_what_passes_is_asked_again_a_few_times_and_each_is_told(
    replies: tuple[Reply, ...], said: Reply, times: int
) -> None:
    voice, heard = Voice(replies), Heard()
    reply = await RetryingConsultant(voice, AT_ONCE, heard).ask(question())
    assert (reply.model_copy(update={"duration_ms": said.duration_ms}), len(voice.asked)) == (said, times)
    assert heard.repeats == [(FailureCode.OVERLOADED, 0.0, "codex")] * (times - 1)


def later(seconds: float) -> Failure:
    return FULL.model_copy(update={"retry_after_s": seconds})


@pytest.mark.parametrize(("run_s", "told_s"), [(3600, 240), (100, 100)], ids=["of the question", "of the run"])
async def test_no_wait_is_begun_that_outlasts_the_time(run_s: float, told_s: float) -> None:
    voice, heard = Voice((later(told_s),)), Heard()
    with anyio.fail_after(run_s):
        reply = await RetryingConsultant(voice, AT_ONCE, heard).ask(question(timeout_s=240))
    assert (reply, heard.repeats) == (FULL, [])


def test_a_wait_is_the_providers_own_and_what_is_asked_again_has_the_time_that_is_left() -> None:
    voice, replies, heard = Voice((later(90), ANSWER)), list[Reply](), Heard()

    async def ask() -> None:
        async def wait() -> None:
            replies.append(await RetryingConsultant(voice, AT_ONCE, heard).ask(question(timeout_s=240)))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            while not heard.repeats:
                await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
            assert not replies
            put_forward(90)

    on_its_own_clock(ask)
    assert [reply.model_copy(update={"duration_ms": 1}) for reply in replies] == [ANSWER]
    assert replies[0].duration_ms >= 90_000
    assert voice.asked[0].timeout_s == 240
    assert voice.asked[1].timeout_s <= 150


async def test_waiting_for_a_turn_is_not_the_time_of_the_question() -> None:
    voice, heard, turns = Voice((FULL, ANSWER)), Heard(), iter([0.0, 1000.0, 1000.0])
    reply = await RetryingConsultant(voice, AT_ONCE, heard, lambda: next(turns)).ask(question(timeout_s=0.000_001))
    assert isinstance(reply, Answer)
    assert 999 < voice.asked[1].timeout_s < 1001


OTHER = Answer(tool="gemini", response="It is.", duration_ms=1, warnings=("Cut off.",))
TOLD = "codex did not answer (auth: No such key); gemini answered in its place."


async def test_somebody_else_answers_in_the_place_of_whoever_failed_for_good_and_says_so() -> None:
    first, second, heard = Voice((WRONG_KEY,)), Voice((OTHER,)), Heard()
    asked = question(model="gpt-9", keep_session=True, repo_access=RepoAccess.READ)
    reply = await SubstitutingConsultant(first, StandIn(second, "gemini"), heard).ask(asked)
    assert reply == OTHER.model_copy(update={"warnings": (TOLD, "Cut off.")})
    put = second.asked[0]
    assert (put.prompt, put.model, put.keep_session, put.repo_access) == (asked.prompt, None, False, RepoAccess.NONE)
    assert heard.repeats == [(FailureCode.AUTH, 0.0, "gemini")]


@pytest.mark.parametrize(
    ("reply", "asked"),
    [(ANSWER, question()), (WRONG_KEY, question(session_id="0a1b"))],
    ids=["it answered", "in a session of its own"],
)
async def test_nobody_else_is_asked_where_the_tool_answered_or_holds_the_session(reply: Reply, asked: Question) -> None:
    second = Voice((OTHER,))
    assert await SubstitutingConsultant(Voice((reply,)), StandIn(second, "gemini"), Heard()).ask(asked) == reply
    assert second.asked == []


async def test_where_both_failed_both_causes_are_told_under_the_name_of_whoever_was_asked() -> None:
    gone = Failure(tool="gemini", code=FailureCode.NOT_FOUND, detail="`gemini` is not there.")
    reply = await SubstitutingConsultant(Voice((WRONG_KEY,)), StandIn(Voice((gone,)), "gemini"), Heard()).ask(
        question()
    )
    assert isinstance(reply, Failure)
    assert (reply.tool, reply.code) == ("codex", FailureCode.AUTH)
    assert reply.detail == "No such key; gemini in its place: not_found: `gemini` is not there"
