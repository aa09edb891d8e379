"""Whether parts hold all of a claim, and nothing else than it."""

import pytest

from sparring.formats.fact_check.parts import WholeClaim
from sparring.schema.claims import Label
from sparring.schema.fact_check import CheckedPart, Fault, PartStatus
from support.fact_checking import (
    IN_1889,
    OPENED,
    PARIS,
    SUPPORTED,
    analysis,
    check,
    covered,
    evidence,
    position,
    request,
)
from support.texts import texts

TEXTS = texts("fact-check")

TALL = "330 metres tall"
SIX = "Whales sing songs below deep water"


@pytest.mark.parametrize(
    ("claim", "parts", "left_out"), TEXTS["every-word-of-content-and-every-negation-of-the-claim-stands-in-a-part"]
)
def test_every_word_of_content_and_every_negation_of_the_claim_stands_in_a_part(
    claim: str, parts: list[str], left_out: list[str]
) -> None:
    assert list(WholeClaim(claim).left_out(parts)) == left_out


@pytest.mark.parametrize(("claim", "parts", "problems"), TEXTS["what-is-wrong-with-parts-is-said-in-sentences"])
def test_what_is_wrong_with_parts_is_said_in_sentences(claim: str, parts: list[str], problems: list[str]) -> None:
    found = WholeClaim(claim).problems(parts)
    assert len(found) == len(problems)
    assert all(told in each for told, each in zip(problems, found, strict=True))


def test_parts_that_leave_words_out_go_back_once_and_then_code_adds_the_missing_part() -> None:
    said = analysis("SUPPORTED", PARIS, IN_1889)
    played, outcome = check({"r1.a1": said, "r1.a2": said, "r1.a2.2": SUPPORTED}, request(max_rounds=1))
    assert [[ask.id for ask in step] for step in played.steps] == [["r1.a1", "r1.a2", "r1.a3"], ["r1.a1.2", "r1.a2.2"]]
    assert "No part speaks of: 330, metres, tall." in played.asks["r1.a1.2"].question.prompt
    one, two = position(outcome, 1), position(outcome, 2)
    assert one.parts[-1] == CheckedPart(
        part="330, metres, tall", status=PartStatus.MISSING, claimed=PartStatus.MISSING, is_added=True
    )
    assert (one.verdict, two.verdict) == (Label.NEI, Label.SUPPORTED)
    assert [found.fault for found in one.faults] == [Fault.UNUSABLE_ANSWER, Fault.INCOMPLETE_PARTS]


def test_the_same_part_eight_times_is_one() -> None:
    eight = analysis("SUPPORTED", *[covered(part, OPENED) for part in ("opened in 1889", "Opened, 1889") * 4])
    wanted = request(claim="It opened in 1889.", evidence=evidence(OPENED), max_rounds=1)
    (part,) = position(check({"r1.a1": eight}, wanted)[1], 1).parts
    assert part.part == "opened in 1889"


def test_a_part_that_is_turned_covers_nothing() -> None:
    wanted = request(claim="Google bought Apple.", evidence=evidence("Apple bought Google."), max_rounds=1)
    said = analysis("SUPPORTED", covered("Apple bought Google", "Apple bought Google"), covered("Google", "Google"))
    assert position(check({"r1.a1": said}, wanted)[1], 1).verdict is Label.NEI
