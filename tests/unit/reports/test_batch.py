"""What is said of a batch while it goes on, and when it has ended."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sparring.batch.work import Progress
from sparring.reports.batch import batch_lines, progress_line
from sparring.schema.batch import BatchSpent, LedgerUse, Manifest, OutputFile

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SHARD = OutputFile(file="part-00000.jsonl", rows=1, bytes=9, sha256="0")
ALL = {"judged": 1000, "incomplete": 2, "unjudged": 3, "not_asked": 4}


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (Progress(rows=12, calls=48, cost_usd=0.5), "12 rows; 48 calls, $0.5000"),
        (
            Progress(rows=1024, there=1000, rejected=2, calls=96, unpriced_calls=1),
            "1,024 rows, 1,000 of them judged before, 2 rejected; 96 calls",
        ),
    ],
)
def test_progress_tells_what_was_there_and_what_the_others_cost(progress: Progress, line: str) -> None:
    assert progress_line(progress) == line


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ({"rows": 0, "outputs": (SHARD,)}, ["0 rows", "Written: 1 shard in out"]),
        (
            {
                "rows": 1009,
                "labels": {"MUTATED": 1001, "FAITHFUL": 1},
                "contested": 7,
                "statuses": ALL,
                "rejected": 5,
                "is_whole": False,
                "spent": BatchSpent(calls=4, cost_usd=0.5, uncounted_calls=4),
                "ledger": LedgerUse(asked=4, answered=4, asked_again=2),
                "outputs": (SHARD, SHARD),
            },
            [
                "1,009 rows: 1,001 MUTATED, 1 FAITHFUL",
                "- 7 of these verdicts are contested",
                "- 2 are incomplete; the same command asks those again who failed",
                "- 3 have no verdict; the same command asks again",
                "- 4 were not asked: a limit was reached",
                "- 5 could not be judged: rejected.jsonl says which, and why",
                "- The time was over before all rows were judged; the same command goes on",
                (
                    "Used, in whichever call: 4 calls, tokens unknown, $0.5000; "
                    "2 calls were asked again, and may be paid for twice"
                ),
                "Written: 2 shards in out",
            ],
        ),
    ],
)
def test_what_came_of_a_batch_is_told_in_a_line_each(told: dict[str, Any], lines: list[str]) -> None:
    manifest = Manifest(sparring_version="1", format="jury", started_at=NOW, ended_at=NOW, **told)
    assert list(batch_lines(manifest, "out")) == lines
