import pytest

from sparring.checks.claims.dates import DateMention, find_dates, roman_value
from sparring.checks.claims.tokens import Text


def dates(text: str) -> list[tuple[str, DateMention]]:
    read = Text(text)
    return [(" ".join(read.written[date.begin : date.end]), date) for date in find_dates(read)]


@pytest.mark.parametrize(
    ("text", "written", "date"),
    [
        ("Ông sinh ngày 2 tháng 9 năm 1945.", "ngày 2 tháng 9 năm 1945", (1945, 9, 2)),
        ("Ông sinh ngày mùng 2 tháng 9 năm 1945.", "ngày mùng 2 tháng 9 năm 1945", (1945, 9, 2)),
        ("Ông sinh mồng 3 tháng giêng năm 1900.", "mồng 3 tháng giêng năm 1900", (1900, 1, 3)),
        ("Ông sinh tháng tư năm 1975.", "tháng tư năm 1975", (1975, 4, None)),
        ("Ông sinh tháng mười hai năm 1975.", "tháng mười hai năm 1975", (1975, 12, None)),
        ("Ông sinh tháng mười năm 1975.", "tháng mười năm 1975", (1975, 10, None)),
        ("Ông sinh tháng chạp ở Huế.", "tháng chạp", (None, 12, None)),
        ("Ông sinh ngày 5 tháng năm ở Huế.", "ngày 5 tháng năm", (None, 5, 5)),
        ("Ông sinh tháng năm năm 1975.", "tháng năm năm 1975", (1975, 5, None)),
        ("Ông sinh ngày 7/1/1943.", "ngày 7 / 1 / 1943", (1943, 1, 7)),
        ("Ông sinh 7.1.1943 ở Huế.", "7.1.1943", (1943, 1, 7)),
        ("Ông sinh tháng 1/1943.", "tháng 1 / 1943", (1943, 1, None)),
        ("Ông sinh ngày 7/1 ở Huế.", "ngày 7 / 1", (None, 1, 7)),
    ],
)
def test_a_day_or_month_is_read_however_it_is_written(
    text: str, written: str, date: tuple[int | None, int | None, int | None]
) -> None:
    ((there, found),) = dates(text)

    assert (there, (found.year, found.month, found.day)) == (written, date)


@pytest.mark.parametrize(
    ("text", "written", "years"),
    [
        ("Vào thế kỷ 18, ông viết.", "thế kỷ 18", (1701, 1800)),
        ("Vào thế kỉ thứ 10, ông viết.", "thế kỉ thứ 10", (901, 1000)),
        ("Thế kỷ XIX đã qua.", "Thế kỷ XIX", (1801, 1900)),
        ("Vào thế kỷ mười tám, ông viết.", "thế kỷ mười tám", (1701, 1800)),
        ("Giữa những năm 1980, ông viết.", "những năm 1980", (1980, 1989)),
        ("Vào thập niên 1900, ông viết.", "thập niên 1900", (1900, 1999)),
        ("Từ những năm 1983, ông viết.", "những năm 1983", (1983, None)),
    ],
)
def test_a_century_or_decade_is_a_span_of_years(text: str, written: str, years: tuple[int, int | None]) -> None:
    ((there, found),) = dates(text)

    assert (there, (found.year, found.last_year)) == (written, years)


def test_a_period_is_read_with_its_year_words() -> None:
    ((written, found),) = dates("Ông là vua từ năm 1980 đến năm 1984.")

    assert written == "1980 đến năm 1984"
    assert found.year == 1980
    assert found.through
    assert found.through.year == 1984


@pytest.mark.parametrize(
    "text",
    [
        "Các tháng năm ấy đã qua.",
        "Một tháng không có gì.",
        "Ngày thứ ba đã qua.",
        "Ngày 5 người đến.",
        "Thế giới có 5 châu.",
        "Thế kỷ trước đã qua.",
        "Thế kỷ 90 chưa đến.",
        "Những năm ấy đã qua.",
        "Những năm",
        "thế kỷ",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert dates(text) == []


def test_a_span_of_years_in_digits_stays_one() -> None:
    ((written, found),) = dates("Trong những năm 1914-18, chiến tranh đã nổ ra.")

    assert (written, found.year, found.last_year) == ("1914 - 18", 1914, 1918)


@pytest.mark.parametrize(
    ("word", "value"),
    [("I", 1), ("IV", 4), ("VIII", 8), ("XIX", 19), ("XXXIX", 39), ("IIII", None), ("MIX", None), ("", None)],
)
def test_a_roman_numeral_is_read_below_forty(word: str, value: int | None) -> None:
    assert roman_value(word) == value
