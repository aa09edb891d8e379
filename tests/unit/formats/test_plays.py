"""Whole runs, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, and the outcome with everything that the user is told.
"""

from collections.abc import Mapping

import pytest

from sparring.schema.base import Participant, Role
from sparring.schema.consult import ConsultOutcome, ConsultStatus
from sparring.schema.consultation import FailureCode
from sparring.schema.lookups import Ledger
from support.consulting import SEVERAL, play_consult
from support.debating import fails, played
from support.fact_checking import IN_PARIS, IS_TALL, NEI, POSTER, against, analysis, check, covered, rebuttal, request
from support.golden import Golden
from support.jury_playing import FAITHFUL_CLAIM, checklist, faithful, play_jury, verdict
from support.playing import FAILS, Special, ballot, told

Play = tuple[Mapping[str, Special], Mapping[str, object]]
PANEL = {"rounds": 1, "panel": (Participant(tool="opencode"), Participant(tool="copilot"))}
ONE = {"rounds": 1}
TIMEOUT = fails(FailureCode.TIMEOUT)
NOTHING_CITED = Ledger().model_dump_json()
JUDGE = ("judge1.ab", "judge1.ba")
SAID = {"side": "B", "quote": "speech of challenger in round 1"}
INVENTED = {"side": "A", "quote": "Nobody has ever said these words."}
STRUCK = ballot(arguments=[SAID, INVENTED, INVENTED], unanswered=[{"side": "B", "quote": "What about the cost?"}])

BARE = ballot(arguments=[INVENTED])


def twice(places: tuple[str, ...], said: Special) -> dict[str, Special]:
    return {f"{place}.{attempt}": said for place in places for attempt in (1, 2)}


def for_the_proposer(judge: int, *orders: str) -> dict[str, Special]:
    return {f"judge{judge}.{letters}.1": ballot(letters, winner=Role.PROPOSER) for letters in orders}


DEBATES: dict[str, Play] = {
    "a-proposer-that-fails-in-round-one-ends-the-debate": ({"r1.proposer": fails(FailureCode.AUTH)}, {}),
    "when-everything-timed-out-the-debate-says-so": (
        {"r1.proposer": TIMEOUT, "r1.challenger": TIMEOUT},
        {"blind_openings": True},
    ),
    "when-one-timed-out-and-one-had-no-key-it-does-not": (
        {"r1.proposer": TIMEOUT, "r1.challenger": fails(FailureCode.AUTH)},
        {"blind_openings": True},
    ),
    "a-challenger-that-has-opened-does-not-make-up-for-the-opening": (
        {"r1.proposer": fails()},
        {"blind_openings": True},
    ),
    "a-challenger-that-fails-in-round-one-leaves-the-opening-uncontested": ({"r1.challenger": fails()}, {}),
    "an-uncontested-position-of-which-nothing-was-verified-says-so-first": (
        {"r1.challenger": fails(), "r1.proposer.ledger": NOTHING_CITED},
        {"blind_openings": True},
    ),
    "a-failure-in-round-three-is-judged-from-two": ({"r3.challenger": fails()}, {"rounds": 4}),
    "a-failure-in-round-two-is-judged-from-one": ({"r2.proposer": fails()}, {}),
    "a-judge-that-cannot-be-read-twice-leaves-the-debate-unjudged": (twice(JUDGE, "Both have merit."), ONE),
    "a-judge-that-fails-leaves-a-broken-debate-unjudged": (
        {"r2.challenger": fails(), "judge1.ab.1": fails(), "judge1.ba.1": fails()},
        {},
    ),
    "without-any-ballot-every-judges-cause-is-told": (
        {
            **{f"judge{judge}.{letters}.1": fails() for judge in (1, 2, 3) for letters in ("ab", "ba")},
            "judge2.ba.1": "no",
            "judge2.ba.2": "no",
        },
        PANEL,
    ),
    "a-judge-that-is-heard-in-one-order-only-decides-less-firmly": ({"judge1.ba.1": fails()}, ONE),
    "a-failure-of-the-second-try-is-told-as-the-cause": (
        {"judge1.ab.1": "Both have merit.", "judge1.ab.2": fails()},
        ONE,
    ),
    "what-a-judge-invents-twice-is-struck": ({"judge1.ab.1": STRUCK, "judge1.ab.2": STRUCK}, ONE),
    "a-judge-that-cites-nothing-of-the-winner-in-either-order-decides-without-support": (
        {**twice(("judge1.ab",), BARE), **twice(("judge1.ba",), ballot("ba", arguments=[INVENTED]))},
        ONE,
    ),
    "a-judge-that-cites-nothing-and-changes-with-the-order-leaves-the-debate-unjudged": (
        {
            **twice(("judge1.ab",), BARE),
            **twice(("judge1.ba",), ballot("ba", winner=Role.PROPOSER, arguments=[INVENTED])),
        },
        ONE,
    ),
    "a-judge-whose-winner-changes-with-the-order-leaves-it-to-the-tie-break": (for_the_proposer(1, "ba"), ONE),
    "challenges-left-unanswered-count-in-the-tie-break": (
        {
            "judge1.ab.1": ballot("ab", unanswered=[SAID]),
            "judge1.ba.1": ballot("ba", winner=Role.PROPOSER, unanswered=[SAID]),
        },
        ONE,
    ),
    "a-panel-is-counted-and-its-dissent-kept": (for_the_proposer(2, "ab", "ba"), PANEL),
    "a-judge-of-a-panel-who-changes-with-the-order-has-no-vote": (for_the_proposer(3, "ab"), PANEL),
    "an-evenly-split-panel-leaves-it-to-the-tie-break": (
        for_the_proposer(2, "ab", "ba"),
        {"rounds": 1, "panel": (Participant(tool="opencode"),)},
    ),
    "one-reader-is-never-unanimous": (
        {},
        {"devil": True, **{seat: Participant(tool="host") for seat in ("proposer", "challenger", "judge")}},
    ),
}
SAME = {"claim": FAITHFUL_CLAIM}
IN_BOTH, REGIONS = "“190 countries”, “By 25 March 2020”", '"countries and territories"'
NOWHERE_SAID = verdict(critical_differences=["The number is “a million”."])
ADVOCATES = ("opening.advocate", "opening.advocate.2")
TOO_FEW = '- One: "25 March 2020".\n- Two.'
FROM_THE_CLAIM = '- "fewer than 600,000"\n- "fewer than"\n- "600,000"'


