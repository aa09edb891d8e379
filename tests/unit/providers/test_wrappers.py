"""Secrets kept on this side, what failed for a moment asked again, and somebody else where it failed for good."""

import threading
from functools import partial
from typing import Any

import anyio
import pytest
from msgspec import Struct, field

from sparring.providers import wrappers
from sparring.schema.base import Effort, RepoAccess, Role, ToolName
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Brief, Failure, FailureCode, Question, Reply, Speech
from sparring.text.redaction import Redactor
from support.clocks import JumpingClock, on_its_own_clock, put_forward, timed_out
from support.desk import answered, failed, question

KNOWN_VALUE = "correct-horse-7-battery"
GITHUB_TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


class Voice(Struct):
    """Says one thing after the other, and the last one for ever."""

    replies: tuple[Reply, ...]
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


def answer(**fields: Any) -> Answer:
    return Answer.model_validate({"tool": "codex", "response": "Yes.", "duration_ms": 1, **fields})


def failure(detail: str, **fields: Any) -> Failure:
    return Failure.model_validate({"tool": "codex", "code": FailureCode.AUTH, "detail": detail, **fields})


ANSWER, WRONG_KEY = answer(), failure("No such key.")
FULL = failure("Full.", code=FailureCode.OVERLOADED, retryable=True)


def about(value: str, other: str, **fields: Any) -> Question:
    speeches = (Speech(role=Role.PROPOSER, round=1, text=f"Because of {other}."),)
    brief = Brief(step="debate/response", topic=f"Why {value}?", role=Role.CHALLENGER, round=1, speeches=speeches)
    return question(f"Rules. {value} and {other}?", brief=brief, session_id="abc.1", keep_session=True, **fields)


async def redacted(reply: Reply, asked: Question) -> tuple[Reply, list[Question]]:
    voice = Voice((reply,))
    return await wrappers.RedactingConsultant(voice, Redactor([KNOWN_VALUE])).ask(asked), voice.asked


async def test_a_redacted_question_is_asked_and_only_an_unchanged_one_may_be_kept() -> None:
    for stable, kept in ((6, 6), (9, 0)):  # the second reaches into the secret
        _, asked = await redacted(ANSWER, about(KNOWN_VALUE, GITHUB_TOKEN, stable=stable))
        assert asked == [about("[REDACTED:known-value]", "[REDACTED:github]", stable=kept)]


def cut_at_the_limit(detail: str) -> str:
    return detail[: DETAIL_LIMIT - 1].ljust(DETAIL_LIMIT - 1, "r") + "…"


