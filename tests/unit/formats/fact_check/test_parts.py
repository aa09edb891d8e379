"""Whether parts hold all of a claim, and nothing else than it."""

import pytest

from sparring.formats.fact_check.grounds import WholeClaim
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
