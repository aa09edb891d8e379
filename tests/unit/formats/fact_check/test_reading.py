"""What is read of an answer, and what is asked for again."""

import json

import pytest

from sparring.engine.course import UnusableReplyError
from sparring.formats.fact_check.reading import (
    MOST_SAID,
    Analysis,
    Rebuttal,
    SaidPart,
    SaidRebuttal,
    read_analysis,
    read_rebuttal,
)
from sparring.schema.claims import Label
from sparring.schema.fact_check import ChangeTrigger, DecisionChange, Issue, PartStatus
from support.fact_checking import Json, analysis, covered, missing, rebuttal

PART = covered("tall", "is tall")


@pytest.mark.parametrize(
    ("spelled", "label"),
    [
        ("SUPPORTED", Label.SUPPORTED),
        ("supported", Label.SUPPORTED),
        (" **Refuted**. ", Label.REFUTED),
        ("nei", Label.NEI),
        ("Not enough info", Label.NEI),
        ("NOT_ENOUGH_INFORMATION", Label.NEI),
    ],
)
def test_a_verdict_may_be_spelled_in_any_case_and_with_marks_around_it(spelled: str, label: Label) -> None:
    assert read_analysis(json.dumps(analysis(spelled, PART))).verdict is label
    assert read_rebuttal(json.dumps(rebuttal(spelled))).verdict is label


def test_an_analysis_is_read_field_by_field_and_what_we_do_not_know_is_ignored() -> None:
    said = {
        "parts": [{"part": " tall ", "status": "covered", "quote": "is tall", "weight": 3}, missing("old")],
        "verdict": "NEI",
        "confidence": 0.9,
        "reasoning_vi": " Vì thế. ",
    }
    assert read_analysis(f"Let me see.\n```json\n{json.dumps(said)}\n```\nDone.") == Analysis.model_construct(
        parts=(
            SaidPart(part="tall", status=PartStatus.COVERED, quote="is tall"),
            SaidPart(part="old", status=PartStatus.MISSING),
        ),
        verdict=Label.NEI,
        reason="Vì thế.",
    )


@pytest.mark.parametrize("nothing", [None, "", "NULL", "null", ' "Null" ', "None", "n/a", "N/A", "(no verified quote)"])
def test_every_way_to_say_that_there_is_no_quote_is_none(nothing: str | None) -> None:
    assert read_analysis(json.dumps(analysis("SUPPORTED", covered("tall", nothing)))).parts[0].quote is None
    assert read_rebuttal(json.dumps(rebuttal("NEI", nothing))).key_quote is None


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("It is true.", "There is no JSON object in the reply."),
        ("[]", "There is no JSON object in the reply."),
        ({"verdict": "SUPPORTED"}, "parts: Field required"),
        ({"parts": [PART]}, "verdict: Field required"),
        (analysis("SUPPORTED"), "parts: Tuple should have at least 1 item"),
        (analysis("SUPPORTED | REFUTED | NEI", PART), "verdict: Input should be 'SUPPORTED', 'REFUTED' or 'NEI'"),
        (analysis("TRUE", PART), "verdict: Input should be"),
        (analysis("NEI", {"status": "COVERED", "quote": "is tall"}), "parts.0.part: Field required"),
        (analysis("NEI", {"part": " ", "status": "MISSING"}), "parts.0.part: String should have at least 1 character"),
        (analysis("NEI", {"part": "tall"}), "parts.0.status: Field required"),
        (analysis("NEI", {"part": "tall", "status": "PARTLY"}), "parts.0.status: Input should be"),
        (analysis("NEI", {"part": "tall", "status": "COVERED", "quote": 7}), "parts.0.quote: Input should be"),
        (analysis("NEI", *[PART] * (MOST_SAID + 1)), "parts: Tuple should have at most 20 items"),
        ({"parts": "tall", "verdict": "NEI"}, "parts: Input should be a valid tuple"),
    ],
)
def test_an_analysis_that_lacks_what_a_vote_needs_is_refused_and_the_message_says_what(
    said: Json | str, problem: str
) -> None:
    with pytest.raises(UnusableReplyError) as refused:
        read_analysis(said if isinstance(said, str) else json.dumps(said))
    assert problem in str(refused.value)


def test_a_rebuttal_is_read_field_by_field() -> None:
    said = rebuttal(
        "REFUTED",
        "is small",
        {
            "agent": "Agent 2",
            "their_verdict": "Supported",
            "their_quote": "is tall",
            "issue": "not direct",
            "counter_quote": "NULL",
        },
        decision_change="change",
        change_trigger="N/A",
        key_parts_checked=["tall", 7],
    )
    assert read_rebuttal(json.dumps(said)) == Rebuttal.model_construct(
        verdict=Label.REFUTED,
        key_quote="is small",
        rebuttals=(
            SaidRebuttal(agent="Agent 2", their_verdict=Label.SUPPORTED, their_quote="is tall", issue=Issue.NOT_DIRECT),
        ),
        key_parts_checked=("tall",),
        decision_change=DecisionChange.CHANGE,
        change_trigger=ChangeTrigger.NONE,
        has_new_evidence=False,
        has_strong_counterevidence=False,
        reason="Because of that.",
    )


def test_what_decides_nothing_may_be_missing_or_misspelled() -> None:
    bare = Rebuttal.model_construct(verdict=Label.NEI)
    assert read_rebuttal('{"verdict": "NEI"}') == bare
    vague = {
        "verdict": "NEI",
        "decision_change": "PERHAPS",
        "change_trigger": 3,
        "key_parts_checked": "all",
        "reasoning_vi": None,
    }
    assert read_rebuttal(json.dumps(vague)) == bare


@pytest.mark.parametrize("said", ["no", '{"key_quote": "is tall"}', '{"verdict": "NEI", "rebuttals": [{}]}'])
def test_a_rebuttal_without_a_verdict_or_against_nobody_is_refused(said: str) -> None:
    with pytest.raises(UnusableReplyError):
        read_rebuttal(said)
