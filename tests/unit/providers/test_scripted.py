import re
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ProviderSpecError
from sparring.providers.scripted import SCRIPT_LIMIT, ScriptedConsultant
from sparring.schema.base import Effort, Role
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question
from support.desk import answered, question, write


def consultant(folder: Path, *replies: dict[str, Any]) -> ScriptedConsultant:
    return ScriptedConsultant(write(folder / "replies.json", {"replies": replies}), tool="claude")


def put(role: Role, round_number: int, step: str = "debate/opening", **more: Any) -> Question:
    return question(brief=Brief(step=step, topic="A topic", role=role, round=round_number, **more))


async def test_the_first_reply_that_fits_the_brief_answers(tmp_path: Path) -> None:
    scripted = consultant(
        tmp_path,
        {"match": {"role": "proposer", "round": 2}, "response": "Defence."},
        {"match": {"role": "proposer"}, "response": "Opening."},
        {"match": {"name": "Agent 2"}, "response": "No."},
        {"match": {"step": "debate/synthesis", "attempt": 2}, "response": "Verdict."},
        {"response": "Anything else."},
    )
    asked = {
        "Defence.": put(Role.PROPOSER, 2),
        "Opening.": put(Role.PROPOSER, 1),
        "Anything else.": put(Role.JUDGE, 2, "debate/synthesis", name="Agent 1"),
        "Verdict.": put(Role.JUDGE, 2, "debate/synthesis", attempt=2),
        "No.": put(Role.JUDGE, 1, name="Agent 2"),
    }
    replies = [answered(await scripted.ask(each)) for each in (*asked.values(), *asked.values())]
    assert [reply.response for reply in replies] == [*asked] * 2


async def test_a_scripted_answer_is_complete(tmp_path: Path) -> None:
    told: dict[str, Any] = {"response": "Yes.", "model": "opus", "usage": {"input_tokens": 3}, "session_id": "s-1"}
    reply = await consultant(tmp_path, told | {"delay_s": 0.001}).ask(question(effort=Effort.HIGH, keep_session=True))
    rest = {"tool": "claude", "effort": Effort.HIGH, "continuable": True, "duration_ms": 1}
    assert reply == Answer.model_validate(told | rest)


async def test_a_brief_that_no_reply_fits_is_a_failure(tmp_path: Path) -> None:
    scripted = consultant(tmp_path, {"match": {"role": "judge"}, "response": "Verdict."})
    detail = "The script has no reply for challenger, round 3, debate/opening."
    failure = Failure(tool="claude", code=FailureCode.EMPTY, detail=detail)
    assert await scripted.ask(put(Role.CHALLENGER, 3)) == failure


def test_a_script_that_cannot_be_read_is_refused_with_its_reason(tmp_path: Path) -> None:
    both = '{"replies": [{"response": "a", "failure": {"code": "exit", "detail": "b"}}]}'
    refused = {
        "{": "is not JSON: EOF",
        '{"replies": [{}]}': "replies.0: a reply has either a response or a failure",
        both: "replies.0: a reply has either",
        '{"replies": [{"response": ""}]}': "replies.0.response must not be empty",
        '{"replies": [{"match": {"who": "judge"}, "response": "a"}]}': "replies.0.match.who is not known here",
        "[]": "",
    }
    for source, reason in refused.items():
        script = write(tmp_path / "replies.json", source)
        with pytest.raises(ProviderSpecError, match=rf"^script {re.escape(str(script))}: .*{re.escape(reason)}"):
            ScriptedConsultant(script, tool="claude")
    with (tmp_path / "large.json").open("wb") as stream:
        stream.truncate(SCRIPT_LIMIT + 1)
    for name, reason in {"nowhere.json": "cannot be read: No such file", "large.json": "is larger than"}.items():
        with pytest.raises(ProviderSpecError, match=reason):
            ScriptedConsultant(tmp_path / name, tool="claude")
