"""What is asked of a judge, what is read in its reply, and what becomes of a reply that cannot be used."""

from typing import Any

import pytest

from sparring.formats.debate.asks import MOST_LINES
from sparring.formats.debate.judging import read_reply
from sparring.schema.base import Role
from sparring.schema.judgement import CitedArgument, Hedge, Order
from sparring.schema.lookups import CitationLedger, CitationStatus, TextSpan
from support.debating import entry, fails, outcome, played
from support.playing import ballot
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
    ("changes", "hedge"),
    [
        ({"act_on": None}, Hedge.NO_DIRECTION),
        ({"act_on": "it depends"}, Hedge.NO_DIRECTION),
        ({"act_on": {"side": "both", "unless": "x"}}, Hedge.NO_DIRECTION),
        ({"act_on": {"side": "B"}}, Hedge.NO_DIRECTION),
        ({"act_on": {"side": "B", "unless": ""}}, Hedge.NO_DIRECTION),
        ({"act_on": {"side": "A", "unless": "It is free."}}, Hedge.OTHER_SIDE),
        ({"reasoning": "Both approaches have merit."}, Hedge.BOTH),
        ({"recommendation": "Well, BOTH\nhave merit; wait."}, Hedge.BOTH),
    ],
)
def test_a_verdict_that_picks_no_side_hedges(changes: dict[str, Any], hedge: Hedge) -> None:
    assert read_reply(ballot(**changes)).hedges == (hedge,)


def test_a_judge_hears_the_rounds_that_are_complete() -> None:
    prompt = played({"r2.challenger": fails()}).asks["judge1.ab.1"].question.prompt
    assert [n for n in (1, 2) if f"speech of proposer in round {n}" in prompt] == [1]


def test_a_quote_is_kept_as_the_speech_has_it_and_once() -> None:
    speech = (
        "speech of challenger in round 1: “It’s   slow”\nand anybody\ncan measure it. "
        + "word " * 400
        + "The very end."
    )
    cited = [
        {"side": "B", "quote": '"It\'s slow" and anybody can measure it.'},
        {"side": "B", "quote": "“It’s slow” and anybody can measure it"},
        {"side": "B", "quote": "speech of challenger … The very end."},
    ]
    judged = outcome(played({"r1.challenger": speech, "judge1.ab.1": ballot(arguments=cited)}, rounds=1)).judgement
    assert judged is not None
    assert judged.ballots[0].verdict.arguments == (
        CitedArgument(side=Role.CHALLENGER, round=1, quote="“It’s   slow”\nand anybody\ncan measure it."),
        CitedArgument(side=Role.CHALLENGER, round=1, quote="“It’s   slow”\nand anybody\ncan measure it"),
        CitedArgument(side=Role.CHALLENGER, round=1, quote="speech of challenger"),
    )


@pytest.mark.parametrize(
    ("quote", "kept"), TEXTS["a-quote-that-is-cut-inside-its-last-word-counts-without-the-torn-piece"]
)
def test_a_quote_that_is_cut_inside_its_last_word_counts_without_the_torn_piece(quote: str, kept: str | None) -> None:
    speech = "speech of challenger in round 1. Retries double the load whenever the *backend* is slow. Most are."
    reply = ballot(arguments=[{"side": "B", "quote": quote}])
    found = played({"r1.challenger": speech, "judge1.ab.1": reply}, rounds=1)
    assert ("judge1.ab.2" in found.asks) is (kept is None)
    judged = outcome(found).judgement
    assert judged is not None
    if kept:
        assert [argument.quote for argument in judged.ballots[0].verdict.arguments] == [kept]


def test_of_what_is_quoted_for_agreements_a_hundred_quotes_are_looked_up() -> None:
    evidence = " ".join(f'"nobody has said number {number}"' for number in range(101))
    judged = outcome(played({"judge1.ab.1": ballot(agreements=[{"point": "So.", "evidence": evidence}])})).judgement
    assert judged is not None
    assert len(judged.ballots[0].unsaid) == 100


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
