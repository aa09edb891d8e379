"""The five patterns in which claims are mutated: found by code or not compared, and no match that nobody looked at."""

import pytest

from sparring.formats.jury.case import BothWays
from sparring.schema.jury import Pattern, PatternStatus
from support.texts import texts

TEXTS = texts("jury")

MATCH, OPEN = PatternStatus.MATCH, PatternStatus.NOT_COMPARED
THRESHOLDS, TIME, ENTITIES, SCOPE, QUALIFIERS = Pattern


def compared(truth: str, claim: str) -> dict[Pattern, PatternStatus]:
    return {found.pattern: found.status for found in BothWays(truth, claim).patterns}


@pytest.mark.parametrize(
    ("truth", "claim", "pattern", "status"), TEXTS["a-pattern-of-the-specification-is-found-or-not-compared"]
)
def test_a_pattern_of_the_specification_is_found_or_not_compared(
    truth: str, claim: str, pattern: str, status: str
) -> None:
    assert compared(truth, claim)[Pattern(pattern)] == status
    assert not BothWays(truth, claim).says_the_same


@pytest.mark.parametrize(
    ("truth", "claim"),
    [
        ("On April 16 it had more than 645,000 visitors.", "On 16th April it had more than 645k visitors."),
        ("It rained. On April 16 it had 300 visitors. It snowed.", "On 16 April it had 300 visitors."),
    ],
)
def test_what_says_the_same_both_ways_matches_however_it_is_spelled(truth: str, claim: str) -> None:
    assert BothWays(truth, claim).says_the_same
    assert set(compared(truth, claim).values()) == {MATCH}


def test_numbers_and_dates_may_match_where_the_rest_is_not_compared() -> None:
    found = compared("On April 16 the state had 300 sick visitors.", "On April 16 the state had 300 visitors.")
    assert found == {THRESHOLDS: MATCH, TIME: MATCH, ENTITIES: OPEN, SCOPE: OPEN, QUALIFIERS: OPEN}


def test_what_a_claim_leaves_out_of_the_sentences_that_it_rests_on_is_named() -> None:
    both = BothWays("It rained. It is in 190 countries and territories.", "It is in 190 countries.")
    assert both.omitted == ("territories",)
    assert both.patterns[3].why == "The claim leaves out words of the truth: code cannot tell whether that matters."


def test_without_anything_in_common_nothing_is_compared() -> None:
    both = BothWays("Cats purr.", "Dogs bark.")
    assert {found.status for found in both.patterns} == {OPEN}
    assert both.omitted == ()
