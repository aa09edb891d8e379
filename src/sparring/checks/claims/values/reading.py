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


def find_values(tokens: Tokens, words: Lexicon) -> tuple[Value, ...]:
    """Return the values of a stretch in order, at most ``_MOST_VALUES``; they never overlap."""
    known = words.value_words.intersection(tokens.lowered)
    starts = [
        at
        for at, word in enumerate(tokens.lowered)
        if "0" <= word[0] <= "9" or word in known or (word == "a" and known)
    ]
    reader, values, behind = _Reader(tokens, words), list[Value](), 0
    for at in starts[: 2 * _MOST_VALUES]:
        if at >= behind and len(values) < _MOST_VALUES and (value := reader.value_at(at, behind)):
            values.append(value)
            behind = value.end
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
        tokens, begin = self._tokens, core.begin
        sign, end = (core.sign, core.until) if core.sign else self._sign_behind(core)
        if core.kind == VERSION:
            while begin > behind and tokens.lower(begin - 1) in self._words.versions:
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
        for length in (2, 1):
            phrase = tuple(self._tokens.lowered[core.until : core.until + length])
            if sign := self._words.bounds_after.get(phrase):
                is_older = core.kind == VERSION and phrase[-1] in {"older", "earlier"}  # but a person is "17 or older"
                return "<=" if is_older else sign, core.until + len(phrase)  # which may be the last word
        return "", core.until

    def _sign_before(self, first: int, behind: int, table: Mapping[Phrase, Sign]) -> tuple[Sign, int]:
        """Return the bound in the words before ``first``, and its first token; "" and ``first`` if there is none."""
        lowered, words, at = self._tokens.lowered, self._words, first
        fillers = words.date_fillers if table is words.windows else words.fillers
        while at > max(behind, first - _REACH):
            longest = min(_LONGEST_PHRASE, at - behind) if lowered[at - 1] in words.bound_ends else 0
            for length in range(longest, 0, -1):
                if sign := table.get(tuple(lowered[at - length : at])):
                    is_denied = at - length > behind and lowered[at - length - 1] in words.negations and sign in _DENIED
                    return (_DENIED[sign], at - length - 1) if is_denied else (sign, at - length)
            if lowered[at - 1] not in fillers and lowered[at - 1] not in _FILLING_MARKS:
                break
            at -= 1
        return "", first

    # -- dates and versions

    def _date(self, at: int) -> _Core | None:
        date = date_at(self._tokens, at, self._words)
        return _Core(date.begin, date.begin, date.end, date.kind, date.first, date.last) if date else None

    def _version(self, at: int, behind: int) -> _Core | None:
        tokens, written = self._tokens, self._tokens.written[at]
        first = version_at(tokens, at, self._words) if is_digits(written) else None
        if first is None or first < behind:
            return None
        low, high = releases(written)
        return _Core(first, first, at + 1, VERSION, low, high, written)

    # -- numbers

    def _number(self, at: int, behind: int) -> _Core | None:
        tokens, words = self._tokens, self._words
        numeral = numeral_at(tokens.lowered, at, words)
        if numeral is None or (numeral.value == 1 and not is_digits(tokens.lowered[at])):
            return None
        if tokens.word(numeral.end) == ":" and tokens.word(numeral.end + 1).isdecimal():
            return None  # 10:30
        is_negative = self._is_negative(at, behind)
        core, low = (at - 1, -numeral.value) if is_negative else (at, numeral.value)
        end = numeral.end
        following = tuple(tokens.lowered[end : end + 2])
        if len(following) == 2 and (after := words.bounds_after.get(following)):  # "15 or more seconds"
            kind, unit, until, first = self._measure(core, end + 2, numeral, behind)
            if until > end + 2:
                return _Core(first, core, until, kind, low * unit, low * unit, tokens.written[at], after)
        kind, unit, until, first = self._measure(core, end, numeral, behind)
        return _Core(first, core, until, kind, low * unit, low * unit, tokens.written[at])

    def _is_negative(self, at: int, behind: int) -> bool:
        tokens = self._tokens
        is_minus = at > behind and tokens.word(at - 1) in DASHES and tokens.is_glued(at)
        return is_minus and (at == 1 or not tokens.is_glued(at - 1) or tokens.word(at - 2) in _BEFORE_MINUS)

    def _measure(self, core: int, end: int, numeral: Numeral, behind: int) -> tuple[str, float, int, int]:
        """Return kind, unit, the token after the unit, and the first token with a currency before the number."""
        tokens, words = self._tokens, self._words
        before, after = tokens.lower(core - 1) if core > behind else "", tokens.lower(end)
        if currency := words.currencies.get(before):
            first = core - 2 if core - 1 > behind and tokens.lower(core - 2) == "us" else core - 1
            is_scaled = tokens.word(end) in _SUFFIXES and tokens.is_glued(end)
            return f"{MONEY} {currency}", _SUFFIXES[tokens.word(end)] if is_scaled else 1.0, end + is_scaled, first
        if numeral.is_ordinal or before in {"#", "thứ"}:
            return ORDINAL, 1.0, end, core
        for length in (1, 2):
            if tuple(tokens.lowered[end : end + length]) in words.percent:
                return PERCENT, 1.0, end + length, core
        if currency := words.currencies.get(tokens.lower(end + 1) if after == "us" else after):
            return f"{MONEY} {currency}", 1.0, end + 1 + (after == "us"), core
        if after == "/" and tokens.is_glued(end) and (whole := digits_value(tokens.word(end + 1), words.decimal_mark)):
            return f"/{whole:g}", 1.0, end + 2, core
        return *self._unit(end), core

    def _unit(self, end: int) -> tuple[str, float, int]:
        tokens = self._tokens
        is_joined = tokens.word(end) in DASHES and tokens.is_glued(end) and tokens.is_glued(end + 1)
        place = end + is_joined
        word = tokens.word(place)
        if not word[:1].isalpha() and word[:1] != "µ":
            return COUNT, 1.0, end
        if word.lower() == "times":
            return TIMES, 1.0, place + 1
        is_glued = not is_joined and tokens.is_glued(end) and is_digits(tokens.written[end - 1])
        if is_glued and word in _SUFFIXES and (word not in _EITHER or self._is_noun(end + 1)):
            return COUNT, _SUFFIXES[word], end + 1
        if measured := units().get(word) or units().get(word.lower()):
            return *measured, place + 1
        return (f"?{word}", 1.0, end + 1) if is_glued and len(word) <= _LONGEST_SUFFIX else (COUNT, 1.0, end)

    def _is_noun(self, at: int) -> bool:
        return self._tokens.word(at)[:1].islower() and self._tokens.lower(at) not in self._words.functional
