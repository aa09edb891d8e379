import pytest

from sparring.reports.progress import progress_line
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import RunEvent
from sparring.schema.transcript import TurnKind
from support.runs import answer, asked, repeated, spoke
from support.runs import failure as failed
from support.texts import texts


@pytest.mark.parametrize(("kind", "role", "tool", "number", "ask_id", "line"), texts("progress")["asked"])
def test_who_is_asked_is_one_line(kind: str, role: str, tool: str, number: int, ask_id: str, line: str) -> None:
    assert progress_line(asked(TurnKind(kind), Role(role), tool, round_number=number, ask_id=ask_id)) == line


LATE = failed(FailureCode.TIMEOUT, "no answer")
CHECKER = asked(TurnKind.ANALYSIS, Role.FACT_CHECKER, ask_id="r1.a1")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (spoke(asked()), "round 1/2  proposer  claude  answered in 8.5 s"),
        (spoke(asked(), LATE), "round 1/2  proposer  claude  failed: timeout after 240.0 s (no answer)"),
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
        (
            spoke(CHECKER, failed(FailureCode.EXIT, "", duration_ms=8500)),
            "round 1  Agent 1  claude  failed: exit after 8.5 s",
        ),
    ],
)
def test_what_came_of_it_is_one_line(event: RunEvent, line: str) -> None:
    assert progress_line(event) == line
