"""Dates in words and digits, in English, Vietnamese and languages that write day, month and year in that order."""

import re
from typing import NamedTuple

from sparring.checks.claims.parsing.lexicon import Lexicon, units
from sparring.checks.claims.parsing.tokens import Tokens, is_digits
from sparring.checks.claims.values.value import DATE, DAY, DAYS_A_MONTH, DAYS_A_YEAR

_DAY = re.compile(r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?")
_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_YEAR = re.compile(r"[1-9][0-9]{3}")
_YEAR_IN_DATE = re.compile(r"[1-9],?[0-9]{3}")  # "8 April 1,997"
_ISO = re.compile(r"([1-9][0-9]{3})-([0-9]{1,2})-([0-9]{1,2})")
_SLASHED = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})[/-]([1-9][0-9]{3})")
_DOTTED = re.compile(r"([0-9]{1,2})[.]([0-9]{1,2})[.]([1-9][0-9]{3})")
_TOKENS_OF_DIGITS = 5  # three numbers and two marks
_LAST_YEAR = 2100
_JOINTS, _BEFORE_MONTH = frozenset("-/"), frozenset(("of", ".", "de"))
_VIETNAMESE_DAY = frozenset({"ngày", "mùng", "mồng"})
_ALSO_WORDS = frozenset(("may", "march", "mar", "sat", "dec", "jan"))
_MARKS = frozenset("(-/,;")
_NO_YEAR = frozenset(("/", "%", ":", "'", "s"))


class Date(NamedTuple):
    """A date at its tokens: its first and last day, of the kind DATE, or DAY without a year."""

    begin: int
    end: int
    first: int
    last: int
    kind: str = DATE


