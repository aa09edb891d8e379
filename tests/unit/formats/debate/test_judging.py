"""What is asked of a judge, what is read in its reply, and what becomes of a reply that cannot be used."""

from typing import Any

import pytest

from sparring.formats.debate.asks import MOST_LINES
from sparring.formats.debate.judging import read_reply
from sparring.schema.judgement import Hedge, Order
from sparring.schema.lookups import CitationLedger, CitationStatus, TextSpan
from support.debating import entry, outcome, played
from support.playing import Played, ballot
from support.texts import texts

TEXTS = texts("debate")

SAID: dict[str, Any] = {
    "reasoning": "Side B answered. Side A did not.",
    "agreements": [{"point": "Side A and Side B agree.", "evidence": "Side B cites it"}],
    "disagreements": [{"point": "what Side A says", "a": "Side B is not", "b": "Side A is for it"}],
    "unresolved_questions": ["Did Side A measure?"],
    "recommendation": "Follow Side B.",
}


def test_the_letters_in_a_judges_words_become_roles() -> None:
    verdict = read_reply(ballot("ba", **SAID)).verdict(Order.CHALLENGER_FIRST, ())
    assert verdict.model_dump(mode="json", include=set(SAID)) == {
        "reasoning": "The proposer answered. The challenger did not.",
        "agreements": [{"point": "The challenger and the proposer agree.", "evidence": "The proposer cites it"}],
        "disagreements": [
            {
                "point": "what the challenger says",
                "proposer": "The proposer is not",
                "challenger": "The challenger is for it",
            }
        ],
        "unresolved_questions": ["Did the challenger measure?"],
        "recommendation": "Follow the proposer.",
    }


@pytest.mark.parametrize(
    "act_on", [None, "it depends", {"side": "both", "unless": "x"}, {"side": "B"}, {"side": "B", "unless": ""}]
)
def test_a_verdict_that_does_not_say_what_to_act_on_hedges(act_on: object) -> None:
    assert read_reply(ballot(act_on=act_on)).hedges == (Hedge.NO_DIRECTION,)


def test_a_verdict_that_picks_no_side_hedges() -> None:
    assert read_reply(ballot(act_on={"side": "A", "unless": "It is free."})).hedges == (Hedge.OTHER_SIDE,)
    assert read_reply(ballot(reasoning="Both approaches have merit.")).hedges == (Hedge.BOTH,)
    assert read_reply(ballot(recommendation="Well, BOTH\nhave merit; wait.")).hedges == (Hedge.BOTH,)


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


def test_a_prompt_shows_a_few_lines_of_a_long_ledger_and_the_counts_of_all_and_the_judge_no_names() -> None:
    missing = tuple(entry(f"src/{number}.py", CitationStatus.NOT_FOUND) for number in range(30))
    claims = tuple(TextSpan(text=f"As Claude says, {number}.", start=0, end=8) for number in range(30))
    ledger = CitationLedger(entries=missing, unsupported=claims).model_dump_json()
    asks = played({"r1.proposer.ledger": ledger}, rounds=1).asks
    shown, judged = (
        asks[id_].question.prompt.split("citations of this speech:\n\n```text\n")[1].split("\n```")[0].split("\n")
        for id_ in ("r1.challenger", "judge1.ab.1")
    )
    assert len(shown) == MOST_LINES
    assert [line.split(":")[0] for line in shown[:7]] == ["- NOT FOUND"] * 6 + ["- In all"]
    assert shown[6] == "- In all: 0 verified, 30 not found, 0 that code cannot check; 30 claims cite nothing."
    assert shown[7:] == [f"- CITES NOTHING: As Claude says, {number}." for number in range(3)]
    assert judged == [*shown[:7], *(f"- CITES NOTHING: As Side A says, {number}." for number in range(3))]
