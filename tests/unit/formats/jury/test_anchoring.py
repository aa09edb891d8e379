"""Where critical differences point, and what kinds of mutation stand there."""

import pytest

from sparring.formats.jury.statements import Case, read_checklist
from sparring.formats.jury.verdict import anchored, mutations, read_verdict
from sparring.schema.claims import Dimension
from sparring.schema.jury import CriticalDifference, Phrase, TextName
from sparring.schema.lookups import TextSpan
from support.jury_playing import CLAIM, TRUTH, checklist, verdict

CASE = Case(TRUTH, CLAIM)


def differences(*texts: str, found: str | None = None, case: Case = CASE) -> tuple[CriticalDifference, ...]:
    entries = read_checklist(found, case) if found else ()
    return anchored(read_verdict(verdict(critical_differences=texts)), case, entries)


def test_a_difference_points_at_every_text_in_which_its_quoted_words_stand() -> None:
    assert differences('“fewer than 600,000” for "more than 645,000" in "190 countries", not "in March"') == (
        CriticalDifference(
            text='“fewer than 600,000” for "more than 645,000" in "190 countries", not "in March"',
            anchors=(
                Phrase(
                    text="fewer than 600,000",
                    source=TextName.CLAIM,
                    span=TextSpan(text="fewer than 600,000", start=18, end=36),
                ),
                Phrase(
                    text="more than 645,000",
                    source=TextName.TRUTH,
                    span=TextSpan(text="more than 645,000", start=18, end=35),
                ),
                Phrase(
                    text="190 countries", source=TextName.TRUTH, span=TextSpan(text="190 countries", start=63, end=76)
                ),
                Phrase(
                    text="190 countries", source=TextName.CLAIM, span=TextSpan(text="190 countries", start=64, end=77)
                ),
            ),
            types=(Dimension.QUANTITY,),
        ),
    )


@pytest.mark.parametrize("text", ["The number is wrong.", 'The claim says "a million".', "fewer than 600,000", ""])
def test_a_difference_that_quotes_nothing_from_the_texts_points_at_nothing(text: str) -> None:
    assert differences(text, found=checklist()) == (CriticalDifference(text=text),)


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ('"600,000"', (Dimension.QUANTITY, Dimension.QUALIFIER)),
        ('"645,000"', (Dimension.QUANTITY,)),
        ('"25 March 2020"', ()),
        ('"and territories"', (Dimension.ENTITY,)),
        ('"190 countries" and "fewer than"', (Dimension.QUANTITY, Dimension.ENTITY, Dimension.QUALIFIER)),
    ],
)
def test_its_types_are_those_of_the_mismatches_at_the_places_where_it_points(
    text: str, types: tuple[Dimension, ...]
) -> None:
    found = checklist(quantifiers={"claim": ["fewer than 600,000"]})
    assert differences(text, found=found)[0].types == types


def test_what_a_fact_checker_calls_a_match_is_no_type() -> None:
    assert differences('"25 March 2020"', found=checklist())[0].types == ()
    changed = checklist(dates={"status": "mismatch", "severity": "minor"})
    assert differences('"25 March 2020"', found=changed)[0].types == (Dimension.TIME,)


def test_where_a_dimension_may_be_two_things_the_code_says_which() -> None:
    case = Case("Some of the cases were mild in Ohio.", "All of the cases were mild in Ohio.")
    told = {finding.dimension for finding in case.check.findings}
    quantifiers = {"truth": ["Some of the cases"], "claim": ["All of the cases"]}
    found = checklist(
        numbers={"status": "absent"}, entities={"status": "absent"}, dates={"status": "absent"}, quantifiers=quantifiers
    )
    assert told & {Dimension.SCOPE, Dimension.QUALIFIER}
    assert set(differences('"All"', found=found, case=case)[0].types) == told


def test_all_mutations_stand_once_in_the_order_of_their_names() -> None:
    found = differences('"and territories"', '"600,000"', '"190 countries"', found=checklist())
    assert mutations(found) == (Dimension.QUANTITY, Dimension.ENTITY)


def test_causality_is_a_type_of_its_own() -> None:
    case = Case("Cases rose after the schools opened.", "Cases rose because the schools opened.")
    words = {"status": "mismatch", "severity": "critical", "truth": ["after"], "claim": ["because"]}
    absent = {"status": "absent"}
    found = checklist(numbers=absent, dates=absent, entities=absent, quantifiers=absent, causality=words)
    assert Dimension.CAUSALITY in differences("“because”", found=found, case=case)[0].types
