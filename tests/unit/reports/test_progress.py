import pytest

from sparring.reports.progress import progress_line
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import RunEvent
from sparring.schema.transcript import TurnKind
from support.runs import asked, spoke

JUDGE, CHECKER, SKEPTIC = Role.JUDGE, Role.FACT_CHECKER, Role.SKEPTIC


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (asked(), "round 1/2  proposer  claude  asked"),
        (spoke(asked()), "round 1/2  proposer  claude  answered in 8.5 s"),
        (
            spoke(asked(), duration_ms=240_000, failure=FailureCode.TIMEOUT, detail="no answer"),
            "round 1/2  proposer  claude  failed: timeout after 240.0 s (no answer)",
        ),
        (asked(TurnKind.SUMMARY, Role.JUDGE, "gemini", round_number=3), "summary for round 3  judge  gemini  asked"),
        (asked(TurnKind.SYNTHESIS, Role.JUDGE, "gemini", round_number=2), "verdict  judge  gemini  asked"),
        (asked(TurnKind.ANSWER, Role.CONSULTANT, ask_id="question"), "consultant  claude  asked"),
        (asked(TurnKind.ANSWER, Role.CONSULTANT, ask_id="question.2"), "answer 2  consultant  claude  asked"),
        (asked(TurnKind.CITATIONS, Role.VERIFIER, "sparring-citations", ask_id="citations"), "citations  asked"),
    ],
)
def test_an_event_is_one_line(event: RunEvent, line: str) -> None:
    assert progress_line(event, rounds=2) == line


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (asked(TurnKind.ANALYSIS, CHECKER, ask_id="r1.a2"), "round 1  Agent 2  claude  asked"),
        (asked(TurnKind.REBUTTAL, CHECKER, round_number=2, ask_id="r2.a3"), "round 2  Agent 3  claude  asked"),
        (asked(TurnKind.ANALYSIS, CHECKER, ask_id="r1.a2.2"), "round 1 (again)  Agent 2  claude  asked"),
        (
            spoke(asked(TurnKind.ANALYSIS, CHECKER, ask_id="r1.a1"), failure=FailureCode.EXIT),
            "round 1  Agent 1  claude  failed: exit after 8.5 s",
        ),
        (asked(TurnKind.OPENING, Role.ADVOCATE, ask_id="opening.advocate"), "opening  advocate  claude  asked"),
        (asked(TurnKind.OPENING, SKEPTIC, ask_id="opening.skeptic.2"), "opening (again)  skeptic  claude  asked"),
        (asked(TurnKind.CHECKLIST, CHECKER, ask_id="checklist.1"), "checklist  fact-checker  claude  asked"),
        (asked(TurnKind.CHECKLIST, CHECKER, ask_id="checklist.2"), "checklist (again)  fact-checker  claude  asked"),
        (
            asked(TurnKind.REBUTTAL, SKEPTIC, round_number=3, ask_id="rebuttal.2.skeptic"),
            "rebuttal 2  skeptic  claude  asked",
        ),
        (asked(TurnKind.VERDICT, JUDGE, round_number=2, ask_id="verdict.1"), "verdict  judge  claude  asked"),
        (asked(TurnKind.VERDICT, JUDGE, round_number=2, ask_id="verdict.2"), "verdict (again)  judge  claude  asked"),
        (asked(TurnKind.VERDICT, JUDGE, ask_id="reconsider.1"), "verdict (reconsidered)  judge  claude  asked"),
    ],
)
def test_an_event_of_a_fact_check_or_a_jury_names_the_agent_or_the_seat(event: RunEvent, line: str) -> None:
    assert progress_line(event, rounds=1) == line
