"""What a request to consult may say, and what an older one said."""

import pytest
from pydantic import ValidationError

from sparring.schema.consult import Consulted, ConsultRequest, answer_number

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


@pytest.mark.parametrize("count", [1, 2, 5])
def test_each_answer_has_a_number_unless_it_is_the_only_one(count: int) -> None:
    request = ConsultRequest(question="?", asked=(CLAUDE,) * count)
    numbers = [answer_number(id_) for id_ in request.question_ids]
    assert numbers == ([None] if count == 1 else list(range(1, count + 1)))
