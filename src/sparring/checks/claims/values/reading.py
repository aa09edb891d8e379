"""Find the values of a stretch of text: dates, versions, and numbers with units, scales, currencies and bounds."""

from collections.abc import Mapping
from typing import NamedTuple

from sparring.checks.claims.parsing.lexicon import Lexicon, Phrase, Sign, units
from sparring.checks.claims.parsing.tokens import DASHES, Tokens, is_digits
from sparring.checks.claims.values.dates import date_at
from sparring.checks.claims.values.numerals import Numeral, digits_value, numeral_at
from sparring.checks.claims.values.value import (
    COUNT,
    DATE,
    DAY,
    MONEY,
    ORDINAL,
    PERCENT,
    TIMES,
    VERSION,
    Value,
    interval,
)
from sparring.checks.claims.values.versions import releases, version_at

_DENIED: Mapping[Sign, Sign] = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "to": ">="}
"""Bounds after a "not": "not over 5", "not until 2019"."""

_OF_VERSIONS: Mapping[Sign, Sign] = {"since": ">=", "to": "<=", "=": "", "~": ""}
_REACH, _LONGEST_PHRASE = 6, 4
_SUFFIXES = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "bn": 1e9, "B": 1e9, "Mio": 1e6, "Mrd": 1e9}
_EITHER = frozenset("mMB")
"""Million or metres, minutes; billion or bytes."""

_LONGEST_SUFFIX = 3
_FILLING_MARKS = frozenset("$£€₹(")
_BEFORE_MINUS = frozenset("(=:,[<>`\"'")
_MOST_VALUES = 256
"""Values of one stretch; a stretch with more is a table."""


class _Core(NamedTuple):
    """A number or date without its bounds: from its currency at ``begin`` to before ``until``, after its unit."""

    begin: int
    core: int
    until: int
    kind: str
    low: float
    high: float
    written: str = ""
    sign: Sign = ""


class _Measure(NamedTuple):
    """The unit of a number: its kind, its size in the smallest unit of the kind, and the token after it.

    ``begin`` is the first token of the number, or of the currency before it.
    """

    kind: str
    factor: float
    until: int
    begin: int


def find_values(tokens: Tokens, words: Lexicon) -> tuple[Value, ...]:
    """Return the values of a stretch in order, at most ``_MOST_VALUES``; they never overlap."""
    known = words.value_words.intersection(tokens.lowered)
    starts: list[int] = []
    for at, word in enumerate(tokens.lowered):
        is_number = "0" <= word[0] <= "9" or word in known
        if is_number or (word == "a" and known):  # "a million"
            starts.append(at)
    reader = _Reader(tokens, words)
    values: list[Value] = []
    behind = 0
    for at in starts[: 2 * _MOST_VALUES]:
        if at < behind:
            continue  # a part of the value before it
        if value := reader.value_at(at, behind):
            values.append(value)
            behind = value.end
        if len(values) == _MOST_VALUES:
            break
    return tuple(values)


