"""Parts and their quotes: what an analysis claims, and what of it counts."""

import pytest

from sparring.schema.fact_check import Movement
from support.fact_checking import (
    ANTENNAS,
    CLAIM,
    CROISSANTS,
    IN_1889,
    IN_PARIS,
    IS_TALL,
    NEI,
    OPENED,
    PARIS,
    POSTER,
    REFUTED,
    Json,
    Said,
    against,
    analysis,
    check,
    conflict,
    covered,
    evidence,
    missing,
    position,
    readings,
    rebuttal,
    request,
)
from support.golden import Golden
from support.playing import shown

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


def test_what_is_caught_of_an_analysis_costs_its_part_and_the_verdict_follows_from_what_is_left(
    golden: Golden,
) -> None:
    wanted = request(max_rounds=1)
    blind = {name: position(check({"r1.a1": said}, wanted)[1], 1) for name, said in ANALYSES.items()}
    for name, (claim, source, said) in ELSEWHERE.items():
        about = wanted.model_copy(update={"claim": claim, "evidence": evidence(source)})
        blind[name] = position(check({"r1.a1": said}, about)[1], 1)
    golden.holds("positions/analyses.txt", shown(blind))


INVENTED = "The tower has no height at all"
NOT_EXACT = analysis("SUPPORTED", PARIS, covered("330 metres tall", "the tower is 330 meters tall"), IN_1889)


def answering(*said: Json) -> Json:
    return rebuttal("NEI", None, *said)


AFTER_NEI: dict[str, Json] = {
    # A change counts with a new quote from the evidence, which may stand against another agent.
    "a change with a new quote": rebuttal("SUPPORTED", IS_TALL),
    "a change with a new quote against another": rebuttal(
        "SUPPORTED", None, against("Agent 2", "SUPPORTED", IN_PARIS, IS_TALL)
    ),
    "a change to the other side": rebuttal("REFUTED", POSTER),
    "a change with two quotes, of which one carries it": rebuttal(
        "SUPPORTED", ANTENNAS, against("Agent 2", "SUPPORTED", None, IS_TALL)
    ),
    # A verdict is maintained by default, and a new key quote is shown first.
    "nothing changes but the key quote": rebuttal("NEI", ANTENNAS),
    "the key quote of an unchanged verdict is invented": rebuttal("NEI", INVENTED),
    # A change without a new quote that carries it is rejected, and conforming is named.
    "no quote": rebuttal("SUPPORTED"),
    "flattery": rebuttal("SUPPORTED", "NULL", reasoning_vi="Agent 2 is brilliant, I was blind."),
    "the old quote": rebuttal("SUPPORTED", OPENED),
    "a piece of the old quote": rebuttal("SUPPORTED", "opened to the public"),
    "an altered quote": rebuttal("SUPPORTED", "the tower is 331 metres tall"),
    "an invented quote": rebuttal("SUPPORTED", "Nobody doubts the height"),
    "a quote of something else": rebuttal("SUPPORTED", CROISSANTS),
    "a quote that says otherwise": rebuttal("SUPPORTED", POSTER),
    "a quote that leaves open what was open": rebuttal("SUPPORTED", ANTENNAS),
    "an invented key quote beside a true one": rebuttal(
        "SUPPORTED", "It is very tall indeed", against("Agent 2", "SUPPORTED", IS_TALL, IS_TALL)
    ),
    "a change that conforms to nobody": rebuttal("REFUTED"),
    "a change to the other side with a quote of something else": rebuttal("REFUTED", CROISSANTS),
    "one invented quote three times": rebuttal(
        "NEI", INVENTED, *(against(name, "SUPPORTED", None, INVENTED) for name in ("Agent 2", "Agent 3"))
    ),
    # The verdict decides, and calling it by another name is noted.
    "a change that is called none": rebuttal("SUPPORTED", IS_TALL, decision_change="MAINTAIN"),
    "a change that is called one": rebuttal("SUPPORTED", IS_TALL, decision_change="CHANGE"),
    "no change that is called one": rebuttal("NEI", decision_change="CHANGE"),
    "no change that is called none": rebuttal("NEI", decision_change="MAINTAIN"),
    # What an agent says of itself is compared with what it does.
    "a change from what it never said": rebuttal("SUPPORTED", IS_TALL, changed_from="REFUTED"),
    "a change that says rightly from what": rebuttal("SUPPORTED", IS_TALL, changed_from="NEI"),
    "no change, said to be one": rebuttal("NEI", changed_from="NEI"),
    "new evidence that is none": rebuttal("NEI", OPENED, has_new_evidence=True),
    "new evidence that is some": rebuttal("NEI", IS_TALL, has_new_evidence="true"),
    # Words put into another agent's mouth are caught; all or a piece of what was shown may be quoted.
    "another's verdict": answering(against("Agent 2", "REFUTED", IN_PARIS)),
    "another's quote": answering(against("Agent 2", "SUPPORTED", OPENED)),
    "words of nobody": answering(against("Agent 2", "SUPPORTED", "Trust me")),
    "an agent that is not there": answering(against("Agent 9", "SUPPORTED")),
    "the agent itself": answering(against("Agent 1", "NEI")),
    "a piece of what was shown, under a name in another spelling": answering(
        against("agent_2", "SUPPORTED", "the Champ de Mars")
    ),
    "all that was shown, under a name with marks": answering(
        against("**Agent 2**", "SUPPORTED", f'"{IN_PARIS}" / "{IS_TALL}"')
    ),
    "an answer to no quote": answering(against("Agent 2", "SUPPORTED")),
    "an answer to a quote that is called none": answering(against("Agent 2", "SUPPORTED", "(no verified quote)")),
    "a quote against nobody carries no change": rebuttal(
        "SUPPORTED", None, against("Agent 9", "REFUTED", None, IS_TALL)
    ),
    "all that a rebuttal can say": rebuttal(
        "REFUTED", POSTER, against("Agent 3", "SUPPORTED", IS_TALL, POSTER), change_trigger="stronger_quote"
    ),
}


