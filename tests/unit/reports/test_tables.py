"""What is said of a judged table and of a batch while it goes on, and when it has ended."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sparring.batch.work import BatchProgress
from sparring.reports.tables import batch_bar, batch_lines, failures, pair_line, pairs_bar, progress_line, totals
from sparring.schema.batch import BatchSpent, LedgerUse, Manifest, OutputFile
from sparring.schema.claims import Dimension
from sparring.schema.jury import Faithfulness, JudgeVerdict
from sparring.schema.pairs import PairResult, PairStatus, RowResult
from sparring.schema.runs import Spent
from support.terminals import terminal, written

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SHARD = OutputFile(file="part-00000.jsonl", rows=1, bytes=9, sha256="0")
ALL = {"judged": 1000, "incomplete": 2, "unjudged": 3, "not_asked": 4}


def row(number: int, status: PairStatus, problem: str = "", **more: Any) -> PairResult:
    fields = {"row": number, "row_id": None, "dataset": None, "status": status, "problem": problem, **more}
    return PairResult.model_validate(fields)


VERDICT = JudgeVerdict(
    verdict=Faithfulness.MUTATED,
    confidence=0.9,
    rationale=("It turns over into under.",),
    critical_differences=(),
    what_would_make_it_faithful=(),
    one_sentence_summary="The claim turns\nit around.",
)
KINDS = (Dimension.QUANTITY, Dimension.TIME)
JUDGED = row(3, PairStatus.JUDGED, row_id="n-17", verdict=VERDICT, contested=("A reason.",), mutations=KINDS)
KNOWN = JUDGED.model_copy(update={"was_judged_before": True})
LOST = JUDGED.model_copy(update={"status": PairStatus.INCOMPLETE, "problem": "No codex.", "notices": ("Read this.",)})
REFUSED = row(4, PairStatus.REFUSED, "Line 5 has no claim.")
LEFT = row(5, PairStatus.NOT_ASKED, "The time was over.")
LINE = "row 3 (n-17)  MUTATED 0.90  quantity, time  contested  The claim turns it around."


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (JUDGED, LINE),
        (LOST, f"{LINE}  incomplete: No codex.  Read this."),
        (LEFT, "row 5  not asked: The time was over."),
    ],
)
def test_a_row_is_one_line_with_its_verdict_or_why_there_is_none(result: RowResult, line: str) -> None:
    assert pair_line(result) == line


def test_the_rows_without_a_verdict_are_listed_up_to_a_bound() -> None:
    assert failures([JUDGED, LOST, REFUSED]).splitlines() == [
        "1 of 3 rows have no verdict:",
        "- row 4  refused: Line 5 has no claim.",
        "1 of 3 rows are incomplete; the same command asks those again who failed:",
        f"- {LINE}  incomplete: No codex.  Read this.",
    ]
    assert failures([JUDGED]) == ""
    assert failures([REFUSED] * 60).splitlines()[-1] == "- and 10 more"


def test_the_totals_count_each_ending_and_what_was_paid_for() -> None:
    told = totals([JUDGED, KNOWN, LOST, REFUSED], Spent(calls=5, tokens=1500, cost_usd=0.0123))
    counted = "4 rows: 3 MUTATED, 1 refused (1 incomplete, 1 judged before)"
    assert told == f"{counted}. Used: 5 calls, 1,500 tokens, $0.0123."


@pytest.mark.parametrize(
    ("spent", "cost"), [(Spent(calls=4, cost_usd=0.5), "$0.5000"), (Spent(calls=4, unpriced_calls=4), "4 calls")]
)
def test_the_bar_shows_rows_rate_and_cost(spent: Spent, cost: str) -> None:
    moments, console = iter([0.0, 30.0, 60.0]), terminal(width=120)
    with pairs_bar(console, total=5, is_shared=False, clock=lambda: next(moments)) as show:
        show(JUDGED, spent)
        show(REFUSED, spent)
    for told in ("2/5", "1.0 rows/min", cost):
        assert told in written(console)


def test_the_bar_of_a_batch_counts_only_those_that_were_asked_as_work() -> None:
    moments, console = iter([0.0, 30.0]), terminal(width=120)
    with batch_bar(console, clock=lambda: next(moments)) as show:
        show(BatchProgress(rows=5, there=2, rejected=1, calls=6, cost_usd=0.5))
    assert "5 rows, 2 of them judged before, 1 rejected; 6 calls, $0.5000; 4.0 rows/min" in written(console)


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (BatchProgress(rows=12, calls=48, cost_usd=0.5), "12 rows; 48 calls, $0.5000"),
        (
            BatchProgress(rows=1024, there=1000, rejected=2, calls=96, unpriced_calls=1),
            "1,024 rows, 1,000 of them judged before, 2 rejected; 96 calls",
        ),
    ],
)
def test_progress_tells_what_was_there_and_what_the_others_cost(progress: BatchProgress, line: str) -> None:
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
