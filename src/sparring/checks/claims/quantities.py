"""Quantities: numbers with what bounds them, what kind they are and what they count, as intervals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sparring.checks.claims.context import Surroundings, concept
from sparring.checks.claims.labels import DASHES, is_label
from sparring.checks.claims.lexicon import Bound, Lexicon, lexicon
from sparring.checks.claims.numerals import Numeral, digits_value, numeral_at
from sparring.checks.claims.tokens import Text, Token

COUNT, PERCENT, MONEY, ORDINAL = "count", "percent", "money", "ordinal"

_FILLING_MARKS = frozenset("$£€₹(")
_BOUND_REACH = 4
_FILLERS_REACH = 8
_NOUN_REACH = 5
_MOST_NOUNS = 3
_DECADE = 9
_BEST_MARKS = frozenset({"4", "5", "10", "20", "100"})


@dataclass(frozen=True)
class Quantity:
    """A quantity in a text.

    Attributes:
        begin: Its first token; ``end`` is the one behind its last.
        low: The least it can be; ``high`` the most.
        kind: COUNT, PERCENT, MONEY, ORDINAL, or ``/10`` for a rating out of ten.
        nouns: What stands directly behind it.
        about: The words around it with their weights.
    """

    begin: int
    end: int
    value: float
    low: float
    high: float
    bound: Bound
    kind: str
    nouns: frozenset[str]
    about: Mapping[str, float] = field(hash=False)


def find_quantities(text: Text, taken: frozenset[int]) -> tuple[Quantity, ...]:
    """Every quantity of ``text`` that does not stand in ``taken``, where its dates are."""
    reader = _Reader(text, taken)
    place = 0
    while place < len(text.tokens):
        place = reader.read(place)
    return tuple(reader.found)


class _Reader:
    def __init__(self, text: Text, taken: frozenset[int]) -> None:
        self._text = text
        self._taken = taken
        self._words = lexicon(text.language)
        self._surroundings = Surroundings(text)
        self.found: list[Quantity] = []

    def read(self, place: int) -> int:
        """Read what stands at ``place``; the place to go on at."""
        if place in self._taken or is_label(self._text, place, self._words):
            return place + 1
        numeral = self._numeral(place)
        if numeral is None or (numeral.value == 1 and numeral.end == place + 1 and self._is_article(place)):
            return place + 1
        if self._is_clock(place, numeral.end):
            return numeral.end + 2
        return self._quantity(place, numeral)

    def _quantity(self, place: int, numeral: Numeral) -> int:
        value = high = numeral.value
        end, kind = numeral.end, self._kind(place, numeral)
        if kind == COUNT and self._text.lower(end) == "s" and self._text.is_glued(end):
            high, end = value + _DECADE, end + 1  # "in her 50s"
        if kind == COUNT and (ratio := self._ratio(end)):
            kind, end = ratio, end + 2
        elif kind == COUNT and (ratio := self._out_of(end)):
            kind, end = ratio, end + 3
        elif kind == COUNT and (wider := self._range(place, numeral)):
            value, high, end = wider
            kind = self._kind(place, Numeral(high, end))
        bound: Bound = "range" if high > value else self._bound(place, end)
        if kind == ORDINAL and not bound and self._is_relative(place):
            bound = "~"  # "before the fifth" is not the fifth
        low, high = (value, high) if bound == "range" else _interval(value, bound)
        about = self._surroundings.of(place, end)
        nouns = frozenset(_nouns(self._text.tokens, end, self._words))
        self.found.append(Quantity(place, end, value, low, high, bound, kind, nouns, about))
        return end

    def _numeral(self, place: int) -> Numeral | None:
        return numeral_at(self._text.tokens, place, self._words, self._text.language)

    def _kind(self, place: int, numeral: Numeral) -> str:
        before, after = self._text.lower(place - 1), self._text.lower(numeral.end)
        if numeral.is_ordinal or before == "thứ":
            return ORDINAL
        following = (after, self._text.lower(numeral.end + 1))
        if following[:1] in self._words.percent or following in self._words.percent:
            return PERCENT
        money = before in self._words.currencies or after in self._words.currencies
        return MONEY if money or following == ("us", "dollars") else COUNT

    def _ratio(self, place: int) -> str:
        """``/10`` for a rating out of ten."""
        if self._text.lower(place) != "/":
            return ""
        whole = digits_value(self._text.word(place + 1), self._text.language)
        return f"/{whole:g}" if whole else ""

    def _out_of(self, place: int) -> str:
        """``/100`` for 41 out of 100; only what is usually the best mark is a rating."""
        is_ratio = (self._text.lower(place), self._text.lower(place + 1)) == ("out", "of")
        return f"/{self._text.word(place + 2)}" if is_ratio and self._text.word(place + 2) in _BEST_MARKS else ""

    def _range(self, place: int, numeral: Numeral) -> tuple[float, float, int] | None:
        joint = self._text.lower(numeral.end)
        between = self._text.lower(place - 1) in self._words.ranges_from and joint in self._words.ranges_to
        following = numeral.end + 1
        if not (joint in DASHES or between) or following in self._taken:
            return None
        plain = digits_value(self._text.word(following), self._text.language)
        other = self._numeral(following) if plain else None
        if not plain or other is None or other.value <= numeral.value:
            return None
        scale = other.value / plain if numeral.value < plain else 1  # "30 to 50 thousand"
        return numeral.value * scale, other.value, other.end

    def _bound(self, begin: int, end: int) -> Bound:
        before = [self._text.lower(place) for place in range(max(0, begin - _FILLERS_REACH), begin)]
        while True:
            for length in range(_BOUND_REACH, 0, -1):
                if sign := self._words.bounds.get(tuple(before[-length:])):
                    return sign
            if not before or before[-1] not in self._words.fillers | _FILLING_MARKS:
                break
            before.pop()
        after = (self._text.lower(end), self._text.lower(end + 1))
        return self._words.bounds_after.get(after) or self._words.bounds_after.get(after[:1]) or ""

    def _is_relative(self, place: int) -> bool:
        before = self._text.lower(place - 1)
        return (self._text.lower(place - 2) if before in self._words.fillers else before) in self._words.relations

    def _is_clock(self, place: int, end: int) -> bool:
        is_colon = self._text.lower(end) == ":" and self._text.tokens[place].is_digits
        return is_colon and self._text.word(end + 1).isdecimal()

    def _is_article(self, place: int) -> bool:
        before, after = self._text.lower(place - 1), self._text.lower(place + 1)
        return after in self._words.articles_after or before in self._words.articles_before


def _interval(value: float, bound: Bound) -> tuple[float, float]:
    match bound:
        case ">":
            return math.nextafter(value, math.inf), math.inf
        case ">=":
            return value, math.inf
        case "<":
            return -math.inf, math.nextafter(value, -math.inf)
        case "<=":
            return -math.inf, value
        case _:
            return value, value


def _nouns(tokens: Sequence[Token], place: int, words: Lexicon) -> Iterable[str]:
    nouns: list[str] = []
    for token in tokens[place : place + _NOUN_REACH]:
        if token.text in {",", ".", ";", "(", ")"} or token.is_digits or token.lower in words.turns:
            break
        if token.is_word and token.lower not in words.small:
            nouns.append(concept(token.lower))
    return nouns[:_MOST_NOUNS]
