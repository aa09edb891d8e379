"""Parts and their quotes: what an analysis claims, and what of it counts."""

import pytest

from sparring.schema.fact_check import Movement, Position
from support.fact_checking import (
    IN_1889,
    IS_TALL,
    NEI,
    PARIS,
    REFUTED,
    Json,
    Said,
    against,
    analysis,
    check,
    covered,
    evidence,
    missing,
    position,
    readings,
    rebuttal,
    request,
    said_of,
)
from support.golden import Golden
from support.playing import shown
from support.texts import texts

TEXTS = texts("fact-check")


def test_a_refuted_part_of_an_analysis_is_lost_and_the_rest_decides(golden: Golden) -> None:
    blind: dict[str, Position] = {}
    for name, verdict, parts, *elsewhere in TEXTS["what-an-analysis-says"]:
        about = {"claim": elsewhere[0], "evidence": evidence(elsewhere[1])} if elsewhere else {}
        found = check({"r1.a1": said_of(verdict, parts)}, request(max_rounds=1, **about))
        blind[name] = position(found[1], 1)
    golden.holds("positions/analyses.txt", shown(blind))


NOT_EXACT = analysis("SUPPORTED", PARIS, covered("330 metres tall", "the tower is 330 meters tall"), IN_1889)


def test_a_change_counts_with_a_new_quote_that_carries_it_and_all_else_is_rejected_and_named(golden: Golden) -> None:
    moves = {
        **{
            name: (NEI, rebuttal(verdict, quote, *(against(*each) for each in others), **more))
            for name, verdict, quote, others, more in TEXTS["what-a-rebuttal-says-after-nei"]
        },
        "a retreat to NEI is free": (REFUTED, rebuttal("NEI")),
        # That this counted as less than it said was decided by code.
        "standing by what was said": (NOT_EXACT, rebuttal("SUPPORTED", IS_TALL, decision_change="MAINTAIN")),
        "changing from what was said": (NOT_EXACT, rebuttal("NEI", changed_from="SUPPORTED", decision_change="CHANGE")),
    }
    wanted, third = request(max_rounds=2), said_of("SUPPORTED", TEXTS["one-quote-within-another"])
    ends = {
        name: position(check({"r1.a1": first, "r1.a3": third, "r2.a1": second}, wanted)[1], 1, 2)
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


@pytest.mark.parametrize(
    "said",
    [
        "the tower is 330 metres tall: The Eiffel Tower stands on the Champ de Mars in Pari",
        "the tower is 33",
        "he tower is 330 metres tall",
        "the tower is The Eiffel Tower stands on the Champ de Mars in Paris 330 metres tall",
        "the tower is 330 metres tall, not",
    ],
)
def test_a_piece_of_a_word_and_words_around_another_quote_are_no_quote_of_another_agent(said: str) -> None:
    second = rebuttal("NEI", None, against("Agent 2", "SUPPORTED", said))
    found = check({"r1.a1": NEI, "r2.a1": second}, request(max_rounds=2))[1]
    assert [fault.quote for fault in position(found, 1, 2).faults] == [said]