class _Reader:
    def __init__(self, tokens: Tokens, words: Lexicon) -> None:
        self._tokens, self._words = tokens, words

    def value_at(self, at: int, behind: int) -> Value | None:
        """Return the value that begins at ``at``; nothing before ``behind`` belongs to it."""
        core = self._date(at) or self._version(at, behind) or self._number(at, behind)
        return self._bounded(core, behind) if core else None

    # -- bounds of a value

    def _bounded(self, core: _Core, behind: int) -> Value:
        begin, end, sign = core.begin, core.until, core.sign
        if not sign:
            sign, end = self._sign_behind(core)
        if core.kind == VERSION:
            while begin > behind and self._tokens.lower(begin - 1) in self._words.versions:
                begin -= 1
        if not sign and core.kind in {DATE, DAY, VERSION}:
            sign, begin = self._sign_before(begin, behind, self._words.windows)
        if not sign and core.kind not in {DATE, DAY}:
            sign, begin = self._sign_before(begin, behind, self._words.bounds)
        if core.kind == VERSION:
            sign = _OF_VERSIONS.get(sign, sign)
        low, high = interval(core.low, core.high, sign)
        return Value(begin, end, core.core, core.until, core.kind, low, high, sign, core.low, core.written)

    def _sign_behind(self, core: _Core) -> tuple[Sign, int]:
        """Return the bound in the words after a value, and the token after it: "3 or more"."""
        for length in (2, 1):
            phrase = tuple(self._tokens.lowered[core.until : core.until + length])
            if sign := self._words.bounds_after.get(phrase):
                if core.kind == VERSION and phrase[-1] in {"older", "earlier"}:  # but a person is "17 or older"
                    sign = "<="
                return sign, core.until + len(phrase)  # the phrase is shorter at the end of the text
        return "", core.until

    def _sign_before(self, first: int, behind: int, table: Mapping[Phrase, Sign]) -> tuple[Sign, int]:
        """Return the bound in the words before ``first``, and its first token; "" and ``first`` if there is none."""
        lowered, words, at = self._tokens.lowered, self._words, first
        fillers = words.date_fillers if table is words.windows else words.fillers
        while at > max(behind, first - _REACH):
            longest = min(_LONGEST_PHRASE, at - behind) if lowered[at - 1] in words.bound_ends else 0
            for length in range(longest, 0, -1):
                begin = at - length
                sign = table.get(tuple(lowered[begin:at]))
                if sign and sign in _DENIED and begin > behind and lowered[begin - 1] in words.negations:
                    return _DENIED[sign], begin - 1  # "not over 5"
                if sign:
                    return sign, begin
            # Fillers may stand between the bound and the value: "at least another 5".
            if lowered[at - 1] not in fillers and lowered[at - 1] not in _FILLING_MARKS:
                break
            at -= 1
        return "", first

    # -- dates and versions

    def _date(self, at: int) -> _Core | None:
        date = date_at(self._tokens, at, self._words)
        return _Core(date.begin, date.begin, date.end, date.kind, date.first, date.last) if date else None

    def _version(self, at: int, behind: int) -> _Core | None:
        written = self._tokens.written[at]
        first = version_at(self._tokens, at, self._words) if is_digits(written) else None
        if first is None or first < behind:
            return None
        low, high = releases(written)
        return _Core(first, first, at + 1, VERSION, low, high, written)

    # -- numbers

    def _number(self, at: int, behind: int) -> _Core | None:
        tokens, words = self._tokens, self._words
        numeral = numeral_at(tokens.lowered, at, words)
        if numeral is None:
            return None
        if numeral.value == 1 and not is_digits(tokens.lowered[at]):
            return None  # "one" is mostly a pronoun
        if tokens.word(numeral.end) == ":" and tokens.word(numeral.end + 1).isdecimal():
            return None  # 10:30
        first, number = at, numeral.value
        if self._is_negative(at, behind):
            first, number = at - 1, -number
        # A bound may stand between a number and its unit: "15 or more seconds".
        sign: Sign = ""
        measure = self._measure(first, numeral.end, numeral, behind)
        bound = tuple(tokens.lowered[numeral.end : numeral.end + 2])
        if len(bound) == 2 and bound in words.bounds_after:
            behind_bound = self._measure(first, numeral.end + 2, numeral, behind)
            if behind_bound.until > numeral.end + 2:
                sign, measure = words.bounds_after[bound], behind_bound
        amount = number * measure.factor
        return _Core(measure.begin, first, measure.until, measure.kind, amount, amount, tokens.written[at], sign)

    def _is_negative(self, at: int, behind: int) -> bool:
        """Report whether the dash before a number is a minus: not in "5-6" and "top-10", but in "(-5" and "is -5"."""
        tokens = self._tokens
        is_minus = at > behind and tokens.word(at - 1) in DASHES and tokens.is_glued(at)
        if not is_minus:
            return False
        return at == 1 or not tokens.is_glued(at - 1) or tokens.word(at - 2) in _BEFORE_MINUS

    def _measure(self, core: int, end: int, numeral: Numeral, behind: int) -> _Measure:
        """Return the unit of the number from ``core`` to before ``end``."""
        tokens, words = self._tokens, self._words
        before = tokens.lower(core - 1) if core > behind else ""
        if currency := words.currencies.get(before):
            return self._price(currency, core, end, behind)
        if numeral.is_ordinal or before in {"#", "thứ"}:
            return _Measure(ORDINAL, 1.0, end, core)
        for length in (1, 2):  # "%", "per cent"
            if tuple(tokens.lowered[end : end + length]) in words.percent:
                return _Measure(PERCENT, 1.0, end + length, core)
        place = end + 1 if tokens.lower(end) == "us" else end  # "5 US dollars"
        if currency := words.currencies.get(tokens.lower(place)):
            return _Measure(f"{MONEY} {currency}", 1.0, place + 1, core)
        if tokens.lower(end) == "/" and tokens.is_glued(end):  # "8/10"
            whole = digits_value(tokens.word(end + 1), words.decimal_mark)
            if whole:
                return _Measure(f"/{whole:g}", 1.0, end + 2, core)
        return self._unit(core, end)

    def _price(self, currency: str, core: int, end: int, behind: int) -> _Measure:
        """Return the unit of a number after its currency: "$5", "US$5", "$5k"."""
        has_country = core - 1 > behind and self._tokens.lower(core - 2) == "us"
        begin = core - 2 if has_country else core - 1
        suffix = self._tokens.word(end) if self._tokens.is_glued(end) else ""
        if suffix in _SUFFIXES:
            return _Measure(f"{MONEY} {currency}", _SUFFIXES[suffix], end + 1, begin)
        return _Measure(f"{MONEY} {currency}", 1.0, end, begin)

    def _unit(self, core: int, end: int) -> _Measure:
        """Return the unit in the word at ``end``; COUNT, without that word, if it is none."""
        tokens = self._tokens
        is_hyphenated = tokens.word(end) in DASHES and tokens.is_glued(end) and tokens.is_glued(end + 1)
        place = end + 1 if is_hyphenated else end  # "5-minute"
        word = tokens.word(place)
        if not word[:1].isalpha() and word[:1] != "µ":
            return _Measure(COUNT, 1.0, end, core)
        if word.lower() == "times":
            return _Measure(TIMES, 1.0, place + 1, core)
        is_suffix = not is_hyphenated and tokens.is_glued(end) and is_digits(tokens.written[end - 1])
        # "5m users" are million, "5m" metres.
        if is_suffix and word in _SUFFIXES and (word not in _EITHER or self._is_noun(end + 1)):
            return _Measure(COUNT, _SUFFIXES[word], end + 1, core)
        if measured := units().get(word) or units().get(word.lower()):
            kind, factor = measured
            return _Measure(kind, factor, place + 1, core)
        if is_suffix and len(word) <= _LONGEST_SUFFIX:
            return _Measure(f"?{word}", 1.0, end + 1, core)  # a suffix that is not known
        return _Measure(COUNT, 1.0, end, core)

    def _is_noun(self, at: int) -> bool:
        return self._tokens.word(at)[:1].islower() and self._tokens.lower(at) not in self._words.functional
