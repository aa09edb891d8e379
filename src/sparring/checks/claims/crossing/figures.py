"""The numbers of a text as a translation leaves them: what they are worth, whatever they count, date or name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.labels import DASHES
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.numerals import digits_value
from sparring.checks.claims.quantities import MONEY, ORDINAL, PERCENT, Quantity
from sparring.checks.claims.roman import roman_value
from sparring.checks.claims.tokens import Language, Text

Mention = Quantity | DateMention

YEARS = range(1000, 10000)
_DIVIDING_COMMA = re.compile(r"\d{1,2},\d{1,2}")


class Sort(StrEnum):
    """What a number stands for."""

    YEAR = "year"
    CALENDAR = "calendar"
    PERCENT = "percent"
    MONEY = "money"
    ORDINAL = "ordinal"
    COUNT = "count"


_SORTS = {PERCENT: Sort.PERCENT, MONEY: Sort.MONEY, ORDINAL: Sort.ORDINAL}


@dataclass(frozen=True)
class Figure:
    """A number in a text.

    Attributes:
        value: To as many digits as a translation keeps.
        begin: Its first token; ``end`` is the one behind its last.
        is_sure: Whether it is surely a number; a single number word may mean something else.
        mention: The quantity or date that it is a part of; None for a number that was taken for a name.
    """

    value: float
    begin: int
    end: int
    is_sure: bool
    sort: Sort = Sort.COUNT
    mention: Mention | None = None


def find_figures(text: Text, mentions: Sequence[Mention]) -> tuple[Figure, ...]:
    """Every number of ``text``, in its order; ``mentions`` are its quantities and dates."""
    reader = _Reader(text)
    found = [figure for mention in mentions for figure in reader.of_mention(mention)]
    taken = {place for mention in mentions for place in range(mention.begin, mention.end)}
    found.extend(figure for place in reader.places() if place not in taken and (figure := reader.at(place)))
    return tuple(reader.with_shares(sorted(found, key=lambda figure: figure.begin)))


class _Reader:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._words = lexicon(text.language)

    def places(self) -> Iterator[int]:
        """Where a number may stand."""
        known = self._words.number_words | self._words.months.keys()
        for place, word in enumerate(self._text.lowered):
            if word in known or word[0].isdecimal() or _roman(self._text.written[place]):
                yield place

    def of_mention(self, mention: Mention) -> Iterator[Figure]:
        """The numbers of a quantity or date."""
        if isinstance(mention, DateMention):
            yield from self._of_date(mention)
            return
        first = self.at(mention.begin)
        is_sure = mention.end > mention.begin + 1 or bool(first and first.is_sure)
        sort = _SORTS.get(mention.kind, Sort.COUNT)
        if mention.bound == "range":
            yield Figure(_kept(mention.value), mention.begin, mention.begin + 1, is_sure, sort, mention)
            yield Figure(_kept(mention.high), mention.end - 1, mention.end, is_sure, sort, mention)
        else:
            is_alone = mention.end == mention.begin + 1 and first is not None
            value = first.value if is_alone and first else _kept(mention.value)
            yield Figure(value, mention.begin, mention.end, is_sure, sort, mention)

    def _of_date(self, date: DateMention) -> Iterator[Figure]:
        for place in range(date.begin, date.end):
            figure = None if self._text.lowered[place] in self._words.date_fillers else self.at(place)
            if figure:
                is_month = self._text.lowered[place] in self._words.months
                is_sure = figure.is_sure or is_month or bool(_roman(self._text.written[place]))
                sort = Sort.YEAR if figure.value in YEARS else Sort.CALENDAR
                yield replace(figure, is_sure=is_sure, sort=sort, mention=date)

    def at(self, place: int) -> Figure | None:
        """The number that stands at ``place``; None where it cannot be read."""
        word = self._text.lowered[place]
        if word[0].isdecimal():
            value = self._digits(word)
            return None if value is None else Figure(_kept(value), place, place + 1, is_sure=True)
        if self._is_unit(place):
            return None
        for table in (self._words.numerals, self._words.ordinals, self._words.months):
            if word in table:
                return Figure(table[word], place, place + 1, is_sure=False)
        roman = _roman(self._text.written[place])
        return Figure(roman, place, place + 1, is_sure=False) if roman else None

    def _is_unit(self, place: int) -> bool:
        """Whether a number word stands beside digits: "năm" is a year there, and not five."""
        beside = (self._text.word(place - 1), self._text.word(place + 1))
        return self._text.language is Language.VIETNAMESE and any(word[:1].isdecimal() for word in beside)

    def with_shares(self, figures: Sequence[Figure]) -> Iterator[Figure]:
        """The figures, with "10" as a percentage in "10 to 30%"."""
        for one, other in pairwise(figures):
            joint = self._text.lower(one.end)
            is_joined = one.end + 1 == other.begin and (joint in DASHES or joint in self._words.ranges_to)
            is_share = is_joined and other.sort is Sort.PERCENT and one.sort is Sort.COUNT
            yield replace(one, sort=Sort.PERCENT) if is_share else one
        yield from figures[-1:]

    def _digits(self, word: str) -> float | None:
        # In English too, a comma that groups no thousands divides: "0,1".
        is_divided = self._text.language is Language.ENGLISH and _DIVIDING_COMMA.fullmatch(word)
        return float(word.replace(",", ".")) if is_divided else digits_value(word, self._text.language)


def _kept(value: float) -> float:
    return float(f"{value:.6g}")


def _roman(word: str) -> int | None:
    return roman_value(word) if len(word) > 1 else None  # "I" is a person, and "V" and "X" are letters
