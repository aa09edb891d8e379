"""The mailbox between a run and the agent that called it."""

import re

import anyio
import pytest
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint

from sparring.errors import HostSilentError, UsageError
from sparring.providers.host import ANSWER_LIMIT, Mailbox
from sparring.schema.base import Effort, Role
from sparring.schema.consultation import Brief, Question, Reply
from sparring.schema.transcript import Ask, TurnKind
from support.clocks import on_its_own_clock, put_forward

RUN_ID = "debate-20261121T120000Z-0a1b"
BRIEF = Brief(step="debate/opening", topic="So?", role=Role.PROPOSER, round=1)
QUESTION = Question(prompt="Say it.", brief=BRIEF, timeout_s=0.001, effort=Effort.HIGH)


def ask(ask_id: str) -> Ask:
    return Ask(id=ask_id, kind=TurnKind.OPENING, role=Role.PROPOSER, round=1, tool="host", question=QUESTION)


class Run:
    """Asks that wait in a mailbox, and the replies to them."""

    def __init__(self, mailbox: Mailbox) -> None:
        self.mailbox = mailbox
        self.replies: dict[str, Reply] = {}
        self.errors: dict[str, str] = {}

    async def post(self, ask_id: str) -> None:
        try:
            self.replies[ask_id] = await self.mailbox.consultant(ask(ask_id)).ask(QUESTION)
        except HostSilentError as error:
            self.errors[ask_id] = str(error)

    async def begin(self, group: TaskGroup, *ask_ids: str) -> None:
        """Ask these, and wait until they are posted."""
        for ask_id in ask_ids:
            group.start_soon(self.post, ask_id)
        await self.posted(*ask_ids)

    async def posted(self, *ask_ids: str) -> None:
        """Wait until these are posted."""
        with anyio.fail_after(20):
            while tuple(posted.ask_id for posted in self.mailbox.waiting) != ask_ids:
                await checkpoint()


async def test_pending_questions_are_listed_oldest_first_once_the_last_answer_is_stored() -> None:
    run = Run(Mailbox(RUN_ID))
    async with anyio.create_task_group() as group:
        await run.begin(group, "b", "a")
        assert run.mailbox.needs_answer
        run.mailbox.answer("a", "A.")
        await run.posted("b")
        assert not run.mailbox.needs_answer
        run.mailbox.kept("a")
        assert run.mailbox.needs_answer
        group.cancel_scope.cancel()
    assert (run.mailbox.waiting, run.replies.keys()) == ((), {"a"})


async def test_an_answer_that_cannot_be_taken_changes_nothing() -> None:
    run = Run(Mailbox(RUN_ID, answered=frozenset({"r1.proposer"})))
    waits = "Waiting for your answer: a and b."
    refusals = {
        ("r9", "For it."): f"Run {RUN_ID} does not ask you 'r9'. {waits}",
        ("r1.proposer", "For it."): f"r1.proposer has been answered already; the first answer counts. {waits}",
        ("a", "\n"): "The answer to a is empty. Write it, and call answer again.",
        ("a", "x" * (ANSWER_LIMIT + 1)): "The answer to a has 1,048,577 characters; at most 1,048,576 are taken. "
        "Shorten it, and call answer again.",
    }
    async with anyio.create_task_group() as group:
        await run.begin(group, "a", "b")
        for (ask_id, text), sentences in refusals.items():
            with pytest.raises(UsageError, match=f"^{re.escape(sentences)}$"):
                run.mailbox.answer(ask_id, text)
        await run.posted("a", "b")
        run.mailbox.answer("a", "x" * ANSWER_LIMIT)
        run.mailbox.answer("b", "B.")


@pytest.mark.parametrize("sign", ["note_activity", "answer to another"])
@pytest.mark.parametrize("answers", [True, False])
def test_a_sign_of_life_restarts_the_wait_for_an_agent(sign: str, *, answers: bool) -> None:
    run = Run(Mailbox(RUN_ID, silence_limit_s=6000))

    async def heard_of_now_and_then() -> None:
        async with anyio.create_task_group() as group:
            await run.begin(group, "a", "0", "1", "2")
            for number in range(3):
                put_forward(5000)
                if sign == "heard":
                    run.mailbox.note_activity()
                run.mailbox.answer(str(number), "LocalProject I am.")
                await checkpoint()
            put_forward(5000)
            await checkpoint()
            assert (run.errors, run.replies.keys()) == ({}, {"0", "1", "2"})
            if answers:
                run.mailbox.answer("a", "LocalProject I am.")
            put_forward(1000)

    on_its_own_clock(heard_of_now_and_then)
    assert ("a" in run.replies, run.errors.keys()) == ((True, set()) if answers else (False, {"a"}))
