import math
import random
from collections.abc import Callable
from itertools import accumulate
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.evaluation.statistics import (
    Discordance,
    anytime_p,
    brier,
    calibration_error,
    detectable_difference,
    difference_interval,
    e_value,
    effective_votes,
    equivalence_p,
    error_correlation,
    exact_p,
    figure_interval,
    formula_rows,
    holm,
    krippendorff_alpha,
    macro_f1,
    mid_p,
    non_inferiority_p,
    planned_rows,
)

REPEATS = 1_000
LEVEL = 0.05
SLACK = 3 * math.sqrt(LEVEL * (1 - LEVEL) / REPEATS)
"""Three standard errors of a rate of 5 % in so many repeats."""


def _pair(counts: tuple[int, int, int]) -> Discordance:
    wins, losses, _ = counts
    return Discordance(wins, losses, sum(counts))


COUNTS = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60)).map(_pair)


def _drawn(rows: int, discordant: float, difference: float, source: random.Random) -> list[int]:
    """1 where only the first arm is right, -1 where only the second is, 0 elsewhere."""
    weights = ((discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant)
    return source.choices((1, -1, 0), weights, k=rows)


def _counted(outcomes: list[int]) -> Discordance:
    return Discordance(outcomes.count(1), outcomes.count(-1), len(outcomes))


def _rejections(rows: int, discordant: float, difference: float, p_value: Callable[[Discordance], float]) -> float:
    source = random.Random(7)
    drawn = (_counted(_drawn(rows, discordant, difference, source)) for _ in range(REPEATS))
    return sum(p_value(pair) <= LEVEL for pair in drawn) / REPEATS


def _looked(looks: tuple[int, ...], p_value: Callable[[Discordance], float]) -> float:
    source = random.Random(11)
    found = 0
    for _ in range(REPEATS):
        outcomes = _drawn(looks[-1], 0.2, 0.0, source)
        found += any(p_value(_counted(outcomes[:at])) <= LEVEL for at in looks)
    return found / REPEATS


@pytest.mark.parametrize(
    ("wins", "losses", "exact", "mid"),
    [(0, 0, 1.0, 1.0), (5, 0, 0.0625, 0.03125), (1, 9, 22 / 1024, 12 / 1024), (4, 4, 1.0, 1 - 35 / 256)],
)
def test_mcnemars_test_equals_the_binomial_sum(wins: int, losses: int, exact: float, mid: float) -> None:
    pair = Discordance(wins, losses, 100)
    assert (exact_p(pair), mid_p(pair)) == pytest.approx((exact, mid))


@given(COUNTS)
def test_no_p_value_leaves_its_bounds_and_swapped_arms_give_the_same(pair: Discordance) -> None:
    swapped = Discordance(pair.losses, pair.wins, pair.rows)
    for value in (exact_p, mid_p, anytime_p):
        assert 0 <= value(pair) <= 1
        assert value(pair) == pytest.approx(value(swapped))
    assert 0 <= non_inferiority_p(pair, 0.03) <= equivalence_p(pair, 0.03) <= 1
    assert mid_p(pair) <= exact_p(pair) + 1e-12


@given(COUNTS)
def test_a_wider_margin_is_never_harder_to_keep(pair: Discordance) -> None:
    assert non_inferiority_p(pair, 0.10) <= non_inferiority_p(pair, 0.02) + 1e-12


def test_the_e_value_is_the_mixture_of_likelihood_ratios() -> None:
    pair, steps = Discordance(7, 2, 40), 200_000
    # Substituting p = sin²(t) turns the density of Beta(½, ½) into a constant.
    points = (math.sin((step + 0.5) * math.pi / 2 / steps) ** 2 for step in range(steps))
    mixture = sum(p**7 * (1 - p) ** 2 for p in points) / steps
    assert e_value(pair) == pytest.approx(mixture * 2**9, rel=1e-6)


def test_extreme_counts_do_not_overflow() -> None:
    pair = Discordance(5_000, 0, 5_000)
    assert exact_p(pair) < 1e-300
    assert anytime_p(pair) < 1e-300


def test_equal_arms_differ_in_at_most_a_twentieth_of_repeats() -> None:
    assert _rejections(200, 0.2, 0.0, exact_p) <= LEVEL + SLACK


def test_four_looks_by_the_e_value_keep_the_level() -> None:
    assert _looked((50, 100, 150, 200), anytime_p) <= LEVEL
    assert _looked((150, 300, 450, 600), anytime_p) <= LEVEL


def test_four_looks_by_the_exact_test_would_not_keep_the_level() -> None:
    assert _looked((150, 300, 450, 600), exact_p) > LEVEL + SLACK


@pytest.mark.parametrize(("discordant", "difference"), [(0.2, 0.10), (0.2, 0.05), (0.1, 0.05)])
def test_the_planned_rows_have_the_planned_power(discordant: float, difference: float) -> None:
    power = _rejections(planned_rows(discordant, difference), discordant, difference, exact_p)
    assert power == pytest.approx(0.80, abs=0.04)


def test_an_arm_worse_by_the_margin_passes_as_no_worse_in_a_twentieth_of_repeats() -> None:
    assert _rejections(600, 0.2, -0.03, lambda pair: non_inferiority_p(pair, 0.03)) <= LEVEL + SLACK


@pytest.mark.parametrize(
    ("discordant", "difference", "rows"),
    [(0.2, 0.10, 155), (0.2, 0.05, 626), (0.2, 0.03, 1742), (0.2, 0.02, 3922), (0.1, 0.05, 312), (0.1, 0.03, 870)],
)
def test_rows_by_the_formula(discordant: float, difference: float, rows: int) -> None:
    assert formula_rows(discordant, difference) == pytest.approx(rows, abs=1)


@pytest.mark.parametrize(("discordant", "difference"), [(0.2, 0.0), (0.1, 0.2), (1.1, 0.1), (0.2, -0.1)])
def test_a_difference_that_cannot_be_is_no_plan(discordant: float, difference: float) -> None:
    with pytest.raises(ValueError, match="does not hold"):
        formula_rows(discordant, difference)


def test_the_detectable_difference_is_the_inverse_of_the_planned_rows() -> None:
    found = detectable_difference(0.2, 600)
    assert found is not None
    assert planned_rows(0.2, found) <= 600 < planned_rows(0.2, found - 1e-4)
    assert detectable_difference(0.2, 0) is None
    assert detectable_difference(0.2, 5) is None


@pytest.mark.parametrize(
    ("values", "adjusted"),
    [
        ((), ()),
        ((0.04,), (0.04,)),
        ((0.01, 0.04, 0.03), (0.03, 0.06, 0.06)),
        ((0.5, 0.6), (1.0, 1.0)),
    ],
)
def test_holm_adjusts_in_the_order_given(values: tuple[float, ...], adjusted: tuple[float, ...]) -> None:
    assert holm(values) == pytest.approx(adjusted)


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_lowers_no_value_and_keeps_their_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(before <= after <= 1 for before, after in zip(values, adjusted, strict=True))
    by_value = [after for _, after in sorted(zip(values, adjusted, strict=True))]
    assert by_value == list(accumulate(by_value, max))


def test_the_interval_of_a_difference_holds_the_difference() -> None:
    first = [True] * 60 + [False] * 40
    second = [True] * 50 + [False] * 50
    low, high = difference_interval(first, second)
    assert low < 0.10 < high
    assert (low, high) == difference_interval(first, second)
    assert difference_interval([], []) == (-1.0, 1.0)
    assert difference_interval(first, first) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("wins", "losses", "rows"), [(30, 20, 200), (0, 5, 40), (40, 0, 40), (0, 0, 10), (1, 1, 2), (300, 250, 3_000)]
)
def test_the_interval_of_a_difference_is_that_of_rows_drawn_one_by_one(wins: int, losses: int, rows: int) -> None:
    first = [True] * wins + [False] * (rows - wins)
    second = [False] * wins + [True] * losses + [False] * (rows - wins - losses)
    source = random.Random(1)
    outcomes = [1] * wins + [-1] * losses + [0] * (rows - wins - losses)
    means = sorted(fmean(source.choices(outcomes, k=rows)) for _ in range(1_000))
    error = math.sqrt((wins + losses) / rows / rows)
    assert difference_interval(first, second) == pytest.approx((means[25], means[974]), abs=max(error / 3, 1.01 / rows))


