"""Whole debates, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, the log with its contents, the decision, the sources and what the user is told.
"""

import json
from collections.abc import Mapping

import pytest

from sparring.schema.base import Participant
from sparring.schema.consultation import Reply
from sparring.schema.lookups import SourceStatus
from sparring.schema.transcript import Ask
from support.chaired_playing import (
    CHALLENGE,
    CHALLENGED,
    FABRICATED,
    MADE_UP,
    OPENING,
    QUOTE,
    REASON,
    UNREACHABLE,
    UNRELIABLE,
    URL,
    VERIFIED,
    WORDS,
    action,
    chaired_request,
    conclusion,
    found,
    play_chaired,
    review,
    source,
)
from support.golden import Golden
from support.playing import FAILS, Play, Special, parted, told

OTHER = [source("https://example.org/other", "")]
AUDIENCE = {"audience": Participant(tool="opencode")}
REPORTER = {"reporter": Participant(tool="copilot")}
TWO = {"max_rounds": 2}


def both(place: str, said: Special) -> dict[str, Special]:
    """Both attempts of an ask."""
    return {f"{place}.1": said, f"{place}.2": said}


def fixed(rounds: int) -> dict[str, object]:
    """So many rounds, after which the chair is not asked for another."""
    return {"min_rounds": rounds, "max_rounds": rounds}


UNSOURCED = both("r1.promoter", action("new_point", f"{WORDS}, 12 in all.", sources=[]))
REQUEST = action("clarification_request", "What does seq 3 mean by evidence?", sources=[], target_seq=3)
LIE = source("https://example.org/lie", "the lie on the other page")
SECOND: Mapping[str, Special] = {
    "r1.promoter.1": action("new_point", "A second lie about bicycles and the gates of towns [1].", sources=[LIE]),
    "r1.promoter.1.sources": FABRICATED,
}
SURRENDER = action("new_point", "I concede: the whole motion", sources=[source("https://example.org/c")])
CONCEDING = json.dumps(
    json.loads(review())
    | {"conduct": [{"seq": 5, "kind": "concession", "quote": "the whole motion", "reason": "It gives up."}]}
)
QUOTING = action(
    "rebuttal",
    f"It is said that {WORDS.lower()}, but who counted them [1]?",
    sources=[source("https://example.org/answer", f"whoever says that {WORDS} is wrong")],
    rebuttal_to_seq=1,
    target_seq=1,
    source_challenge=f"Nobody counted: {WORDS}.",
)
CHALLENGES: tuple[dict[str, object], ...] = (
    {},
    {"target_seq": 3, "source_challenge": None},
    {"target_seq": 1},  # its own entry
    {"target_seq": 4},  # the verifier's
    {"type": "clarification_request", "sources": [], "target_seq": 3},
)
GONE = "https://www.made-up.org/count?year=1"
AGAIN_AND_ALIKE = (
    action("new_point", f"As I said: {WORDS.upper()} [1]."),
    action("new_point", "Look at made-up.org/count?year=1 [1]."),
    action("new_point", "Look [1].", sources=[source(f"{GONE}#top")]),
    action("new_point", "Look [1].", sources=[source(quote=WORDS)]),
    action("new_point", "So [1].", source_challenge=WORDS, target_seq=5),
    f"I say it in prose: {WORDS}.",
    # What only resembles it is let in.
    action("new_point", "Counted at every gate [1].", sources=OTHER),
    action("new_point", "Look [1].", sources=[source(f"{GONE}2", "")]),
)
AGAIN = [source(), source(quote="other words of the same page"), source(), {**source(), "title": "Roads"}]
TOPIC = "Cities should close the whole of their old centres to private cars for good"


def challenge(place: str, type_: str, seq: int) -> dict[str, Special]:
    said = action(type_, "It is not so [1].", target_seq=1, source_challenge=REASON, sources=OTHER)
    opened = {name: CHALLENGED[name] for name in ("opening.promoter.1", "opening.promoter.1.sources")}
    return {**opened, f"{place}.detractor.1": said, f"{place}.chair.1": review((seq, "upheld"))}


def verified_with_a_warning(ask: Ask) -> Reply:
    return VERIFIED(ask).model_copy(update={"warnings": ("SPARRING_SOURCES_ALLOW: 'x y' allows nothing.",)})


