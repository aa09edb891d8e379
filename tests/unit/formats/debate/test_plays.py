"""Whole debates, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, what was returned and why, and the outcome with everything that the user is told.
"""

from typing import Any

import pytest

from sparring.schema.base import Participant, Role
from sparring.schema.consultation import FailureCode
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus
from support.debating import entry, fails, played
from support.golden import Golden
from support.playing import Play, Special, ballot, parted, told

PANEL = {"rounds": 1, "panel": (Participant(tool="opencode"), Participant(tool="copilot"))}
ONE = {"rounds": 1}
TIMEOUT = fails(FailureCode.TIMEOUT)
NOTHING_CITED = CitationLedger().model_dump_json()
JUDGE = ("judge1.ab", "judge1.ba")
SAID = {"side": "B", "quote": "speech of challenger in round 1"}
INVENTED = {"side": "A", "quote": "Nobody has ever said these words."}
STRUCK = ballot(arguments=[SAID, INVENTED, INVENTED], unanswered=[{"side": "B", "quote": "What about the cost?"}])

BARE = ballot(arguments=[INVENTED])


def twice(places: tuple[str, ...], said: Special) -> dict[str, Special]:
    return {f"{place}.{attempt}": said for place in places for attempt in (1, 2)}


def for_the_proposer(judge: int, *orders: str) -> dict[str, Special]:
    return {f"judge{judge}.{letters}.1": ballot(letters, winner=Role.PROPOSER) for letters in orders}


OFFLINE = Participant(tool="offline")
CONCEDED = "I concede: retries cost money."
LOSERS = {"side": "A", "quote": "speech of proposer in round 1"}
MISSING = CitationLedger(
    entries=(
        entry("src/x.py:99", CitationStatus.NOT_FOUND, reason="the file has 40 lines"),
        entry("2 ms", CitationStatus.UNCHECKED, kind=CitationKind.BENCHMARK),
    )
).model_dump_json()
AGREED = [
    {"point": "Both say it.", "evidence": 'Side B: "speech of challenger in round 1", `src/x.py:99`'},
    {
        "point": "Neither said it.",
        "evidence": '“words that nobody has said”, "a term" that both have used so far, and "a manner"',
    },
]
QUOTED = {
    "The limit is 300 requests a minute": "The limit is 300 requests a minute.",
    "The limit is 20 users a day": "The limit is 50 users a day.",
    "The queue holds 9 jobs at most": "The queue is too short for us.",
    "The key has 16 letters in it": f"The key has 16 letters in it. {'And so on. ' * 300}",
}
"""Words, and the agreement that they are quoted for."""


def by_both(**changes: Any) -> dict[str, Special]:
    """What the judge says in both orders."""
    return {f"judge1.{letters}.1": ballot(letters, **changes) for letters in ("ab", "ba")}


def stubborn(**changes: Any) -> dict[str, Special]:
    """What the judge says in both orders, and again."""
    return by_both(**changes) | {f"judge1.{letters}.2": ballot(letters, **changes) for letters in ("ab", "ba")}