KEPT: dict[str, Any] = {"effort": Effort.HIGH, "session_id": "s-1", "continuable": True, "usage": {"input_tokens": 3}}
REPLIES: dict[str, tuple[Reply, Reply]] = {
    "an answer": (answer(model=f"model-{KNOWN_VALUE}", response=f"{GITHUB_TOKEN}, {GITHUB_TOKEN}", redactions=1,
        warnings=(f"read {KNOWN_VALUE}", "slow"), **KEPT),
        answer(model="model-[REDACTED:known-value]", response="[REDACTED:github], [REDACTED:github]", redactions=6,
        warnings=("read [REDACTED:known-value]", "slow"), **KEPT)),
    "a session id that is a secret": (answer(session_id=GITHUB_TOKEN, continuable=True), answer(redactions=2)),
    "a failure, redacted before it is folded into one line": (
        failure(f"\x1b[31m401\x1b[0m\n  key {GITHUB_TOKEN}\n refused", retryable=True, duration_ms=4, redactions=1),
        failure("401 key [REDACTED:github] refused", retryable=True, duration_ms=4, redactions=3)),
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
    assert (await redacted(reply, question(KNOWN_VALUE)))[0] == expected


async def test_an_answer_that_was_paid_for_is_not_lost_by_a_cancellation_while_it_is_searched() -> None:
    long = answer(response="word " * 10_000)
    replies: list[Reply] = []
    with anyio.CancelScope() as scope:
        scope.cancel()
        # Short enough to be searched at once, so the first that could be cancelled is the search of the answer.
        replies.append((await redacted(long, question()))[0])
    assert replies == [long]


class Heard(Struct):
    repeats: list[object] = field(default_factory=list[object])
    told: threading.Event = field(default_factory=threading.Event)

    def __call__(self, failure: Failure, wait_s: float, next_tool: ToolName) -> None:
        self.repeats.append((failure.code, wait_s, next_tool))
        self.told.set()


def retrying(voice: Voice, heard: Heard, **more: Any) -> wrappers.RetryingConsultant:
    return wrappers.RetryingConsultant(voice, wrappers.Retries(draw=lambda: 0.0), heard, **more)


@pytest.mark.parametrize(
    ("replies", "times"),
    [((ANSWER,), 1), ((FULL, ANSWER), 2), ((FULL, FULL, ANSWER), 3), ((FULL,), 3), ((FULL, WRONG_KEY), 2)],
    ids=["answered", "once", "twice", "never", "final then"],
)
async def test_temporary_failures_are_retried_a_few_times_and_each_is_reported(
    replies: tuple[Reply, ...], times: int
) -> None:
    voice, heard = Voice(replies), Heard()
    reply = await retrying(voice, heard).ask(question())
    said = replies[-1]
    assert (reply.model_copy(update={"duration_ms": said.duration_ms}), len(voice.asked)) == (said, times)
    assert heard.repeats == [(FailureCode.OVERLOADED, 0.0, "codex")] * (times - 1)


def later(seconds: float) -> Failure:
    return FULL.model_copy(update={"retry_after_s": seconds})


@pytest.mark.parametrize(("run_s", "told_s"), [(3600, 240), (100, 100)], ids=["of the question", "of the run"])
async def test_no_wait_is_begun_that_outlasts_the_time(run_s: float, told_s: float) -> None:
    heard = Heard()
    with anyio.fail_after(run_s):
        reply = await retrying(Voice((later(told_s),)), heard).ask(question(timeout_s=240))
    assert (reply, heard.repeats) == (FULL, [])


def test_a_retry_waits_as_the_provider_announced_and_has_the_remaining_time() -> None:
    voice, heard = Voice((later(90), ANSWER)), Heard()
    asking = partial(retrying(voice, heard).ask, question(timeout_s=240))
    reply = answered(timed_out(asking, 90, once=heard.told.wait))
    assert (reply.response, reply.duration_ms >= 90_000) == ("Yes.", True)
    assert voice.asked[0].timeout_s == 240
    assert voice.asked[1].timeout_s <= 150


async def test_the_cause_of_the_first_try_outweighs_that_there_was_no_time_for_another() -> None:
    late = failure("codex gave no answer within 0.171 s.", code=FailureCode.TIMEOUT)
    voice, turns = Voice((FULL, late)), iter([0.0, 1000.0, 0.0])
    reply = failed(await retrying(voice, Heard(), waited_s=lambda: next(turns)).ask(question(timeout_s=0.000_001)))
    assert (reply.code, reply.detail) == (FULL.code, "codex gave no answer within 1e-06 s; its last try failed: Full.")
    assert [asked.deadline_s for asked in voice.asked] == [0.000_001] * 2


async def test_a_timeout_that_a_tool_reports_before_the_time_is_over_stays_one() -> None:
    passed = failure("The model took too long.", code=FailureCode.TIMEOUT)
    reply = failed(await retrying(Voice((FULL, passed)), Heard()).ask(question()))
    assert reply.detail == passed.detail


async def test_waiting_for_a_turn_is_not_the_time_of_the_question() -> None:
    voice, turns = Voice((FULL, ANSWER)), iter([0.0, 1000.0, 1000.0])
    answered(await retrying(voice, Heard(), waited_s=lambda: next(turns)).ask(question(timeout_s=0.000_001)))
    assert 999 < voice.asked[1].timeout_s < 1001


STARTING = failure("Refused.", code=FailureCode.CONNECTION, retryable=True, is_starting=True)


def test_a_server_that_is_starting_is_waited_for_until_the_time_is_over_and_not_counted_as_tries() -> None:
    async def asked(replies: tuple[Reply, ...], times: int, waits: list[float]) -> None:
        voice, heard = Voice(replies), Heard()
        reply = await retrying(voice, heard).ask(question(timeout_s=60))
        assert (type(reply), len(voice.asked)) == (type(replies[-1]), times)
        assert heard.repeats == [(FailureCode.CONNECTION, wait, "codex") for wait in waits]

    doubling = [1.0, 2.0, 4.0, *[8.0] * 6]
    on_its_own_clock(partial(asked, (*[STARTING] * 6, ANSWER), 7, doubling[:6]), JumpingClock)
    on_its_own_clock(partial(asked, (STARTING,), 10, doubling), JumpingClock)


def test_at_a_tool_that_answers_one_question_at_a_time_the_time_of_another_begins_with_its_turn() -> None:
    order = list[str]()

    async def play() -> None:
        first_may_end, turns = anyio.Event(), wrappers.TurnQueue(1)

        class Server:
            async def ask(self, question: Question) -> Reply:
                order.append(f"begins {question.prompt}")
                if question.prompt == "one":
                    await first_may_end.wait()
                order.append(f"ends {question.prompt}")
                return STARTING if len(order) == 4 else ANSWER

        async def ask(prompt: str) -> None:
            retries = wrappers.Retries(draw=lambda: 0.0)
            asking = wrappers.RetryingConsultant(Server(), retries, wrappers.no_report, turns=turns)
            answered(await asking.ask(question(prompt, timeout_s=50)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "one")
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(ask, "two")
            await anyio.wait_all_tasks_blocked()
            put_forward(100)  # for which "two" has waited, and it is given 50
            first_may_end.set()

    on_its_own_clock(play, JumpingClock)
    assert order == ["begins one", "ends one", "begins two", "ends two", "begins two", "ends two"]


async def test_at_a_tool_that_answers_several_so_many_are_asked_at_the_same_time() -> None:
    inside, most = 0, 0

    class Server:
        async def ask(self, question: Question) -> Reply:
            nonlocal inside, most
            del question
            inside += 1
            most = max(most, inside)
            await anyio.wait_all_tasks_blocked()
            inside -= 1
            return ANSWER

    turns, server = wrappers.TurnQueue(3), Server()
    async with anyio.create_task_group() as tasks:
        for _ in range(9):
            tasks.start_soon(turns.ask, server, question())
    assert most == 3


def substituting(first: Reply, second: Voice, heard: Heard) -> wrappers.SubstitutingConsultant:
    return wrappers.SubstitutingConsultant(Voice((first,)), second, "gemini", heard)


OTHER = answer(tool="gemini", warnings=("Cut off.",))
TOLD = "codex did not answer (auth: No such key); gemini answered in its place."


async def test_a_substitute_answers_for_a_permanent_failure_with_a_warning() -> None:
    second, heard = Voice((OTHER,)), Heard()
    asked = question(model="gpt-9", keep_session=True, repo_access=RepoAccess.READ)
    reply = await substituting(WRONG_KEY, second, heard).ask(asked)
    assert reply == OTHER.model_copy(update={"warnings": (TOLD, "Cut off.")})
    put = second.asked[0]
    assert (put.prompt, put.model, put.keep_session, put.repo_access) == (asked.prompt, None, False, RepoAccess.NONE)
    assert heard.repeats == [(FailureCode.AUTH, 0.0, "gemini")]


async def test_no_substitute_is_asked_after_an_answer_or_within_a_session() -> None:
    second = Voice((OTHER,))
    for reply, asked in ((ANSWER, question()), (WRONG_KEY, question(session_id="0a1b"))):
        assert await substituting(reply, second, Heard()).ask(asked) == reply
    assert second.asked == []


async def test_if_both_fail_both_causes_are_reported_under_the_first_name() -> None:
    gone = failure("`gemini` is not there.", tool="gemini", code=FailureCode.NOT_FOUND)
    reply = failed(await substituting(WRONG_KEY, Voice((gone,)), Heard()).ask(question()))
    told = ("codex", FailureCode.AUTH, "No such key; gemini in its place: not_found: `gemini` is not there")
    assert (reply.tool, reply.code, reply.detail) == told
