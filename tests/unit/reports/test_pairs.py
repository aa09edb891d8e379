import io

import pytest
from rich.console import Console

from sparring.reports.pairs import PairsBar, failures, pair_line, totals
from sparring.schema.claims import Dimension
from sparring.schema.jury import Faithfulness, JudgeVerdict
from sparring.schema.pairs import PairResult, PairStatus
from sparring.schema.runs import Spent

VERDICT = JudgeVerdict(
    verdict=Faithfulness.MUTATED,
    confidence=0.9,
    rationale=("It turns over into under.",),
    critical_differences=('"under" for "more than"',),
    what_would_make_it_faithful=("more than",),
    one_sentence_summary="The claim turns\nthe threshold around.",
)
JUDGED = PairResult(
    row=3,
    row_id="n-17",
    dataset=None,
    status=PairStatus.JUDGED,
    verdict=VERDICT,
    contested=("A reason.",),
    mutations=(Dimension.QUANTITY, Dimension.TIME),
)
REFUSED = PairResult(row=4, row_id=None, dataset=None, status=PairStatus.REFUSED, problem="Line 5 has no claim.")
LEFT = PairResult(row=5, row_id=None, dataset=None, status=PairStatus.NOT_ASKED, problem="The time was over.")


def test_a_row_is_one_line_with_its_verdict_or_why_there_is_none() -> None:
    line = "row 3 (n-17)  MUTATED 0.90  quantity, time  contested  The claim turns the threshold around."
    assert [pair_line(JUDGED), pair_line(LEFT)] == [line, "row 5  not asked: The time was over."]


def test_the_rows_without_a_verdict_are_listed_up_to_a_bound() -> None:
    assert failures([JUDGED, REFUSED]) == "1 of 2 rows have no verdict:\n- row 4  refused: Line 5 has no claim."
    assert failures([JUDGED]) == ""
    assert failures([REFUSED] * 60).splitlines()[-1] == "- and 10 more"


def test_the_totals_count_each_ending_and_what_was_paid_for() -> None:
    known = JUDGED.model_copy(update={"was_judged_before": True})
    told = totals([JUDGED, known, REFUSED], Spent(calls=5, tokens=1500, cost_usd=0.0123))
    assert told == "3 rows: 2 MUTATED, 1 refused (1 judged before). Used: 5 calls, 1,500 tokens, $0.0123."


@pytest.mark.parametrize(
    ("spent", "cost"), [(Spent(calls=4, cost_usd=0.5), "$0.5000"), (Spent(calls=4, unpriced_calls=4), "4 calls")]
)
def test_the_bar_shows_rows_rate_and_cost(spent: Spent, cost: str) -> None:
    moments = iter([0.0, 30.0, 60.0])
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=120)
    with PairsBar(console, total=5, is_shared=False, clock=lambda: next(moments)) as bar:
        bar.show(JUDGED, spent)
        bar.show(REFUSED, spent)
    assert "2/5" in out.getvalue()
    assert "1.0 rows/min" in out.getvalue()
    assert cost in out.getvalue()
