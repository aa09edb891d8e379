"""The records that finished fact-checks and juries leave."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.errors import DeliberationError
from sparring.reports.state import last, result
from sparring.schema.base import Role
from sparring.schema.fact_check import FactCheckStatus, LastFactCheck
from sparring.schema.jury import Juror, JuryStatus, LastVerdict
from sparring.schema.runs import Request, Run
from support import fact_check_runs, jury_runs
from support.runs import CREATED_AT, debate_request, run

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"


@pytest.mark.parametrize(
    ("finished", "record", "name"),
    [
        (fact_check_runs.finished(), LastFactCheck, "last-fact-check.json"),
        (jury_runs.finished(), LastVerdict, "last-verdict.json"),
    ],
    ids=["fact-check", "jury"],
)
def test_a_state_file_is_as_it_was_approved_and_can_be_read_again(
    finished: Run, record: type[LastFactCheck | LastVerdict], name: str
) -> None:
    written = result(finished).model_dump_json(indent=2) + "\n"
    assert written == (GOLDEN / name).read_text(encoding="utf-8")
    assert record.model_validate_json(written) == result(finished) == last(finished)


def test_a_state_file_has_the_outcome_whole_and_counts_what_was_redacted() -> None:
    finished = fact_check_runs.finished()
    kept, ended = result(finished), fact_check_runs.outcome()
    assert isinstance(kept, LastFactCheck)
    assert (kept.agents, kept.check, kept.blind, kept.debated) == (
        ended.agents,
        ended.check,
        ended.blind,
        ended.debated,
    )
    assert kept.redactions == 3
    assert kept.timestamp == CREATED_AT.replace(minute=2)
    assert [part.name for part in kept.evidence] == ["report.md", "minutes.txt"]


def test_a_juror_has_the_model_that_its_tool_reported() -> None:
    kept = result(jury_runs.finished())
    assert isinstance(kept, LastVerdict)
    assert kept.jurors == (
        Juror(role=Role.ADVOCATE, tool="claude", model="opus-4"),
        Juror(role=Role.SKEPTIC, tool="codex", model=None),
        Juror(role=Role.FACT_CHECKER, tool="gemini", model=None),
        Juror(role=Role.JUDGE, tool="opencode", model=None),
    )


@pytest.mark.parametrize(
    ("finished", "status", "replaces"),
    [
        (fact_check_runs.finished, FactCheckStatus.NO_QUORUM, True),
        (fact_check_runs.finished, FactCheckStatus.FAILED, False),
        (jury_runs.finished, JuryStatus.INCOMPLETE, True),
        (jury_runs.finished, JuryStatus.UNJUDGED, True),
        (jury_runs.finished, JuryStatus.FAILED, False),
    ],
)
def test_only_a_run_in_which_nobody_gave_anything_leaves_an_earlier_one_in_its_place(
    finished: Callable[..., Run], status: FactCheckStatus | JuryStatus, *, replaces: bool
) -> None:
    assert (last(finished(status=status)) is not None) is replaces


@pytest.mark.parametrize("request_", [fact_check_runs.request(), jury_runs.request(), debate_request()])
def test_an_unfinished_run_leaves_no_record(request_: Request) -> None:
    with pytest.raises(DeliberationError):
        last(run(request_))
    with pytest.raises(DeliberationError):
        result(run(request_))
