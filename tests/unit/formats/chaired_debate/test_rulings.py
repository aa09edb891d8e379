"""What the chair decides, and what it rules on conduct: whole debates, as they were approved (see test_plays)."""

import json
from collections.abc import Mapping, Sequence

import pytest

from support.chaired_playing import (
    CHALLENGED,
    MADE_UP,
    UNREACHABLE,
    UNRELIABLE,
    VERIFIED,
    action,
    chaired_request,
    conclusion,
    play_chaired,
    review,
)
from support.golden import Golden
from support.playing import Play, Special, parted, told

TWO = {"max_rounds": 2}
CONJECTURE: Special = action("conjecture", "[CONJECTURE] It may be so.", sources=[])
PAIRED: Special = action("conjecture", "[CONJECTURE] It may be so, as a page suggests [1].")


def decided(on: str, *decisive: int, opened: Special = UNRELIABLE, said: Special = CONJECTURE) -> dict[str, Special]:
    """Entry 1 has a source. What is ``said`` is entry 6 behind a warning of an unreliable one, else entry 5."""
    special: dict[str, Special] = {"opening.promoter.1.sources": opened, "r1.promoter.1": said}
    return special | {"conclusion.1": conclusion(on, *decisive)}


RUDE = "Only an idiot could say so, and here one does."
ATTACK = action("new_point", "My opponent is a paid liar, and everybody knows it.", sources=[])


def breach(seq: int, kind: str, quote: str, **changes: object) -> dict[str, object]:
    return {"seq": seq, "kind": kind, "quote": quote, "reason": "So one does not speak."} | changes


def ruling(*breaches: dict[str, object]) -> str:
    return json.dumps(json.loads(review()) | {"conduct": breaches})


def judged(outcome: str, *decisive: int, breaches: Sequence[object]) -> str:
    return json.dumps(json.loads(conclusion(outcome, *decisive)) | {"conduct": breaches})


def insisted(said: str, *, is_taken: bool) -> dict[str, Special]:
    """A review of round 1, which is said again if it is returned."""
    return {"r1.chair.1": said} if is_taken else {"r1.chair.1": said, "r1.chair.2": said}


