from typing import NamedTuple

import pytest

from sparring.checks.claims.dates import find_dates, period
from sparring.checks.claims.tokens import Text


class Seen(NamedTuple):
    text: str
    year: int | None
    month: int | None = None
    day: int | None = None
    window: str = ""
    last_year: int | None = None


def seen(text: str) -> list[Seen]:
    read = Text(text)
    found: list[Seen] = []
    for each in find_dates(read):
        start, end = read.offsets(each.begin, each.end)
        found.append(Seen(text[start:end], each.year, each.month, each.day, each.window, each.last_year))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 5 March 2020", Seen("5 March 2020", 2020, 3, 5)),
        ("on March 5th, 2020", Seen("March 5th, 2020", 2020, 3, 5)),
        ("the 5th of March", Seen("5th of March", None, 3, 5)),
        ("in Sept. 2020", Seen("Sept. 2020", 2020, 9)),
        ("as of May 5", Seen("May 5", None, 5, 5, "=")),
        ("in May", Seen("May", None, 5)),
        ("before 2020", Seen("2020", 2020, window="<")),
        ("before the year 2020", Seen("2020", 2020, window="<")),
        ("no later than 2020", Seen("2020", 2020, window="<=")),
        ("prior to 3 March", Seen("3 March", None, 3, 3, "<")),
        ("since 2020", Seen("2020", 2020, window=">=")),
        ("after 2020", Seen("2020", 2020, window=">")),
        ("in 2003-04", Seen("2003-04", 2003, last_year=2004)),
        ("in 2020-13", Seen("2020", 2020)),
        ("in the 1980s", Seen("1980", 1980, last_year=1989)),
        ("the 1980's,", Seen("1980", 1980, last_year=1989)),
        ("the 1900s.", Seen("1900", 1900, last_year=1999)),
        ("before the 19th century", Seen("19th century", 1801, window="<", last_year=1900)),
        ("the twentieth-century", Seen("twentieth-century", 1901, last_year=2000)),
        ("from 1839 to 1841", Seen("1839 to 1841", 1839)),
        ("between 4 March and 29 April", Seen("4 March and 29 April", None, 3, 4)),
        ("1839 – 1841 and", Seen("1839 – 1841", 1839)),
        ("the 24th march 2020", Seen("24th march 2020", 2020, 3, 24)),
        ("until 2020", Seen("2020", 2020, window="to")),
        ("the 1990 film of", Seen("1990", 1990)),
        ("following the 1990 film of", Seen("1990", 1990)),
        ("before the 1990 season of", Seen("1990", 1990, window="<")),
        ("2020-03-05", Seen("2020-03-05", 2020, 3, 5)),
        ("05/03/2020", Seen("05/03/2020", 2020, 3, 5)),
        ("in 2150", Seen("2150", 2150)),
        ("ngày 5 tháng 3 năm 2020 ở", Seen("ngày 5 tháng 3 năm 2020", 2020, 3, 5)),
        ("ngày 5/3/2020 người", Seen("ngày 5/3/2020", 2020, 3, 5)),
        ("trước tháng 3 năm 2020", Seen("tháng 3 năm 2020", 2020, 3, None, "<")),
        ("vào ngày 5 tháng 3 người", Seen("ngày 5 tháng 3", None, 3, 5)),
        ("từ năm 2020 ở", Seen("2020", 2020, window=">=")),
    ],
)
def test_a_date_is_read_with_its_window(text: str, expected: Seen) -> None:
    assert seen(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "there were 1301 cases",
        "about 2000 people",
        "it may be",
        "May was there",
        "over 1500",
        "$ 2000",
        "to 2000 %",
        "in 2150 cases",
        "99/99/2020",
        "12-13",
        "ngày nay ở đó",
        "ngày 5 người ở",
        "ngày 5 tháng 13 ở",
        "tháng này ở đó",
    ],
)
def test_what_is_not_a_date_is_left_alone(text: str) -> None:
    assert seen(text) == []


def test_periods_hold_every_day_of_their_year_month_or_range() -> None:
    year, month, day, decade = (
        period(date, 1999)
        for text in ("in 2020", "in March 2020", "on 31 March 2020", "in the 2020s")
        for date in find_dates(Text(text))
    )

    assert year[0] <= month[0] <= day[0] == day[1] == month[1] <= year[1]
    assert decade == (year[0], year[1] + 9 * (year[1] - year[0] + 1))


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("He made The Tall Grass (1980) there", {"tall", "gras"}),
        ("He made Nights of Alden ( 1980 ) there", {"night", "alden"}),
        ("He made a film (1980) there", set[str]()),
        ("He made Nights in 1980 there", set[str]()),
    ],
)
def test_a_date_in_brackets_has_the_name_before_it(text: str, owner: set[str]) -> None:
    (date,) = find_dates(Text(text))

    assert date.owner == owner
