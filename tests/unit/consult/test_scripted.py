import json
from pathlib import Path
from typing import Any

import pytest

from sparring.consult.scripted import SCRIPT_LIMIT, ScriptedConsultant
from sparring.errors import ProviderSpecError
from sparring.schema.base import Effort, Role
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Usage


def write_script(folder: Path, *replies: dict[str, Any]) -> Path:
    script = folder / "replies.json"
    script.write_text(json.dumps({"replies": replies}), encoding="utf-8")
    return script


def put(
    role: Role, round_number: int, *, step: str = "debate/opening", attempt: int = 1, timeout_s: float = 10
) -> Question:
    brief = Brief(step=step, topic="A topic", role=role, round=round_number, attempt=attempt)
    return Question(prompt="Ignored", brief=brief, timeout_s=timeout_s)


async def test_the_first_reply_that_fits_the_brief_answers(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        {"match": {"role": "proposer", "round": 2}, "response": "Defence."},
        {"match": {"role": "proposer"}, "response": "Opening."},
        {"match": {"step": "debate/synthesis", "attempt": 2}, "response": "Verdict."},
        {"response": "Anything else."},
    )
    consultant = ScriptedConsultant(script, tool="claude")
    questions = (
        put(Role.PROPOSER, 2),
        put(Role.PROPOSER, 1),
        put(Role.JUDGE, 2, step="debate/synthesis"),
        put(Role.JUDGE, 2, step="debate/synthesis", attempt=2),
        put(Role.PROPOSER, 2),
    )

    replies = [await consultant.ask(question) for question in questions]

    said = [reply.response for reply in replies if isinstance(reply, Answer)]
    assert said == ["Defence.", "Opening.", "Anything else.", "Verdict.", "Defence."]


async def test_of_several_who_share_a_role_each_has_its_own_reply(tmp_path: Path) -> None:
    script = write_script(tmp_path, {"match": {"name": "Agent 2"}, "response": "No."}, {"response": "Yes."})
    consultant = ScriptedConsultant(script, tool="claude")
    briefs = [Brief(step="s", topic="t", role=Role.JUDGE, round=1, name=name) for name in ("Agent 1", "Agent 2")]
    replies = [await consultant.ask(Question(prompt="p", brief=brief, timeout_s=10)) for brief in briefs]
    assert [reply.response for reply in replies if isinstance(reply, Answer)] == ["Yes.", "No."]


async def test_a_scripted_answer_is_complete(tmp_path: Path) -> None:
    reply = {"response": "Yes.", "delay_s": 0.001, "model": "opus", "usage": {"input_tokens": 3}, "session_id": "s-1"}
    consultant = ScriptedConsultant(write_script(tmp_path, reply), tool="claude")
    question = put(Role.CHALLENGER, 1).model_copy(update={"effort": Effort.HIGH, "keep_session": True})

    assert await consultant.ask(question) == Answer(
        tool="claude",
        model="opus",
        effort=Effort.HIGH,
        response="Yes.",
        session_id="s-1",
        continuable=True,
        duration_ms=1,
        usage=Usage(input_tokens=3),
    )


async def test_a_scripted_failure_fails(tmp_path: Path) -> None:
    failure = {"code": "rate_limit", "detail": "Slow down.", "retryable": True}
    consultant = ScriptedConsultant(write_script(tmp_path, {"failure": failure}), tool="codex")

    assert await consultant.ask(put(Role.JUDGE, 1)) == Failure(
        tool="codex", code=FailureCode.RATE_LIMIT, detail="Slow down.", retryable=True
    )


async def test_a_brief_without_a_reply_is_told(tmp_path: Path) -> None:
    script = write_script(tmp_path, {"match": {"role": "judge"}, "response": "Verdict."})

    assert await ScriptedConsultant(script, tool="codex").ask(put(Role.CHALLENGER, 3)) == Failure(
        tool="codex",
        code=FailureCode.EMPTY,
        detail="The script has no reply for challenger, round 3, debate/opening.",
    )


async def test_a_delay_beyond_the_time_limit_is_a_timeout(tmp_path: Path) -> None:
    script = write_script(tmp_path, {"response": "Too late.", "delay_s": 3600})

    assert await ScriptedConsultant(script, tool="codex").ask(put(Role.JUDGE, 1, timeout_s=0.001)) == Failure(
        tool="codex", code=FailureCode.TIMEOUT, detail="No answer within 0.001 s.", retryable=True
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{", "Invalid JSON"),
        ('{"replies": [{}]}', "replies.0: Value error, a reply has either a response or a failure"),
        ('{"replies": [{"response": "a", "failure": {"code": "exit", "detail": "b"}}]}', "replies.0: Value error"),
        ('{"replies": [{"response": ""}]}', "replies.0.response: "),
        ('{"replies": [{"match": {"who": "judge"}, "response": "a"}]}', "replies.0.match.who: "),
        ('{"replies": [{"failure": {"code": "bad", "detail": "b"}}]}', "replies.0.failure.code: "),
        ("[]", "replies"),
    ],
)
def test_a_malformed_script_is_refused_with_its_reason(source: str, reason: str, tmp_path: Path) -> None:
    script = tmp_path / "replies.json"
    script.write_text(source, encoding="utf-8")

    with pytest.raises(ProviderSpecError) as caught:
        ScriptedConsultant(script, tool="claude")

    message = str(caught.value)
    assert message.startswith(f"script {script}: ")
    assert reason in message or source == "[]"


def test_a_missing_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProviderSpecError, match="cannot be read: No such file"):
        ScriptedConsultant(tmp_path / "nowhere.json", tool="claude")


def test_a_script_beyond_the_size_limit_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "replies.json"
    with script.open("wb") as stream:
        stream.truncate(SCRIPT_LIMIT + 1)

    with pytest.raises(ProviderSpecError, match="is larger than"):
        ScriptedConsultant(script, tool="claude")
