"""Parts and their quotes: what an analysis claims, and what of it counts."""

import pytest

from support.fact_checking import (
    CLAIM,
    CROISSANTS,
    IS_TALL,
    OPENED,
    PARIS,
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
from support.golden import Golden
from support.playing import shown

BLIND = request(max_rounds=1)
TALL = covered("330 metres tall", IS_TALL)
NO_HEIGHT = missing("330 metres tall")
HIGHER = conflict("330 metres tall", POSTER)


def tall(quote: str | None) -> Json:
    """Support of which the second part has that quote."""
    return analysis("SUPPORTED", PARIS, covered("330 metres tall", quote))


def not_tall(quote: str | None) -> Json:
    return analysis("REFUTED", PARIS, conflict("330 metres tall", quote))


ANALYSES: dict[str, Json] = {
    # The verdict follows from the parts, and a conflict goes before what is missing.
    "all parts are covered": analysis("SUPPORTED", PARIS, TALL),
    "the only part is covered": analysis("SUPPORTED", PARIS),
    "a part is missing": analysis("NEI", PARIS, NO_HEIGHT),
    "the only part is missing": analysis("NEI", NO_HEIGHT),
    "a part is in conflict": analysis("REFUTED", PARIS, HIGHER),
    "one is missing, one in conflict": analysis("REFUTED", missing("Eiffel Tower in Paris"), HIGHER),
    # A verdict that its own parts do not make is replaced by the one that they do.
    "support with a missing part": analysis("SUPPORTED", PARIS, NO_HEIGHT),
    "refutation with a missing part": analysis("REFUTED", PARIS, NO_HEIGHT),
    # A lie about one part costs that part and is named.
    "an invented quote": tall("Engineers measured 330 of them twice"),
    "an altered number": tall("the tower is 331 metres tall"),
    "an altered letter": tall("The tower is 330 metres tall"),
    "no quote": tall(None),
    "a quote that is called none": tall("NULL"),
    "a quote of something else": tall(CROISSANTS),
    "a quote of common words": tall("to the"),
    "a quote without the number": tall("Eiffel Tower"),
    "a quote that says otherwise": tall(POSTER),
    "a part that the quote contradicts": analysis("SUPPORTED", PARIS, covered("opened in 1887", OPENED)),
    "a part that is not the claim's": analysis("SUPPORTED", PARIS, covered("popular croissants", CROISSANTS)),
    "a missing part that is not the claim's": analysis("NEI", PARIS, missing("popular croissants")),
    "the right label for a wrong part": analysis("SUPPORTED", PARIS, covered("300 metres tall", IS_TALL)),
    "a quote put together from two sources": analysis("SUPPORTED", covered(CLAIM, f"{IS_TALL}. {OPENED}")),
    # A conflict without its quote does not refute.
    "a conflict with an invented quote": not_tall("The tower was never so tall"),
    "a conflict with an altered quote": not_tall("A poster calls the tower 200 metres tall"),
    "a conflict without a quote": not_tall(None),
    "a conflict with a quote of something else": not_tall(CROISSANTS),
    # What stands beside a missing part carries nothing and is no lie.
    "a quote of what is missing": analysis("NEI", PARIS, {**NO_HEIGHT, "quote": "nothing about that"}),
    # Others are shown two quotes in the evidence's own words, and those of a conflict first.
    "a quote in other marks": analysis("SUPPORTED", covered("opened in 1889", f"“{OPENED}…”")),
    "three quotes": analysis("REFUTED", PARIS, covered("opened in 1889", f"“{OPENED}…”"), HIGHER),
}
BACK = "The Louvre is a museum. It burned down then."
TOWER = "Tòa tháp được khánh thành năm 1889 và là biểu tượng của thủ đô nước Pháp."
ELSEWHERE: dict[str, tuple[str, str, Json]] = {
    "a quote that points back to what was named before": (
        "The Louvre stands.",
        BACK,
        analysis("REFUTED", conflict("The Louvre stands", "It burned down then")),
    ),
    "what was cut off before a quote is read with it, and completes it": (
        "The film sold over 8.2 million tickets.",
        "By then the film had sold over 8.2 million tickets.",
        analysis("SUPPORTED", covered("The film sold over 8.2 million tickets", "8.2 million tickets")),
    ),
    "what was cut off before a quote is read with it, and turns it": (
        "He is a member of the old board.",
        "He is not a member of the old board.",
        analysis("SUPPORTED", covered("He is a member of the old board", "a member of the old board")),
    ),
    "a number that answers the part's is enough": (
        "Milhaud left after 1921.",
        "In 1922 Darius went away.",
        analysis("SUPPORTED", covered("Milhaud left after 1921", "In 1922")),
    ),
    "a part in the claim's own words, be they ever so small": (
        "She has left before.",
        "She has left before.",
        analysis("SUPPORTED", covered("before", "left before")),
    ),
    "evidence in another language": (
        "It is a symbol of the French capital.",
        TOWER,
        analysis("SUPPORTED", covered("symbol of the French capital", "biểu tượng của thủ đô nước Pháp")),
    ),
}


@pytest.mark.parametrize("edition", [1, 2])
def test_what_is_caught_of_an_analysis_costs_its_part_and_the_verdict_follows_from_what_is_left(
    edition: int, golden: Golden
) -> None:
    wanted = request(max_rounds=1, edition=edition)
    blind = {name: position(check({"r1.a1": said}, wanted)[1], 1) for name, said in ANALYSES.items()}
    for name, (claim, source, said) in ELSEWHERE.items():
        about = wanted.model_copy(update={"claim": claim, "evidence": evidence(source)})
        blind[name] = position(check({"r1.a1": said}, about)[1], 1)
    golden.holds(f"positions/analyses-{edition}.txt", shown(blind))


def test_a_verified_quote_has_its_place_in_the_original_source() -> None:
    blind = position(check({"r1.a1": analysis("SUPPORTED", covered("opened in 1889", f'"{OPENED}."'))}, BLIND)[1], 1)
    found = blind.parts[0].found
    assert found is not None
    assert found.span is not None
    assert found.span.text == SOURCES[found.span.index][found.span.start : found.span.end] == f"{OPENED}."
