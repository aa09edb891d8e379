"""Dates as Vietnamese has them: "ngày mùng 2 tháng 9 năm 1945", "tháng tư", "thế kỷ XIX", "những năm 1980"."""

import re

from sparring.checks.claims.calendars import Calendar, century, last_of_decade
from sparring.checks.claims.labels import DASHES
from sparring.checks.claims.lexicon import Lexicon
from sparring.checks.claims.numerals import numeral_at
from sparring.checks.claims.roman import roman_value
from sparring.checks.claims.tokens import Text

_YEAR = re.compile(r"[1-9][0-9]{3}")
_DAY = re.compile(r"0?[1-9]|[12][0-9]|3[01]")
_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_LAST_CENTURY = 21
_DAY_WORDS = frozenset({"ngày", "mùng", "mồng"})
_CENTURY_STARTS = frozenset({("thế", "kỷ"), ("thế", "kỉ")})
_DECADE_STARTS = frozenset({("những", "năm"), ("thập", "niên"), ("thập", "kỷ"), ("thập", "kỉ")})
_JOINTS = frozenset({"/", "-"})


def vietnamese_date(text: Text, place: int, words: Lexicon) -> Calendar | None:
    """The date that begins at ``place`` with a day, a month or what names a century or decade; None for any other."""
    start = (text.lower(place), text.lower(place + 1))
    if start in _CENTURY_STARTS:
        return _century(text, place, words)
    if start in _DECADE_STARTS:
        return _decade(text, place)
    return _day_or_month(text, place, words)


def _century(text: Text, begin: int, words: Lexicon) -> Calendar | None:
    place = begin + 3 if text.lower(begin + 2) == "thứ" else begin + 2
    if number := roman_value(text.word(place)):
        return century(begin, place + 1, number)
    numeral = numeral_at(text.lowered, place, words, text.language) if text.word(place) else None
    if numeral is None or numeral.value not in range(1, _LAST_CENTURY + 1):
        return None
    return century(begin, numeral.end, int(numeral.value))


def _decade(text: Text, begin: int) -> Calendar | None:
    year = _year(text, begin + 2)
    if year is None or text.word(begin + 3) in DASHES:
        return None
    return Calendar(begin, begin + 3, year, last_year=None if year % 10 else last_of_decade(year))


def _day_or_month(text: Text, begin: int, words: Lexicon) -> Calendar | None:
    day, place = None, begin
    while text.lower(place) in _DAY_WORDS:
        place += 1
    if place > begin:
        day = int(text.word(place)) if _DAY.fullmatch(text.word(place)) else None
        place += 1
        if day is None or text.lower(place) not in {"tháng", *_JOINTS}:
            return None
    elif text.lower(begin) != "tháng":
        return None
    return _with_month(text, begin, place + 1, day, words)


def _with_month(text: Text, begin: int, place: int, day: int | None, words: Lexicon) -> Calendar | None:
    month, end = _month(text, place, words)
    if month is None:
        return None
    year = _year(text, end + 1) if text.lower(end) in {"năm", ",", *_JOINTS} else None
    if text.lower(end - 1) == "năm" and not (day or year):
        return None  # "tháng năm" may be months and years
    return Calendar(begin, end + 2 if year else end, year, month, day)


def _month(text: Text, place: int, words: Lexicon) -> tuple[int | None, int]:
    """The month at ``place`` and the place behind it."""
    if _MONTH.fullmatch(text.word(place)):
        return int(text.word(place)), place + 1
    first, second = (words.numerals.get(text.lower(each), 0) for each in (place, place + 1))
    if first == 10 and second in {1, 2}:
        return first + second, place + 2
    return (first, place + 1) if first else (None, place)


def _year(text: Text, place: int) -> int | None:
    return int(text.word(place)) if _YEAR.fullmatch(text.word(place)) else None
