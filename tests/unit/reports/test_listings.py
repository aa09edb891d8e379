from datetime import UTC, datetime, timedelta, timezone

import pytest

from sparring.reports.listings import runs_list
from sparring.schema.runs import RunStatus, RunSummary

NOW = datetime(2025, 3, 1, tzinfo=timezone(timedelta(hours=2)))
RUNS = (
    RunSummary(
        run_id="debate-20250102T230405Z-0a1b",
        kind="debate",
        status=RunStatus.FINISHED,
        outcome="completed",
        finding="codex (challenger)",
        topic="Should it retry?",
        created_at=datetime(2025, 1, 2, 23, 4, tzinfo=UTC),
        cost_usd=0.1249,
        unpriced_calls=1,
    ),
    RunSummary(
        run_id="jury-20241231T200000Z-0a1c",
        kind="jury",
        status=RunStatus.INTERRUPTED,
        topic="It rose.",
        created_at=datetime(2024, 12, 31, 20, tzinfo=UTC),
        cost_usd=0.002,
    ),
    RunSummary(run_id="consult-20240101T000000Z-0a1d", kind="consult", problem="line 1: no JSON."),
)


@pytest.mark.parametrize(
    ("width", "listed"),
    [
        (
            None,
            """\
03 Jan 01:04  debate   completed    codex (challenger)  >$0.12  debate-20250102T230405Z-0a1b   Should it retry?
31 Dec 2024   jury     interrupted                      <$0.01  jury-20241231T200000Z-0a1c     It rose.
              consult  unreadable                               consult-20240101T000000Z-0a1d  line 1: no JSON.""",
        ),
        (
            60,
            """\
03 Jan 01:04  debate   completed    codex (challenger)  >$0.12  debate-20250102T230405Z-0a1b
    Should it retry?
31 Dec 2024   jury     interrupted                      <$0.01  jury-20241231T200000Z-0a1c
    It rose.
              consult  unreadable                               consult-20240101T000000Z-0a1d
    line 1: no JSON.""",
        ),
    ],
)  # fmt: skip
def test_runs_are_listed_with_when_what_and_how_they_ended(width: int | None, listed: str) -> None:
    assert runs_list(RUNS, now=NOW, width=width) == listed