def test_a_change_counts_with_a_new_quote_that_carries_it_and_all_else_is_rejected_and_named(
    golden: Golden,
) -> None:
    moves = {
        **{name: (NEI, second) for name, second in AFTER_NEI.items()},
        "a retreat to NEI is free": (REFUTED, rebuttal("NEI")),
        # That this counted as less than it said was decided by code.
        "standing by what was said": (NOT_EXACT, rebuttal("SUPPORTED", IS_TALL, decision_change="MAINTAIN")),
        "changing from what was said": (NOT_EXACT, rebuttal("NEI", changed_from="SUPPORTED", decision_change="CHANGE")),
    }
    wanted = request(max_rounds=2)
    ends = {
        name: position(check({"r1.a1": first, "r2.a1": second}, wanted)[1], 1, 2)
        for name, (first, second) in moves.items()
    }
    golden.holds("positions/moves.txt", shown(ends))


@pytest.mark.parametrize(
    "second", [rebuttal("NEI", IS_TALL), rebuttal("NEI", None, against("Agent 2", "SUPPORTED", IS_TALL, IS_TALL))]
)
def test_a_place_that_was_quoted_in_any_earlier_round_is_not_new(second: Json) -> None:
    said: dict[str, Said] = {"r1.a1": NEI, "r2.a1": second, "r3.a1": rebuttal("SUPPORTED", IS_TALL)}
    assert position(check(said)[1], 1, 3).movement is Movement.CHANGE_REJECTED


def test_the_same_place_of_another_source_is_new() -> None:
    sources = evidence("Anna Berg won the prize.", "Anna Berg lost a prize.")
    wanted = request(claim="Anna Berg won the prize.", evidence=sources, max_rounds=2, escalation="always")
    won = "Anna Berg won the prize"
    blind = analysis("SUPPORTED", covered("Anna Berg", won), covered("won the prize", won))
    lost = {
        "r2.a1": rebuttal("REFUTED", "Anna Berg lost a prize"),
        "r2.reading2": readings(("CONTRADICTS", "lost a prize")),
    }
    _, outcome = check({"r1.a1": blind, **lost}, wanted)
    assert position(outcome, 1, 2).movement is Movement.CHANGED


@pytest.mark.parametrize(
    ("quote", "movement"),
    [
        ("Anna Berg led ... won the prize", Movement.CHANGE_REJECTED),
        ("Anna Berg led ... Her team of six", Movement.CHANGED),
    ],
)
def test_a_quote_with_a_gap_is_new_only_if_one_of_its_pieces_is(quote: str, movement: Movement) -> None:
    source = "Anna Berg led the team. She drank tea. Anna Berg won the prize. Her team of six was happy."
    wanted = request(claim="Anna Berg led a team of six.", evidence=evidence(source), max_rounds=2, escalation="always")
    led, won = covered("Anna Berg led", "Anna Berg led the team"), covered("Anna Berg", "Anna Berg won the prize")
    said: dict[str, Said] = dict.fromkeys(
        ("r1.a1", "r1.a2", "r1.a3"), analysis("NEI", led, won, missing("a team of six"))
    )
    read = readings(("SAYS", "Her team of six"))
    outcome = check({**said, "r2.a1": rebuttal("SUPPORTED", quote), "r2.reading2": read}, wanted)[1]
    assert position(outcome, 1, 2).movement is movement
