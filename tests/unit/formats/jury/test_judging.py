"""Verdicts that cannot be read, verdicts that code objects to, and what is made of the judge's second thoughts."""

import json

import pytest

from sparring.formats.jury.verdict import read_verdict
from sparring.schema.base import Role
from sparring.schema.claims import Dimension
from sparring.schema.jury import Faithfulness, JudgeVerdict, JuryStatus
from support.jury_playing import CLAIM, FAITHFUL_CLAIM, VERDICT, faithful, outcome, play_jury, spoken, verdict
from support.playing import FAILS, prompt, steps

THE_VERDICT = JudgeVerdict(
    verdict=Faithfulness.MUTATED,
    confidence=0.9,
    rationale=("The number and its bound have changed.",),
    critical_differences=("The claim says “fewer than 600,000”, the truth “more than 645,000”.",),
    what_would_make_it_faithful=("Say “more than 645,000”.",),
    one_sentence_summary="The claim turns a lower bound into a smaller upper bound.",
)
NOWHERE = verdict(critical_differences=["The number is “a million”."])
UNANCHORED = ("The verdict is MUTATED, but no critical difference points at words of the truth or the claim.",)


@pytest.mark.parametrize(
    ("label", "read"),
    [
        ("MUTATED", Faithfulness.MUTATED),
        ("mutated", Faithfulness.MUTATED),
        (" Partially faithful ", Faithfulness.PARTIALLY_FAITHFUL),
        ("PARTIALLY-FAITHFUL", Faithfulness.PARTIALLY_FAITHFUL),
        ("partially_faithful", Faithfulness.PARTIALLY_FAITHFUL),
        ("Faithful", Faithfulness.FAITHFUL),
    ],
)
def test_a_label_is_read_however_it_is_spelled(label: str, read: Faithfulness) -> None:
    assert read_verdict(f"So:\n```json\n{verdict(verdict=label, mood='good')}\n```").verdict is read


@pytest.mark.parametrize("field", list(VERDICT))
def test_a_verdict_without_one_of_its_fields_is_no_verdict(field: str) -> None:
    partial = json.dumps({name: value for name, value in VERDICT.items() if name != field})
    assert outcome(play_jury({"verdict.1": partial, "verdict.2": partial})).status is JuryStatus.UNJUDGED


