"""Dates and the windows that words make of them, as day intervals."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sparring.checks.claims.calendars import Calendar, century, last_of_decade
from sparring.checks.claims.context import Surroundings
from sparring.checks.claims.labels import DASHES
from sparring.checks.claims.lexicon import Lexicon, Window, lexicon
from sparring.checks.claims.numerals import numeral_at
from sparring.checks.claims.tokens import Text, is_digits
from sparring.checks.claims.vietnamese_dates import vietnamese_date
from sparring.checks.claims.windows import read_owner, read_window
from sparring.checks.claims.years import YEAR, is_of_a_name, is_year

_DAY = re.compile(r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?")
_SHORT_YEAR = re.compile(r"[0-9]{2}")
_ISO = re.compile(r"([1-9][0-9]{3})-([0-9]{2})-([0-9]{2})(?![0-9])")
_SLASHED = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})[/-]([1-9][0-9]{3})(?![0-9])")
_DOTTED = re.compile(r"([0-9]{1,2})[.]([0-9]{1,2})[.]([1-9][0-9]{3})")
_TOKENS_OF_DIGITS = 5  # three numbers and two marks
_SOME_YEAR = 2000
_DAYS_A_MONTH = 31
_DAYS_A_YEAR = 12 * _DAYS_A_MONTH
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
        owner: The name that it stands behind in brackets, as in "The Ring (1990)".
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
    owner: frozenset[str] = frozenset()


def find_dates(text: Text) -> tuple[DateMention, ...]:
    """Every date of ``text``, in its order."""
    reader = _Reader(text)
    places = text.places_of(lexicon(text.language).date_words)
    for read in (reader.written_out, reader.bare_year):
        for place in places:
            if place not in reader.taken and (date := read(place)):
                reader.keep(date)
    dates = (_with_first_day(text, date) for date in sorted(reader.found, key=lambda date: date.begin))
    return tuple(_joined(text, dates))


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


def _with_first_day(text: Text, date: DateMention) -> DateMention:
    """The date, or the period that it ends: "from 5 to 27 March"."""
    words, day = lexicon(text.language), text.word(date.begin - 2)
    joint, before = text.lower(date.begin - 1), text.lower(date.begin - 3)
    is_period = joint in DASHES or (joint in words.ranges_to and before in words.ranges_from)
    if not is_period or not _DAY.fullmatch(day) or date.day is None or int(day.rstrip("sthndr")) >= date.day:
        return date
    first = replace(date, begin=date.begin - 2, day=int(day.rstrip("sthndr")), window="")
    return replace(first, through=replace(date, window=""))


def _joined(text: Text, dates: Iterable[DateMention]) -> Iterator[DateMention]:
    """The dates, with one for both ends of a period."""
    words, begun = lexicon(text.language), None
    for date in dates:
        if begun and _is_next(text, begun, date, words) and _is_period(begun, text.lower(begun.end), date, words):
            yield replace(begun, end=date.end, window="", through=date)
            begun = None
            continue
        if begun:
            yield begun
        begun = date
    if begun:
        yield begun


def _is_next(text: Text, one: DateMention, other: DateMention, words: Lexicon) -> bool:
    # "1839 to 1841", "từ năm 1839 đến năm 1841"
    between = other.begin - one.end
    return between == 1 or (between == 2 and text.lower(other.begin - 1) in words.date_fillers)


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

    def keep(self, date: Calendar) -> None:
        """Keep a date with the window and the words around it."""
        self.taken.update(range(date.begin, date.end))
        text, words, about = self._text, self._words, self._surroundings.of(date.begin, date.end)
        window = "" if is_of_a_name(text, date.end, words) else read_window(text, date.begin, words)
        owner = read_owner(text, date.begin, date.end, words)
        self.found.append(DateMention(window=window, about=about, owner=owner, **vars(date)))

    def written_out(self, place: int) -> Calendar | None:
        """A date with a month, or in digits and dashes."""
        word = self._text.lowered[place]
        if word in self._words.date_starts:
            return vietnamese_date(self._text, place, self._words)
        if word in self._words.months and (self._text.written[place][0].isupper() or self._is_dated(place)):
            return self._month(place)
        if is_digits(word) and (date := self._digits(place)):
            return date
        may_be_ordinal = is_digits(word) or word in self._words.ordinals or word in self._words.numerals
        return self._century(place) if may_be_ordinal else None

    def _is_dated(self, place: int) -> bool:
        """Whether a year stands behind the month, though it begins with a small letter: "24th march 2020"."""
        return self._year(place + 1) is not None

    def bare_year(self, place: int) -> Calendar | None:
        """A year that stands alone where years stand; "there were 1301 cases" holds none."""
        if not is_year(self._text, place, self._words):
            return None
        text = self._text.word(place)
        year, end = int(text), place + 1
        if self._text.word(end) in {*DASHES, "/"} and _SHORT_YEAR.fullmatch(self._text.word(end + 1)):
            last_year = int(text[:2] + self._text.word(end + 1))
            if last_year > year:
                return Calendar(place, end + 2, year, last_year=last_year)
        return Calendar(place, end, year, last_year=self._last_of_decade(year, end))

    def _last_of_decade(self, year: int, end: int) -> int | None:
        """The last year of "the 1980s", "the 1980's" or "the 1900s"; None for a year by itself."""
        ending = end + 1 if self._text.word(end) == "'" else end
        if year % 10 or self._text.lower(ending) != "s" or not self._text.is_glued(end):
            return None
        return last_of_decade(year)

    def _century(self, place: int) -> Calendar | None:
        numeral = numeral_at(self._text.lowered, place, self._words, self._text.language)
        if numeral is None or not numeral.is_ordinal or not 1 <= numeral.value <= _LAST_CENTURY:
            return None
        end = numeral.end + 1 if self._text.word(numeral.end) in DASHES else numeral.end
        if self._text.lower(end) not in self._words.century:
            return None
        return century(place, end + 1, int(numeral.value))

    def _month(self, place: int) -> Calendar | None:
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
        return Calendar(begin, year_at + 1 if year else end, year, self._words.months[name], day)

    def _may_is_month(self, place: int) -> bool:
        beside = (place - 1, place + 1)
        has_number = any(self._day(other) or self._year(other) for other in beside)
        return has_number or self._text.lower(place - 1) in self._words.month_after

    def _digits(self, place: int) -> Calendar | None:
        end = place + _TOKENS_OF_DIGITS
        written = "".join(self._text.word(each) for each in range(place, end))
        if match := _ISO.fullmatch(written):
            year, month, day = (int(part) for part in match.groups())
        elif match := _SLASHED.fullmatch(written):
            day, month, year = (int(part) for part in match.groups())
        elif match := _DOTTED.fullmatch(self._text.word(place)):
            day, month, year = (int(part) for part in match.groups())
            end = place + 1
        else:
            return None
        is_date = 1 <= month <= 12 and 1 <= day <= 31
        return Calendar(place, end, year, month, day) if is_date else None

    def _day(self, place: int) -> int | None:
        word = self._text.lower(place)
        return int(word.rstrip("sthndr")) if _DAY.fullmatch(word) else None

    def _year(self, place: int) -> int | None:
        word = self._text.word(place)
        return int(word) if YEAR.fullmatch(word) else None