def test_the_interval_of_a_figure_holds_the_figure() -> None:
    low, high = figure_interval([1.0] * 70 + [0.0] * 30, fmean)
    assert low < 0.7 < high
    assert figure_interval([], fmean) == (0.0, 1.0)


def _errors(raters: int, rows: int, *, is_shared: bool) -> list[list[bool]]:
    source = random.Random(3)
    if is_shared:
        return [[source.random() < 0.3 for _ in range(rows)]] * raters
    return [[source.random() < 0.3 for _ in range(rows)] for _ in range(raters)]


def test_raters_that_err_together_are_worth_one_vote_and_independent_ones_their_number() -> None:
    assert effective_votes(_errors(3, 2_000, is_shared=True)) == pytest.approx(1.0, abs=0.1)
    assert effective_votes(_errors(3, 2_000, is_shared=False)) == pytest.approx(3.0, abs=0.3)


def test_raters_without_errors_have_no_known_correlation() -> None:
    assert error_correlation([[False, False], [True, False]]) is None
    assert effective_votes([[False, False], [True, False]]) is None
    assert effective_votes([]) is None


@pytest.mark.parametrize(
    ("rows", "alpha"),
    [
        ([], None),
        ([["a", None], [None, "b"]], None),
        ([["a", "a"], ["a", "a"]], None),
        ([["a", "a"], ["b", "b"]], 1.0),
        # Two observers, nominal data: an example of Krippendorff, "Computing Alpha-Reliability" (2011).
        ([list(pair) for pair in zip("aabbdcccedda", "babbbccceddd", strict=True)], 0.692),
    ],
)
def test_krippendorffs_alpha(rows: list[list[str | None]], alpha: float | None) -> None:
    found = krippendorff_alpha(rows)
    assert found == (alpha if alpha is None else pytest.approx(alpha, abs=0.0005))


def test_macro_f1_counts_an_abstention_as_a_miss() -> None:
    assert macro_f1([("A", "A"), ("A", None), ("B", "B"), ("B", "A")]) == pytest.approx((2 / 4 + 2 / 3) / 2)
    assert macro_f1([]) is None


def test_calibration_of_stated_confidence() -> None:
    assert brier([(1.0, True), (0.0, False)]) == 0
    assert brier([(0.8, True), (0.8, False)]) == pytest.approx((0.04 + 0.64) / 2)
    assert calibration_error([(0.75, True)] * 3 + [(0.75, False)]) == pytest.approx(0)
    assert calibration_error([(1.0, False)]) == 1
    assert brier([]) is None
    assert calibration_error([]) is None
