"""What is asked of a judge, what is read in its reply, and what becomes of a reply that cannot be used."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sparring.schema.base import Role
from sparring.schema.judgement import Abstention, CitedArgument, Judgement, Order, Scores
from support.debating import THE_VERDICT, ids, outcome, played
from support.playing import VERDICT, Special, ballot
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


def test_whatever_the_order_the_same_words_are_the_same_ballot() -> None:
    assert [(each.order, each.verdict) for each in judgement({}).ballots] == [
        (FIRST, THE_VERDICT),
        (SECOND, THE_VERDICT),
    ]


def test_a_reply_without_a_verdict_is_asked_for_once_more_in_that_order_and_told_why() -> None:
    found = played({"judge1.ba.1": ballot("ba", winner=CHALLENGER, reasoning="")}, rounds=1)
    assert ids(found)[-2:] == [["judge1.ab.1", "judge1.ba.1"], ["judge1.ba.2"]]
    again = found.asks["judge1.ba.2"].question
    assert "reasoning: String should have at least 1 character" in again.prompt
    assert again.brief.attempt == 2
    assert outcome(found).verdict == THE_VERDICT
    assert outcome(found).notices == ()


@pytest.mark.parametrize("winner", ["B", "b", " Side B ", "side b", "SIDE B"])
def test_spellings_are_forgiven_and_unknown_fields_are_ignored(winner: str) -> None:
    loose = {
        **VERDICT,
        "winner": winner,
        "scores": {f"Side {letter}": marks for letter, marks in json.loads(json.dumps(VERDICT["scores"])).items()},
        "quality": {"genuine_disagreement": "High", "evidence_quality": "medium", "challenge_depth": " LOW"},
        "disagreements": [{"point": "Retries", "A": "are free", "Side B": "cost money"}],
        "confidence": 0.7,
    }
    found = judgement({"judge1.ab.1": f"Here it is:\n```json\n{json.dumps(loose)}\n```"})
    assert found.ballots[0].verdict == THE_VERDICT


@pytest.mark.parametrize(
    "change",
    [
        *({field: None} for field in VERDICT if field != "act_on"),
        {"winner": "both"},
        {"winner": "proposer"},
        {"winner": 1},
        {"scores": {"A": {"evidence": 6, "reasoning": 3, "responsiveness": 1, "candor": 4}, "B": {}}},
        {"scores": []},
        {"quality": "high"},
        {"quality": {"genuine_disagreement": "very", "evidence_quality": "medium", "challenge_depth": "low"}},
        {"arguments": []},
        {"arguments": [{"side": "proposer", "quote": "speech of proposer in round 1"}]},
        {"arguments": [SAID] * 21},
        {"disagreements": ["Retries"]},
        {"disagreements": [{"point": "Retries", "proposer": "are free", "challenger": "cost money"}]},
    ],
    ids=lambda change: ",".join(f"{key}={str(value)[:30]}" for key, value in change.items()),
)
def test_a_verdict_without_one_of_its_fields_is_no_verdict(change: dict[str, object]) -> None:
    reply = json.dumps({key: value for key, value in {**VERDICT, **change}.items() if value is not None})
    found = judgement({"judge1.ab.1": reply, "judge1.ab.2": reply})
    assert [each.order for each in found.ballots] == [SECOND]
    assert [each.cause for each in found.abstentions] == ["was asked twice and gave no usable verdict"]


@pytest.mark.parametrize("half", [3.5, "4", True, 0])
def test_scores_are_whole_numbers_from_one_to_five(half: object) -> None:
    marks = {"evidence": half, "reasoning": 3, "responsiveness": 3, "candor": 3}
    reply = ballot(scores={"A": marks, "B": Scores(evidence=1, reasoning=1, responsiveness=1, candor=1).model_dump()})
    assert judgement({"judge1.ab.1": reply, "judge1.ab.2": reply}).abstentions != ()


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


@pytest.mark.parametrize(
    "argument",
    [
        {"side": "A", "quote": "speech of challenger in round 1"},  # the other side has said it
        {"side": "B", "quote": "speech of challenger in round 2"},  # a changed digit
        {"side": "B", "quote": "round 1"},  # too little to be an argument
        {"side": "B", "quote": "…"},
    ],
)
def test_a_ballot_that_rests_on_nothing_the_winner_has_said_is_none(argument: dict[str, str]) -> None:
    reply = ballot(arguments=[argument])
    found = judgement({"judge1.ab.1": reply, "judge1.ab.2": reply})
    assert found.abstentions == (
        Abstention(
            judge=1,
            tool="gemini",
            order=FIRST,
            cause="was asked twice and cites no argument that the side it picked has made",
        ),
    )


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
