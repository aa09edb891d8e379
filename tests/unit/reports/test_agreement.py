from collections import Counter

from sparring.reports.agreement import Agreement, Confusion, CostBin, agreements, confusion, cost_bins
from sparring.schema.runs import Spent
from support.judged_tables import result, table

YES, NO = "SUPPORTED", "REFUTED"


def test_agreement_beyond_chance_is_cohens() -> None:
    said = [(YES, YES)] * 20 + [(YES, NO)] * 5 + [(NO, YES)] * 10 + [(NO, NO)] * 15
    rows = [result(number, YES, *votes) for number, votes in enumerate(said, start=1)]

    (found,) = agreements(rows)

    assert found == Agreement(("Agent 1", "Agent 2"), alike=35, rows=50, kappa=0.4)
    assert found.share == 0.7


def test_rows_of_which_one_seat_says_nothing_count_for_the_others_alone() -> None:
    rows = [result(1, YES, YES, YES, NO), result(2, YES, YES), result(3, None)]

    assert [(each.seats, each.alike, each.rows, each.kappa) for each in agreements(rows)] == [
        (("Agent 1", "Agent 2"), 1, 1, None),
        (("Agent 1", "Agent 3"), 0, 1, 0.0),
        (("Agent 2", "Agent 3"), 0, 1, 0.0),
    ]
    assert agreements([result(1), result(2)]) == ()


def test_a_row_without_a_verdict_is_neither_right_nor_wrong() -> None:
    rows = [
        result(1, YES, gold=YES),
        result(2, NO, gold=YES),
        result(3, None, gold=NO),
        result(4, gold="maybe"),
        result(5),
    ]

    found = confusion(table(*rows))

    assert found == Confusion(Counter({(YES, YES): 1, (YES, NO): 1}), without=1, unknown=1)
    assert found
    assert (found.right, found.rows) == (1, 2)
    assert confusion(table(result(1), result(2, gold="maybe"))) is None


def test_rows_of_unknown_cost_are_in_no_bin() -> None:
    costs = [0.0, 0.1, 0.25, 1.0]
    rows = [result(1, spent=Spent(calls=1, cost_usd=cost)) for cost in costs]
    rows += [result(2, spent=Spent(calls=2, cost_usd=9.0, unpriced_calls=1)), result(3)]

    assert cost_bins(rows, most=4) == (
        CostBin(0, 0.25, 2),
        CostBin(0.25, 0.5, 1),
        CostBin(0.5, 0.75, 0),
        CostBin(0.75, 1, 1),
    )
    assert cost_bins(rows[4:]) == ()
