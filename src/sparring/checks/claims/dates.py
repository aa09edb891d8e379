"""Dates and the windows that words make of them, as day intervals, in English and as Vietnamese has them.

In this order: a date as it is read, with what stands around it, the words of a window, years that stand alone, and
dates in Vietnamese.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sparring.checks.claims.context import concept, nearest_of, surroundings
from sparring.checks.claims.lexicon import Lexicon, Window, concepts, lexicon
from sparring.checks.claims.numerals import numeral_at
from sparring.checks.claims.tokens import DASHES, Text, is_digits

_YEARS_OF_DECADE = 9
_YEARS_OF_CENTURY = 99

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

_FILLERS_REACH = 8
_FILLING_MARKS = frozenset("-(")

_YEAR = re.compile(r"[1-9][0-9]{3}")
_LAST_YEAR = 2100  # from there on only where nothing but a year can stand
_AFTER_MARKS = frozenset("(-/,;.:")

_SEASON = "#seasons"
_STAGES = ("#born", "#died", "#deaths", "#began", "#ended")

_PLAIN_DAY = re.compile(r"0?[1-9]|[12][0-9]|3[01]")
_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_DAY_WORDS = frozenset({"ngày", "mùng", "mồng"})
_CENTURY_STARTS = frozenset({("thế", "kỷ"), ("thế", "kỉ")})
_DECADE_STARTS = frozenset({("những", "năm"), ("thập", "niên"), ("thập", "kỷ"), ("thập", "kỉ")})
_JOINTS = frozenset({"/", "-"})
_ROMAN = re.compile("(?=[XVI])(X{0,3})(IX|IV|V?I{0,3})")
_VALUES = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}


@dataclass(frozen=True)
class _Calendar:
    """A date and its place, in tokens; what the text leaves out is None.

    Attributes:
        begin: Its first token; ``end`` is the one behind its last.
        last_year: Another year for a range such as 2003-04 or the 1980s.
    """

    begin: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_year: int | None = None


def _century_of(begin: int, end: int, number: int) -> _Calendar:
    """The years of a century, as most people count them: the 20th ends with 2000."""
    last_year = number * 100
    return _Calendar(begin, end, last_year - _YEARS_OF_CENTURY, last_year=last_year)


def _last_of_decade(year: int) -> int:
    """The last year of "the 1980s", or of "the 1900s", which are a century."""
    return year + (_YEARS_OF_CENTURY if year % 100 == 0 else _YEARS_OF_DECADE)


@dataclass(frozen=True)
class DateMention(_Calendar):
    """A date in a text.

    Attributes:
        about: The words around it with their weights.
        through: The last day of a period "from 5 to 27 March"; ``is_within`` where it is some day "between" these.
        owner: The name that it stands behind in brackets, as in "The Ring (1990)".
        distance: The word that says how far from the window's limit it is, as the "just" of "just after 1998".
    """

    window: Window = ""
    about: Mapping[str, float] = field(default_factory=dict[str, float], hash=False)
    through: "DateMention | None" = None
    is_within: bool = False
    owner: frozenset[str] = frozenset()
    distance: str = ""

    @cached_property
    def stage(self) -> str:
        """The concept beside it that tells whether something began or ended then; empty for none."""
        return nearest_of(self.about, _STAGES)


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
            is_within = text.lower(begun.begin - 1) in words.ranges_within
            yield replace(begun, end=date.end, window="", through=date, is_within=is_within)
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
    is_begun = joint in DASHES or one.window == "since"
    return is_joined and is_begun and period(one, _SOME_YEAR)[0] < period(other, one.year or _SOME_YEAR)[0]


class _Reader:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._words = lexicon(text.language)
        self.found: list[DateMention] = []
        self.taken: set[int] = set()

    def keep(self, date: _Calendar) -> None:
        """Keep a date with the window and the words around it."""
        self.taken.update(range(date.begin, date.end))
        text, words, about = self._text, self._words, surroundings(self._text, date.begin, date.end)
        window = "" if _is_of_a_name(text, date.end, words) else _read_window(text, date.begin, date.end, words)
        owner = _read_owner(text, date.begin, date.end, words)
        before = text.lowered[max(0, date.begin - _FILLERS_REACH) : date.begin]
        distance = words.distance_before(before) if window else ""
        self.found.append(DateMention(window=window, about=about, owner=owner, distance=distance, **vars(date)))

    def written_out(self, place: int) -> _Calendar | None:
        """A date with a month, or in digits and dashes."""
        word = self._text.lowered[place]
        if word in self._words.date_starts:
            return _vietnamese_date(self._text, place, self._words)
        if word in self._words.months and (
            self._text.written[place][0].isupper() or _year(self._text, place + 1)  # "24th march 2020"
        ):
            return self._month(place)
        if is_digits(word) and (date := self._digits(place)):
            return date
        is_ordinal = word[-1].isalpha() if is_digits(word) else word in self._words.ordinals
        return self._century(place) if is_ordinal or word in self._words.numerals else None

    def bare_year(self, place: int) -> _Calendar | None:
        """A year that stands alone where years stand; "there were 1301 cases" holds none."""
        if not _is_year(self._text, place, self._words):
            return None
        text = self._text.word(place)
        year, end = int(text), place + 1
        if self._text.word(end) in {*DASHES, "/"} and _SHORT_YEAR.fullmatch(self._text.word(end + 1)):
            last_year = int(text[:2] + self._text.word(end + 1))
            if last_year > year:
                return _Calendar(place, end + 2, year, last_year=last_year)
        return _Calendar(place, end, year, last_year=self._last_of_decade(year, end))

    def _last_of_decade(self, year: int, end: int) -> int | None:
        """The last year of "the 1980s", "the 1980's" or "the 1900s"; None for a year by itself."""
        ending = end + 1 if self._text.word(end) == "'" else end
        if year % 10 or self._text.lower(ending) != "s" or not self._text.is_glued(end):
            return None
        return _last_of_decade(year)

    def _century(self, place: int) -> _Calendar | None:
        numeral = numeral_at(self._text.lowered, place, self._words, self._text.language)
        if numeral is None or not numeral.is_ordinal or not 1 <= numeral.value <= _LAST_CENTURY:
            return None
        end = numeral.end + 1 if self._text.word(numeral.end) in DASHES else numeral.end
        if self._text.lower(end) not in self._words.century:
            return None
        return _century_of(place, end + 1, int(numeral.value))

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
        year = _year(self._text, year_at)
        return _Calendar(begin, year_at + 1 if year else end, year, self._words.months[name], day)

    def _may_is_month(self, place: int) -> bool:
        beside = (place - 1, place + 1)
        has_number = any(self._day(other) or _year(self._text, other) for other in beside)
        return has_number or self._text.lower(place - 1) in self._words.month_after

    def _digits(self, place: int) -> _Calendar | None:
        if self._text.word(place + 1) not in _JOINTS and "." not in self._text.written[place]:
            return None
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
        return _Calendar(place, end, year, month, day) if is_date else None

    def _day(self, place: int) -> int | None:
        word = self._text.lower(place)
        return int(word.rstrip("sthndr")) if _DAY.fullmatch(word) else None


def _read_window(text: Text, begin: int, end: int, words: Lexicon) -> Window:
    """What the words before a date, the tokens from ``begin`` to before ``end``, and those behind it make of it."""
    before = text.lowered[max(0, begin - _FILLERS_REACH) : begin]
    around: Window = ""
    while before:
        if sign := words.window_before(before):
            if sign != "~":
                return sign
            around = sign  # "before about 1994" goes on
        elif before[-1] not in words.date_fillers and before[-1] not in _FILLING_MARKS:
            break
        before.pop()
    behind = words.bounds_after.get((text.lower(end), text.lower(end + 1)), "")
    return behind if behind == ">=" or behind == "<=" else around  # noqa: PLR1714 -- so that the type is narrowed


def _read_owner(text: Text, begin: int, end: int, words: Lexicon) -> frozenset[str]:
    """The concepts of the name that a date stands behind in brackets; nothing for every other date."""
    if text.word(begin - 1) != "(" or text.word(end) != ")":
        return frozenset()
    place = begin - 2
    while text.word(place)[:1].isupper() or text.lower(place) in words.small:
        place -= 1
    name = range(place + 1, begin - 1)
    proper = (each for each in name if text.word(each)[0].isupper() and text.lower(each) not in words.small)
    return frozenset(concept(text.lower(each)) for each in proper)


def _is_year(text: Text, place: int, words: Lexicon) -> bool:
    if not _YEAR.fullmatch(text.word(place)) or not _may_stand(text, place, words):
        return False
    before, after = text.lower(place - 1), text.lower(place + 1)
    surely = before in words.surely_year_after
    is_counted = after.isalpha() and not text.word(place + 1)[0].isupper()
    if int(text.word(place)) > _LAST_YEAR and (not surely or is_counted):
        return False
    if before in words.currencies or after in words.scales or after == "%" or "/" in {before, after}:
        return False
    if _begins_count(text, place, words) or (not surely and _is_measured(text, place + 1)):
        return False
    if _is_one_thing(text, place + 1, words):
        return True
    counted = concepts().counted
    one, other = (concept(text.lower(place + step)) for step in (1, 2))
    is_joined = after.isalpha() and after not in words.small  # "1301 confirmed cases", but "in 1648 and killed"
    return one not in counted and (surely or other not in counted or not is_joined)


def _is_measured(text: Text, place: int) -> bool:
    """Whether a unit stands there: "1234 nanoseconds"; the "s" of "1980s" is none."""
    unit = text.lower(place)
    return not text.is_glued(place) and (unit in concepts().measures or concept(unit) in concepts().units)


def _begins_count(text: Text, place: int, words: Lexicon) -> bool:
    """Whether a range begins there at whose end things are counted: "between 1000 and 1053 people"."""
    joint, end = text.lower(place + 1), place + 2
    is_range = joint in DASHES or (joint in words.ranges_to and text.lower(place - 1) in words.ranges_from)
    return is_range and is_digits(text.word(end)) and concept(text.lower(end + 1)) in concepts().counted


def _is_of_a_name(text: Text, end: int, words: Lexicon) -> bool:
    """Whether a year before ``end`` names something: what comes after "the 1990 film" need not come after 1990."""
    return _is_one_thing(text, end, words) and concept(text.lower(end)) != _SEASON


def _may_stand(text: Text, place: int, words: Lexicon) -> bool:
    before = text.lower(place - 1)
    may_follow = before in words.year_after or before in _AFTER_MARKS or before in words.months
    return place == 0 or may_follow or _read_window(text, place, place + 1, words) not in {"", "~"}


def _is_one_thing(text: Text, place: int, words: Lexicon) -> bool:
    """Whether a thing that can be counted stands there in the singular, and an article before the number."""
    word = text.lower(place)
    name = concepts().names.get(word, "")
    is_singular = name in concepts().counted and concepts().names.get(f"{word}s") == name
    return is_singular and text.lower(place - 2) in words.articles


def _vietnamese_date(text: Text, place: int, words: Lexicon) -> _Calendar | None:
    """The date that begins at ``place`` with a day, a month or what names a century or decade; None for any other."""
    start = (text.lower(place), text.lower(place + 1))
    if start in _CENTURY_STARTS:
        return _century(text, place, words)
    if start in _DECADE_STARTS:
        return _decade(text, place)
    return _day_or_month(text, place, words)


def _century(text: Text, begin: int, words: Lexicon) -> _Calendar | None:
    place = begin + 3 if text.lower(begin + 2) == "thứ" else begin + 2
    if number := roman_value(text.word(place)):
        return _century_of(begin, place + 1, number)
    numeral = numeral_at(text.lowered, place, words, text.language) if text.word(place) else None
    if numeral is None or numeral.value not in range(1, _LAST_CENTURY + 1):
        return None
    return _century_of(begin, numeral.end, int(numeral.value))


def _decade(text: Text, begin: int) -> _Calendar | None:
    year = _year(text, begin + 2)
    if year is None or text.word(begin + 3) in DASHES:
        return None
    return _Calendar(begin, begin + 3, year, last_year=None if year % 10 else _last_of_decade(year))


def _day_or_month(text: Text, begin: int, words: Lexicon) -> _Calendar | None:
    day, place = None, begin
    while text.lower(place) in _DAY_WORDS:
        place += 1
    if place > begin:
        day = int(text.word(place)) if _PLAIN_DAY.fullmatch(text.word(place)) else None
        place += 1
        if day is None or text.lower(place) not in {"tháng", *_JOINTS}:
            return None
    elif text.lower(begin) != "tháng":
        return None
    return _with_month(text, begin, place + 1, day, words)


def _with_month(text: Text, begin: int, place: int, day: int | None, words: Lexicon) -> _Calendar | None:
    month, end = _month(text, place, words)
    if month is None:
        return None
    year = _year(text, end + 1) if text.lower(end) in {"năm", ",", *_JOINTS} else None
    if text.lower(end - 1) == "năm" and not (day or year):
        return None  # "tháng năm" may be months and years
    return _Calendar(begin, end + 2 if year else end, year, month, day)


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


def roman_value(word: str) -> int | None:
    """What a numeral below forty in capital letters is worth; None for any other word."""
    match = _ROMAN.fullmatch(word)
    return 10 * len(match[1]) + _VALUES[match[2]] if match else None
