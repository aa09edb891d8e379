"""What is said of a judged table and of a batch while it goes on, and when it has ended."""

from datetime import UTC, datetime
from typing import Any

from sparring.batch.table_output import BatchProgress
from sparring.reports.tables import batch_bar, batch_lines, progress_line
from sparring.schema.batch import BatchSpent, LedgerUse, Manifest, OutputFile
from support.golden import Golden
from support.terminals import terminal, written

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SHARD = OutputFile(file="part-00000.jsonl", rows=1, bytes=9, sha256="0")
ALL = {"judged": 1000, "incomplete": 2, "unjudged": 3, "not_asked": 4}


CALLS = BatchSpent(calls=4, cost_usd=0.5, uncounted_calls=4)
ASKED = LedgerUse(asked=4, answered=4, asked_again=2)
ENDED: dict[str, Any] = {
    "rows": 1009,
    "labels": {"MUTATED": 1001, "FAITHFUL": 1},
    "contested": 7,
    "statuses": ALL,
    "rejected": 5,
    "is_whole": False,
    "spent": CALLS,
    "ledger": ASKED,
    "outputs": (SHARD, SHARD),
}


def ended(**told: Any) -> Manifest:
    fields: dict[str, Any] = {"sparring_version": "1", "format": "jury", "started_at": NOW, "ended_at": NOW}
    return Manifest(**fields | told)


TOLD: dict[str, list[str]] = {
    "progress tells what was there and what the others cost": [
        progress_line(BatchProgress(rows=12, calls=48, cost_usd=0.5)),
        progress_line(BatchProgress(rows=1024, existing=1000, rejected=2, calls=96, unpriced_calls=1)),
    ],
    "what came of a batch without a row": [*batch_lines(ended(rows=0, outputs=(SHARD,)), "out")],
    "what came of a batch is told in a line each": [*batch_lines(ended(**ENDED), "out")],
    "causes follow the rows that they explain": [*batch_lines(ended(statuses=ALL), "s3://b/out", ["  3: No."])],
    "of checks nothing is kept": [*batch_lines(ended(format="verify", is_whole=False), "out")],
}


def test_sentences_on_rows_and_batches_are_as_in_their_golden_file(golden: Golden) -> None:
    lines = [line for rule, told in TOLD.items() for line in (f"== {rule}", *told)]
    golden.holds("reports/tables.txt", "\n".join(lines) + "\n")


def test_the_bar_of_a_batch_counts_only_those_that_were_asked_as_work() -> None:
    moments, console = iter([0.0, 30.0]), terminal(width=120)
    with batch_bar(console, clock=lambda: next(moments)) as show:
        show(BatchProgress(rows=5, existing=2, rejected=1, calls=6, cost_usd=0.5))
    assert "5 rows, 2 of them judged before, 1 rejected; 6 calls, $0.5000; 4.0 rows/min" in written(console)
