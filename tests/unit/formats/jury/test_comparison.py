"""The five patterns in which claims are mutated: found by code or not compared, and no match that nobody looked at."""

import pytest

from sparring.formats.jury.comparison import BothWays
from sparring.schema.jury import Pattern, PatternStatus

MATCH, MISMATCH, OPEN = PatternStatus.MATCH, PatternStatus.MISMATCH, PatternStatus.NOT_COMPARED
THRESHOLDS, TIME, ENTITIES, SCOPE, QUALIFIERS = Pattern
REPORTED = "more than 411,000 cases of COVID-19 have been reported in more than 190 countries and territories"


def compared(truth: str, claim: str) -> dict[Pattern, PatternStatus]:
    return {found.pattern: found.status for found in BothWays(truth, claim).patterns}


@pytest.mark.parametrize(
    ("truth", "claim", "pattern", "status"),
    [
        ("More than 645k cases were reported.", "Under 650k cases were reported.", THRESHOLDS, OPEN),
        ("More than 645,000 people were ill.", "Under 650,000 people were ill.", THRESHOLDS, OPEN),
        ("As of March 25, 300 people were ill.", "Before March 26, 300 people were ill.", TIME, OPEN),
        ("Before March 26, 300 people were ill.", "As of March 25, 300 people were ill.", TIME, OPEN),
        ("The governor of Texas closed the schools.", "The governor of Ohio closed the schools.", ENTITIES, MISMATCH),
        ("The government of France paid.", "The government of Spain paid.", ENTITIES, MISMATCH),
        ("Apple bought Google in 2019.", "Google bought Apple in 2019.", ENTITIES, MISMATCH),
        ("It is in 190 countries and territories.", "It is in 190 countries.", SCOPE, OPEN),
        ("It is in 190 countries.", "It is in 190 countries and territories.", SCOPE, OPEN),
        ("Those showing symptoms were tested.", "Those were tested.", QUALIFIERS, OPEN),
        ("The state tested 300 people.", "300 people in the state were showing symptoms.", QUALIFIERS, OPEN),
        (f"As of 24 March, {REPORTED}.", "As of March, less than 413,000 cases were confirmed.", TIME, OPEN),
        (f"As of 24 March, {REPORTED}.", "As of March, less than 413,000 cases were confirmed.", THRESHOLDS, OPEN),
        ("More than 453,000 cases were reported.", "More than 452,999 cases were reported.", THRESHOLDS, OPEN),
        ("It resulted in approximately 29,900 deaths.", "There were less than 29,950 deaths.", THRESHOLDS, OPEN),
        ("In over 190 countries there were cases.", "In more than 150 countries there were cases.", THRESHOLDS, OPEN),
        ("As of October 9, 2019, it had 4 views.", "Before the 7th of October 2019 it had 4 views.", TIME, MISMATCH),
        ("It has more than 530 million views.", "It had more than 535 million views.", THRESHOLDS, MISMATCH),
        ("On 8 March 300 people were ill in Rome.", "On March 8, 2020 300 people were ill in bed.", TIME, OPEN),
        ("It has been tested as of 21 March 2020.", "It was tested before March 22, 2020.", TIME, OPEN),
    ],
)
def test_a_pattern_of_the_specification_is_found_or_not_compared(
    truth: str, claim: str, pattern: Pattern, status: PatternStatus
) -> None:
    assert compared(truth, claim)[pattern] is status
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