def insisting(said: str, changes: Mapping[str, object]) -> Play:
    return {"verdict.1": said, "reconsider.1": said}, changes


def partly(**changes: object) -> str:
    return verdict(verdict="PARTIALLY_FAITHFUL", **changes)


JURIES: dict[str, Play] = {
    "an-advocate-that-fails-in-the-opening-is-asked-nothing-more": ({"opening.advocate": FAILS}, {"rebuttals": 2}),
    "a-skeptic-that-fails-in-the-opening-is-asked-nothing-more": ({"opening.skeptic": FAILS}, {"rebuttals": 2}),
    "a-debater-that-fails-in-a-rebuttal-ends-the-rebuttals": ({"rebuttal.1.skeptic": FAILS}, {"rebuttals": 2}),
    "a-rebuttal-round-that-broke-does-not-count": ({"rebuttal.2.skeptic": FAILS}, {"rebuttals": 2}),
    "without-a-fact-checker-the-others-go-on": ({"checklist.1": FAILS}, {}),
    "a-debater-with-nobody-to-answer-is-asked-no-rebuttal": (
        {"opening.skeptic": FAILS, "checklist.1": FAILS},
        {"rebuttals": 2},
    ),
    "without-both-debaters-the-judge-has-the-checklist": (
        {"opening.advocate": FAILS, "opening.skeptic": FAILS},
        {"rebuttals": 2},
    ),
    "a-judge-alone-still-judges": ({"opening.advocate": FAILS, "opening.skeptic": FAILS, "checklist.1": FAILS}, {}),
    "a-judge-that-fails-leaves-everything-but-the-verdict": ({"verdict.1": "Hm.", "verdict.2": FAILS}, {}),
    "when-nobody-gave-anything-usable-the-jury-has-failed": (
        dict.fromkeys(("opening.advocate", "opening.skeptic", "checklist.1", "verdict.1"), FAILS),
        {},
    ),
    "a-judge-that-cannot-be-read-twice-gives-no-verdict": (twice(("verdict",), "It depends."), {}),
    "a-judge-that-is-convinced-gives-the-verdict-that-counts": ({"verdict.1": faithful()}, {}),
    "a-judge-that-insists-on-faithful-is-contested": (
        {"verdict.1": faithful(), "reconsider.1": faithful(confidence=0.4)},
        {},
    ),
    "a-mutation-that-is-nowhere-is-asked-about-once-and-then-contested": (
        dict.fromkeys(("verdict.1", "reconsider.1"), verdict(critical_differences=["The number is “a million”."])),
        {},
    ),
    "an-objection-to-the-second-verdict-contests-it-and-is-not-put-again": (
        {"verdict.1": faithful(), "reconsider.1": verdict(critical_differences=["The number is “a million”."])},
        {},
    ),
    "second-thoughts-that-cannot-be-used-leave-the-first-verdict-contested": (
        {"verdict.1": faithful(), "reconsider.1": "I have said what I think."},
        {},
    ),
    "second-thoughts-that-fail-leave-the-first-verdict-contested": (
        {"verdict.1": faithful(), "reconsider.1": FAILS},
        {},
    ),
    "a-rebuttal-is-never-asked-for-again-but-its-faults-are-kept": ({"rebuttal.1.skeptic": "I see."}, {}),
    # A verdict that code objects to goes back once, with all that is to be said against it.
    "a-faithful-verdict-that-lists-differences-contradicts-itself": insisting(verdict(verdict="FAITHFUL"), SAME),
    "a-faithful-verdict-with-an-odd-difference-contradicts-itself": insisting(
        verdict(verdict="FAITHFUL", critical_differences=["It is odd."]), SAME
    ),
    "a-faithful-verdict-may-contradict-itself-and-code": insisting(verdict(verdict="FAITHFUL"), {}),
    "what-stands-in-both-texts-is-no-mutation": insisting(verdict(critical_differences=[f"Not {IN_BOTH}."]), SAME),
    "a-mutation-without-differences-is-asked-about": insisting(verdict(critical_differences=[]), SAME),
    "a-mutation-that-is-found-on-a-second-look-is-not-contested": ({"verdict.1": NOWHERE_SAID}, {}),
    "in-the-first-edition-a-verdict-may-contradict-itself": (
        {"verdict.1": verdict(verdict="FAITHFUL")},
        {**SAME, "edition": 1},
    ),
    "in-the-first-edition-what-stands-in-both-texts-counts": (
        {"verdict.1": verdict(critical_differences=["It is not “190 countries”."])},
        {**SAME, "edition": 1},
    ),
    "faithful-without-differences-is-not-objected-to": ({"verdict.1": faithful()}, SAME),
    "partly-faithful-without-differences-is-not-objected-to": ({"verdict.1": partly(critical_differences=[])}, {}),
    "one-difference-that-points-somewhere-is-enough": (
        {"verdict.1": verdict(critical_differences=["It is odd.", "The number is “600,000”."])},
        {},
    ),
    # The minority view is the last word of the side that the verdict does not follow.
    "of-a-partly-faithful-claim-the-skeptics-word-is-kept": ({"verdict.1": partly()}, {}),
    "a-worse-advocate-is-no-minority": (
        {"verdict.1": partly(), "rebuttal.1.advocate": '- "By" "March" "more than"'},
        {},
    ),
    "a-better-advocate-is-the-minority": (
        {"verdict.1": partly(), "rebuttal.1.advocate": f'- "By" "March" "more than" "reported" {REGIONS}'},
        {},
    ),
    # An opening without its form is asked for once more, and of two the one with fewer faults counts.
    **{
        f"an-opening-{how}-is-asked-for-once-more": (dict.fromkeys(ADVOCATES, opening), {"rebuttals": 0})
        for how, opening in {
            "of-two": TOO_FEW,
            "of-one": '- "25 March 2020"',
            "of-six": '- "190 countries"\n' * 6,
            "that-is-invented": '- One: "24 March".\n- Two: "650,000 cases".\n- Three.',
            "of-the-claim-only": FROM_THE_CLAIM,
        }.items()
    },
    "in-the-first-edition-an-advocate-without-the-truth-is-not-noted": (
        dict.fromkeys(ADVOCATES, FROM_THE_CLAIM),
        {"rebuttals": 0, "edition": 1},
    ),
    "an-opening-that-is-mended-is-taken": ({"opening.advocate": FROM_THE_CLAIM}, {"rebuttals": 0}),
    "a-skeptic-may-quote-the-claim-alone": (
        {"opening.skeptic": '- "fewer than"\n- "600,000"\n- "in 190 countries."'},
        {"rebuttals": 0},
    ),
    **{
        f"a-second-opening-that-{how}": ({"opening.advocate": TOO_FEW, "opening.advocate.2": second}, {})
        for how, second in {
            "is-as-bad-is-taken": '- Again: "25 March 2020".',
            "is-worse-is-not-taken": "Nothing at all.",
            "fails-leaves-the-first": FAILS,
        }.items()
    },
    # A mismatch carries weight if one of its phrases stands where it is said to.
    "without-a-usable-checklist-the-jury-is-incomplete": (twice(("checklist",), "All is well."), {"rebuttals": 0}),
    "a-second-checklist-counts-like-a-first": ({"checklist.1": "Hm."}, {"rebuttals": 0}),
    "a-mismatch-whose-phrases-are-nowhere-has-no-weight": (
        {"checklist.1": checklist(quantifiers={"truth": ["more than 700,000"], "claim": ["at most 5"]})},
        {},
    ),
    "a-mismatch-with-words-of-one-text-has-weight": (
        {"checklist.1": checklist(quantifiers={"truth": ["more than"], "claim": []})},
        {},
    ),
}
ALWAYS = {"escalation": "always"}
FOUR = ("claude", "codex", "gemini", "copilot")
FACT_CHECKS: dict[str, tuple[Mapping[str, Special], tuple[str, ...], Mapping[str, object]]] = {
    "agents-who-agree-are-not-asked-again": ({}, FOUR[:2], {}),
    "faults-are-counted-in-one-line-for-each-agent": (
        {
            "r1.a1": analysis(
                "SUPPORTED", covered("330 metres", "It is so"), covered("opened in 1889", "In 1889, yes")
            ),
            "r1.a2": "Surely true.",
            "r1.a2.2": NEI,
            "r2.a1": rebuttal("SUPPORTED", None, against("Agent 7", "REFUTED")),
        },
        FOUR[:3],
        {"max_rounds": 2},
    ),
    "each-abstention-is-told-with-its-cause": (
        {"r1.a1": NEI, "r1.a2": "Surely true.", "r1.a2.2": "Surely true.", "r2.a3": FAILS},
        FOUR,
        {"max_rounds": 2},
    ),
    "an-agent-lost-in-round-two-abstains-in-round-three-too": ({"r1.a1": NEI, "r2.a2": FAILS}, FOUR, {"max_rounds": 3}),
    "most-others-are-most-of-those-without-oneself": (
        {"r1.a1": NEI, "r1.a2": NEI, "r2.a1": rebuttal("SUPPORTED", None, against("Agent 3", "SUPPORTED", IN_PARIS))},
        FOUR,
        {"max_rounds": 2},
    ),
    "no-verdict-is-an-error-that-names-every-cause": (
        {"r1.a1": FAILS, "r1.a2": "Surely true.", "r1.a2.2": "Surely true."},
        FOUR[:3],
        {},
    ),
    "when-nobody-is-left-the-error-says-so": (dict.fromkeys(("r1.a1", "r1.a2", "r1.a3"), FAILS), FOUR[:3], {}),
    "each-agent-has-its-blind-vote-beside-the-debated-one": (
        {"r1.a1": NEI, "r1.a4": NEI, "r2.a1": rebuttal("SUPPORTED", IS_TALL), "r2.a4": rebuttal("REFUTED", POSTER)},
        FOUR,
        {"max_rounds": 2},
    ),
    "who-fails-in-a-later-round-keeps-the-blind-vote": ({"r2.a1": FAILS}, FOUR[:3], {**ALWAYS, "max_rounds": 2}),
}
CONSULTS: dict[str, Mapping[str, Special]] = {
    "a-failure-is-told-beside-those-who-answered": {"question.2": FAILS},
    "citations-that-cannot-be-looked-up-keep-no-answer-back": {"citations": FAILS},
    "a-single-answer-of-several-is-compared-with-nothing": dict.fromkeys(("question.2", "question.3"), FAILS),
    "when-none-answers-it-has-failed-with-every-cause": dict.fromkeys(
        ("question.1", "question.2", "question.3"), FAILS
    ),
}


