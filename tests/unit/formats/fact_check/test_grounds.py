"""Whether parts hold all of a claim and nothing else, and what others are shown of a quote."""

import pytest

from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.grounds import CitedQuote, ClaimCoverage
from support.texts import texts

TEXTS = texts("fact-check")


@pytest.mark.parametrize(
    ("claim", "parts", "left_out"), TEXTS["every-word-of-content-and-every-negation-of-the-claim-stands-in-a-part"]
)
def test_each_word_and_negation_of_a_claim_stands_in_a_part(claim: str, parts: list[str], left_out: list[str]) -> None:
    assert list(ClaimCoverage(claim).left_out(parts)) == left_out


@pytest.mark.parametrize(("claim", "parts", "problems"), TEXTS["what-is-wrong-with-parts-is-said-in-sentences"])
def test_problems_of_parts_are_stated_in_sentences(claim: str, parts: list[str], problems: list[str]) -> None:
    found = tuple(ClaimCoverage(claim).problems(parts))
    assert len(found) == len(problems)
    assert all(told in each for told, each in zip(problems, found, strict=True))


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
    excerpt = CitedQuote(quote, found, None).excerpt
    assert len(excerpt) == length
    assert source.startswith(excerpt)
