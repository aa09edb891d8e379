"""Parts and their quotes: what an analysis claims, and what of it counts."""

import pytest

from sparring.schema.claims import Label
from sparring.schema.fact_check import Fault, PartStatus
from sparring.schema.quotes import QuoteVerdict
from support.fact_checking import (
    CLAIM,
    CROISSANTS,
    IN_PARIS,
    IS_TALL,
    OPENED,
    POSTER,
    SOURCES,
    Json,
    analysis,
    check,
    conflict,
    covered,
    evidence,
    missing,
    position,
    request,
)

BLIND = request(max_rounds=1)
PARIS, TALL = covered("Eiffel Tower in Paris", IN_PARIS), covered("330 metres tall", IS_TALL)


def faults_of(said: Json) -> tuple[Label, list[Fault]]:
    """The vote of an agent that says this, and what it was caught at."""
    blind = position(check({"r1.a1": said}, BLIND)[1], 1)
    return blind.verdict, [found.fault for found in blind.faults]


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([PARIS, TALL], "SUPPORTED"),
        ([PARIS], "SUPPORTED"),
        ([PARIS, missing("330 metres tall")], "NEI"),
        ([missing("330 metres tall")], "NEI"),
        ([PARIS, conflict("330 metres tall", POSTER)], "REFUTED"),
        ([missing("Eiffel Tower in Paris"), conflict("330 metres tall", POSTER)], "REFUTED"),
    ],
)
def test_the_verdict_follows_from_the_parts_and_a_conflict_goes_before_what_is_missing(
    parts: list[Json], verdict: str
) -> None:
    assert faults_of(analysis(verdict, *parts)) == (Label(verdict), [])


@pytest.mark.parametrize("claimed", ["SUPPORTED", "REFUTED"])
def test_a_verdict_that_its_own_parts_do_not_make_is_replaced_by_the_one_that_they_do(claimed: str) -> None:
    said = analysis(claimed, PARIS, missing("330 metres tall"))
    blind = position(check({"r1.a1": said}, BLIND)[1], 1)
    assert (blind.claimed, blind.verdict) == (Label(claimed), Label.NEI)
    assert [(found.fault, found.why) for found in blind.faults] == [
        (Fault.VERDICT_NOT_BY_RULE, f"It says {claimed}, where its own parts make NEI.")
    ]


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        (covered("330 metres tall", "Engineers measured 330 of them twice"), Fault.FABRICATED_QUOTE),
        (covered("330 metres tall", "the tower is 331 metres tall"), Fault.ALTERED_QUOTE),
        (covered("330 metres tall", "The tower is 330 metres tall"), Fault.ALTERED_QUOTE),
        (covered("330 metres tall", None), Fault.MISSING_QUOTE),
        (covered("330 metres tall", "NULL"), Fault.MISSING_QUOTE),
        (covered("330 metres tall", CROISSANTS), Fault.UNRELATED_QUOTE),
        (covered("330 metres tall", "to the"), Fault.UNRELATED_QUOTE),
        (covered("330 metres tall", "Eiffel Tower"), Fault.UNRELATED_QUOTE),
        (covered("330 metres tall", POSTER), Fault.CONTRADICTED_PART),
        (covered("opened in 1887", OPENED), Fault.CONTRADICTED_PART),
        (covered("popular croissants", CROISSANTS), Fault.FOREIGN_PART),
        (missing("popular croissants"), Fault.FOREIGN_PART),
    ],
)
def test_a_lie_about_one_part_costs_that_part_and_is_named(part: Json, fault: Fault) -> None:
    claimed = "NEI" if part["status"] == "MISSING" else "SUPPORTED"
    assert faults_of(analysis(claimed, PARIS, part)) == (Label.NEI, [fault])


@pytest.mark.parametrize(
    ("quote", "fault"),
    [
        ("The tower was never so tall", Fault.FABRICATED_QUOTE),
        ("A poster calls the tower 200 metres tall", Fault.ALTERED_QUOTE),
        (None, Fault.MISSING_QUOTE),
        (CROISSANTS, Fault.UNRELATED_QUOTE),
    ],
)
def test_a_conflict_without_its_quote_does_not_refute(quote: str | None, fault: Fault) -> None:
    assert faults_of(analysis("REFUTED", PARIS, conflict("330 metres tall", quote))) == (Label.NEI, [fault])


def test_the_right_label_for_a_wrong_part_is_no_support() -> None:
    said = analysis("SUPPORTED", PARIS, covered("300 metres tall", IS_TALL))
    assert faults_of(said) == (Label.NEI, [Fault.CONTRADICTED_PART])


