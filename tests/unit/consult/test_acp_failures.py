"""Each way in which an agent fails becomes the right code, and leaves nothing behind."""

from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from sparring.schema.consultation import Failure, FailureCode
from sparring.schema.providers import ConfinementKind
from sparring.testing.acp_agent import Scenario
from sparring.testing.attendance import Attendance
from support.acp_talk import KNOWN_VALUE, agent, consultant, failure, reply_to, saying
from support.desk import question

FAILURES: dict[str, tuple[Scenario, Failure]] = {
    "not signed in": (
        Scenario(error=-32000, login=("Run `agent login`.", "Set AGENT_KEY.")),
        failure(FailureCode.AUTH, "Not now. Try later. To sign in: Run `agent login`. To sign in: Set AGENT_KEY"),
    ),
    "no such session": (
        Scenario(error=-32002),
        failure(FailureCode.NOT_FOUND, "Not now. Try later"),
    ),
    "does not know a method": (
        saying(("refuse", -32601, "Method not found")),
        failure(FailureCode.UNSUPPORTED, "Method not found"),
    ),
    "an internal error": (
        saying(("refuse", -32603, "Internal error")),
        failure(FailureCode.EXIT, "Internal error"),
    ),
    "a status of its endpoint": (
        saying(("refuse", 429, f"Slow down, {KNOWN_VALUE}")),
        failure(FailureCode.RATE_LIMIT, "Slow down, [REDACTED:known-value]", retryable=True, redactions=1),
    ),
    "an error with a name": (
        saying(("refuse", -32603, "Too long", {"errorName": "ContextOverflowError"})),
        failure(FailureCode.CONTEXT_TOO_LONG, "Too long"),
    ),
    "an error with any data": (
        saying(("refuse", -32603, "Internal error", ["oops"])),
        failure(FailureCode.EXIT, "Internal error"),
    ),
    "a status without a meaning": (
        saying(("refuse", 418, "A teapot")),
        failure(FailureCode.EXIT, "A teapot"),
    ),
    "nothing said": (saying(), failure(FailureCode.EMPTY, "agent gave an empty answer.", retryable=True)),
    "nothing said after a refusal": (
        saying(("beg", "edit", "a")),
        failure(
            FailureCode.PERMISSION, "agent gave no answer. It asked for what it may not do: edit a.", retryable=False
        ),
    ),
    "refused by the model": (
        Scenario(stop="refusal", steps=(("say", "I will not."),)),
        failure(FailureCode.PERMISSION, "agent refused to answer. I will not."),
    ),
    "cancelled by itself": (
        Scenario(stop="cancelled", steps=(("say", "Yes."),)),
        failure(FailureCode.CANCELLED, "agent says that the question was cancelled."),
    ),
    "no such end": (
        Scenario(stop="tired", steps=(("say", "Yes."),)),
        failure(FailureCode.PARSE, "agent answered session/prompt with what cannot be understood: stopReason."),
    ),
    "no session": (
        Scenario(session=""),
        failure(FailureCode.PARSE, "agent began a session without an id."),
    ),
    "a broken message": (
        saying(("write", '{"jsonrpc": "2.0", "id": [}')),
        failure(FailureCode.PARSE, "agent sent a message that cannot be understood."),
    ),
    "a message of another shape": (
        saying(("write", '{"jsonrpc": "2.0", "id": 1, "error": "no"}')),
        failure(FailureCode.PARSE, "agent sent a message that cannot be understood."),
    ),
    "a message that is no text": (
        saying(("write", '{"jsonrpc": "2.0", "method": "\udcff"}')),
        failure(FailureCode.PARSE, "agent sent a message that cannot be understood."),
    ),
    "a message that is nested too deeply": (
        saying(("write", '{"jsonrpc": ' + "[" * 100_000)),
        failure(FailureCode.PARSE, "agent sent a message that cannot be understood."),
    ),
    "a broken update": (
        saying(("notify", "session/update", {"update": {"sessionUpdate": "agent_message_chunk"}}), ("say", "Yes.")),
        failure(FailureCode.PARSE, "agent sent an update that cannot be understood."),
    ),
    "no end of output": (
        saying(("flood",)),
        failure(FailureCode.PARSE, "agent said more than 8 MiB and was ended."),
    ),
    "dead": (
        saying(("say", "Half of"), ("die", 3, f"auth is fine\nerror: {KNOWN_VALUE}\nbye")),
        failure(FailureCode.EXIT, "agent ended with exit code 3: error: [REDACTED:known-value]", redactions=1),
    ),
    "gone without a word": (
        saying(("die", 0, "")),
        failure(FailureCode.PARSE, "agent ended without a result."),
    ),
}


