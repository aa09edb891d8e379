from typing import NamedTuple

import pytest

from sparring.checks.claims.crossing.figures import Figure, Sort, find_figures
from sparring.checks.claims.dates import find_dates
from sparring.checks.claims.quantities import find_quantities
from sparring.checks.claims.tokens import Text


class Read(NamedTuple):
    """What a figure is worth, without its place."""

    value: float
    sort: Sort = Sort.COUNT
    is_sure: bool = True


def figures(text: str) -> tuple[Figure, ...]:
    read = Text(text)
    dates = find_dates(read)
    taken = frozenset(place for date in dates for place in range(date.begin, date.end))
    return find_figures(read, [*find_quantities(read, taken), *dates])


YEAR, DAY, PERCENT = Sort.YEAR, Sort.CALENDAR, Sort.PERCENT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("in May 1990, 1.5 million came", [Read(5, DAY), Read(1990, YEAR), Read(1_500_000)]),
        ("on 5 May 1990", [Read(5, DAY), Read(5, DAY), Read(1990, YEAR)]),
        ("Vào ngày 5 tháng 4 năm 1990", [Read(5, DAY), Read(4, DAY), Read(1990, YEAR)]),
        ("between 24 and 80 rows", [Read(24), Read(80)]),
        ("only 100–559 species", [Read(100), Read(559)]),
        ("from 38 to 30% of them", [Read(38, PERCENT), Read(30, PERCENT)]),
        ("38 or 30% of them", [Read(38), Read(30, PERCENT)]),
        ("the set {0,1} of strings", [Read(0.1)]),
        ("about 16,000 objects", [Read(16000)]),
        ("the 4th millennium", [Read(4, Sort.ORDINAL)]),
        ("$70 was paid", [Read(70, Sort.MONEY)]),
        ("outnumbered 18 to 1", [Read(18), Read(1)]),
        ("the Guide 2010 and COVID-19", [Read(2010), Read(19)]),
        ("Louis XIV and I", [Read(14, is_sure=False)]),
        ("seven or twenty-one", [Read(7, is_sure=False), Read(21)]),
        ("hai hoặc hai mươi mốt người", [Read(2, is_sure=False), Read(21)]),
        ("đầu thế kỷ XIX, có hai loài", [Read(19, DAY), Read(2, is_sure=False)]),
        ("version 1.2.3 is out", []),
        ("nothing", []),
    ],
)
def test_every_number_is_read_for_what_it_is_worth(text: str, found: list[Read]) -> None:
    assert [Read(each.value, each.sort, each.is_sure) for each in figures(text)] == found


def test_a_figure_knows_its_place_and_its_mention() -> None:
    read = Text("There were 700 cases.")
    (quantity,) = find_quantities(read, frozenset())

    assert find_figures(read, [quantity]) == (Figure(700, 2, 3, is_sure=True, mention=quantity),)
