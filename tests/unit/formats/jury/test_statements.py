"""What is read in an opening or a rebuttal, and when it is asked for once more."""

import pytest

from sparring.formats.jury.case import Case, quoted_phrases
from sparring.formats.jury.statements import read_bullets
from sparring.schema.jury import Phrase, TextName
from sparring.schema.lookups import TextSpan
from support.jury_playing import CLAIM, TRUTH
from support.texts import texts

TEXTS = texts("jury")


@pytest.mark.parametrize(("text", "bullets"), TEXTS["each-item-of-the-outermost-list-is-a-reason"])
def test_each_item_of_the_outermost_list_is_a_reason(text: str, bullets: list[str]) -> None:
    assert read_bullets(text) == tuple(bullets)


@pytest.mark.parametrize(("text", "phrases"), TEXTS["what-stands-between-double-quotes-is-a-phrase"])
def test_what_stands_between_double_quotes_is_a_phrase(text: str, phrases: list[str]) -> None:
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
