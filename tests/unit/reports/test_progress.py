import pytest

from sparring.reports.progress import progress_line
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import RunEvent
from sparring.schema.transcript import TurnKind
from support.runs import asked, spoke


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
