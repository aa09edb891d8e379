"""The two texts of a jury: the patterns that code finds in them or not, and what is read in what is said of them."""

import pytest

from sparring.formats.jury.case import BidirectionalCheck, Case, quoted_phrases
from sparring.formats.jury.statements import read_bullets
from sparring.schema.jury import Pattern, PatternStatus, Phrase, TextName
from sparring.schema.lookups import TextSpan
from support.jury_playing import CLAIM, TRUTH
from support.texts import texts

TEXTS = texts("jury")

MATCH, OPEN = PatternStatus.MATCH, PatternStatus.NOT_COMPARED


def compared(truth: str, claim: str) -> dict[Pattern, PatternStatus]:
    return {found.pattern: found.status for found in BidirectionalCheck(truth, claim).patterns}


@pytest.mark.parametrize(
    ("truth", "claim", "pattern", "status"), TEXTS["a-pattern-of-the-specification-is-found-or-not-compared"]
)
def test_a_pattern_is_found_or_not_compared(truth: str, claim: str, pattern: str, status: str) -> None:
    assert compared(truth, claim)[Pattern(pattern)] == status
    assert not BidirectionalCheck(truth, claim).says_the_same


def test_equivalent_phrases_match_in_any_spelling() -> None:
    truth = "It rained. On April 16 it had more than 645,000 visitors. It snowed."
    claim = "On 16th April it had more than 645k visitors."
    assert BidirectionalCheck(truth, claim).says_the_same
    assert set(compared(truth, claim).values()) == {MATCH}


def test_omissions_of_a_claim_from_its_sentences_are_named() -> None:
    both = BidirectionalCheck("It rained. It is in 190 countries and territories.", "It is in 190 countries.")
    assert both.omitted == ("territories",)
    assert both.patterns[3].why == "The claim leaves out words of the truth: code cannot tell whether that matters."
    assert BidirectionalCheck("It is in 190 countries and territories.", "It is in 80 countries.").omitted == (
        "territories",
    )
    nothing = BidirectionalCheck("Cats purr.", "Dogs bark.")
    assert ({found.status for found in nothing.patterns}, nothing.omitted) == ({OPEN}, ())


@pytest.mark.parametrize(("text", "bullets"), TEXTS["each-item-of-the-outermost-list-is-a-reason"])
def test_each_item_of_the_outermost_list_is_a_reason(text: str, bullets: list[str]) -> None:
    assert read_bullets(text) == tuple(bullets)


@pytest.mark.parametrize(("text", "phrases"), TEXTS["what-stands-between-double-quotes-is-a-phrase"])
def test_text_between_double_quotes_is_a_phrase(text: str, phrases: list[str]) -> None:
    assert quoted_phrases(text) == tuple(phrases)


def test_very_many_phrases_are_not_all_looked_up() -> None:
    assert len(quoted_phrases(" ".join(f'"phrase {number}"' for number in range(1000)))) == 60


def test_a_phrase_is_looked_up_in_the_truth_before_the_claim_and_given_to_the_text_that_it_is_most_like() -> None:
    case = Case(TRUTH, CLAIM)
    said = '"25 March 2020" "fewer than" "more than 999 cases" "fewer than 999" "the moon"'
    assert case.cited(said) == (
        Phrase(text="25 March 2020", source=TextName.TRUTH, span=TextSpan(text="25 March 2020", start=3, end=16)),
        Phrase(text="fewer than", source=TextName.CLAIM, span=TextSpan(text="fewer than", start=18, end=28)),
        Phrase(text="more than 999 cases", source=TextName.TRUTH),
        Phrase(text="fewer than 999", source=TextName.CLAIM),
        Phrase(text="the moon", source=TextName.TRUTH),
    )
