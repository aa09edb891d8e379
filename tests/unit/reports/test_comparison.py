from collections.abc import Sequence
from typing import cast

import pytest
from msgspec.structs import replace

from sparring.errors import UsageError
from sparring.reports import comparison
from sparring.reports.comparison import RowChange, compare_runs, compare_tables
from sparring.schema.debate import DebateOutcome
from sparring.schema.review import ReviewOutcome
from support.golden import Golden
from support.judged_tables import result, table
from support.stored_runs import stored, turns

YES, NO, NEI = "SUPPORTED", "REFUTED", "NEI"
BECAME = [
    (NO, YES, YES, RowChange.FIXED),
    (YES, NO, YES, RowChange.BROKEN),
    (NO, NEI, YES, RowChange.STILL_WRONG),
    (YES, YES, YES, RowChange.STILL_RIGHT),
    (YES, NO, None, RowChange.CHANGED),
    (YES, YES, "true", RowChange.SAME),
    (None, YES, YES, RowChange.UNDECIDED),
    (YES, None, YES, RowChange.UNDECIDED),
]


def compared(rows: Sequence[tuple[str | None, str | None, str | None]]) -> comparison.TableComparison:
    """Two tables whose rows have these labels before and after, and these of gold."""
    before = table(*(result(row, label, gold=gold) for row, (label, _, gold) in enumerate(rows, start=1)))
    after = table(*(result(row, label, gold=gold) for row, (_, label, gold) in enumerate(rows, start=1)))
    return compare_tables(before, after)


def test_a_row_is_what_its_gold_label_makes_of_two_verdicts_and_none_without_both() -> None:
    found = compared([(before, after, gold) for before, after, gold, _ in BECAME])
    assert [row.change for row in found.rows] == [change for *_, change in BECAME]
    assert sum(found.counts.values()) == len(BECAME)


@pytest.mark.parametrize(
    ("fixed", "broken", "says"),
    [
        (7, 2, "7 fixed, 2 broken: p = 0.18, this may be chance."),
        (6, 0, "6 fixed, 0 broken: p = 0.031, chance alone would rarely do this."),
        (0, 40, "0 fixed, 40 broken: p < 0.0001, chance alone would rarely do this."),
        (1, 1, "1 fixed, 1 broken: p = 1, this may be chance."),
        (0, 0, "No row was fixed and none broken: there is nothing that chance would have to explain."),
    ],
)
def test_a_comparison_states_if_it_may_be_chance(fixed: int, broken: int, says: str) -> None:
    others = [(YES, YES, YES), (NO, NO, YES)] * 30
    assert compared([(NO, YES, YES)] * fixed + [(YES, NO, YES)] * broken + others).sentence == says


def test_rows_are_matched_by_their_ids_else_by_their_place() -> None:
    before = table(result(1), result(2), result(3, row_id=None), result(4, row_id=None))
    after = table(result(9, NO, row_id="n1"), result(3, row_id=None), result(6, row_id=None), result(5))
    found = compare_tables(before, after)
    assert [(row.row, row.before, row.after) for row in found.rows] == [(9, YES, NO), (3, YES, YES)]
    assert found.only == (2, 2)
    assert found.p_value is None
    assert found.sentence == "1 of 2 rows have another label; without gold labels none is better."


def test_a_gold_label_that_was_changed_decides_nothing() -> None:
    found = compare_tables(table(result(1, YES, gold=YES)), table(result(1, NO, gold=NO)))
    assert [row.change for row in found.rows] == [RowChange.CHANGED]
    assert found.notices == ("With another gold label now, which then counts as none: 1.",)


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (replace(table(result(1)), kind="jury"), "nothing compares them"),
        (table(result(7)), "no row in common"),
        (table(result(1), result(1)), "Two rows of claims.csv are called 'n1'"),
    ],
)
def test_what_cannot_be_compared_is_refused(after: object, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        compare_tables(table(result(1)), after)  # pyright: ignore[reportArgumentType] -- one of them
    with pytest.raises(UsageError, match="different formats are not compared"):
        compare_runs(stored("debate"), stored("jury"))


def test_a_terminal_shows_changed_rows_and_the_number_left_out() -> None:
    before = table(result(1, YES, gold=NO), *(result(row, YES) for row in range(2, 50)), result(99))
    after = table(result(1, NO, gold=NO), *(result(row, NEI) for row in range(2, 50)))
    lines = comparison.comparison_text(compare_tables(before, after), most=2).splitlines()
    assert lines == [
        "1 fixed, 0 broken: p = 1, this may be chance.",
        "49 rows in both: 1 fixed, 48 changed.",
        "Only in claims.csv: 1.",
        "fixed      n1  SUPPORTED -> REFUTED (gold REFUTED)",
        "changed    n2  SUPPORTED -> NEI",
        "and 47 more; --json has all",
    ]


@pytest.mark.parametrize("name", ["debate", "panel-debate", "chaired-debate", "fact-check", "jury", "review"])
def test_a_run_is_like_itself(name: str) -> None:
    found = compare_runs(stored(name), stored(name))
    assert [found.outcome, found.states, found.seats, found.options, found.spent] == [()] * 5
    assert {each.change for each in found.speeches} == {comparison.SpeechChange.SAME}
    assert len(found.speeches) == len(turns(name))


def test_differences_of_two_runs_are_listed_by_part(golden: Golden) -> None:
    before = stored("debate")
    said = turns("debate")
    again = said[0].reply.model_copy(update={"response": "Otherwise.", "model": "opus-9"})
    verdict = cast("DebateOutcome", before.outcome).model_dump()["verdict"] | {"winner": "challenger"}
    left = (said[0].model_copy(update={"reply": again}), *said[1:-1])
    after = stored("debate", request={"topic": "Another?"}, turns=left, verdict=verdict)
    golden.holds("reports/two-runs.txt", comparison.runs_text(compare_runs(before, after)))


def test_a_finding_of_only_one_review_is_listed_by_its_title() -> None:
    before = stored("review")
    gone, *left = cast("ReviewOutcome", before.outcome).findings
    after = stored("review", findings=left)
    told = [each for each in compare_runs(before, after).outcome if gone.id in each.name]
    assert told == [comparison.Difference(name=f"findings ({gone.id})", before=gone.title, after="")]