ALL = [f"{place}.{role}" for place in ("opening", "r1", "closing") for role in ("promoter", "detractor")]
PLAYS: dict[str, Play] = {
    "the-phases-follow-each-other-roles-are-confirmed-and-the-audience-asks-at-most-two-questions": {
        "ready.promoter": "Promoter ready.\nTopic: Cities should close their centres to private cars.  "
        "Awaiting opening statement cue.\n",
        "ready.detractor": "Yes, I am ready.",
        "r1.audience": '{"questions": ["Who pays for it?", " ", "Who gains by it?", "Who decides on it?"]}',
        **TWO,
        **AUDIENCE,
        **REPORTER,
    },
    "a-chair-that-finds-all-said-is-logged-and-obeyed": {
        "r1.chair.1": review(goes_on=False, reason="Nothing is new."),
        **TWO,
    },
    "who-fails-in-the-second-attempt-or-the-closing-is-missing-too": {
        "r1.detractor.1": "Well.",
        "r1.detractor.2": FAILS,
        "closing.detractor.1": FAILS,
    },
    "an-audience-that-asks-nothing-and-a-missing-report-are-noted": {
        "r1.audience": "No question.",
        "r2.audience": FAILS,
        "report.1": FAILS,
        **TWO,
        **AUDIENCE,
        **REPORTER,
    },
    "a-draft-against-the-rules-is-returned-once-then-struck-like-what-cannot-be-read": UNSOURCED
    | {"r2.promoter.1": UNSOURCED["r1.promoter.1"]}
    | both("r3.promoter", "I would rather not.")
    | fixed(3),
    "the-chair-answers-one-request-in-a-turn-at-once-and-the-same-debater-acts-again": {
        "r1.promoter.1": REQUEST,
        "r1.promoter.clarification": "It means the page. ",
        **dict.fromkeys(("r2.promoter.1", "r2.promoter.after.1", "r2.promoter.after.2"), REQUEST),
        **both("r3.promoter", action("clarification_request", "What?", target_seq=99)),
        "r4.promoter.1": REQUEST,
        "r4.promoter.clarification": FAILS,
        **fixed(4),
    },
    "a-concession-that-is-taken-out-is-not-flagged-as-well": {
        "r1.promoter.1": SURRENDER,
        "r1.promoter.1.sources": FABRICATED,
        **both("r1.chair", CONCEDING),
        **TWO,
    },
    "a-fabricated-source-takes-its-entry-out-and-a-reason-that-names-it-is-shown-without-that": {
        **MADE_UP,
        "opening.promoter.1.sources": found(SourceStatus.FABRICATED, reason=f"{URL} knows nothing of “{QUOTE}”."),
    },
    "a-second-fabricated-source-disqualifies-and-the-other-side-has-won": {**MADE_UP, **SECOND, "max_rounds": 3},
    "the-detractor-is-disqualified-likewise-in-its-closing": {
        "opening.detractor.1.sources": FABRICATED,
        "closing.detractor.1": action("closing_statement", "So it is [1].", sources=[LIE]),
        "closing.detractor.1.sources": FABRICATED,
    },
    "where-nothing-of-the-other-side-stands-nobody-has-won": {**MADE_UP, **SECOND, **both("opening.detractor", "No.")},
    "an-unreliable-source-is-a-warning-and-what-nobody-could-look-up-is-unreachable": {
        "opening.promoter.1.sources": UNREACHABLE,
        "opening.detractor.1.sources": UNRELIABLE,
        "r1.promoter.1.sources": FAILS,
        "r1.detractor.1.sources": "Nothing found.",
        "r2.promoter.1.sources": '{"findings": []}',
        **dict.fromkeys(("r2.detractor.1.sources", "r3.promoter.1.sources"), verified_with_a_warning),
        **fixed(3),
    },
    "each-source-is-looked-up-once-with-the-words-it-is-cited-for-or-again-if-it-could-not-be": {
        "opening.promoter.1": OPENING,
        "opening.promoter.1.sources": FAILS,
        "opening.detractor.1": action("opening_statement", "It is so [1].", sources=AGAIN),
        "r1.promoter.1": action("new_point", "So it is, as [1] says.", sources=AGAIN),
    },
    "one-fabricated-source-takes-all-sources-of-its-entry-with-it": {
        "opening.promoter.1": action(
            "opening_statement",
            f"{WORDS} [1]. So it is [2].",
            sources=[source(), source("https://example.org/2", "verified words")],
        ),
        "opening.promoter.1.sources": found(SourceStatus.VERIFIED, SourceStatus.FABRICATED),
    },
    "words-that-others-had-said-before-stay-everybodys": {
        "opening.promoter.1": action("opening_statement", f"{TOPIC}, and {WORDS} [1].", sources=[source()]),
        "opening.promoter.1.sources": FABRICATED,
        "opening.detractor.1": action(
            "opening_statement",
            f"{TOPIC}: that is the question, and nobody has answered it [1].",
            sources=[source("https://x.org/1", "")],
        ),
        "ready.promoter": "Ready.",
        "topic": TOPIC,
    },
    "every-challenge-is-ruled-on-even-where-no-round-follows": {
        **CHALLENGED,
        "r1.chair.1": review((7, "dismissed"), goes_on=None),
    },
    "what-code-has-verified-is-warned-of-and-not-taken-out": {
        **CHALLENGED,
        "opening.promoter.1.sources": VERIFIED,
        "r1.chair.1": review((7, "upheld")),
    },
    "words-that-others-repeated-are-taken-out-there-too": {
        **CHALLENGED,
        "r1.detractor.1": QUOTING,
        "r1.chair.1": review((7, "upheld"), reason=f"That {WORDS} is made up."),
        **TWO,
    },
    "a-challenge-that-nobody-rules-on-twice-is-dismissed": {**CHALLENGED, **both("r1.chair", "Neither."), **TWO},
    "of-a-first-review-what-can-be-used-counts-if-the-second-is-worse": {
        **CHALLENGED,
        "r1.chair.1": review((7, "upheld"), goes_on=None),
        "r1.chair.2": FAILS,
        **TWO,
    },
    "a-challenge-in-a-closing-is-ruled-on-too": challenge("closing", "closing_statement", 9),
    "an-entry-that-was-challenged-in-vain-can-be-challenged-again": {
        **challenge("opening", "opening_statement", 3),
        "opening.chair.1": review((3, "dismissed")),
        "r1.detractor.1": CHALLENGE,
        "r1.chair.1": review((8, "upheld")),
    },
    "a-challenge-of-an-entry-that-code-took-out-needs-no-ruling": {
        **MADE_UP,
        "r1.promoter.1": CHALLENGE.replace('"target_seq": 1', '"target_seq": 5'),
        "r1.chair.1": review((7, "dismissed")),
    },
    "it-may-rest-on-nothing-in-particular-and-reasoning-of-nothing-but-white-space-is-cut": {
        "conclusion.1": json.dumps({"outcome": "draw", "reasoning": "  ", "decisive": None})
    },
    "entries-that-count-for-nothing-are-asked-about-once": {
        **UNSOURCED,
        "conclusion.1": conclusion("draw", 1, 2, 5, 99),
        "conclusion.2": conclusion("draw", 3),
    },
    "a-first-decision-stands-where-the-second-is-none": {
        "conclusion.1": conclusion("negative_wins", 1, 99),
        "conclusion.2": "It is hard to say.",
    },
    "without-a-usable-decision-the-debate-is-unjudged": {
        "conclusion.1": conclusion("promoter"),
        "conclusion.2": conclusion(reasoning=""),
    },
    # A source challenge names an entry of the opponent, and a reason.
    "a-challenge-of-nothing-or-of-the-wrong-entry-is-returned": {
        f"r{number}.promoter.1": action("new_point", "It is so [1].", **{"source_challenge": REASON, **changes})
        for number, changes in enumerate(CHALLENGES, start=1)
    }
    | fixed(len(CHALLENGES)),
    # Repeating what was taken out is struck at once, wherever it stands; what only resembles it is let in.
    "what-was-taken-out-is-struck-when-it-is-said-again": {
        "opening.promoter.1": action("opening_statement", f"{WORDS} [1].", sources=[source(GONE)]),
        "opening.promoter.1.sources": FABRICATED,
        **{f"r{number}.promoter.1": again for number, again in enumerate(AGAIN_AND_ALIKE, start=1)},
        **fixed(len(AGAIN_AND_ALIKE)),
    },
    "without-a-promoter-there-is-no-debate": {"ready.promoter": FAILS},
    "without-an-opening-of-the-promoter-there-is-no-debate": {"opening.promoter.1": FAILS},
    "a-debate-of-which-nothing-stands-is-void-without-asking-the-chair": {
        attempt: said for place in ALL for attempt, said in both(place, "No.").items()
    },
}


@pytest.mark.parametrize("name", PLAYS)
def test_a_debate_is_held_as_it_was_approved(name: str, golden: Golden) -> None:
    said, wanted = parted(PLAYS[name])
    golden.holds(f"plays/chaired-debate/{name}.txt", told(play_chaired(said, chaired_request(**wanted))))
