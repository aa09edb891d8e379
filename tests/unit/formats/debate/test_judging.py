"""What is asked of a judge, what is read in its reply, and what becomes of a reply that cannot be used."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sparring.schema.base import Role
from sparring.schema.judgement import CitedArgument, Judgement, Order
from support.debating import THE_VERDICT, outcome, played
from support.playing import Special, ballot
from support.texts import texts

TEXTS = texts("debate")

FIRST, SECOND = Order.PROPOSER_FIRST, Order.CHALLENGER_FIRST
PROPOSER, CHALLENGER = Role.PROPOSER, Role.CHALLENGER
INVENTED = {"side": "A", "quote": "Nobody has ever said these words."}
SAID = {"side": "B", "quote": "speech of challenger in round 1"}


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


def test_what_a_judge_says_was_conceded_is_looked_up_like_any_other_quote() -> None:
    found = played({"judge1.ab.1": ballot(concessions=[SAID, INVENTED]), "judge1.ab.2": ballot(concessions=[SAID])})
    assert "- Side A: Nobody has ever said these words." in found.asks["judge1.ab.2"].question.prompt
    judged = outcome(found).judgement
    assert judged is not None
    assert [ballot.concessions for ballot in judged.ballots] == [
        (CitedArgument(side=CHALLENGER, round=1, quote=SAID["quote"]),),
        (),
    ]
    assert outcome(found).conduct.concessions == ()


def test_arguments_of_the_loser_alone_are_asked_about_once() -> None:
    reply = ballot(arguments=[{"side": "A", "quote": "speech of proposer in round 1"}])
    found = played({"judge1.ab.1": reply}, rounds=1)
    assert "None of the arguments is one that Side B has made" in found.asks["judge1.ab.2"].question.prompt
    assert outcome(found).verdict == THE_VERDICT


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


def test_an_argument_is_kept_with_its_round() -> None:
    cited = [{"side": "B", "quote": "speech of challenger in round 2"}]
    special = {f"judge1.{letters}.1": ballot(letters, arguments=cited) for letters in ("ab", "ba")}
    found = judgement(special, rounds=2)
    assert found.ballots[1].verdict.arguments == (
        CitedArgument(side=CHALLENGER, round=2, quote="speech of challenger in round 2"),
    )


@pytest.mark.parametrize(
    ("change", "objection", "told"),
    [
        *(
            ({"act_on": none}, '"act_on" does not say whose', "does not say whose position to act on, unless what")
            for none in (
                None,
                "it depends",
                {"side": "both", "unless": "x"},
                {"side": "B"},
                {"side": "B", "unless": ""},
            )
        ),
        (
            {"act_on": {"side": "A", "unless": "It is free."}},
            '"act_on" names the other side',
            "says to act on the position of the side that it did not pick",
        ),
        ({"reasoning": "Both approaches have merit."}, "says that both have merit", "says that both have merit"),
        ({"recommendation": "Well, BOTH have merit; wait."}, "says that both have merit", "says that both have merit"),
    ],
)
def test_a_verdict_that_picks_no_side_in_its_form_is_asked_for_once_more_and_then_flagged_first(
    change: dict[str, Any], objection: str, told: str
) -> None:
    hedged = ballot(**change)
    asked_again = played({"judge1.ab.1": hedged}, rounds=1)
    assert objection in asked_again.asks["judge1.ab.2"].question.prompt
    assert outcome(asked_again).notices == ()
    # Of two ballots for the winner the one that picks a side is shown.
    assert outcome(played({"judge1.ab.1": hedged, "judge1.ab.2": hedged}, rounds=1)).notices == ()
    stubborn = {f"judge1.{letters}.{n}": ballot(letters, **change) for letters in ("ab", "ba") for n in (1, 2)}
    nothing = {f"r1.{side}.ledger": "no json" for side in ("proposer", "challenger")}
    found = outcome(played({**stubborn, **nothing}, rounds=1))
    assert found.notices[0] == f"[WARN] Hedged: asked twice to pick a direction, the judge {told}."
    assert found.verdict
    assert found.verdict.unless == (THE_VERDICT.unless if "act_on" not in change else "")


def test_a_run_of_the_first_edition_ends_as_it_did() -> None:
    nothing = {
        f"judge1.{letters}.{n}": ballot(letters, arguments=[INVENTED]) for letters in ("ab", "ba") for n in (1, 2)
    }
    torn = ballot(arguments=[{"side": "B", "quote": "speech of challenger in rou"}])
    assert outcome(played(nothing, rounds=1, edition=1)).judgement is None
    assert "judge1.ab.2" in played({"judge1.ab.1": torn}, rounds=1, edition=1).asks
    assert "judge1.ab.2" not in played({"judge1.ab.1": torn}, rounds=1).asks
    assert outcome(played(rounds=1, edition=1)).verdict_ledgers == ()
    assert "judge1.ab.2" not in played({"judge1.ab.1": ballot(act_on=None)}, rounds=1, edition=1).asks
