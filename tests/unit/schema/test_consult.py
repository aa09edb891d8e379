"""What a request to consult may say, and what an older one said."""

import pytest
from pydantic import ValidationError

from sparring.schema.consult import Consulted, ConsultRequest

CLAUDE = Consulted(tool="claude")


def test_a_request_of_the_time_of_one_tool_is_understood() -> None:
    old = {"kind": "consult", "question": "?", "tool": "codex", "model": "gpt-9", "effort": "low", "session_id": "s"}
    assert ConsultRequest.model_validate(old) == ConsultRequest.model_validate(
        {"question": "?", "asked": [{"tool": "codex", "model": "gpt-9"}], "effort": "low", "session_id": "s"}
    )


@pytest.mark.parametrize("asked", [(), (CLAUDE,) * 6])
def test_one_to_five_can_be_asked(asked: tuple[Consulted, ...]) -> None:
    with pytest.raises(ValidationError):
        ConsultRequest(question="?", asked=asked)


def test_a_session_is_continued_by_one_answer_only() -> None:
    with pytest.raises(ValidationError, match="by one answer only"):
        ConsultRequest(question="?", asked=(CLAUDE, CLAUDE), session_id="s")
