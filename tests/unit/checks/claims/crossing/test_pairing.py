import pytest

from sparring.checks.claims.crossing.figures import Figure, Sort
from sparring.checks.claims.crossing.pairing import replaced_figures


def figures(*values: float, sort: Sort = Sort.COUNT, is_sure: bool = True) -> list[Figure]:
    return [Figure(value, place, place + 1, is_sure, sort) for place, value in enumerate(values)]


def values(claim: list[Figure], evidence: list[Figure]) -> list[tuple[float, float, bool]]:
    pairs = replaced_figures(claim, evidence)
    return [(pair.claim.value, pair.evidence.value, pair.is_new) for pair in pairs]


@pytest.mark.parametrize(
    ("claim", "evidence", "pairs"),
    [
        pytest.param([7, 20], [7, 30], [(20, 30, True)], id="one number"),
        pytest.param([20], [30], [(20, 30, True)], id="the only number"),
        pytest.param([5, 1, 1], [1, 1, 1], [(5, 1, False)], id="one that both have"),
        pytest.param([7, 7], [7, 9], [(7, 9, False)], id="one said twice"),
        pytest.param([7, 20], [20, 7], [], id="another order"),
        pytest.param([7, 20], [7], [], id="nothing in its place"),
        pytest.param([7, 20, 30], [5, 60, 90], [], id="another sentence"),
        pytest.param([7, 2000], [7, 3], [], id="another magnitude"),
        pytest.param([], [], [], id="no numbers"),
    ],
)
def test_what_only_one_side_has_was_replaced(
    claim: list[float], evidence: list[float], pairs: list[tuple[float, float, bool]]
) -> None:
    assert values(figures(*claim), figures(*evidence)) == pairs


@pytest.mark.parametrize(
    ("one", "other", "is_fitting"),
    [
        (Sort.PERCENT, Sort.PERCENT, True),
        (Sort.PERCENT, Sort.COUNT, False),
        (Sort.PERCENT, Sort.MONEY, False),
        (Sort.CALENDAR, Sort.COUNT, True),
        (Sort.CALENDAR, Sort.ORDINAL, True),
        (Sort.CALENDAR, Sort.MONEY, False),
        (Sort.YEAR, Sort.COUNT, False),
        (Sort.MONEY, Sort.COUNT, True),
    ],
)
def test_a_number_is_replaced_by_one_of_its_sort(one: Sort, other: Sort, *, is_fitting: bool) -> None:
    assert bool(values(figures(20, sort=one), figures(30, sort=other))) is is_fitting


@pytest.mark.parametrize(("claim", "is_fitting"), [(1905, True), (7769, True), (190, False)])
def test_only_what_looks_like_a_year_replaces_one(claim: float, *, is_fitting: bool) -> None:
    assert bool(values(figures(claim), figures(1904, sort=Sort.YEAR))) is is_fitting


def test_a_number_word_is_never_taken_for_replaced() -> None:
    assert not values(figures(7, is_sure=False), figures(9))
    assert not values(figures(7), figures(9, is_sure=False))


def test_a_number_word_stands_for_its_digits() -> None:
    assert not values(figures(7), figures(7, is_sure=False) + figures(9))
