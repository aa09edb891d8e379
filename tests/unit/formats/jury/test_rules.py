"""Whole juries, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, what was returned and why, and the outcome with everything that the user is told.
"""

import pytest

from sparring.schema.base import Participant
from sparring.schema.jury import JuryStatus
from support.golden import Golden
from support.jury_playing import FAITHFUL_CLAIM, checklist, faithful, outcome, play_jury, verdict
from support.playing import FAILS, Play, parted, steps, told


@pytest.mark.parametrize(
    ("truth", "claim", "verdict"),
    [
        ("It is in 190 countries.", "It is in 191 countries.", "MUTATED"),
        ("Apple bought Google in 2019.", "Google bought Apple in 2019.", "MUTATED"),
        ("It is in 190 countries.", "It is in 190 countries.", "FAITHFUL"),
        ("It is in 190 countries and territories.", "It is in 190 countries.", None),
        ("As of March 25, 300 were ill.", "Before March 26, 300 were ill.", None),
    ],
)
def test_without_a_model_nobody_is_asked_and_code_says_what_it_alone_finds(
    truth: str, claim: str, verdict: str | None
) -> None:
    seats = ("advocate", "skeptic", "fact_checker", "judge")
    played = play_jury({}, truth=truth, claim=claim, **dict.fromkeys(seats, Participant(tool="offline")))
    found = outcome(played)
    assert (steps(played), found.status) == ([], JuryStatus.BY_CODE if verdict else JuryStatus.UNJUDGED)
    assert (found.verdict and (found.verdict.verdict, found.verdict.confidence)) == (verdict and (verdict, None))
    assert bool(found.mutations) == (verdict == "MUTATED")


SAME = {"claim": FAITHFUL_CLAIM}
IN_BOTH, REGIONS = "“190 countries”, “By 25 March 2020”", '"countries and territories"'
NOWHERE_SAID = verdict(critical_differences=["The number is “a million”."])
ADVOCATES = ("opening.advocate", "opening.advocate.2")
TOO_FEW = '- One: "25 March 2020".\n- Two.'
FROM_THE_CLAIM = '- "fewer than 600,000"\n- "fewer than"\n- "600,000"'


def insisting(said: str, **wanted: object) -> Play:
    return {"verdict.1": said, "reconsider.1": said, **wanted}


def partly(**changes: object) -> str:
    return verdict(verdict="PARTIALLY_FAITHFUL", **changes)


JURIES: dict[str, Play] = {
    "a-skeptic-that-fails-in-the-opening-is-asked-nothing-more": {"opening.skeptic": FAILS, "rebuttals": 2},
    "a-rebuttal-round-that-broke-does-not-count": {"rebuttal.2.skeptic": FAILS, "rebuttals": 2},
    "a-judge-that-fails-leaves-everything-but-the-verdict": {"verdict.1": "Hm.", "verdict.2": FAILS},
    "when-nobody-gave-anything-usable-the-jury-has-failed": dict.fromkeys(
        ("opening.advocate", "opening.skeptic", "checklist.1", "verdict.1"), FAILS
    ),
    "a-judge-that-cannot-be-read-twice-gives-no-verdict": {"verdict.1": "It depends.", "verdict.2": "Hm."},
    "a-judge-that-insists-on-faithful-is-contested": insisting(faithful(confidence=0.4)),
    "a-mutation-that-is-nowhere-is-asked-about-once-and-then-contested": insisting(NOWHERE_SAID),
    "an-objection-to-the-second-verdict-contests-it-and-is-not-put-again": {
        "verdict.1": faithful(),
        "reconsider.1": NOWHERE_SAID,
    },
    "second-thoughts-that-cannot-be-used-leave-the-first-verdict-contested": {
        "verdict.1": faithful(),
        "reconsider.1": "I have said what I think.",
    },
    "a-rebuttal-is-never-asked-for-again-but-its-faults-are-kept": {"rebuttal.1.skeptic": "I see."},
    # A verdict that code objects to goes back once, with all that is to be said against it.
    "a-faithful-verdict-that-lists-differences-contradicts-itself": insisting(verdict(verdict="FAITHFUL"), **SAME),
    "a-faithful-verdict-may-contradict-itself-and-code": insisting(verdict(verdict="FAITHFUL")),
    "what-stands-in-both-texts-is-no-mutation": insisting(verdict(critical_differences=[f"Not {IN_BOTH}."]), **SAME),
    "a-mutation-without-differences-is-asked-about": insisting(verdict(critical_differences=[]), **SAME),
    "a-mutation-that-is-found-on-a-second-look-is-not-contested": {"verdict.1": NOWHERE_SAID},
    "faithful-without-differences-is-not-objected-to": {"verdict.1": faithful(), **SAME},
    "partly-faithful-without-differences-is-not-objected-to": {"verdict.1": partly(critical_differences=[])},
    "one-difference-that-points-somewhere-is-enough": {
        "verdict.1": verdict(critical_differences=["It is odd.", "The number is “600,000”."])
    },
    # The minority view is the last word of the side that the verdict does not follow.
    "of-a-partly-faithful-claim-the-skeptics-word-is-kept": {"verdict.1": partly()},
    "a-worse-advocate-is-no-minority": {"verdict.1": partly(), "rebuttal.1.advocate": '- "By" "March" "more than"'},
    "a-better-advocate-is-the-minority": {
        "verdict.1": partly(),
        "rebuttal.1.advocate": f'- "By" "March" "more than" "reported" {REGIONS}',
    },
    # An opening without its form is asked for once more, and of two the one with fewer faults counts.
    **{
        f"an-opening-{how}-is-asked-for-once-more": dict.fromkeys(ADVOCATES, opening) | {"rebuttals": 0}
        for how, opening in {
            "of-two": TOO_FEW,
            "that-is-invented": '- One: "24 March".\n- Two: "650,000 cases".\n- Three.',
            "of-the-claim-only": FROM_THE_CLAIM,
        }.items()
    },
    "an-opening-that-is-mended-is-taken": {"opening.advocate": FROM_THE_CLAIM, "rebuttals": 0},
    "a-skeptic-may-quote-the-claim-alone": {
        "opening.skeptic": '- "fewer than"\n- "600,000"\n- "in 190 countries."',
        "rebuttals": 0,
    },
    **{
        f"a-second-opening-that-{how}": {"opening.advocate": TOO_FEW, "opening.advocate.2": second}
        for how, second in {"is-worse-is-not-taken": "Nothing at all.", "fails-leaves-the-first": FAILS}.items()
    },
    "second-attempts-are-asked-together": {
        "opening.advocate": "It is fine.",
        "opening.skeptic": "It is not.",
        "checklist.1": "No.",
        "rebuttals": 0,
    },
    # A mismatch carries weight if one of its phrases stands where it is said to.
    "without-a-usable-checklist-the-jury-is-incomplete": dict.fromkeys(("checklist.1", "checklist.2"), "All is well.")
    | {"rebuttals": 0},
    "a-second-checklist-counts-like-a-first": {"checklist.1": "Hm.", "rebuttals": 0},
    "a-mismatch-whose-phrases-are-nowhere-has-no-weight": {
        "checklist.1": checklist(quantifiers={"truth": ["more than 700,000"], "claim": ["at most 5"]})
    },
}


@pytest.mark.parametrize("name", JURIES)
def test_a_jury_ends_as_it_was_approved(name: str, golden: Golden) -> None:
    said, wanted = parted(JURIES[name])
    golden.holds(f"plays/jury/{name}.txt", told(play_jury(said, **wanted)))
