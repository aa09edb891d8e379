"""What is read in a checklist, and which of its entries carry weight."""

import json
from collections.abc import Mapping

import pytest

from sparring.engine.course import UnusableReplyError
from sparring.formats.jury.statements import Case, read_checklist
from sparring.schema.base import Role
from sparring.schema.claims import Dimension, Severity
from sparring.schema.jury import ChecklistDimension, ChecklistEntry, ChecklistStatus, JuryStatus, Phrase, TextName
from sparring.schema.lookups import TextSpan
from support.jury_playing import CLAIM, ENTRIES, TRUTH, checklist, outcome, play_jury, spoken
from support.playing import prompt, steps

CASE = Case(TRUTH, CLAIM)


def test_every_phrase_is_looked_up_in_the_text_that_it_is_said_to_be_from() -> None:
    swapped = checklist(numbers={"truth": ["fewer than 600,000"], "claim": ["fewer than 600,000", " "]})
    assert read_checklist(swapped, CASE)[0] == ChecklistEntry(
        dimension=ChecklistDimension.NUMBERS,
        status=ChecklistStatus.MISMATCH,
        severity=Severity.CRITICAL,
        truth=(Phrase(text="fewer than 600,000", source=TextName.TRUTH),),
        claim=(
            Phrase(
                text="fewer than 600,000",
                source=TextName.CLAIM,
                span=TextSpan(text="fewer than 600,000", start=18, end=36),
            ),
        ),
        note="Another number.",
    )


def test_entries_stand_in_the_order_of_the_dimensions_and_only_a_mismatch_has_a_severity() -> None:
    shuffled = json.dumps({"checklist": [*reversed(ENTRIES)], "by": "me"})
    spelled = checklist(dates={"dimension": " Dates ", "status": "MATCH", "severity": "Minor"})
    assert [entry.dimension for entry in read_checklist(shuffled, CASE)] == list(ChecklistDimension)
    assert [entry.severity for entry in read_checklist(spelled, CASE)] == [
        Severity.CRITICAL,
        None,
        Severity.MINOR,
        Severity.CRITICAL,
        None,
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "All is well.",
        json.dumps({"checklist": ENTRIES[:4]}),
        json.dumps({"checklist": [*ENTRIES, ENTRIES[0]]}),
        json.dumps({"checklist": [*ENTRIES[:4], ENTRIES[0]]}),
        json.dumps({"entries": ENTRIES}),
        checklist(numbers={"severity": None}),
        checklist(numbers={"severity": "serious"}),
        checklist(dates={"status": "unclear"}),
        checklist(dates={"truth": "25 March 2020"}),
        checklist(dates={"truth": ["x"] * 21}),
    ],
    ids=[
        "prose",
        "four",
        "six",
        "one twice",
        "no list",
        "no severity",
        "another severity",
        "another status",
        "no list of phrases",
        "very many phrases",
    ],
)
def test_what_is_no_checklist_is_asked_for_once_more_and_then_missing(reply: str) -> None:
    with pytest.raises(UnusableReplyError) as caught:
        read_checklist(reply, CASE)
    played = play_jury({"checklist.1": reply, "checklist.2": reply}, rebuttals=0)
    assert steps(played)[1:] == [["checklist.2"], ["verdict.1"]]
    assert str(caught.value) in prompt(played, "checklist.2")
    found = outcome(played)
    assert (found.status, found.checklist) == (JuryStatus.INCOMPLETE, ())
    why = "The fact-checker (gemini) was asked twice and gave no usable checklist."
    assert found.notices == (f"[WARN] The jury is incomplete: there is no checklist. {why}",)


def test_a_second_checklist_that_can_be_read_counts_like_a_first_one() -> None:
    played = play_jury({"checklist.1": "Hm."}, rebuttals=0)
    found = outcome(played)
    assert (found.status, len(found.checklist)) == (JuryStatus.COMPLETED, 5)
    assert spoken(played, "verdict.1")[-1] == (Role.FACT_CHECKER, 1)


INVENTED: Mapping[str, object] = {"truth": ["more than 700,000"], "claim": ["at most 5"]}


def test_a_mismatch_whose_phrases_are_in_neither_text_carries_no_weight_and_is_noted() -> None:
    played = play_jury({"checklist.1": checklist(quantifiers=INVENTED)})
    found = outcome(played)
    assert found.status is JuryStatus.COMPLETED
    assert found.checklist[3].severity is Severity.CRITICAL
    assert found.mutations == (Dimension.QUANTITY,)
    why = "none of its phrases stands in the text that it is said to be from."
    assert found.notices == (f"[WARN] The fact-checker's mismatch of quantifiers carries no weight: {why}",)
    for id_ in ("rebuttal.1.advocate", "verdict.1"):
        assert (
            "- quantifiers: mismatch WITHOUT WEIGHT, since none of its phrases is where it is said to be. "
            'Truth: "more than 700,000" (NOT in this text). Claim: "at most 5" (NOT in this text).'
        ) in prompt(played, id_)


def test_a_mismatch_with_words_of_one_text_alone_carries_weight() -> None:
    omitted = checklist(quantifiers={"truth": ["more than"], "claim": []})
    played = play_jury({"checklist.1": omitted})
    assert outcome(played).notices == ()
    assert '- quantifiers: critical mismatch. Truth: "more than". Claim: nothing.' in prompt(played, "verdict.1")
