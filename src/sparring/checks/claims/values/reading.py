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
    if known:
        known |= {"a"}  # as in "a hundred"
    starts = [at for at, word in enumerate(tokens.lowered) if "0" <= word[0] <= "9" or word in known]
    reader = _Reader(tokens, words)
    values: list[Value] = []
    behind = 0  # the token after the last value
    for at in starts[: 2 * _MOST_VALUES]:
        if at < behind:
            continue
        value = reader.value_at(at, behind)
        if value:
            values.append(value)
            behind = value.end
            if len(values) == _MOST_VALUES:
                break
    return tuple(values)


class _Reader:
    """Reads single values; ``behind`` is the first token that belongs to no earlier value."""

    def __init__(self, tokens: Tokens, words: Lexicon) -> None:
        self._tokens, self._words = tokens, words

    def value_at(self, at: int, behind: int) -> Value | None:
        """Return the value that begins at ``at``; nothing before ``behind`` belongs to it."""
        core = self._date(at) or self._version(at, behind) or self._number(at, behind)
        return self._bounded(core, behind) if core else None

    # -- bounds of a value

    def _bounded(self, core: _Core, behind: int) -> Value:
        """Return the value of ``core`` with the bound that stands after or before it, such as "at least"."""
        begin, end, sign = core.begin, core.until, core.sign
        is_version, is_date = core.kind == VERSION, core.kind in {DATE, DAY}
        if not sign:
            sign, end = self._sign_behind(core)
        if is_version:
            while begin > behind and self._tokens.lower(begin - 1) in self._words.versions:
                begin -= 1
        if not sign and (is_date or is_version):
            sign, begin = self._sign_before(begin, behind, self._words.windows)
        if not sign and not is_date:
            sign, begin = self._sign_before(begin, behind, self._words.bounds)
        if is_version:
            sign = _OF_VERSIONS.get(sign, sign)
        low, high = interval(core.low, core.high, sign)
        return Value(begin, end, core.core, core.until, core.kind, low, high, sign, core.low, core.written)

    def _sign_behind(self, core: _Core) -> tuple[Sign, int]:
        """Return the bound in the words after the value, and the token after it; "" if there is none."""
        for length in (2, 1):
            phrase = tuple(self._tokens.lowered[core.until : core.until + length])
            sign = self._words.bounds_after.get(phrase)
            if not sign:
                continue
            if core.kind == VERSION and phrase[-1] in {"older", "earlier"}:
                sign = "<="  # while "17 or older" of a person is at least 17
            return sign, core.until + len(phrase)  # at the end of the text a phrase may be shorter
        return "", core.until

    def _sign_before(self, first: int, behind: int, table: Mapping[Phrase, Sign]) -> tuple[Sign, int]:
        """Return the bound in the words before ``first``, and its first token; "" and ``first`` if there is none."""
        lowered, words = self._tokens.lowered, self._words
        fillers = words.date_fillers if table is words.windows else words.fillers
        end = first  # of the phrase: words such as "about" may stand between it and the value
        while end > max(behind, first - _REACH):
            longest = min(_LONGEST_PHRASE, end - behind) if lowered[end - 1] in words.bound_ends else 0
            for length in range(longest, 0, -1):
                begin = end - length
                sign = table.get(tuple(lowered[begin:end]))
                if not sign:
                    continue
                if sign in _DENIED and begin > behind and lowered[begin - 1] in words.negations:
                    return _DENIED[sign], begin - 1
                return sign, begin
            if lowered[end - 1] not in fillers and lowered[end - 1] not in _FILLING_MARKS:
                break
            end -= 1
        return "", first

    # -- dates and versions

    def _date(self, at: int) -> _Core | None:
        date = date_at(self._tokens, at, self._words)
        return _Core(date.begin, date.begin, date.end, date.kind, date.first, date.last) if date else None

    def _version(self, at: int, behind: int) -> _Core | None:
        written = self._tokens.written[at]
        if not is_digits(written):
            return None
        first = version_at(self._tokens, at, self._words)
        if first is None or first < behind:
            return None
        low, high = releases(written)
        return _Core(first, first, at + 1, VERSION, low, high, written)

    # -- numbers

    def _number(self, at: int, behind: int) -> _Core | None:
        tokens, words = self._tokens, self._words
        numeral = numeral_at(tokens.lowered, at, words)
        if numeral is None or (numeral.value == 1 and not is_digits(tokens.lowered[at])):  # "one" is mostly a pronoun
            return None
        end = numeral.end
        if tokens.word(end) == ":" and tokens.word(end + 1).isdecimal():
            return None  # 10:30
        core, amount = at, numeral.value
        if self._is_negative(at, behind):
            core, amount = at - 1, -amount
        following = tuple(tokens.lowered[end : end + 2])
        sign = words.bounds_after.get(following) if len(following) == 2 else None
        if sign:  # between the number and its unit: "15 or more seconds"
            kind, unit, until, first = self._measure(core, end + 2, numeral, behind)
            if until > end + 2:
                return _Core(first, core, until, kind, amount * unit, amount * unit, tokens.written[at], sign)
        kind, unit, until, first = self._measure(core, end, numeral, behind)
        return _Core(first, core, until, kind, amount * unit, amount * unit, tokens.written[at])

    def _is_negative(self, at: int, behind: int) -> bool:
        """Report whether a dash before the number is a minus, and joins it to no word before it."""
        tokens = self._tokens
        if at <= behind or tokens.word(at - 1) not in DASHES or not tokens.is_glued(at):
            return False
        return at == 1 or not tokens.is_glued(at - 1) or tokens.word(at - 2) in _BEFORE_MINUS

    def _measure(self, core: int, end: int, numeral: Numeral, behind: int) -> tuple[str, float, int, int]:
        """Return kind, unit, the token after the unit, and the first token with a currency before the number."""
        tokens, words = self._tokens, self._words
        before = tokens.lower(core - 1) if core > behind else ""
        after = tokens.lower(end)
        currency = words.currencies.get(before)
        if currency:
            has_country = core - 1 > behind and tokens.lower(core - 2) == "us"
            first = core - 2 if has_country else core - 1
            is_scaled = tokens.word(end) in _SUFFIXES and tokens.is_glued(end)  # $5M
            scale, until = (_SUFFIXES[tokens.word(end)], end + 1) if is_scaled else (1.0, end)
            return f"{MONEY} {currency}", scale, until, first
        if numeral.is_ordinal or before in {"#", "thứ"}:
            return ORDINAL, 1.0, end, core
        for length in (1, 2):
            if tuple(tokens.lowered[end : end + length]) in words.percent:
                return PERCENT, 1.0, end + length, core
        last = end + 1 if after == "us" else end
        currency = words.currencies.get(tokens.lower(last))
        if currency:
            return f"{MONEY} {currency}", 1.0, last + 1, core
        if after == "/" and tokens.is_glued(end):
            whole = digits_value(tokens.word(end + 1), words.decimal_mark)
            if whole:  # 3/4
                return f"/{whole:g}", 1.0, end + 2, core
        return *self._unit(end), core

    def _unit(self, end: int) -> tuple[str, float, int]:
        """Return kind, unit and the token after the unit; of a number without a unit the kind is COUNT."""
        tokens = self._tokens
        is_joined = tokens.word(end) in DASHES and tokens.is_glued(end) and tokens.is_glued(end + 1)  # 5-minute
        place = end + 1 if is_joined else end
        word = tokens.word(place)
        if not word[:1].isalpha() and word[:1] != "µ":
            return COUNT, 1.0, end
        if word.lower() == "times":
            return TIMES, 1.0, place + 1
        is_glued = not is_joined and tokens.is_glued(end) and is_digits(tokens.written[end - 1])
        if is_glued and word in _SUFFIXES and (word not in _EITHER or self._is_noun(end + 1)):
            return COUNT, _SUFFIXES[word], end + 1
        measured = units().get(word) or units().get(word.lower())
        if measured:
            return *measured, place + 1
        if is_glued and len(word) <= _LONGEST_SUFFIX:  # an unknown unit, which differs from all others
            return f"?{word}", 1.0, end + 1
        return COUNT, 1.0, end

    def _is_noun(self, at: int) -> bool:
        return self._tokens.word(at)[:1].islower() and self._tokens.lower(at) not in self._words.functional
