"""When a text has nothing to do with another: only where that is plain."""

import pytest

from sparring.formats.fact_check.grounds import has_no_number, says_nothing_of
from support.texts import texts

TEXTS = texts("fact-check")

CLAIM = "The Eiffel Tower in Paris is 330 metres tall."


@pytest.mark.parametrize(("text", "subject"), TEXTS["texts-without-a-word-or-number-in-common-are-unrelated"])
def test_texts_without_a_word_or_number_in_common_are_unrelated(text: str, subject: str) -> None:
    assert says_nothing_of(text, subject)


@pytest.mark.parametrize(
    ("text", "subject"), TEXTS["nothing-is-concluded-from-a-common-word-another-language-or-a-word-that-points-back"]
)
def test_nothing_is_concluded_from_a_common_word_another_language_or_a_word_that_points_back(
    text: str, subject: str
) -> None:
    assert not says_nothing_of(text, subject)


def test_one_subject_that_has_to_do_with_it_is_enough() -> None:
    assert not says_nothing_of("Croissants are popular", CLAIM, "Popular food")
    assert says_nothing_of("Croissants are popular", CLAIM, "Tall buildings")


@pytest.mark.parametrize(("text", "lacks"), TEXTS["a-text-has-no-number-only-where-its-numerals-are-known"])
def test_a_text_has_no_number_only_where_its_numerals_are_known(text: str, *, lacks: bool) -> None:
    assert has_no_number(text) is lacks
