"""Quantities: numbers with what bounds them, what kind they are and what they count, as intervals.

What a number tells of is read from the words around it; what only names something, such as COVID-19, is left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sparring.checks.claims.context import concept, is_label, is_whole, nearest_of, surroundings
from sparring.checks.claims.lexicon import Bound, Change, Lexicon, concepts, lexicon
from sparring.checks.claims.numerals import Numeral, Version, digits_value, numeral_at, version_at
from sparring.checks.claims.tokens import DASHES, Text, is_digits

COUNT, PERCENT, MONEY, ORDINAL, AGE = "count", "percent", "money", "ordinal", "age"
VERSION, PORT, STATUS, TIMES = "version", "port", "status", "times"

EXACT = frozenset({VERSION, PORT, STATUS})
"""Kinds that nobody rounds."""

_UNCOUNTED = frozenset({PERCENT, MONEY, ORDINAL, AGE, VERSION, PORT, STATUS, TIMES})
_YEARS, OLD = "#years", "#old"
_AGES_REACH = 2
_LISTING, _LIST_REACH = frozenset({",", ";", "and"}), 3
_DECADE = 9
_SCOPES = ("#total", "#home", "#abroad")
_BEST_MARKS = frozenset({"4", "5", "10", "20", "100"})

_FILLING_MARKS = frozenset("$£€₹(")
"""They may stand between a bound and its number."""

_BEFORE_MINUS = frozenset("(=:,[<>")

_FILLERS_REACH = 8
_NOUN_REACH, _MOST_NOUNS = 5, 3
_PLACE_REACH = 12
_IMPLIED_REACH = 25
_ENDS = frozenset(",.;()")

_COMPARING = frozenset({"more", "less", "as", "worse", "the"})
_EITHER = frozenset({"m", "M", "B"})
"""Million or metres, minutes; billion or bytes."""

_LONGEST_SUFFIX = 3
_DECADES_AFTER = frozenset({"her", "his", "their", "the", "early", "mid", "late", "-"})


@dataclass(frozen=True)
class Quantity:
    """A quantity in a text.

    Attributes:
        begin: Its first token; ``end`` is the one behind its last.
        low: The least it can be; ``high`` the most.
        first: The first token with what belongs to it, such as a currency; ``until`` is the one behind its unit.
        kind: COUNT, PERCENT, ``money usd``, ORDINAL, AGE (a 40-year-old man), ``/10`` for a rating out of ten, VERSION,
            PORT, STATUS, TIMES, what its unit measures, or ``?x`` for a suffix that is unknown. Kinds never meet.
        nouns: What stands directly behind it, without the unit.
        places: The places named behind it, up to the next number or comma.
        names: The names before it, down to the last number or comma.
        about: The words around it with their weights.
        unit: How many of the smallest units one is; ``low`` and ``high`` are in those.
        distance: The word that says how far from its bound it is, as the "just" of "just over 100".
        changed: Whether it tells by how much something has changed ("by"), what it was ("from"; of a range, what it has
            become, too) or what it has become ("to"), or how often it comes ("every").
        is_relative: Whether it is so many for each ("10 entries per user"), so many more or less, or a whole.
    """

    begin: int
    end: int
    value: float
    low: float
    high: float
    bound: Bound
    kind: str
    nouns: frozenset[str]
    places: frozenset[str]
    names: frozenset[str]
    about: Mapping[str, float] = field(hash=False)
    unit: float = 1.0
    first: int = 0
    until: int = 0
    distance: str = ""
    changed: Change = ""
    is_relative: bool = False

    @cached_property
    def scope(self) -> str:
        """The concept beside it that tells whether all are counted, or those here or elsewhere; empty for none."""
        return nearest_of(self.about, _SCOPES)

    @cached_property
    def magnitude(self) -> float:
        """Its order of magnitude."""
        return math.log10(abs(self.amount) + 1)

    @property
    def amount(self) -> float:
        """The value in the smallest unit of its kind, as ``low`` and ``high`` are."""
        return self.value * self.unit

    @property
    def is_money(self) -> bool:
        """Whether it is a price or a sum."""
        return self.kind.startswith(MONEY)

    @property
    def is_counted(self) -> bool:
        """Whether things or units are counted: it is no share, rank, price, rating or age."""
        return self.kind not in _UNCOUNTED and self.kind[0] not in "/?" and not self.is_money


def find_quantities(text: Text, taken: frozenset[int]) -> tuple[Quantity, ...]:
    """Every quantity of ``text`` that does not stand in ``taken``, where its dates are."""
    reader = _Reader(text, taken)
    begin = 0
    for place in text.places_of(lexicon(text.language).number_words):
        if place >= begin:
            begin = reader.read(place)
    return tuple(reader.found)


@dataclass(frozen=True)
class _Extent:
    """A number or a range of numbers, up to the token ``end``."""

    value: float
    high: float
    end: int
    kind: str
    unit: float = 1.0
    until: int = 0


class _Reader:
    def __init__(self, text: Text, taken: frozenset[int]) -> None:
        self._text = text
        self._taken = taken
        self._words = lexicon(text.language)
        self.found: list[Quantity] = []

    def read(self, place: int) -> int:
        """Read what stands at ``place``; the place to go on at."""
        if self._text.lowered[place] == "a" and self._text.lower(place + 1) not in self._words.scales:
            return place + 1  # it stands everywhere, and counts only in "a million"
        if place not in self._taken and (version := version_at(self._text, place, self._words)):
            self.found.append(self._of_version(place, version))
            return version.end
        if place in self._taken or (is_label(self._text, place, self._words) and not self._is_listed(place)):
            return place + 1
        numeral = self._numeral(place)
        if numeral is None or (numeral.value == 1 and self._is_article(place)):
            return place + 1
        if self._is_clock(place, numeral.end):
            return numeral.end + 2
        if self._is_negative(place):
            place, numeral = place - 1, replace(numeral, value=-numeral.value)
        quantity = self._quantity(place, self._extent(place, numeral))
        self.found.append(quantity)
        return max(quantity.end, quantity.until)  # of "1 second", the second is the unit

    def _is_negative(self, place: int) -> bool:
        """Whether a minus stands before the number: "-5", "x=-5", but not "pages 3-5"."""
        is_joined = self._text.is_glued(place - 1) and self._text.word(place - 2) not in _BEFORE_MINUS
        is_minus = self._text.word(place - 1) in DASHES and self._text.is_glued(place)
        return is_minus and not is_joined and is_digits(self._text.lowered[place])

    def _is_listed(self, place: int) -> bool:
        """Whether the number goes on with a list of counts: "Alden has 812 cases, Corby 455"."""
        name = place - 1
        while self._text.word(name)[:1].isupper():
            name -= 1
        if name == place - 1 or self._text.word(name) not in _LISTING or not self.found:
            return False
        last = self.found[-1]
        return (
            last.kind == COUNT and 0 <= name - last.end <= _LIST_REACH and self._text.is_one_sentence(last.end, place)
        )

    def _quantity(self, begin: int, extent: _Extent) -> Quantity:
        end = extent.end
        bound: Bound = "range" if extent.high > extent.value else _read_bound(self._text, begin, end, self._words)
        if extent.kind == ORDINAL and not bound and _is_only_limit(self._text, begin, self._words):
            bound = "~"
        nouns = self._nouns_behind(end)
        kind, unit, until = self._measure(begin, extent, nouns)
        if kind == COUNT and concepts().counted.isdisjoint(nouns):
            nouns += self._implied_nouns(begin, end)
        low, high = _interval(extent.value * unit, extent.high * unit, bound)
        places, names = self._places_behind(end), self._names_before(begin)
        about = surroundings(self._text, begin, end)
        first = begin - 1 if self._text.lower(begin - 1) in self._words.currencies else begin
        far = self._words.distance_before(self._text.lowered[max(0, first - _FILLERS_REACH) : first]) if bound else ""
        changed = self._change_before(first, bound)
        said = (extent.value, low, high, bound, kind, frozenset(nouns), places, names, about, unit)
        return Quantity(begin, end, *said, first, until, far, changed, self._is_relative(begin, until))

    def _change_before(self, place: int, bound: Bound) -> Change:
        return self._words.changes.get(self._text.lower(place - 1), "") if bound in {"", "range"} else ""

    def _is_relative(self, begin: int, end: int) -> bool:
        """Whether it is so many more or less, or what it is counted for each of stands behind it, before any mark."""
        if self._text.lower(end) in self._words.differences or is_whole(self._text, begin, self._words):
            return True
        for place in range(end, min(end + _PLACE_REACH, len(self._text.lowered))):
            word = self._text.lowered[place]
            if word in _ENDS or is_digits(word) or word in self._words.turns:
                return False
            if not self._words.rates.isdisjoint({(word,), (word, self._text.lower(place + 1))}):
                return True
        return False

    def _measure(self, begin: int, extent: _Extent, nouns: list[str]) -> tuple[str, float, int]:
        """The kind and the unit of a number, which is taken out of ``nouns``, and the place behind that."""
        kind = extent.kind
        if extent.until:
            return kind, extent.unit, extent.until
        end = self._behind_unit(extent.end, kind)
        if kind == COUNT and self._is_aged(begin):
            nouns[:] = [OLD]
            return *concepts().units[_YEARS], end
        if kind in {COUNT, AGE} and nouns and (measured := concepts().units.get(nouns[0])):
            del nouns[0]
            return (kind if kind == AGE else measured[0]), measured[1], self._behind_word(extent.end)
        if kind == COUNT and self._is_ratio(extent.end):
            return TIMES, 1.0, self._behind_word(extent.end)
        if kind == COUNT and (measured := self._unit_at(extent.end)):
            return *measured, self._behind_word(extent.end)
        if kind == COUNT and (named := self._named_kind(begin)):
            kind = named
        return kind, 1.0, end

    def _behind_word(self, end: int) -> int:
        return end + 2 if self._text.word(end) in DASHES else end + 1

    def _behind_unit(self, end: int, kind: str) -> int:
        if kind == PERCENT and (self._text.lower(end), self._text.lower(end + 1)) in self._words.percent:
            return end + 2
        is_money = kind.startswith(MONEY) and self._text.lower(end) in self._words.currencies
        return end + 1 if kind == PERCENT or is_money else end

    def _unit_at(self, end: int) -> tuple[str, float] | None:
        """What the word behind a number measures: "16 MB", "30 ms"."""
        word = self._text.word(end + 1 if self._text.word(end) in DASHES else end)
        return concepts().measures.get(word) or concepts().measures.get(word.lower())

    def _is_ratio(self, end: int) -> bool:
        """Whether it tells how many times as much: "3 times faster"."""
        follows = self._text.lower(end + 1)
        return self._text.lower(end) == "times" and (follows in _COMPARING or follows.endswith("er"))

    def _named_kind(self, begin: int) -> str:
        """PORT or STATUS where the word for it stands before the number."""
        before = (self._text.lower(begin - 1), self._text.lower(begin - 2))
        return next((kind for word in before if (kind := self._words.numbered.get(word))), "")

    def _of_version(self, place: int, version: Version) -> Quantity:
        first, end, *_, bound = version
        about, nothing = surroundings(self._text, first, end), frozenset[str]()
        said = (version.value, version.low, version.high, bound, VERSION, nothing, nothing, nothing, about)
        return Quantity(place, end, *said, first=first, until=end, changed=self._change_before(first, bound))

    def _is_aged(self, begin: int) -> bool:
        """Whether it tells years of age: "aged 17", "over the age of 17"."""
        lengths = range(1, _AGES_REACH + 1)
        return any(tuple(self._text.lowered[max(0, begin - length) : begin]) in self._words.ages for length in lengths)

    def _numeral(self, place: int) -> Numeral | None:
        if self._text.lowered[place] == "no":  # "no confirmed cases", but not "no doubt"
            is_none = not concepts().counted.isdisjoint(self._nouns_behind(place + 1))
            return Numeral(0, place + 1) if is_none else None
        return numeral_at(self._text.lowered, place, self._words, self._text.language)

    def _extent(self, place: int, numeral: Numeral) -> _Extent:
        value, end, kind = numeral.value, numeral.end, self._kind(place, numeral)
        found = None
        if kind == COUNT or kind.startswith(MONEY):
            found = self._range(place, numeral) or self._suffixed(place, numeral, kind)
        if kind == COUNT and not found:
            found = self._rating(value, end)
        return found or _Extent(value, value, end, kind)

    def _with_unit(self, wider: _Extent) -> _Extent:
        """The range with the unit that is glued to its end: "3 to 7x"."""
        measured = concepts().measures.get(self._text.word(wider.end)) if self._text.is_glued(wider.end) else None
        return replace(wider, kind=measured[0], unit=measured[1], until=wider.end + 1) if measured else wider

    def _suffixed(self, place: int, numeral: Numeral, kind: str) -> _Extent | None:
        """A number that letters are glued to: a scale ("645k"), a unit ("30ms"), or nobody knows what."""
        end, value = numeral.end, numeral.value
        suffix = self._text.word(end)
        if not suffix[:1].isalpha() or not self._text.is_glued(end) or not is_digits(self._text.written[end - 1]):
            return None
        is_noun = self._text.word(end + 1)[:1].islower() and self._text.lower(end + 1) not in self._words.small
        scale = self._words.suffixes.get(suffix)
        if scale and (suffix not in _EITHER or kind != COUNT or is_noun):
            return _Extent(value * scale, value * scale, end + 1, kind, 1.0, end + 1)
        if kind == COUNT and suffix == "s" and value % 10 == 0 and self._text.lower(place - 1) in _DECADES_AFTER:
            return _Extent(value, value + _DECADE, end + 1, kind)  # "in her 50s"
        if kind == COUNT and (measured := concepts().measures.get(suffix)):
            return _Extent(value, value, end, measured[0], measured[1], end + 1)
        is_word = len(suffix) > _LONGEST_SUFFIX  # "62,241fans" has lost a space
        return None if is_word else _Extent(value, value, end, f"?{suffix}", 1.0, end + 1)

    def _kind(self, place: int, numeral: Numeral) -> str:
        before, after = self._text.lower(place - 1), self._text.lower(numeral.end)
        if numeral.is_ordinal or before in {"thứ", "#"}:
            return ORDINAL
        if after in DASHES and self._text.lower(numeral.end + 3) == "old":
            return AGE
        following = (after, self._text.lower(numeral.end + 1))
        if following[:1] in self._words.percent or following in self._words.percent:
            return PERCENT
        if following == ("us", "dollars"):
            after = following[1]
        currency = self._words.currencies.get(before) or self._words.currencies.get(after)
        return f"{MONEY} {currency}" if currency else COUNT

    def _rating(self, value: float, end: int) -> _Extent | None:
        """A rating: "7/10", or "41 out of 100" where the whole is usually the best mark; its kind is ``/10``."""
        joint, whole = self._text.lower(end), digits_value(self._text.word(end + 1), self._text.language)
        if joint == "/" and whole:
            return _Extent(value, value, end + 2, f"/{whole:g}")
        best = self._text.word(end + 2)
        is_rating = (joint, self._text.lower(end + 1)) == ("out", "of") and best in _BEST_MARKS
        return _Extent(value, value, end + 3, f"/{best}") if is_rating else None

    def _range(self, place: int, numeral: Numeral) -> _Extent | None:
        joint = self._text.lower(numeral.end)
        before = place - 2 if self._text.word(place - 1) in _FILLING_MARKS else place - 1
        between = self._text.lower(before) in self._words.ranges_from and joint in self._words.ranges_to
        is_joined = between or joint in DASHES or joint in self._words.ranges_alone
        following = numeral.end + 1
        if self._text.word(following) in _FILLING_MARKS:
            following += 1  # "between £5 and £7"
        if not is_joined or following in self._taken:
            return None
        plain = digits_value(self._text.word(following), self._text.language)
        other = self._numeral(following) if plain else None
        if not plain or other is None or other.value <= numeral.value:
            return None
        scale = other.value / plain if numeral.value < plain else 1  # "30 to 50 thousand"
        return self._with_unit(_Extent(numeral.value * scale, other.value, other.end, self._kind(place, other)))

    def _is_clock(self, place: int, end: int) -> bool:
        is_colon = self._text.lower(end) == ":" and is_digits(self._text.lowered[place])
        return is_colon and self._text.word(end + 1).isdecimal()

    def _is_article(self, place: int) -> bool:
        if self._text.word(place).isdecimal():
            return False
        before, after = self._text.lower(place - 1), self._text.lower(place + 1)
        return after in self._words.articles_after or before in self._words.articles_before

    def _nouns_behind(self, begin: int) -> list[str]:
        """The concepts of the first words from ``begin`` on, up to a mark or another number."""
        nouns: list[str] = []
        for place in range(begin, min(begin + _NOUN_REACH, len(self._text.lowered))):
            word = self._text.lowered[place]
            if is_digits(word) and self._text.word(place - 1) in DASHES:
                continue  # COVID-19 cases
            if is_digits(word) or word in _ENDS or word in self._words.turns:
                break
            if word[0].isalpha() and word not in self._words.small:
                nouns.append(concept(word))
        return nouns[:_MOST_NOUNS]

    def _implied_nouns(self, begin: int, end: int) -> list[str]:
        """What is counted, where no noun stands behind the number: "90 cases, of which 30 were in Ohio"."""
        follows = self._text.lower(end)
        if follows.isalpha() and follows not in self._words.small:
            return []
        counted = concepts().counted
        for place in range(begin - 1, max(-1, begin - 1 - _IMPLIED_REACH), -1):
            if self._text.ends_sentence(place):
                break
            if (noun := concept(self._text.lowered[place])) in counted:
                return [noun]
        return []

    def _places_behind(self, begin: int) -> frozenset[str]:
        """The concepts of the places named from ``begin`` on, up to a mark or another number."""
        found: set[str] = set()
        is_place = False
        for place in range(begin, min(begin + _PLACE_REACH, len(self._text.lowered))):
            word = self._text.written[place]
            if word in _ENDS or is_digits(word):
                break
            if is_place and word[0].isupper() and len(word) > 1 and word.lower() not in self._words.months:
                found.add(concept(word.lower()))
            is_place = is_place or word in self._words.places_after
        return frozenset(found)

    def _names_before(self, begin: int) -> frozenset[str]:
        """The concepts of the names before ``begin``, down to a mark, another number or an "and"."""
        found: set[str] = set()
        for place in range(begin - 1, max(-1, begin - 1 - _PLACE_REACH), -1):
            word, lower = self._text.written[place], self._text.lowered[place]
            if word in _ENDS or is_digits(word) or lower in self._words.turns:
                break
            if word[0].isupper() and lower not in self._words.small and lower not in self._words.months:
                found.add(concept(lower))
        return frozenset(found)


def _read_bound(text: Text, begin: int, end: int, words: Lexicon) -> Bound:
    """What the words before or behind a number, the tokens from ``begin`` to before ``end``, make of it."""
    before = text.lowered[max(0, begin - _FILLERS_REACH) : begin]
    while True:
        if sign := words.bound_before(before):
            return sign
        last = before[-1] if before else ""
        if last not in words.fillers and last not in words.currencies and last not in _FILLING_MARKS:
            break
        before.pop()
    return _read_bound_behind(text, end, words)


def _read_bound_behind(text: Text, end: int, words: Lexicon) -> Bound:
    after = (text.lower(end), text.lower(end + 1))
    if sign := words.bounds_after.get(after) or words.bounds_after.get(after[:1]):
        return sign
    for place in range(end + 1, end + _MOST_NOUNS):  # "12 guests or more", but not "12 guests and later 3"
        is_noun = text.lower(place - 1).isalpha() or text.word(place - 1) == "%"
        if not is_noun or text.lower(place) in _LISTING:
            break
        if sign := words.bounds_after.get((text.lower(place), text.lower(place + 1))):
            return sign
    return ""


def _is_only_limit(text: Text, begin: int, words: Lexicon) -> bool:
    """Whether an ordinal is only what something else is held against: "before the fifth" is not the fifth."""
    before = text.lower(begin - 1)
    return (text.lower(begin - 2) if before in words.fillers else before) in words.relations


def _interval(low: float, high: float, bound: Bound) -> tuple[float, float]:
    match bound:
        case ">":
            return math.nextafter(low, math.inf), math.inf
        case ">=":
            return low, math.inf
        case "<":
            return -math.inf, math.nextafter(low, -math.inf)
        case "<=":
            return -math.inf, low
        case _:
            return low, high