def test_a_quote_that_is_not_there_leaves_its_part_missing_and_what_was_claimed_is_kept() -> None:
    said = analysis("SUPPORTED", PARIS, covered("330 metres tall", "the tower is 331 metres tall"))
    part = position(check({"r1.a1": said}, BLIND)[1], 1).parts[1]
    assert (part.claimed, part.status, part.quote) == (
        PartStatus.COVERED,
        PartStatus.MISSING,
        "the tower is 331 metres tall",
    )
    assert part.found is not None
    assert part.found.verdict is QuoteVerdict.ALTERED


def test_what_stands_beside_a_missing_part_carries_nothing_and_is_no_lie() -> None:
    said = analysis("NEI", PARIS, {"part": "330 metres tall", "status": "MISSING", "quote": "nothing about that"})
    assert faults_of(said) == (Label.NEI, [])


def test_a_verified_quote_has_its_place_in_the_original_source() -> None:
    blind = position(check({"r1.a1": analysis("SUPPORTED", covered("opened in 1889", f'"{OPENED}."'))}, BLIND)[1], 1)
    found = blind.parts[0].found
    assert found is not None
    assert found.span is not None
    assert found.span.text == SOURCES[found.span.index][found.span.start : found.span.end] == f"{OPENED}."


def test_others_are_shown_two_quotes_in_the_evidences_own_words_and_those_of_a_conflict_first() -> None:
    parts = (PARIS, covered("opened in 1889", f"“{OPENED}…”"), conflict("330 metres tall", POSTER))
    blind = position(check({"r1.a1": analysis("REFUTED", *parts)}, BLIND)[1], 1)
    assert (blind.quotes, blind.key_quote) == ((POSTER, IN_PARIS), POSTER)
    two = position(check({"r1.a1": analysis("SUPPORTED", parts[1])}, BLIND)[1], 1)
    assert two.quotes == (OPENED,)


def test_a_quote_that_points_back_to_what_was_named_before_may_speak_of_the_claim() -> None:
    sources = evidence("The Louvre is a museum. It burned down then.")
    said = analysis("REFUTED", conflict("The Louvre stands", "It burned down then"))
    wanted = request(claim="The Louvre stands.", evidence=sources, max_rounds=1)
    blind = position(check({"r1.a1": said}, wanted)[1], 1)
    assert (blind.verdict, blind.faults) == (Label.REFUTED, ())


@pytest.mark.parametrize(
    ("claim", "source", "quote", "faults"),
    [
        # What was cut off just before a quote is read with it.
        (
            "The film sold over 8.2 million tickets.",
            "By then the film had sold over 8.2 million tickets.",
            "8.2 million tickets",
            [],
        ),
        (
            "He is a member of the old board.",
            "He is not a member of the old board.",
            "a member of the old board",
            [Fault.CONTRADICTED_PART],
        ),
        # A number that answers the part's is enough, whatever the other words are.
        ("Milhaud left after 1921.", "In 1922 Darius went away.", "In 1922", []),
    ],
)
def test_a_quote_is_read_where_it_stands(claim: str, source: str, quote: str, faults: list[Fault]) -> None:
    said = analysis("SUPPORTED", covered(claim.rstrip("."), quote))
    blind = position(check({"r1.a1": said}, request(claim=claim, evidence=evidence(source), max_rounds=1))[1], 1)
    assert [found.fault for found in blind.faults] == faults


def test_a_part_in_the_claims_own_words_is_never_foreign_be_they_ever_so_small() -> None:
    claim, source = "She has left before.", evidence("She has left before.")
    said = analysis("SUPPORTED", covered("before", "left before"))
    blind = position(check({"r1.a1": said}, request(claim=claim, evidence=source, max_rounds=1))[1], 1)
    assert blind.faults == ()


def test_a_claim_and_evidence_in_two_languages_are_not_said_to_be_unrelated() -> None:
    source = "Tòa tháp được khánh thành năm 1889 và là biểu tượng của thủ đô nước Pháp."
    said = analysis("SUPPORTED", covered("symbol of the French capital", "biểu tượng của thủ đô nước Pháp"))
    wanted = request(claim="It is a symbol of the French capital.", evidence=evidence(source), max_rounds=1)
    blind = position(check({"r1.a1": said}, wanted)[1], 1)
    assert (blind.verdict, blind.faults) == (Label.SUPPORTED, ())


def test_a_quote_that_is_put_together_from_two_sources_is_none() -> None:
    said = analysis("SUPPORTED", covered(CLAIM, f"{IS_TALL}. {OPENED}"))
    verdict, faults = faults_of(said)
    assert verdict is Label.NEI
    assert faults in ([Fault.ALTERED_QUOTE], [Fault.FABRICATED_QUOTE])
