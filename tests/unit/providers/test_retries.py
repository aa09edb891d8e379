"""Asking again what failed for a moment, and somebody else where it failed for good."""

from dataclasses import dataclass, field

import anyio
import pytest

from sparring.providers.wrappers import Retries, RetryingConsultant, StandIn, SubstitutingConsultant
from sparring.schema.base import RepoAccess, ToolName
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from support.clocks import on_its_own_clock, put_forward
from support.desk import question

AT_ONCE = Retries(draw=lambda: 0.0)
ANSWER = Answer(tool="codex", response="Yes.", duration_ms=1)
FULL = Failure(tool="codex", code=FailureCode.OVERLOADED, detail="Full.", retryable=True)
WRONG_KEY = Failure(tool="codex", code=FailureCode.AUTH, detail="No such key.")


@dataclass
class Voice:
    """Says one thing after the other, and the last one for ever."""

    replies: tuple[Reply, ...]
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Reply:
        await anyio.lowlevel.checkpoint()
        self.asked.append(question)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


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
