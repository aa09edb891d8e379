import json
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ProviderSpecError
from sparring.providers.scripted import SCRIPT_LIMIT, ScriptedConsultant
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
        {"match": {"name": "Agent 2"}, "response": "No."},
        {"match": {"step": "debate/synthesis", "attempt": 2}, "response": "Verdict."},
        {"response": "Anything else."},
    )
    consultant = ScriptedConsultant(script, tool="claude")
    agents = [Brief(step="s", topic="t", role=Role.JUDGE, round=1, name=name) for name in ("Agent 1", "Agent 2")]
    questions = (
        put(Role.PROPOSER, 2),
        put(Role.PROPOSER, 1),
        put(Role.JUDGE, 2, step="debate/synthesis"),
        put(Role.JUDGE, 2, step="debate/synthesis", attempt=2),
        put(Role.PROPOSER, 2),
        *(put(Role.JUDGE, 1).model_copy(update={"brief": brief}) for brief in agents),
    )

    replies = [await consultant.ask(question) for question in questions]

    said = [reply.response for reply in replies if isinstance(reply, Answer)]
    assert said == ["Defence.", "Opening.", "Anything else.", "Verdict.", "Defence.", "Anything else.", "No."]


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


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"failure": {"code": "rate_limit", "detail": "Slow down.", "retryable": True}},
         Failure(tool="codex", code=FailureCode.RATE_LIMIT, detail="Slow down.", retryable=True)),
        ({"match": {"role": "judge"}, "response": "Verdict."},
         Failure(tool="codex", code=FailureCode.EMPTY,
            detail="The script has no reply for challenger, round 3, debate/opening.")),
        ({"response": "Too late.", "delay_s": 3600},
         Failure(tool="codex", code=FailureCode.TIMEOUT, detail="No answer within 0.001 s.")),
    ],
    ids=["a failure", "no reply", "a delay beyond the time limit"],
)  # fmt: skip
async def test_what_is_no_answer_is_a_failure(reply: dict[str, Any], expected: Failure, tmp_path: Path) -> None:
    consultant = ScriptedConsultant(write_script(tmp_path, reply), tool="codex")
    assert await consultant.ask(put(Role.CHALLENGER, 3, timeout_s=0.001)) == expected


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{", "is not JSON: EOF"),
        ('{"replies": [{}]}', "replies.0: a reply has either a response or a failure"),
        (
            '{"replies": [{"response": "a", "failure": {"code": "exit", "detail": "b"}}]}',
            "replies.0: a reply has either",
        ),
        ('{"replies": [{"response": ""}]}', "replies.0.response must not be empty"),
        ('{"replies": [{"match": {"who": "judge"}, "response": "a"}]}', "replies.0.match.who is not known here"),
        ('{"replies": [{"failure": {"code": "bad", "detail": "b"}}]}', "replies.0.failure.code must be one of "),
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


def test_a_script_that_is_missing_or_too_large_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as stream:
        stream.truncate(SCRIPT_LIMIT + 1)
    for name, reason in {"nowhere.json": "cannot be read: No such file", "large.json": "is larger than"}.items():
        with pytest.raises(ProviderSpecError, match=reason):
            ScriptedConsultant(tmp_path / name, tool="claude")