PAID = breach(5, "personal attack", "a paid liar")
IDIOT = breach(9, "personal_attack", "Only an idiot could say so")
MISREAD = breach(
    6, "misrepresentation", "says that nobody ever walks", about_seq=5, original="that hardly anybody walks"
)
MISQUOTED: tuple[dict[str, object], ...] = (
    {"quote": "says that nobody ever drives"},
    {"quote": "“nobody”"},
    {"original": "that nobody walks"},
    {"original": None},
    {"about_seq": 3},
    {"seq": 99},
    {"kind": "repetition"},
    {"kind": "concession"},
)
BREACHES: Mapping[str, Special] = {
    "r1.promoter.1": ATTACK,
    "r1.chair.1": ruling(PAID),
    "r2.promoter.1": action("new_point", RUDE, sources=[]),
}
RULINGS: dict[str, Play] = {
    # The chair decides, and a decision that rests on sand goes back once, and is then flagged.
    "the-chair-decides-void": {"conclusion.1": conclusion("void", 5, 1, 5)},
    "the-chair-decides-Negative-wins": {"conclusion.1": conclusion("Negative wins", 5, 1, 5)},
    **{
        f"a-decision-rests-on-{how}": {**resting, "conclusion.2": resting["conclusion.1"]}
        for how, resting in {
            "an-unreliable-source-and-a-conjecture": decided("draw", 1, 6),
            "nothing": decided("affirmative_wins"),
            "what-refers-to-nothing-else": decided("affirmative_wins", 10),
            "a-conjecture-without-a-warning": decided("affirmative_wins", 5, opened=UNREACHABLE),
        }.items()
    },
    **{
        f"a-decision-may-rest-on-{how}": resting
        for how, resting in {
            "nothing-where-nobody-wins": decided("draw"),
            "something-beside-what-does-not-carry": decided("affirmative_wins", 1, 6, 4),
            "a-source-that-was-not-reached": decided("affirmative_wins", 1, opened=UNREACHABLE),
            "a-conjecture-beside-a-source": decided("affirmative_wins", 6, said=PAIRED),
            "what-refers-to-a-verified-source": decided("affirmative_wins", 9, opened=VERIFIED),
        }.items()
    },
    "who-names-what-carries-the-second-time-is-not-flagged": {
        **decided("affirmative_wins", 6),
        "conclusion.2": conclusion("negative_wins", 4),
    },
    # Conduct: the chair proposes a ruling with words and places, and code looks these up.
    "a-further-breach-after-the-warning-takes-the-entry-out": {
        **BREACHES,
        "conclusion.1": judged("affirmative_wins", 1, breaches=[IDIOT]),
        **TWO,
    },
    "two-breaches-before-any-warning-are-two-warnings": {
        "r1.promoter.1": ATTACK,
        "closing.promoter.1": action("closing_statement", RUDE, sources=[]),
        "conclusion.1": judged("affirmative_wins", 1, breaches=[PAID, IDIOT]),
    },
    "a-decision-does-not-rest-on-what-its-own-ruling-takes-out": {
        **BREACHES,
        **dict.fromkeys(("conclusion.1", "conclusion.2"), judged("affirmative_wins", 9, breaches=[IDIOT])),
        **TWO,
    },
    "what-is-not-in-the-form-costs-no-ruling-and-no-decision": {
        "r1.promoter.1": ATTACK,
        "conclusion.1": judged("draw", 1, breaches=[{"seq": "five"}, "rude", None, PAID]),
    },
    "words-that-were-misread-are-warned-of-when-the-chair-quotes-both": {
        "r1.promoter.1": action("new_point", "The count shows that hardly anybody walks there.", sources=[]),
        "r1.detractor.1": action("new_point", "The promoter says that nobody ever walks.", sources=[]),
        **{
            f"r{number}.chair.{attempt}": ruling({**MISREAD, **changes})
            for number, changes in enumerate(MISQUOTED, start=1)
            for attempt in (1, 2)
        },
        f"r{len(MISQUOTED) + 1}.chair.1": ruling(MISREAD),
        "max_rounds": len(MISQUOTED) + 2,
    },
    **{
        f"a-repetition-{how}": {
            **MADE_UP,
            "r1.promoter.1": action("new_point", again, sources=[]),
            **insisted(ruling(breach(7, "repetition", quote, about_seq=1)), is_taken=how == "is-found"),
            **TWO,
        }
        for how, again, quote in (
            ("is-found", "As I said, they were counted at every gate of it.", "counted at every gate of"),
            ("of-other-words-is-none", "As I said, every door of it was watched.", "every door of it"),
        )
    },
    **{
        f"a-concession-{how}": {
            "r1.promoter.1": action("new_point", content, sources=[]),
            **insisted(ruling(breach(5, "concession", "the motion as a whole")), is_taken=how == "by-its-mark"),
            **TWO,
        }
        for how, content in (
            ("by-its-mark", "It was a good debate.\n\nI concede: the motion as a whole"),
            ("that-is-taken-back", "I concede: the motion as a whole\n\nI withdraw: the motion as a whole"),
        )
    },
    # A review that cannot be used is asked for once more.
    **{
        f"a-review-{how}-is-asked-for-again": {
            **CHALLENGED,
            "r1.chair.1": first,
            "r1.chair.2": review((7, "dismissed")),
            **TWO,
        }
        for how, first in {
            "of-another-challenge": review((8, "upheld")),
            "that-does-not-say-whether-to-go-on": review((7, "upheld"), goes_on=None),
        }.items()
    },
}


@pytest.mark.parametrize("name", RULINGS)
def test_a_chair_rules_as_it_was_approved(name: str, golden: Golden) -> None:
    said, wanted = parted(RULINGS[name])
    golden.holds(f"plays/chaired-debate/{name}.txt", told(play_chaired(said, chaired_request(**wanted))))
