"""Each way in which a model endpoint fails becomes the right code, and leaves nothing behind."""

import anyio
import pytest
from anyio.to_thread import run_sync

from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode
from sparring.testing.model_endpoint import Behaviour, Hang, Refuse, Reset, Say
from support.desk import Desk, question
from support.processes import processes_with_home

pytestmark = pytest.mark.npm

TOO_LONG = {
    "claude": Refuse(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
    "codex": Refuse(400, "context_length_exceeded", "Your input exceeds the context window of this model."),
    "copilot": Refuse(400, "context_length_exceeded", "Your input exceeds the context window of this model."),
    "gemini": Refuse(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number (1048576)."),
}
FAILURES: dict[str, tuple[Behaviour | dict[str, Refuse], FailureCode]] = {
    "key refused": (Refuse(401, "authentication_error", "invalid key"), FailureCode.AUTH),
    "forbidden": (Refuse(403, "permission_error", "not yours"), FailureCode.PERMISSION),
    "no such model": (Refuse(404, "not_found_error", "no such model"), FailureCode.NOT_FOUND),
    "too many": (Refuse(429, "rate_limit_error", "slow down", {"retry-after": "1"}), FailureCode.RATE_LIMIT),
    "too long": (TOO_LONG, FailureCode.CONTEXT_TOO_LONG),
    "server error": (Refuse(500, "api_error", "internal"), FailureCode.OVERLOADED),
    "overloaded": (Refuse(529, "overloaded_error", "overloaded"), FailureCode.OVERLOADED),
    "empty": (Say(""), FailureCode.EMPTY),
    "cut off": (Say("Half of an answer", pieces=3), FailureCode.CONNECTION),
    "dropped": (Reset(), FailureCode.CONNECTION),
}


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini"])
@pytest.mark.parametrize(("behaviour", "code"), FAILURES.values(), ids=FAILURES.keys())
async def test_a_failing_endpoint_is_a_failure_with_its_code(
    tool: str, behaviour: Behaviour | dict[str, Refuse], code: FailureCode, desk: Desk
) -> None:
    desk.endpoint.behaviour = behaviour[tool] if isinstance(behaviour, dict) else behaviour

    reply = await desk.consultant(tool).ask(question())

    assert isinstance(reply, Failure)
    assert (reply.tool, reply.code) == (tool, code)
    assert 0 < len(reply.detail) <= DETAIL_LIMIT
    assert list(desk.prompt_folder.iterdir()) == []


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini"])
@pytest.mark.parametrize("behaviour", [Hang(), Say("Half of an answer", pieces=3, stalled=True)], ids=["hang", "stall"])
async def test_silence_is_ended_at_the_time_limit_with_everything_that_was_started(
    tool: str, behaviour: Behaviour, desk: Desk
) -> None:
    desk.endpoint.behaviour = behaviour

    reply = await desk.consultant(tool).ask(question(timeout_s=4))

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail) == (FailureCode.TIMEOUT, f"{tool} gave no answer within 4 s.")
    assert desk.endpoint.requests
    assert processes_with_home(desk.home) == []
    assert list(desk.prompt_folder.iterdir()) == []


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini", "opencode"])
async def test_a_cancelled_consultation_ends_everything_that_was_started(tool: str, desk: Desk) -> None:
    desk.endpoint.behaviour = Hang()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.consultant(tool).ask, question())
        await run_sync(desk.endpoint.wait_for, 1)
        assert processes_with_home(desk.home)
        tasks.cancel_scope.cancel()

    assert processes_with_home(desk.home) == []
    assert list(desk.prompt_folder.iterdir()) == []


async def test_codex_does_not_wait_for_ever_for_an_endpoint_that_is_not_there(desk: Desk) -> None:
    desk.endpoint.close()

    reply = await desk.consultant("codex").ask(question())

    assert isinstance(reply, Failure)
    assert reply.code is FailureCode.CONNECTION


async def test_several_tools_can_be_asked_at_the_same_time(desk: Desk) -> None:
    replies: list[object] = []

    async def ask(tool: str) -> None:
        replies.append(await desk.consultant(tool).ask(question()))

    async with anyio.create_task_group() as tasks:
        for tool in ("claude", "codex", "copilot", "claude", "codex", "copilot"):
            tasks.start_soon(ask, tool)

    assert [type(reply) for reply in replies] == [Answer] * 6
