import re
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import ProviderSpecError
from sparring.providers.scripted import SCRIPT_LIMIT, ScriptedConsultant
from sparring.schema.base import Effort, Role
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode
from support.desk import answered, question, write


def consultant(folder: Path, *replies: dict[str, Any]) -> ScriptedConsultant:
    return ScriptedConsultant(write(folder / "replies.json", {"replies": replies}), tool="claude")


FITTING = {"name": "judge1.ab", "role": "judge", "round": 2, "step": "debate/synthesis", "attempt": 2}
OTHER = {"name": "judge1.ba", "role": "proposer", "round": 1, "step": "debate/opening", "attempt": 1}


@pytest.mark.parametrize("told", FITTING)
async def test_the_first_reply_that_fits_the_brief_answers(told: str, tmp_path: Path) -> None:
    replies = {"match": {told: FITTING[told]}, "response": "It fits."}, {"response": "Anything else."}
    for changed, response in (({}, "It fits."), ({told: OTHER[told]}, "Anything else.")):
        brief = Brief.model_validate({"topic": "A topic"} | FITTING | changed)
        assert answered(await consultant(tmp_path, *replies).ask(question(brief=brief))).response == response


async def test_a_scripted_answer_is_complete(tmp_path: Path) -> None:
    told: dict[str, Any] = {"response": "Yes.", "model": "opus", "usage": {"input_tokens": 3}, "session_id": "s-1"}
    scripted = consultant(tmp_path, told | {"delay_s": 0.001})
    rest = {"tool": "claude", "effort": Effort.HIGH, "continuable": True, "duration_ms": 1}
    assert await scripted.ask(question(effort=Effort.HIGH, keep_session=True)) == Answer.model_validate(told | rest)


async def test_a_brief_that_no_reply_fits_is_a_failure(tmp_path: Path) -> None:
    scripted = consultant(tmp_path, {"match": {"role": "judge"}, "response": "Verdict."})
    brief = Brief(step="debate/opening", topic="A topic", role=Role.CHALLENGER, round=3)
    detail = "The script has no reply for challenger, round 3, debate/opening."
    failure = Failure(tool="claude", code=FailureCode.EMPTY, detail=detail)
    assert await scripted.ask(question(brief=brief)) == failure


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
