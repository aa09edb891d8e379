"""Dates and the windows that words make of them, as day intervals."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sparring.checks.claims.context import Surroundings, concept
from sparring.checks.claims.labels import DASHES
from sparring.checks.claims.lexicon import Lexicon, Window, concepts, lexicon
from sparring.checks.claims.numerals import numeral_at
from sparring.checks.claims.tokens import Language, Text

_YEAR = re.compile(r"[1-9][0-9]{3}")
_LAST_YEAR = 2100  # from there on only where nothing but a year can stand
_DAY = re.compile(r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?")
_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_SHORT_YEAR = re.compile(r"[0-9]{2}")
_ISO = re.compile(r"([1-9][0-9]{3})-([0-9]{2})-([0-9]{2})(?![0-9])")
_SLASHED = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})[/-]([1-9][0-9]{3})(?![0-9])")
_TOKENS_OF_DIGITS = 5  # three numbers and two marks
_YEAR_AFTER_MARKS = frozenset("(–-—/,;.:")
_FILLING_MARKS = frozenset("-(")
_WINDOW_REACH = 3
_FILLERS_REACH = 8
_SOME_YEAR = 2000
_DAYS_A_MONTH = 31
_DAYS_A_YEAR = 12 * _DAYS_A_MONTH
_DECADE = 9
_CENTURY = 99
_LAST_CENTURY = 21


@dataclass(frozen=True)
class DateMention:
    """A date in a text.

    Attributes:
        begin: Its first token; ``end`` is the one behind its last.
        year: None where the text leaves it out; so with the month and the day.
        last_year: Another year for a range such as 2003-04 or the 1980s.
        about: The words around it with their weights.
        through: The last day of a period "from 5 to 27 March".
    """

    begin: int
    end: int
    year: int | None
    month: int | None
    day: int | None
    window: Window
    about: Mapping[str, float] = field(hash=False)
    last_year: int | None = None
    through: "DateMention | None" = None


@dataclass(frozen=True)
class _Calendar:
    """A date as it is read, without what stands around it."""

    begin: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_year: int | None = None


def find_dates(text: Text) -> tuple[DateMention, ...]:
    """Every date of ``text``, in its order."""
    reader = _Reader(text)
    for read in (reader.written_out, reader.bare_year):
        for place in range(len(text.tokens)):
            if place not in reader.taken and (date := read(place)):
                reader.keep(date)
    return tuple(_joined(text, sorted(reader.found, key=lambda date: date.begin)))


def period(date: DateMention, year: int) -> tuple[int, int]:
    """First and last day, counted in a calendar of equal months; ``year`` stands in for one that is left out."""
    if date.through:
        return period(replace(date, through=None), year)[0], period(date.through, date.year or year)[1]
    first_year = date.year or year
    last_year = date.last_year or first_year
    if date.month is None:
        return first_year * _DAYS_A_YEAR, (last_year + 1) * _DAYS_A_YEAR - 1
    first = first_year * _DAYS_A_YEAR + (date.month - 1) * _DAYS_A_MONTH
    if date.day is None:
        return first, first + _DAYS_A_MONTH - 1
    return first + date.day - 1, first + date.day - 1


def _joined(text: Text, dates: Iterable[DateMention]) -> Iterator[DateMention]:
    """The dates, with one for both ends of a period."""
    words, begun = lexicon(text.language), None
    for date in dates:
        if begun and date.begin == begun.end + 1 and _is_period(begun, text.lower(begun.end), date, words):
            yield replace(begun, end=date.end, window="", through=date)
            begun = None
            continue
        if begun:
            yield begun
        begun = date
    if begun:
        yield begun


def _is_period(one: DateMention, joint: str, other: DateMention, words: Lexicon) -> bool:
    # "from 1839 to 1841", "between 4 March to 29 April", "1839 – 1841"
    is_joined = joint in DASHES or joint in words.ranges_to
    is_begun = joint in DASHES or one.window == ">="
    return is_joined and is_begun and period(one, _SOME_YEAR)[0] < period(other, one.year or _SOME_YEAR)[0]


class _Reader:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._words = lexicon(text.language)
        self._surroundings = Surroundings(text)
        self.found: list[DateMention] = []
        self.taken: set[int] = set()

    def keep(self, date: _Calendar) -> None:
        """Keep a date with the window and the words around it."""
        self.taken.update(range(date.begin, date.end))
        about = self._surroundings.of(date.begin, date.end)
        self.found.append(DateMention(window=self._window(date.begin), about=about, **vars(date)))

    def written_out(self, place: int) -> _Calendar | None:
        """A date with a month, or in digits and dashes."""
        token = self._text.tokens[place]
        if self._text.language is Language.VIETNAMESE and token.lower in {"ngày", "tháng"}:
            return self._vietnamese(place)
        if token.is_capitalised and token.lower in self._words.months:
            return self._month(place)
        if token.is_digits and (date := self._digits(place)):
            return date
        may_be_ordinal = token.is_digits or token.lower in self._words.ordinals or token.lower in self._words.numerals
        return self._century(place) if may_be_ordinal else None

    def bare_year(self, place: int) -> _Calendar | None:
        """A year that stands alone where years stand; "there were 1301 cases" holds none."""
        text = self._text.word(place)
        if not _YEAR.fullmatch(text) or not self._may_be_year(place):
            return None
        year, end = int(text), place + 1
        if self._text.word(end) in {*DASHES, "/"} and _SHORT_YEAR.fullmatch(self._text.word(end + 1)):
            last_year = int(text[:2] + self._text.word(end + 1))
            if last_year > year:
                return _Calendar(place, end + 2, year, last_year=last_year)
        return _Calendar(place, end, year, last_year=self._last_of_decade(year, end))

    def _last_of_decade(self, year: int, end: int) -> int | None:
        """The last year of "the 1980s", "the 1980's" or "the 1900s"; None for a year by itself."""
        ending = end + 1 if self._text.word(end) in {"'", "’"} and self._text.is_glued(end + 1) else end
        if year % 10 or not self._text.is_glued(end) or self._text.lower(ending) != "s":
            return None
        return year + (_CENTURY if year % 100 == 0 else _DECADE)

    def _century(self, place: int) -> _Calendar | None:
        numeral = numeral_at(self._text.tokens, place, self._words, self._text.language)
        if numeral is None or not numeral.is_ordinal or not 1 <= numeral.value <= _LAST_CENTURY:
            return None
        end = numeral.end + 1 if self._text.word(numeral.end) in DASHES else numeral.end
        if self._text.lower(end) not in self._words.century:
            return None
        last_year = int(numeral.value) * 100
        return _Calendar(place, end + 1, last_year - _CENTURY, last_year=last_year)

    def _may_be_year(self, place: int) -> bool:
        before, after = self._text.lower(place - 1), self._text.lower(place + 1)
        may_follow = before in self._words.year_after or before in _YEAR_AFTER_MARKS or before in self._words.months
        if place and not may_follow and not self._window(place):
            return False
        surely = before in self._words.surely_year_after
        is_counted = after.isalpha() and not self._text.word(place + 1)[0].isupper()
        if int(self._text.word(place)) > _LAST_YEAR and (not surely or is_counted):
            return False
        if before in self._words.currencies or after in self._words.scales or after == "%" or "/" in {before, after}:
            return False
        counted = concepts().counted
        one, other = (concept(self._text.lower(place + step)) for step in (1, 2))
        return one not in counted and (surely or other not in counted or not after.isalpha())

    def _month(self, place: int) -> _Calendar | None:
        name = self._text.lower(place)
        if name == "may" and not self._may_is_month(place):
            return None
        begin, end = place, place + 1
        if self._text.word(end) == "." and len(name) <= len("sept"):
            end += 1
        day = None
        if place - 1 not in self.taken and (day := self._day(place - 1)):
            begin = place - 1
        elif self._text.lower(place - 1) == "of" and (day := self._day(place - 2)):
            begin = place - 2
        elif day := self._day(end):
            end += 1
        year_at = end + 1 if self._text.lower(end) in {",", "of", "in"} else end
        year = self._year(year_at)
        return _Calendar(begin, year_at + 1 if year else end, year, self._words.months[name], day)

    def _may_is_month(self, place: int) -> bool:
        beside = (place - 1, place + 1)
        has_number = any(self._day(other) or self._year(other) for other in beside)
        return has_number or self._text.lower(place - 1) in self._words.month_after

    def _vietnamese(self, place: int) -> _Calendar | None:
        day, end = None, place
        if self._text.lower(place) == "ngày":
            day, end = self._day(place + 1), place + 2
            if day is None or self._text.lower(end) not in {"tháng", "/", "-"}:
                return None
        if not _MONTH.fullmatch(self._text.word(end + 1)):
            return None
        month, end = int(self._text.word(end + 1)), end + 2
        year = self._year(end + 1) if self._text.lower(end) in {"năm", "/", "-", ","} else None
        return _Calendar(place, end + 2 if year else end, year, month, day)

    def _digits(self, place: int) -> _Calendar | None:
        end = place + _TOKENS_OF_DIGITS
        written = "".join(self._text.word(each) for each in range(place, end))
        if match := _ISO.fullmatch(written):
            year, month, day = (int(part) for part in match.groups())
        elif match := _SLASHED.fullmatch(written):
            day, month, year = (int(part) for part in match.groups())
        else:
            return None
        is_date = 1 <= month <= 12 and 1 <= day <= 31
        return _Calendar(place, end, year, month, day) if is_date else None

    def _window(self, begin: int) -> Window:
        before = [self._text.lower(place) for place in range(max(0, begin - _FILLERS_REACH), begin)]
        while before and before[-1] in self._words.date_fillers | _FILLING_MARKS and before[-2:] != ["as", "of"]:
            before.pop()
        for length in range(_WINDOW_REACH, 0, -1):
            if sign := self._words.windows.get(tuple(before[-length:])):
                return sign
        return ""

    def _day(self, place: int) -> int | None:
        word = self._text.lower(place)
        return int(word.rstrip("sthndr")) if _DAY.fullmatch(word) else None

    def _year(self, place: int) -> int | None:
        word = self._text.word(place)
        return int(word) if _YEAR.fullmatch(word) else None