@pytest.mark.parametrize(
    "changes",
    [
        {"confidence": 1.01},
        {"confidence": -0.1},
        {"confidence": 85},
        {"confidence": "85%"},
        {"confidence": "0.85"},
        {"confidence": True},
        {"confidence": None},
        {"verdict": "FALSE"},
        {"verdict": "FAITHFUL | MUTATED"},
        {"verdict": ["MUTATED"]},
        {"rationale": []},
        {"rationale": "because"},
        {"critical_differences": ["x"] * 51},
        {"one_sentence_summary": ""},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_nothing_in_a_verdict_is_guessed(changes: dict[str, object]) -> None:
    unusable = verdict(**changes)
    played = play_jury({"verdict.1": unusable})
    assert steps(played)[-1] == ["verdict.2"]
    assert next(iter(changes)) in prompt(played, "verdict.2")
    assert played.asks["verdict.2"].question.brief.attempt == 2
    assert (outcome(played).status, outcome(played).verdict) == (JuryStatus.COMPLETED, THE_VERDICT)


def test_a_faithful_verdict_against_a_critical_mismatch_of_code_is_asked_about_once_with_exactly_that() -> None:
    played = play_jury({"verdict.1": faithful()})
    assert steps(played)[-2:] == [["verdict.1"], ["reconsider.1"]]
    asked = prompt(played, "reconsider.1")
    assert asked.startswith(prompt(played, "verdict.1"))
    added = asked.removeprefix(prompt(played, "verdict.1"))
    assert '- quantity: critical mismatch. The claim has "600,000", the truth "645,000" for the same.' in added
    assert f"```text\n{faithful()}\n```" in added
    assert 'match. The claim has "190"' not in added
    brief = played.asks["reconsider.1"].question.brief
    assert (brief.step, brief.role, brief.attempt) == ("jury/reconsider", Role.JUDGE, 1)
    assert spoken(played, "reconsider.1") == spoken(played, "verdict.1")


def test_a_mutation_that_is_nowhere_is_asked_about_once_and_then_contested() -> None:
    played = play_jury({"verdict.1": NOWHERE, "reconsider.1": NOWHERE})
    assert "none of your critical differences quotes words that stand in the truth or in the claim" in prompt(
        played, "reconsider.1"
    )
    found = outcome(played)
    assert (found.verdict and found.verdict.verdict, found.contested) == (Faithfulness.MUTATED, UNANCHORED)
    assert [difference.anchors for difference in found.differences] == [()]


LISTED = "The verdict is FAITHFUL, but it lists critical differences."
COMMON = "The verdict is MUTATED, but all words that its critical differences quote stand in both texts."


@pytest.mark.parametrize(
    ("claim", "said", "asked", "contested"),
    [
        (FAITHFUL_CLAIM, verdict(verdict="FAITHFUL"), ["but it lists critical differences"], [LISTED]),
        (
            FAITHFUL_CLAIM,
            verdict(verdict="FAITHFUL", critical_differences=["It is odd."]),
            ["but it lists critical differences"],
            [LISTED],
        ),
        (
            CLAIM,
            verdict(verdict="FAITHFUL"),
            ["has found what by itself changes the meaning", "but it lists critical differences"],
            ["The verdict is FAITHFUL against a critical mismatch found by code.", LISTED],
        ),
        (
            FAITHFUL_CLAIM,
            verdict(critical_differences=["It is not “190 countries”, “By 25 March 2020”."]),
            ["stands in the truth and in the claim alike"],
            [COMMON],
        ),
        (FAITHFUL_CLAIM, verdict(critical_differences=[]), ["none of your critical differences"], [*UNANCHORED]),
    ],
    ids=["with differences", "with an odd one", "against code too", "in both texts", "with none"],
)
def test_a_verdict_that_contradicts_itself_goes_back_once_with_all_that_does_and_is_then_contested(
    claim: str, said: str, asked: list[str], contested: list[str]
) -> None:
    played = play_jury({"verdict.1": said, "reconsider.1": said}, claim=claim)
    assert steps(played)[-1] == ["reconsider.1"]
    assert all(words in prompt(played, "reconsider.1") for words in asked)
    told = outcome(played).contested
    assert len(told) == len(contested)
    assert all(one.startswith(other) for one, other in zip(told, contested, strict=True))
    assert outcome(play_jury({"verdict.1": said, "reconsider.1": faithful()}, claim=FAITHFUL_CLAIM)).contested == ()


def test_a_jury_of_the_first_edition_ends_under_its_own_rules() -> None:
    for said in (verdict(verdict="FAITHFUL"), verdict(critical_differences=["It is not “190 countries”."])):
        played = play_jury({"verdict.1": said}, claim=FAITHFUL_CLAIM, edition=1)
        assert (steps(played)[-1], outcome(played).contested) == (["verdict.1"], ())


def test_a_mutation_that_is_found_on_a_second_look_is_not_contested() -> None:
    found = outcome(play_jury({"verdict.1": NOWHERE}))
    assert (found.contested, found.mutations) == ((), (Dimension.QUANTITY, Dimension.QUALIFIER))


@pytest.mark.parametrize(
    ("claim", "label", "differences"),
    [
        (FAITHFUL_CLAIM, "FAITHFUL", []),
        (CLAIM, "PARTIALLY_FAITHFUL", []),
        (CLAIM, "PARTIALLY_FAITHFUL", ["The number is “600,000”."]),
        (CLAIM, "MUTATED", ["It is odd.", "The number is “600,000”."]),
    ],
)
def test_nothing_else_is_objected_to(claim: str, label: str, differences: list[str]) -> None:
    played = play_jury({"verdict.1": verdict(verdict=label, critical_differences=differences)}, claim=claim)
    assert steps(played)[-1] == ["verdict.1"]
    assert outcome(played).contested == ()


@pytest.mark.parametrize(
    ("label", "advocate", "role"),
    [
        ("FAITHFUL", "", Role.SKEPTIC),
        ("MUTATED", "", Role.ADVOCATE),
        ("PARTIALLY_FAITHFUL", "", Role.SKEPTIC),
        ("PARTIALLY_FAITHFUL", '- "By" "March" "more than"', Role.SKEPTIC),
        ("PARTIALLY_FAITHFUL", '- "By" "March" "more than" "reported" "countries and territories"', Role.ADVOCATE),
    ],
)
def test_the_minority_view_is_the_last_word_of_the_side_that_the_verdict_does_not_follow(
    label: str, advocate: str, role: Role
) -> None:
    special = {"rebuttal.1.advocate": advocate} if advocate else {}
    found = outcome(play_jury({**special, "verdict.1": verdict(verdict=label), "reconsider.1": "No."}))
    assert found.minority_view
    last = {statement.role: statement.text for statement in found.statements if statement.round == 2}
    assert (found.minority_view.role, found.minority_view.text) == (role, last[role])


def test_without_a_word_of_the_other_side_there_is_no_minority_view() -> None:
    assert outcome(play_jury({"opening.advocate": FAILS})).minority_view is None