DEBATES: dict[str, Play] = {
    "a-proposer-that-fails-in-round-one-ends-the-debate": {"r1.proposer": fails(FailureCode.AUTH)},
    "when-one-timed-out-and-one-had-no-key-it-does-not": {
        "r1.proposer": TIMEOUT,
        "r1.challenger": fails(FailureCode.AUTH),
        "blind_openings": True,
    },
    "a-challenger-that-fails-in-round-one-leaves-the-opening-uncontested": {"r1.challenger": fails()},
    "an-uncontested-position-of-which-nothing-was-verified-says-so-first": {
        "r1.challenger": fails(),
        "r1.proposer.ledger": NOTHING_CITED,
        "blind_openings": True,
    },
    "a-failure-in-round-three-is-judged-from-two": {"r3.challenger": fails(), "rounds": 4},
    "a-judge-that-cannot-be-read-twice-leaves-the-debate-unjudged": twice(JUDGE, "Both have merit.") | ONE,
    "without-any-ballot-every-judges-cause-is-told": {
        **{f"judge{judge}.{letters}.1": fails() for judge in (1, 2, 3) for letters in ("ab", "ba")},
        "judge2.ba.1": "no",
        "judge2.ba.2": "no",
        **PANEL,
    },
    "a-judge-that-is-heard-in-one-order-only-decides-less-firmly": {"judge1.ba.1": fails(), **ONE},
    "what-a-judge-invents-twice-is-struck": {"judge1.ab.1": STRUCK, "judge1.ab.2": STRUCK, **ONE},
    "a-judge-that-cites-nothing-of-the-winner-in-either-order-decides-without-support": {
        **twice(("judge1.ab",), BARE),
        **twice(("judge1.ba",), ballot("ba", arguments=[INVENTED])),
        **ONE,
    },
    "a-judge-that-cites-nothing-and-changes-with-the-order-leaves-the-debate-unjudged": {
        **twice(("judge1.ab",), BARE),
        **twice(("judge1.ba",), ballot("ba", winner=Role.PROPOSER, arguments=[INVENTED])),
        **ONE,
    },
    "a-judge-whose-winner-changes-with-the-order-leaves-it-to-the-tie-break": for_the_proposer(1, "ba") | ONE,
    "challenges-left-unanswered-count-in-the-tie-break": {
        "judge1.ab.1": ballot("ab", unanswered=[SAID]),
        "judge1.ba.1": ballot("ba", winner=Role.PROPOSER, unanswered=[SAID]),
        **ONE,
    },
    "a-judge-of-a-panel-who-changes-with-the-order-has-no-vote": for_the_proposer(3, "ab") | PANEL,
    "an-evenly-split-panel-leaves-it-to-the-tie-break": for_the_proposer(2, "ab", "ba")
    | {"rounds": 1, "panel": (Participant(tool="opencode"),)},
    "one-reader-is-never-unanimous": {
        "devil": True,
        **{seat: Participant(tool="host") for seat in ("proposer", "challenger", "judge")},
    },
    "when-both-sides-have-no-opinion-nothing-is-noted-or-returned": {
        "r1.challenger": f"Well argued: {SAID['quote']}.",
        **dict.fromkeys(("proposer", "challenger", "judge"), OFFLINE),
    },
    # What code finds of citations, and what becomes of a check that failed.
    "a-check-that-fails-or-is-no-ledger-is-told-and-ends-nothing": {
        "r1.proposer.ledger": TIMEOUT,
        "r1.challenger.ledger": "no json",
        "r2.proposer.ledger": '{"entries": 3}',
    },
    "a-debate-in-which-nothing-was-verified-says-so-first": dict.fromkeys(
        ("r1.proposer.ledger", "r1.challenger.ledger"), MISSING
    )
    | {"judge1.ab.1": fails()}
    | ONE,
    "what-a-verdict-names-is-looked-up-and-what-is-not-there-is-told": {
        **by_both(agreements=AGREED),
        "verdict.agreements.ledger": MISSING,
        "verdict.recommendation.ledger": MISSING,
        **ONE,
    },
    "words-that-are-quoted-for-an-agreement-hold-or-say-otherwise-or-anything": {
        "r1.proposer": f"So. {'. '.join(QUOTED)}. Yes.",
        **by_both(agreements=[{"point": point, "evidence": f'Side A: "{quote}".'} for quote, point in QUOTED.items()]),
        **ONE,
    },
    "a-verdict-that-nobody-could-look-up-stands-and-says-so": {
        "verdict.recommendation.ledger": "no json",
        "judge1.ab.1": ballot(agreements=[]),
    },
    # A speech is held to its rules, and a summary to what was conceded.
    "what-a-speech-still-breaks-is-told": {
        "r1.challenger": "Well argued.",
        "r1.challenger.2": "Fine.\n\nFlaw: a key.\n\nAlternative: a receipt.",
        **ONE,
    },
    "what-a-summary-lost-of-what-was-conceded-before-it-is-put-back": {
        "r1.proposer": CONCEDED,
        "r2.proposer": "I concede: latency matters.",
        "r3.proposer": "I concede: it is slow.",
        "rounds": 4,
    },
    "without-a-usable-summary-the-full-text-is-shown": {
        "r3.summary.1": "no headings",
        "r3.summary.2": "none again",
        "r4.summary.1": fails(),
        "rounds": 4,
    },
    # What a judge says is looked up, and a verdict picks a side.
    "what-a-judge-says-was-conceded-is-looked-up": {
        "judge1.ab.1": ballot(concessions=[SAID, INVENTED]),
        "judge1.ab.2": ballot(concessions=[SAID]),
    },
    "arguments-of-the-loser-alone-are-asked-about": {"judge1.ab.1": ballot(arguments=[LOSERS]), **ONE},
    "a-verdict-that-acts-on-nobody-is-asked-for-again-and-flagged": {
        **dict.fromkeys(("r1.proposer.ledger", "r1.challenger.ledger"), "no json"),
        **stubborn(act_on=None),
        **ONE,
    },
    "of-two-verdicts-the-one-that-picks-a-side-is-shown": dict.fromkeys(
        ("judge1.ab.1", "judge1.ab.2"), ballot(act_on=None)
    )
    | ONE,
    "in-the-first-edition-nothing-is-returned-and-a-verdict-without-arguments-is-none": {
        "r1.challenger": f"Well argued: {SAID['quote']}.",
        **stubborn(arguments=[INVENTED]),
        "rounds": 1,
        "edition": 1,
    },
    "in-the-first-edition-a-torn-quote-is-none-and-no-side-need-be-picked": {
        "judge1.ab.1": ballot(arguments=[{**SAID, "quote": SAID["quote"][:-3]}]),
        "judge1.ba.1": ballot("ba", act_on=None),
        "rounds": 1,
        "edition": 1,
    },
}


@pytest.mark.parametrize("name", DEBATES)
def test_a_debate_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    said, wanted = parted(DEBATES[name])
    golden.holds(f"plays/debate/{name}.txt", told(played(said, **wanted)))
