"""What is read in the reply of a judge, and what of it is kept."""

from typing import Any

import pytest

from sparring.formats.debate.replies import read_ballot
from sparring.schema.judgement import Hedge, Order
from support.debating import fails, outcome, played
from support.playing import Played, ballot
from support.texts import texts

TEXTS = texts("debate")


def hedges_of(**changes: Any) -> tuple[Hedge, ...]:
    return read_ballot(ballot(**changes), Order.PROPOSER_FIRST).value.hedges


@pytest.mark.parametrize(
    "act_on", [None, "it depends", {"side": "both", "unless": "x"}, {"side": "B"}, {"side": "B", "unless": ""}]
)
def test_a_verdict_without_a_side_to_act_on_hedges(act_on: object) -> None:
    assert hedges_of(act_on=act_on) == (Hedge.NO_DIRECTION,)


def test_a_verdict_states_its_condition_with_its_recommendation_or_its_side() -> None:
    assert hedges_of(act_on=None, unless="It is free.") == ()
    assert hedges_of(act_on={"side": "Side B", "unless": "It is free."}) == ()


def test_a_verdict_that_picks_no_side_hedges() -> None:
    assert hedges_of(act_on={"side": "A", "unless": "It is free."}) == (Hedge.OTHER_SIDE,)
    assert hedges_of(reasoning="Both approaches have merit.") == (Hedge.BOTH,)
    assert hedges_of(recommendation="Well, BOTH\nhave merit; wait.") == (Hedge.BOTH,)


def judged(speech: str, *cited: str) -> Played:
    """A debate of one round in which the challenger says so, and the judge cites it."""
    arguments = [{"side": "B", "quote": quote} for quote in cited]
    return played({"r1.challenger": speech, "judge1.ab.1": ballot(arguments=arguments)}, rounds=1)


def kept_of(found: Played) -> list[str]:
    judgement = outcome(found).judgement
    assert judgement
    return [argument.quote for argument in judgement.ballots[0].verdict.arguments]


def test_a_quote_is_kept_as_the_speech_has_it_and_once() -> None:
    speech = (
        f"speech of challenger in round 1: “It’s   slow”\nand anybody\ncan measure it. {'word ' * 400}The very end."
    )
    cited = (
        '"It\'s slow" and anybody can measure it.',
        "“It’s slow” and anybody can measure it",
        "speech of challenger … The very end.",
    )
    kept = "“It’s   slow”\nand anybody\ncan measure it"
    assert kept_of(judged(speech, *cited)) == [f"{kept}.", kept, "speech of challenger"]


@pytest.mark.parametrize(
    ("quote", "kept"), TEXTS["a-quote-that-is-cut-inside-its-last-word-counts-without-the-torn-piece"]
)
def test_a_quote_that_is_cut_inside_its_last_word_counts_without_the_torn_piece(quote: str, kept: str | None) -> None:
    speech = "speech of challenger in round 1. Retries double the load whenever the *backend* is slow. Most are."
    found = judged(speech, quote)
    assert ("judge1.ab.2" in found.asks) is (kept is None)
    assert kept is None or kept_of(found) == [kept]


def test_no_judge_hears_a_round_that_broke_off() -> None:
    asks = played({"r2.proposer": "Nobody has answered this.", "r2.challenger": fails()}, rounds=2).asks
    assert "Nobody has answered this." in asks["r2.challenger"].question.prompt
    assert "Nobody has answered this." not in asks["judge1.ab.1"].question.model_dump_json()


def test_an_agreement_is_compared_with_the_sentence_of_its_quote() -> None:
    point = "Retries double the load"
    speech = f"{point}ing of pages only on Tuesdays, and I doubt even that. {point}."
    agreed = [{"point": point, "evidence": f'Side B: "{point}".'}]
    said = ballot(arguments=[{"side": "B", "quote": point}], agreements=agreed)
    found = played({"r1.challenger": speech, "judge1.ab.1": said}, rounds=1)
    judgement = outcome(found).judgement
    assert judgement
    cast = judgement.ballots[0]
    assert (cast.unsaid, cast.contrary, cast.uncompared) == ((), (), ())
