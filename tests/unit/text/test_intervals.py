from itertools import product

import pytest

from sparring.text.intervals import exact_mcnemar, resampled, wilson


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (9, 9, 0.7008, 1.0), (0, 0, 0.0, 1.0)],
)
def test_the_interval_of_a_share_is_the_one_of_the_textbook(part: int, whole: int, low: float, high: float) -> None:
    assert wilson(part, whole) == pytest.approx((low, high), abs=1e-4)


def test_a_bootstrap_interval_contains_its_figure_and_is_reproducible() -> None:
    one, again = (resampled([0.0] * 50 + [1.0] * 50, lambda drawn: sum(drawn) / len(drawn)) for _ in range(2))
    assert one == again == pytest.approx((0.5 - 1.96 * 0.05, 0.5 + 1.96 * 0.05), abs=0.02)


def test_the_exact_test_counts_every_outcome_of_the_differing_rows() -> None:
    for one, other in product(range(7), range(7)):
        falls = [sum(sides) for sides in product((0, 1), repeat=one + other)]
        as_uneven = [fallen for fallen in falls if abs(2 * fallen - one - other) >= abs(one - other)]
        assert exact_mcnemar(one, other) == len(as_uneven) / len(falls), (one, other)


def test_no_number_of_rows_is_too_large_for_an_exact_test() -> None:
    assert (exact_mcnemar(5_000, 5_000), exact_mcnemar(5_000, 0)) == (1.0, 0.0)
    assert exact_mcnemar(121, 59) == pytest.approx(4.434e-6, rel=2e-3)  # as the textbook has it
    assert exact_mcnemar(5_100, 4_900) == pytest.approx(0.0466, abs=1e-4)
