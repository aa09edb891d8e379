"""Dates in words and digits, in English, Vietnamese and languages that write day, month and year in that order."""

import re
from typing import NamedTuple

from sparring.checks.claims.parsing.lexicon import Lexicon, units
from sparring.checks.claims.parsing.tokens import DASHES, Tokens, is_digits
from sparring.checks.claims.values.numerals import numeral_at
from sparring.checks.claims.values.value import DATE, DAY, DAYS_A_MONTH, DAYS_A_YEAR

_DAY = re.compile(r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?")
_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_YEAR = re.compile(r"[1-9][0-9]{3}")
_YEAR_IN_DATE = re.compile(r"[1-9],?[0-9]{3}")  # "8 April 1,997"
_SHORT_YEAR = re.compile(r"[0-9]{2}")
_ISO = re.compile(r"([1-9][0-9]{3})-([0-9]{1,2})-([0-9]{1,2})")
_SLASHED = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})[/-]([1-9][0-9]{3})")
_DOTTED = re.compile(r"([0-9]{1,2})[.]([0-9]{1,2})[.]([1-9][0-9]{3})")
_TOKENS_OF_DIGITS = 5  # three numbers and two marks
_LAST_YEAR = 2100
_LAST_CENTURY = 21
_JOINTS, _BEFORE_MONTH = frozenset("-/"), frozenset(("of", ".", "de"))
_CENTURY = frozenset({"century", "centuries"})
_VIETNAMESE_CENTURY = frozenset({("thế", "kỷ"), ("thế", "kỉ")})
_VIETNAMESE_DECADE = frozenset({("những", "năm"), ("thập", "niên"), ("thập", "kỷ"), ("thập", "kỉ")})
_VIETNAMESE_DAY = frozenset({"ngày", "mùng", "mồng"})
_MARKS = frozenset("(-/,;")
_ROMAN = re.compile("(?=[XVI])(X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}


class Date(NamedTuple):
    """A date at its tokens: its first and last day, of the kind DATE, or DAY without a year."""

    begin: int
    end: int
    first: int
    last: int
    kind: str = DATE


def date_at(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return the date whose first telling token, a number or a month, stands at ``at``; None for none."""
    lower, following = tokens.lowered[at], tokens.lower(at + 1)
    found = _vietnamese(tokens, at, words) if "tháng" in words.date_fillers else None
    if not found and is_digits(lower):
        if following in _JOINTS or lower.count(".") == 2:
            found = _in_digits(tokens, at)
        if not found and len(lower) <= 4 and (following in words.months or following in _BEFORE_MONTH):
            found = _day_first(tokens, at, words)
        if not found and len(lower) == 4 and lower.isdecimal():
            found = _year(tokens, at, words)
    if not found and lower in words.months:
        found = _month_first(tokens, at, words)
    is_rank = lower[-1].isalpha() if is_digits(lower) else lower in words.ordinals or lower in words.numerals
    return found or (_century(tokens, at, words) if is_rank else None)


def days(begin: int, end: int, year: int | None, month: int | None = None, day: int | None = None) -> Date:
    """Return the date of what is known of it; without a year or month there is none."""
    base = (year or 0) * DAYS_A_YEAR
    if month is None:
        return Date(begin, end, base, base + DAYS_A_YEAR - 1)
    base += (month - 1) * DAYS_A_MONTH
    kind = DATE if year else DAY
    if day is None:
        return Date(begin, end, base, base + DAYS_A_MONTH - 1, kind)
    return Date(begin, end, base + day - 1, base + day - 1, kind)


def _years(begin: int, end: int, first: int, last: int) -> Date:
    return Date(begin, end, first * DAYS_A_YEAR, (last + 1) * DAYS_A_YEAR - 1)


def _in_digits(tokens: Tokens, at: int) -> Date | None:
    if tokens.word(at + 1) in {"-", "/"} and tokens.is_glued(at + 1):
        written = "".join(tokens.word(each) for each in range(at, at + _TOKENS_OF_DIGITS))
        if match := _ISO.fullmatch(written):
            year, month, day = map(int, match.groups())
        elif match := _SLASHED.fullmatch(written):
            day, month, year = map(int, match.groups())
        else:
            return None
        end = at + _TOKENS_OF_DIGITS
    elif match := _DOTTED.fullmatch(tokens.word(at)):
        (day, month, year), end = map(int, match.groups()), at + 1
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
    behind = end + 1 if tokens.lower(end) in {",", "of", "in", "de"} else end
    year = _year_of(tokens, behind)
    return days(begin, behind + 1 if year else end, year, month, day)


def _day_first(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return "5 March 2020", "5th of March", "5. März 2020"."""
    day = _day_of(tokens, at)
    if day is None:
        return None
    place = at + 1
    while tokens.lower(place) in {"of", ".", "de"}:
        place += 1
    month = words.months.get(tokens.lower(place)) if place - at <= 2 else None
    if month is None:
        return None
    return _with_year(tokens, at, _behind_month(tokens, place), month, day)


def _behind_month(tokens: Tokens, at: int) -> int:
    return (
        at + 2
        if tokens.word(at + 1) == "." and len(tokens.word(at)) <= len("sept") and is_digits(tokens.word(at + 2))
        else at + 1
    )


def _month_first(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    name = tokens.lowered[at]
    end = _behind_month(tokens, at)
    day = _day_of(tokens, end)
    if day is not None and (tokens.is_glued(end + 1) and is_digits(tokens.word(end + 1))):
        day = None
    found = _with_year(tokens, at, end + 1 if day else end, words.months[name], day)
    is_written_so = tokens.written[at][0].isupper() or not tokens.text.isascii() or found.kind == DATE
    # "may", "march" and "mars" are words as well.
    is_plain = (
        found.end == at + 1
        and (name in {"may", "march", "mar", "sat", "dec", "jan"})
        and tokens.lower(at - 1) not in words.year_after
    )
    return found if is_written_so and not is_plain else None


def _century(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    numeral = numeral_at(tokens.lowered, at, words)
    if numeral is None or not numeral.is_ordinal or not 1 <= numeral.value <= _LAST_CENTURY:
        return None
    end = numeral.end + 1 if tokens.word(numeral.end) in DASHES else numeral.end
    if tokens.lower(end) not in _CENTURY:
        return None
    last = int(numeral.value) * 100
    return _years(at, end + 1, last - 99, last)


def _year(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    """Return a year where years stand ("in 1990", "(1990)"), a decade, or "2003-04"; None for a mere number."""
    word = tokens.written[at]
    if not _YEAR.fullmatch(word) or int(word) > _LAST_YEAR or tokens.word(at + 1) in {"/", "%", ":"}:
        return None
    year, end = int(word), at + 1
    ending = end + 1 if tokens.word(end) == "'" else end
    if year % 10 == 0 and tokens.lower(ending) == "s" and tokens.is_glued(end):
        return _years(at, ending + 1, year, year + (99 if year % 100 == 0 else 9))
    before = tokens.lower(at - 1)
    if not (at == 0 or before in words.year_after or before in _MARKS or before in words.months):
        return None
    if units().get(tokens.lower(end)):
        return None  # "of 1234 nanoseconds"
    if tokens.word(end) == "-" and tokens.is_glued(end) and _SHORT_YEAR.fullmatch(tokens.word(end + 1)):
        last = int(word[:2] + tokens.word(end + 1))
        if last > year:
            return _years(at, end + 2, year, last)
    return days(at, end, year)


def _vietnamese(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
    start = (tokens.lower(at), tokens.lower(at + 1))
    if start in _VIETNAMESE_CENTURY:
        place = at + 3 if tokens.lower(at + 2) == "thứ" else at + 2
        number, end = roman_value(tokens.word(place)), place + 1
        if number is None and (numeral := numeral_at(tokens.lowered, place, words) if tokens.word(place) else None):
            number, end = int(numeral.value), numeral.end
        return _years(at, end, number * 100 - 99, number * 100) if number and number <= _LAST_CENTURY else None
    if start in _VIETNAMESE_DECADE:
        year = _year_of(tokens, at + 2)
        if year is None or tokens.word(at + 3) in DASHES:
            return None
        last = year if year % 10 else year + (99 if year % 100 == 0 else 9)
        return _years(at, at + 3, year, last)
    return _vietnamese_day(tokens, at, words)


def _vietnamese_day(tokens: Tokens, at: int, words: Lexicon) -> Date | None:
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
        return None  # "tháng năm" may be months and years
    return days(at, end + 2 if year else end, year, month, day)


def _vietnamese_month(tokens: Tokens, at: int, words: Lexicon) -> tuple[int | None, int]:
    if _MONTH.fullmatch(tokens.word(at)):
        return int(tokens.word(at)), at + 1
    first, second = (words.numerals.get(tokens.lower(each), 0) for each in (at, at + 1))
    if first == 10 and second in {1, 2}:
        return first + second, at + 2
    return (first, at + 1) if first else (None, at)


def roman_value(word: str) -> int | None:
    """Return what a numeral below forty in capital letters is worth; None for any other word."""
    match = _ROMAN.fullmatch(word)
    return 10 * len(match[1]) + _ROMAN_VALUES[match[2]] if match else None
