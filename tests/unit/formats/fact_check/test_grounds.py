"""Whether parts hold all of a claim and nothing else, what has nothing to do with it, and the words around a quote."""

import pytest

from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.grounds import Cited, WholeClaim, context_of, has_no_number, says_nothing_of
from support.texts import texts

TEXTS = texts("fact-check")


@pytest.mark.parametrize(
    ("claim", "parts", "left_out"), TEXTS["every-word-of-content-and-every-negation-of-the-claim-stands-in-a-part"]
)
def test_every_word_of_content_and_every_negation_of_the_claim_stands_in_a_part(
    claim: str, parts: list[str], left_out: list[str]
) -> None:
    assert list(WholeClaim(claim).left_out(parts)) == left_out


@pytest.mark.parametrize(("claim", "parts", "problems"), TEXTS["what-is-wrong-with-parts-is-said-in-sentences"])
def test_what_is_wrong_with_parts_is_said_in_sentences(claim: str, parts: list[str], problems: list[str]) -> None:
    found = tuple(WholeClaim(claim).problems(parts))
    assert len(found) == len(problems)
    assert all(told in each for told, each in zip(problems, found, strict=True))


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


SOURCE = (
    "Sales rose. By 2019 it had sold over 8.2 million tickets or more in Hanoi! It was, he said, not a success; "
    "others, e.g. critics, agreed. The end"
)


@pytest.mark.parametrize(
    ("quote", "context"), TEXTS["a-quote-is-widened-by-its-neighbours-as-far-as-the-sentence-goes"]
)
def test_a_quote_is_widened_by_its_neighbours_as_far_as_the_sentence_goes(quote: str, context: str) -> None:
    assert context_of(Evidence([SOURCE]).find(quote), [SOURCE]) == context


@pytest.mark.parametrize(
    ("source", "quote", "length"),
    [
        ("word " * 300 + "end", "word " * 300 + "end", 999),
        ("x" * 1500, "x" * 1500, 1000),
        ("short", "short", 5),
        ("one two " + "word " * 300 + "end", "one two ... " + "word " * 300 + "end", 7),
    ],
)
def test_an_excerpt_is_bounded_and_verbatim_itself(source: str, quote: str, length: int) -> None:
    found = Evidence([source]).find(quote)
    excerpt = Cited(quote, found, "", None).excerpt
    assert len(excerpt) == length
    assert source.startswith(excerpt)
