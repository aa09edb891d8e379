"""The words around a quote, and how much of it others are shown."""

import pytest

from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.grounds import Cited, context_of
from support.texts import texts

TEXTS = texts("fact-check")

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
