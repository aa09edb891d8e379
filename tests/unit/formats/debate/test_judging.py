"""What is asked of a judge, what is read in its reply, and what becomes of a reply that cannot be used."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sparring.schema.base import Role
from sparring.schema.judgement import CitedArgument, Judgement, Order
from support.debating import outcome, played
from support.playing import Special, ballot
from support.texts import texts

TEXTS = texts("debate")

FIRST, SECOND = Order.PROPOSER_FIRST, Order.CHALLENGER_FIRST
CHALLENGER = Role.CHALLENGER


def judgement(special: Mapping[str, Special], **changes: object) -> Judgement:
    found = outcome(played(special, **{"rounds": 1, **changes})).judgement
    assert found is not None
    return found


def test_the_letters_in_a_judges_words_become_roles() -> None:
    said = {
        "reasoning": "Side B answered. Side A did not.",
        "agreements": [{"point": "Side A and Side B agree.", "evidence": "Side B cites it"}],
        "disagreements": [{"point": "what Side A says", "a": "Side A is for it", "b": "Side B is not"}],
        "unresolved_questions": ["Did Side A measure?"],
        "recommendation": "Follow Side B.",
    }
    for letters in ("ab", "ba"):
        verdict = next(
            each.verdict
            for each in judgement({f"judge1.{letters}.1": ballot(letters, **_worded(said, letters))}).ballots
            if each.order is (FIRST if letters == "ab" else SECOND)
        )
        assert verdict.reasoning == "The challenger answered. The proposer did not."
        assert verdict.agreements[0].point == "The proposer and the challenger agree."
        assert verdict.agreements[0].evidence == "The challenger cites it"
        assert verdict.disagreements[0].model_dump() == {
            "point": "what the proposer says",
            "proposer": "The proposer is for it",
            "challenger": "The challenger is not",
        }
        assert verdict.unresolved_questions == ("Did the proposer measure?",)
        assert verdict.recommendation == "Follow the challenger."


def _worded(said: Mapping[str, object], letters: str) -> dict[str, Any]:
    """``said`` with the letters in its sentences exchanged if they are shown the other way round."""
    text = json.dumps(said)
    if letters == "ba":
        text = text.replace("Side A", "Side #").replace("Side B", "Side A").replace("Side #", "Side B")
    return json.loads(text)


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
    verdict = judgement({"r1.challenger": speech, "judge1.ab.1": ballot(arguments=cited)}).ballots[0].verdict
    assert verdict.arguments == (
        CitedArgument(side=CHALLENGER, round=1, quote="“It’s   slow”\nand anybody\ncan measure it."),
        CitedArgument(side=CHALLENGER, round=1, quote="“It’s   slow”\nand anybody\ncan measure it"),
        CitedArgument(side=CHALLENGER, round=1, quote="speech of challenger"),
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
