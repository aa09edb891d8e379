import re

import pytest

from sparring.reports.progress import progress_line
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import RunEvent
from sparring.schema.transcript import TurnKind
from support.runs import answer, asked, repeated, spoke
from support.runs import failure as failed

JUDGE, CHECKER, SKEPTIC = Role.JUDGE, Role.FACT_CHECKER, Role.SKEPTIC


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (asked(), "round 1/2  proposer  claude  asked"),
        (spoke(asked()), "round 1/2  proposer  claude  answered in 8.5 s"),
        (
            spoke(asked(), failed(FailureCode.TIMEOUT, "no answer")),
            "round 1/2  proposer  claude  failed: timeout after 240.0 s (no answer)",
        ),
        (
            asked(TurnKind.SUMMARY, Role.JUDGE, "gemini", round_number=3, ask_id="r3.summary.1"),
            "summary for round 3  judge  gemini  asked",
        ),
        (
            repeated(asked(), failed(FailureCode.OVERLOADED, "full", tool="claude"), 7.6, "claude"),
            "round 1/2  proposer  claude  claude is overloaded; asked again in 8 s",
        ),
        (
            repeated(asked(), failed(FailureCode.EXIT, "no", tool="claude"), 0, "gemini"),
            "round 1/2  proposer  claude  failed: exit after 240.0 s (no); gemini is asked in its place",
        ),
        (spoke(asked(), answer(tool="gemini")), "round 1/2  proposer  claude  gemini answered in 8.5 s"),
        (
            spoke(asked()).model_copy(update={"taken_from": "debate-20261121T110000Z-0a1b"}),
            "round 1/2  proposer  claude  taken over from debate-20261121T110000Z-0a1b",
        ),
        (asked(TurnKind.ANSWER, Role.CONSULTANT, ask_id="question"), "consultant  claude  asked"),
        (asked(TurnKind.ANSWER, Role.CONSULTANT, ask_id="question.2"), "answer 2  consultant  claude  asked"),
        (asked(TurnKind.CITATIONS, Role.VERIFIER, "sparring-citations", ask_id="citations"), "citations  asked"),
    ],
)
def test_an_event_is_one_line(event: RunEvent, line: str) -> None:
    assert progress_line(event) == line


@pytest.mark.parametrize(
    ("ask_id", "line"),
    [
        ("judge1.ab.1", "verdict  judge  gemini  asked"),
        ("judge1.ba.1", "verdict (order 2)  judge  gemini  asked"),
        ("judge1.ab.2", "verdict (again)  judge  gemini  asked"),
        ("judge2.ab.1", "verdict  judge 2  gemini  asked"),
        ("judge2.ba.2", "verdict (order 2, again)  judge 2  gemini  asked"),
    ],
)
def test_a_judge_is_asked_in_two_orders_and_a_panel_is_numbered(ask_id: str, line: str) -> None:
    event = asked(TurnKind.SYNTHESIS, Role.JUDGE, "gemini", round_number=2, ask_id=ask_id)
    assert progress_line(event) == line


def test_the_look_at_what_a_speech_cites_belongs_to_its_round() -> None:
    event = asked(TurnKind.CITATIONS, Role.VERIFIER, "sparring-citations", ask_id="r1.proposer.ledger")
    assert progress_line(event) == "round 1/2, citations  asked"


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (asked(TurnKind.ANALYSIS, CHECKER, ask_id="r1.a2"), "round 1  Agent 2  claude  asked"),
        (asked(TurnKind.REBUTTAL, CHECKER, round_number=2, ask_id="r2.a3"), "round 2  Agent 3  claude  asked"),
        (asked(TurnKind.ANALYSIS, CHECKER, ask_id="r1.a2.2"), "round 1 (again)  Agent 2  claude  asked"),
        (
            spoke(asked(TurnKind.ANALYSIS, CHECKER, ask_id="r1.a1"), failed(FailureCode.EXIT, "", duration_ms=8500)),
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
    assert progress_line(event) == line


@pytest.mark.parametrize(
    ("kind", "role", "ask_id", "line"),
    [
        (TurnKind.READY, Role.PROMOTER, "ready.promoter", "ready  promoter  claude"),
        (TurnKind.OPENING, Role.PROMOTER, "opening.promoter.1", "opening  promoter  claude"),
        (TurnKind.OPENING, Role.DETRACTOR, "opening.detractor.2", "opening (again)  detractor  claude"),
        (TurnKind.SOURCES, Role.VERIFIER, "opening.detractor.2.sources", "opening, sources"),
        (TurnKind.ACTION, Role.PROMOTER, "r2.promoter.1", "round 2  promoter  claude"),
        (TurnKind.ACTION, Role.PROMOTER, "r2.promoter.2", "round 2 (again)  promoter  claude"),
        (TurnKind.ACTION, Role.PROMOTER, "r2.promoter.after.1", "round 2  promoter  claude"),
        (TurnKind.ACTION, Role.PROMOTER, "r2.promoter.after.2", "round 2 (again)  promoter  claude"),
        (TurnKind.SOURCES, Role.VERIFIER, "r2.promoter.after.1.sources", "round 2, sources"),
        (TurnKind.CLARIFICATION, Role.CHAIR, "r2.promoter.clarification", "round 2, clarification  chair  claude"),
        (
            TurnKind.CLARIFICATION,
            Role.CHAIR,
            "r2.promoter.clarification.2",
            "round 2, clarification (again)  chair  claude",
        ),
        (TurnKind.QUESTIONS, Role.AUDIENCE, "r10.audience", "round 10  audience  claude"),
        (TurnKind.RULING, Role.CHAIR, "opening.chair.1", "opening, review  chair  claude"),
        (TurnKind.RULING, Role.CHAIR, "closing.chair.2", "closing, review (again)  chair  claude"),
        (TurnKind.RULING, Role.CHAIR, "r1.chair.1", "round 1, review  chair  claude"),
        (TurnKind.RULING, Role.CHAIR, "r1.chair.2", "round 1, review (again)  chair  claude"),
        (TurnKind.CLOSING, Role.DETRACTOR, "closing.detractor.2", "closing (again)  detractor  claude"),
        (TurnKind.CONCLUSION, Role.CHAIR, "conclusion.1", "conclusion  chair  claude"),
        (TurnKind.REPORT, Role.REPORTER, "report.1", "summary  reporter  claude"),
    ],
)
def test_an_event_of_a_chaired_debate_names_the_phase_or_the_round(
    kind: TurnKind, role: Role, ask_id: str, line: str
) -> None:
    number = re.match(r"r(\d+)", ask_id)
    event = asked(kind, role, ask_id=ask_id, round_number=int(number[1]) if number else 1)
    assert progress_line(event) == f"{line}  asked"
