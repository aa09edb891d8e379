"""Where unfinished runs stand: who has spoken, who is missing, and how to go on."""

import pytest

from sparring.formats.reports import presentation, report
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Reply
from sparring.schema.fact_check import Escalation
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import Turn, TurnKind
from support.runs import answer, consult_request, debate_request, failure, opening, response, run, synthesis, turn
from support.stored_runs import asked_for, turns, unfinished

COUNT = "the count of the votes"
AGREED = "round 2, if the agents are not agreed before"
FIRST = ["round 1, promoter (claude)", "round 1, detractor (codex)", "round 1, audience (opencode)"]
SECOND = [line.replace("round 1", "round 2 (if it is held)") for line in FIRST]
LAST = [
    *("closing, detractor (codex)", "closing, promoter (claude)"),
    *("conclusion, chair (gemini)", "summary, reporter (copilot)"),
]


def debate(*said: Turn, **changes: object) -> Run:
    return run(debate_request(rounds=1, **changes), said)


def jury(*said: Turn) -> Run:
    return run(asked_for("jury"), said)


def chaired(count: int, **changes: object) -> Run:
    return unfinished("chaired-debate", count, **{"max_rounds": 2, **changes})


def opened(reply: Reply) -> Turn:
    return turn(TurnKind.OPENING, Role.SKEPTIC, reply, ask_id="opening.skeptic")


CODEX = answer(tool="codex")
AGAIN = response(failure(tool="codex")).model_copy(update={"ask_id": "r1.challenger.2", "attempt": 2})
PANEL = (Participant(tool="codex"), Participant(tool="opencode"))


@pytest.mark.parametrize(
    ("whole", "missing"),
    [
        (debate(), ["round 1, proposer (claude)", "round 1, challenger (codex)", "verdict, judge (gemini)"]),
        (debate(opening(answer())), ["round 1, challenger (codex)", "verdict, judge (gemini)"]),
        # A failure ends the speeches.
        (debate(opening(answer()), response(failure())), ["verdict, judge (gemini)"]),
        # That of a speech which was returned does not.
        (
            run(debate_request(rounds=2), (opening(answer()), response(CODEX), AGAIN)),
            ["round 2, proposer (claude)", "round 2, challenger (codex)", "verdict, judge (gemini)"],
        ),
        (
            debate(opening(answer()), response(CODEX), synthesis(failure(tool="gemini"), round_number=1)),
            ["verdict, judge (gemini)"],
        ),
        (
            debate(opening(answer()), response(CODEX), panel=PANEL),
            ["verdict, judge 1 (gemini)", "verdict, judge 2 (codex)", "verdict, judge 3 (opencode)"],
        ),
        (
            unfinished("fact-check", 0),
            ["round 1, Agent 1 (claude)", "round 1, Agent 2 (codex)", "round 1, Agent 3 (gemini)", AGREED, COUNT],
        ),
        (unfinished("fact-check", 3, max_rounds=4), ["rounds 2 to 4, if the agents are not agreed before", COUNT]),
        (unfinished("fact-check", 3, escalation=Escalation.NEVER), [COUNT]),
        (unfinished("fact-check", 4), [COUNT]),
        (
            jury(),
            [
                *("opening, advocate (claude)", "opening, skeptic (codex)", "checklist, fact-checker (gemini)"),
                *("rebuttal 1, advocate (claude)", "rebuttal 1, skeptic (codex)", "verdict, judge (opencode)"),
            ],
        ),
        # Whoever failed in the opening is asked no more.
        (
            jury(turns("jury")[0], opened(failure()), turns("jury")[2]),
            ["rebuttal 1, advocate (claude)", "verdict, judge (opencode)"],
        ),
        (jury(*turns("jury")), ["verdict, judge (opencode)"]),
        (
            chaired(0),
            [
                *("ready, promoter (claude)", "ready, detractor (codex)"),
                *("opening, promoter (claude)", "opening, detractor (codex)", *FIRST, *SECOND, *LAST),
            ],
        ),
        (chaired(4), ["opening, detractor (codex)", *FIRST, *SECOND, *LAST]),
        (chaired(7), [*FIRST[2:], *SECOND, *LAST]),
        (chaired(9), LAST[1:]),
        (chaired(12), []),
        (chaired(5, audience=None, reporter=None, max_rounds=1), [*FIRST[:2], *LAST[:3]]),
    ],
)
def test_an_unfinished_run_says_what_is_missing(whole: Run, missing: list[str]) -> None:
    assert presentation(whole).remaining(whole) == tuple(missing)


def test_of_an_unfinished_chaired_debate_nothing_that_was_said_is_shown() -> None:
    shown = report(chaired(8))
    assert "made-up.example" not in shown
    assert "Said." not in shown


def test_a_running_consultation_says_who_is_asked() -> None:
    assert report(run(consult_request(), status=RunStatus.RUNNING)) == (
        "# Consult: running\n\nIs this safe?\n\n## Spoken so far\n\nNobody.\n\n## Missing\n\n- the answer of claude\n"
    )