def date_at(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return the date whose first significant token, a number or a month, is at ``at``; None if there is none."""
    lower, following = tokens.lowered[at], tokens.lower(at + 1)
    date = _vietnamese(tokens, at, words) if "tháng" in words.date_fillers else None
    if not date and is_digits(lower):
        if following in _JOINTS or lower.count(".") == 2:
            date = _in_digits(tokens, at)
        may_be_day = following in words.months or following in _BEFORE_MONTH
        if not date and len(lower) <= 4 and may_be_day:
            date = _day_first(tokens, at, words)
        if not date and len(lower) == 4 and lower.isdecimal():
            date = _year(tokens, at, words)
    if not date and lower in words.months:
        date = _month_first(tokens, at, words)
    return date


def days(begin: int, end: int, year: int | None, month: int | None = None, day: int | None = None) -> Date:
    """Return the date with its known parts; the year or the month must be known."""
    base = (year or 0) * DAYS_A_YEAR
    if month is None:
        return Date(begin, end, base, base + DAYS_A_YEAR - 1)
    base += (month - 1) * DAYS_A_MONTH
    kind = DATE if year else DAY
    if day is None:
        return Date(begin, end, base, base + DAYS_A_MONTH - 1, kind)
    return Date(begin, end, base + day - 1, base + day - 1, kind)


def _in_digits(tokens: Tokens, at: int) -> Date | None:
    """Return "2020-03-05", "5/3/2020" (the day first) or "5.3.2020"."""
    if tokens.word(at + 1) in {"-", "/"} and tokens.is_glued(at + 1):
        end = at + _TOKENS_OF_DIGITS
        written = "".join(tokens.word(each) for each in range(at, end))
        if match := _ISO.fullmatch(written):
            year, month, day = map(int, match.groups())
        elif match := _SLASHED.fullmatch(written):
            day, month, year = map(int, match.groups())
        else:
            return None
    elif match := _DOTTED.fullmatch(tokens.word(at)):
        end = at + 1
        day, month, year = map(int, match.groups())
    else:
        return None
    is_date = 1 <= month <= 12 and 1 <= day <= 31
    return days(at, end, year, month, day) if is_date else None


def _day_of(tokens: Tokens, at: int) -> int | None:
    word = tokens.lower(at)
    return int(word.rstrip("sthndr")) if _DAY.fullmatch(word) else None


def _year_of(tokens: Tokens, at: int) -> int | None:
    word = tokens.word(at)
    return int(word.replace(",", "")) if _YEAR_IN_DATE.fullmatch(word) else None


def _with_year(tokens: Tokens, begin: int, end: int, month: int, day: int | None) -> Date:
    """Return the date from ``begin`` to before ``end``, with the year behind it if there is one: "March, 2020"."""
    place = end + 1 if tokens.lower(end) in {",", "of", "in", "de"} else end
    year = _year_of(tokens, place)
    return days(begin, place + 1 if year else end, year, month, day)


def _day_first(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return "5 March 2020", "5th of March", "5. März 2020"."""
    day = _day_of(tokens, at)
    if day is None:
        return None
    place = at + 1
    while tokens.lower(place) in _BEFORE_MONTH:
        place += 1
    month = words.months.get(tokens.lower(place)) if place - at <= 2 else None
    if month is None:
        return None
    return _with_year(tokens, at, _behind_month(tokens, place), month, day)


def _behind_month(tokens: Tokens, at: int) -> int:
    """Return the token after the month at ``at``, and after the point of an abbreviation before a number: "Mar. 5"."""
    may_be_abbreviated = tokens.word(at + 1) == "." and len(tokens.word(at)) <= len("sept")
    return at + 2 if may_be_abbreviated and is_digits(tokens.word(at + 2)) else at + 1


def _month_first(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return "March 5, 2020", "March 2020", "in March"."""
    name = tokens.lowered[at]
    end = _behind_month(tokens, at)
    day = _day_of(tokens, end)
    is_range = tokens.is_glued(end + 1) and is_digits(tokens.word(end + 1))
    if day is not None and is_range:
        day = None
    date = _with_year(tokens, at, end + 1 if day else end, words.months[name], day)
    # "may", "march" and "mars" are words as well: alone they are months only with a capital, and after "in" or "since".
    is_alone = date.end == at + 1
    if is_alone and name in _ALSO_WORDS and tokens.lower(at - 1) not in words.year_after:
        return None
    is_written_so = tokens.written[at][0].isupper() or not tokens.text.isascii() or date.kind == DATE
    return date if is_written_so else None


def _year(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return a year in its usual places ("in 1990", "(1990)"); None for a mere number, or a decade."""
    word, following = tokens.written[at], tokens.lower(at + 1)
    if not _YEAR.fullmatch(word) or int(word) > _LAST_YEAR:
        return None
    if following in _NO_YEAR or units().get(following):  # "1990s", "1990 bytes"
        return None
    before = tokens.lower(at - 1)
    is_usual_place = at == 0 or before in words.year_after or before in _MARKS or before in words.months
    return days(at, at + 1, int(word)) if is_usual_place else None


def _vietnamese(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return "ngày 5 tháng 3 năm 2020", "ngày 5/3", "tháng 3 năm 2020"."""
    place, day = at, None
    while tokens.lower(place) in _VIETNAMESE_DAY:
        place += 1
    if place > at:
        day = _day_of(tokens, place)
        place += 1
        if day is None or tokens.lower(place) not in {"tháng", "/", "-"}:
            return None
    elif tokens.lower(at) != "tháng":
        return None
    month, end = _vietnamese_month(tokens, place + 1, words)
    if month is None:
        return None
    year = _year_of(tokens, end + 1) if tokens.lower(end) in {"năm", ",", "/", "-"} else None
    if tokens.lower(end - 1) == "năm" and not (day or year):
        return None  # "tháng năm" is May, or months and years
    return days(at, end + 2 if year else end, year, month, day)


def _vietnamese_month(tokens: Tokens, at: int, words: Lexicon) -> tuple[int | None, int]:
    """Return the month at ``at`` in digits or words, None for none, and the token after it."""
    if _MONTH.fullmatch(tokens.word(at)):
        return int(tokens.word(at)), at + 1
    first = words.numerals.get(tokens.lower(at), 0)
    second = words.numerals.get(tokens.lower(at + 1), 0)
    if first == 10 and second in {1, 2}:  # "mười hai": ten, two
        return first + second, at + 2
    return (first, at + 1) if first else (None, at)