@pytest.mark.process
@pytest.mark.parametrize(("scenario", "expected"), FAILURES.values(), ids=FAILURES.keys())
async def test_each_way_to_fail_has_its_code(
    scenario: Scenario, expected: Failure, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert await reply_to(tmp_path, scenario) == expected
    assert caplog.records == []  # the package would log what an agent says, secrets and all


@pytest.mark.process
async def test_a_program_that_is_no_agent_has_failed(tmp_path: Path) -> None:
    reply = await reply_to(tmp_path, Scenario(), argv=("-c", "print('hello')"))

    assert reply == failure(FailureCode.PARSE, "agent ended without a result.")


DEAF = """\
import json, sys, time
for result in ({"protocolVersion": 1}, {"sessionId": "s"}):
    request = json.loads(sys.stdin.buffer.raw.readline())
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
time.sleep(600)
"""


@pytest.mark.process
async def test_an_agent_that_stops_reading_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    reply = await reply_to(tmp_path, Scenario(), question("x" * 2**20, timeout_s=2), argv=("-c", DEAF))

    assert reply == failure(FailureCode.TIMEOUT, "agent gave no answer within 2 s.", retryable=True)


async def test_an_agent_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    reply = await reply_to(tmp_path, Scenario(), program="no-such-agent")

    assert reply == failure(FailureCode.NOT_FOUND, "`no-such-agent` is not there. Make one.")


async def test_a_configuration_that_cannot_be_understood_starts_nothing(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text("mcp_servers = [", encoding="utf-8")
    spec = agent(Scenario(), program="no-such-agent", confinement=ConfinementKind.CODEX)

    reply = await consultant(tmp_path, spec, {"HOME": str(tmp_path)}).ask(question())

    assert isinstance(reply, Failure)
    assert reply.code is FailureCode.UNSUPPORTED


@pytest.mark.process
async def test_an_agent_that_never_answers_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    reply = await reply_to(tmp_path, Scenario(is_silent=True), question(timeout_s=1))

    assert reply == failure(FailureCode.TIMEOUT, "agent gave no answer within 1 s.", retryable=True)


@pytest.mark.process
@pytest.mark.parametrize("traits", [(), ("stubborn",)])
async def test_at_the_time_limit_an_agent_is_asked_to_stop_and_then_ended(
    traits: tuple[str, ...], tmp_path: Path
) -> None:
    with Attendance() as attendance:
        scenario = saying(("stay", attendance.address, *traits), ("say", "Too late."))

        reply = await reply_to(tmp_path, scenario, question(timeout_s=3))

        assert await to_thread.run_sync(attendance.arrivals, 1) == {"agent"}
        assert attendance.last_words() == {"agent": "asked to stop\n"}
    assert reply == failure(FailureCode.TIMEOUT, "agent gave no answer within 3 s.", retryable=True)


@pytest.mark.process
async def test_a_cancelled_question_stops_and_ends_the_agent(tmp_path: Path) -> None:
    with Attendance() as attendance:
        spec = agent(saying(("stay", attendance.address)))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(consultant(tmp_path, spec).ask, question())
            assert await to_thread.run_sync(attendance.arrivals, 1) == {"agent"}
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == {"agent": "asked to stop\n"}
    assert list((tmp_path / "private").iterdir()) == []