@pytest.mark.parametrize("name", CONSULTS)
def test_a_consultation_of_several_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    golden.holds(f"plays/consult/{name}.txt", told(play_consult(SEVERAL, CONSULTS[name])))


@pytest.mark.parametrize("special", [{}, {"question": FAILS}], ids=["answered", "failed"])
def test_the_answer_or_the_failure_of_one_is_the_end(special: Mapping[str, Special]) -> None:
    played = play_consult(SEVERAL.model_copy(update={"asked": SEVERAL.asked[:1]}), special)
    (turn,) = played.transcript.turns
    status = ConsultStatus.COMPLETED if turn.answer else ConsultStatus.FAILED
    assert played.outcome == ConsultOutcome(status=status, reply=turn.reply)


@pytest.mark.parametrize("name", DEBATES)
def test_a_debate_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    special, changes = DEBATES[name]
    golden.holds(f"plays/debate/{name}.txt", told(played(special, **changes)))


@pytest.mark.parametrize("name", JURIES)
def test_a_jury_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    special, changes = JURIES[name]
    golden.holds(f"plays/jury/{name}.txt", told(play_jury(special, **changes)))


@pytest.mark.parametrize("name", FACT_CHECKS)
def test_a_fact_check_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    special, agents, changes = FACT_CHECKS[name]
    golden.holds(f"plays/fact-check/{name}.txt", told(check(special, request(*agents, **changes))[0]))
