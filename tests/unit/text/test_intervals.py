import pytest

from sparring.text.intervals import resampled, wilson


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (9, 9, 0.7008, 1.0), (0, 0, 0.0, 1.0)],
)
def test_the_interval_of_a_share_is_the_one_of_the_textbook(part: int, whole: int, low: float, high: float) -> None:
    assert wilson(part, whole) == pytest.approx((low, high), abs=1e-4)


def test_a_figure_that_is_drawn_anew_lies_around_itself_and_the_same_each_time() -> None:
    groups = [0.0] * 50 + [1.0] * 50
    low, high = resampled(groups, lambda drawn: sum(drawn) / len(drawn))
    assert low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.02)
    assert high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.02)
    assert (low, high) == resampled(groups, lambda drawn: sum(drawn) / len(drawn))
