"""What every request says of itself: which tools it cannot do without, what is shown with it, where its files go."""

from collections.abc import Mapping

import pytest

from sparring.schema.base import Effort, Participant, RepoAccess, Role
from sparring.schema.consult import Consulted
from sparring.schema.consultation import ContextPart
from sparring.schema.runs import Needed, Request
from support.chaired_playing import chaired_request
from support.fact_checking import request as fact_check_request
from support.jury_playing import jury_request
from support.runs import consult_request, debate_request

PART = ContextPart(name="a.py", size_bytes=5, text="x = 1")
ANN, BOB, CY, DEE = (Participant(tool=tool) for tool in ("ann", "bob", "cy", "dee"))
SEEING = {"repo_access": RepoAccess.READ}
SEATS = {"promoter": ANN, "detractor": BOB, "chair": CY}


def needed(participant: Participant, **what: object) -> Needed:
    return Needed.model_validate({"participant": participant, "effort": Effort.LOW, **what})


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (
            debate_request(proposer=ANN, challenger=BOB, judge=CY, panel=(DEE,), effort="low", **SEEING),
            [needed(ANN, **SEEING), needed(BOB, **SEEING), needed(CY), needed(DEE)],
        ),
        (
            consult_request(asked=(Consulted(tool="ann"),), effort="low", session_id="s", **SEEING),
            [needed(ANN, session_id="s", **SEEING)],
        ),
        (
            chaired_request(**SEATS, reporter=DEE, searching=(Role.DETRACTOR,), effort="low"),
            [needed(CY), needed(ANN), needed(BOB), needed(DEE), needed(BOB, web=True)],
        ),
        (
            jury_request(advocate=ANN, skeptic=BOB, fact_checker=CY, judge=DEE, effort="low"),
            [needed(ANN), needed(BOB), needed(CY), needed(DEE)],
        ),
        (fact_check_request("ann", "bob", effort="low"), [needed(ANN), needed(BOB)]),
    ],
    ids=["debate", "consult", "chaired-debate", "jury", "fact-check"],
)
def test_a_request_needs_whoever_takes_part_and_what_each_has_to_do(request_: Request, expected: list[Needed]) -> None:
    assert list(request_.needed()) == expected


@pytest.mark.parametrize(
    ("request_", "material"),
    [
        (debate_request(context=(PART,)), {"Context": (PART,)}),
        (consult_request(context=(PART,)), {"Context": (PART,)}),
        (chaired_request(context=(PART,)), {"Context": (PART,)}),
        (fact_check_request(evidence=(PART,)), {"Evidence": (PART,)}),
        (jury_request(), {}),
    ],
    ids=["debate", "consult", "chaired-debate", "fact-check", "jury"],
)
def test_a_request_says_what_is_shown_with_it(request_: Request, material: Mapping[str, object]) -> None:
    assert request_.material == material


def test_only_a_chaired_debate_writes_into_a_folder_that_it_is_told() -> None:
    assert chaired_request(output_dir="debates/first").folders == ("debates/first",)
    assert chaired_request().folders == debate_request().folders == ()
