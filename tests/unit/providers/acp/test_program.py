"""Agents that are programs: how they are started, and that nothing of them is left."""

import json
from functools import partial
from pathlib import Path

import pytest

from sparring.schema.consultation import FailureCode
from sparring.schema.providers import Environment
from sparring.testing.acp_agent import Scenario
from sparring.testing.workspace import Attendance
from support.acp_talk import agent, consultant, failure
from support.clocks import timed_out
from support.desk import answered, question

pytestmark = pytest.mark.process


async def test_a_program_is_started_with_what_it_may_see_and_gone_with_its_answer(tmp_path: Path) -> None:
    spec = agent(Scenario(), environment=Environment(allow=("AGENT_*",), fixed={"QUIET": "1"}))
    environment = {"LANG": "C.UTF-8", "AGENT_KEY": "x", "OTHER_KEY": "y"}

    reply = answered(await consultant(tmp_path, spec, environment).ask(question("/init Đúng không?")))
    seen = json.loads(reply.response)
    assert seen["environment"].pop("SPARRING_CHILD")
    assert seen["environment"].pop("TMPDIR")
    assert seen["environment"] == {"LANG": "C.UTF-8", "AGENT_KEY": "x", "QUIET": "1", "SPARRING_DEPTH": "1"}
    assert seen["prompt"] == ["The question follows.\n\n/init Đúng không?"]
    assert Path(seen["cwd"]).parent == tmp_path / "private"
    assert [*(tmp_path / "private").rglob("*")] == [tmp_path / "private" / "calls"]


DEAF = """\
import json, socket, sys, time
for result in ({"protocolVersion": 1}, {"sessionId": "s"}):
    request = json.loads(sys.stdin.buffer.raw.readline())
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
sys.stdin.buffer.raw.read(1)  # the question has begun to come
host, port = sys.argv[1].split(":")
connection = socket.create_connection((host, int(port)))
connection.sendall(b"deaf\\n")
time.sleep(600)
"""


def test_a_program_that_stops_reading_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    with Attendance() as attendance:
        deaf = consultant(tmp_path, agent(Scenario(), argv=("-c", DEAF, attendance.address)))
        asking = partial(deaf.ask, question("x" * 2**20, timeout_s=3600))
        reply = timed_out(asking, 3600, once=partial(attendance.arrivals, 1))
        assert attendance.last_words() == {"deaf": ""}
    late = failure(FailureCode.TIMEOUT, "agent gave no answer within 3600 s.")
    assert reply.model_copy(update={"duration_ms": 0}) == late
