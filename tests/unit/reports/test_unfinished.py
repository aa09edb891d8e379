"""Where unfinished fact-checks and juries stand."""

import pytest

from sparring.reports.markdown import decision, report
from sparring.schema.base import Role
from sparring.schema.fact_check import Escalation
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import Turn
from support import fact_check_runs, jury_runs
from support.jury_runs import OPENINGS, REBUTTALS, judged, opened
from support.runs import answer, failure, run

COUNT = "the count of the votes"


def missing(unfinished: Run) -> list[str]:
    lines = decision(unfinished).split("## Missing\n\n")[1].split("\n\n")[0].splitlines()
    return [line.removeprefix("- ") for line in lines]


@pytest.mark.parametrize(
    ("turns", "changes", "expected"),
    [
        (
            (),
            {},
            [
                "round 1, Agent 1 (claude)",
                "round 1, Agent 2 (codex)",
                "round 1, Agent 3 (gemini)",
                "round 2, if the agents are not agreed before",
                COUNT,
            ],
        ),
        (
            fact_check_runs.BLIND_TURNS,
            {"max_rounds": 4},
            ["rounds 2 to 4, if the agents are not agreed before", COUNT],
        ),
        (fact_check_runs.BLIND_TURNS, {"escalation": Escalation.NEVER}, [COUNT]),
        ((*fact_check_runs.BLIND_TURNS, fact_check_runs.rebuttal(1, answer())), {}, [COUNT]),
    ],
    ids=["nobody spoke", "the blind round", "no debate is wanted", "the last round"],
)
def test_an_unfinished_fact_check_says_what_is_missing(
    turns: tuple[Turn, ...], changes: dict[str, object], expected: list[str]
) -> None:
    assert missing(run(fact_check_runs.request(**changes), turns)) == expected


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (
            (),
            [
                "opening, advocate (claude)",
                "opening, skeptic (codex)",
                "checklist, fact-checker (gemini)",
                "rebuttal 1, advocate (claude)",
                "rebuttal 1, skeptic (codex)",
                "verdict, judge (opencode)",
            ],
        ),
        (
            (OPENINGS[0], opened(Role.SKEPTIC, failure()), OPENINGS[2]),
            ["rebuttal 1, advocate (claude)", "verdict, judge (opencode)"],
        ),
        ((*OPENINGS, *REBUTTALS, judged()), ["verdict, judge (opencode)"]),
    ],
    ids=["nobody spoke", "who failed in the opening is asked no more", "the judge is asked again"],
)
def test_an_unfinished_jury_says_what_is_missing(turns: tuple[Turn, ...], expected: list[str]) -> None:
    assert missing(run(jury_runs.request(), turns)) == expected


def test_an_interrupted_fact_check_says_who_has_spoken_and_how_to_go_on() -> None:
    turns = (*fact_check_runs.BLIND_TURNS[:2], fact_check_runs.analysis(2, failure(), attempt=2))
    assert report(run(fact_check_runs.request(), turns)) == (
        f"# Fact-check: interrupted\n\n{fact_check_runs.CLAIM}\n\n## Spoken so far\n\n"
        "- round 1, Agent 1 (claude): answered in 8.5 s\n"
        "- round 1, Agent 2 (codex): answered in 8.5 s\n"
        "- round 1 (again), Agent 2 (codex): failed: timeout after 240.0 s (no answer in time)\n\n"
        "## Missing\n\n- round 1, Agent 3 (gemini)\n- round 2, if the agents are not agreed before\n"
        f"- {COUNT}\n\n"
        "Nothing that was said is lost. Go on with `sparring runs resume fact-check-20260301T120000Z-c0de`.\n"
    )


def test_a_running_jury_says_who_has_spoken_and_where_to_look() -> None:
    turns = (*OPENINGS, REBUTTALS[0], judged())
    text = report(run(jury_runs.request(), turns, status=RunStatus.RUNNING))
    assert text.split("## Spoken so far\n\n")[1] == (
        "- opening, advocate (claude): answered in 8.5 s\n"
        "- opening, skeptic (codex): answered in 8.5 s\n"
        "- checklist, fact-checker (gemini): answered in 8.5 s\n"
        "- rebuttal 1, advocate (claude): answered in 8.5 s\n"
        "- verdict, judge (opencode): answered in 8.5 s\n\n"
        "## Missing\n\n- rebuttal 1, skeptic (codex)\n- verdict, judge (opencode)\n\n"
        "It is still at work. Look again with `sparring runs show jury-20260301T120000Z-c0de`.\n"
    )
