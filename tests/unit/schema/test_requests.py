"""What every request says of itself, and what one to consult may say, and an older one said."""

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from sparring.schema.base import Effort, Participant, RepoAccess, Role
from sparring.schema.consult import ConsultedTool, ConsultRequest
from sparring.schema.consultation import ContextPart
from sparring.schema.runs import Needed, Request
from support.chaired_playing import chaired_request
from support.fact_checking import request as fact_check_request
from support.jury_playing import jury_request
from support.runs import consult_request, debate_request

PART = ContextPart(name="a.py", size_bytes=5, text="x = 1")
ANN, BOB, CY, DEE = (Participant(tool=tool) for tool in ("ann", "bob", "cy", "dee"))
SEEING = {"repo_access": RepoAccess.READ}
SHOWN: dict[str, Any] = {"effort": "low", "context": (PART,)}
IN_CONTEXT = {"Context": (PART,)}
SEATS = {"promoter": ANN, "detractor": BOB, "chair": CY}


def needed(participant: Participant, **what: object) -> Needed:
    return Needed.model_validate({"participant": participant, "effort": Effort.LOW, **what})


REQUESTS: dict[str, tuple[Request, list[Needed], Mapping[str, object]]] = {
    "debate": (debate_request(proposer=ANN, challenger=BOB, judge=CY, panel=(DEE,), **SEEING, **SHOWN),
        [needed(ANN, **SEEING), needed(BOB, **SEEING), needed(CY), needed(DEE)], IN_CONTEXT),
    "consult": (consult_request(asked=(ConsultedTool(tool="ann"),), session_id="s", **SEEING, **SHOWN),
        [needed(ANN, session_id="s", **SEEING)], IN_CONTEXT),
    "chaired-debate": (chaired_request(**SEATS, reporter=DEE, searching=(Role.DETRACTOR,), **SHOWN),
        [needed(CY), needed(ANN), needed(BOB), needed(DEE), needed(BOB, web=True)], IN_CONTEXT),
    "jury": (jury_request(advocate=ANN, skeptic=BOB, fact_checker=CY, judge=DEE, effort="low"),
        [needed(each) for each in (ANN, BOB, CY, DEE)], {}),
    "fact-check": (fact_check_request("ann", "bob", effort="low", evidence=(PART,)),
        [needed(ANN), needed(BOB)], {"Evidence": (PART,)}),
}  # fmt: skip


@pytest.mark.parametrize(("request_", "expected", "material"), REQUESTS.values(), ids=REQUESTS)
def test_a_request_lists_its_participants_and_its_material(
    request_: Request, expected: list[Needed], material: Mapping[str, object]
) -> None:
    assert (list(request_.needed()), request_.material) == (expected, material)


def test_a_request_of_the_time_of_one_tool_is_understood() -> None:
    old = {"kind": "consult", "question": "?", "tool": "codex", "model": "gpt-9", "effort": "low", "session_id": "s"}
    assert ConsultRequest.model_validate(old) == ConsultRequest.model_validate(
        {"question": "?", "asked": [{"tool": "codex", "model": "gpt-9"}], "effort": "low", "session_id": "s"}
    )


def test_one_to_five_can_be_asked_and_a_session_is_continued_by_one_answer_only() -> None:
    for count in (0, 6):
        with pytest.raises(ValidationError):
            ConsultRequest(question="?", asked=(ConsultedTool(tool="claude"),) * count)
    with pytest.raises(ValidationError, match="by one answer only"):
        ConsultRequest(question="?", asked=(ConsultedTool(tool="claude"),) * 2, session_id="s")
