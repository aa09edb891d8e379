"""Numbers in digits and in words."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from sparring.checks.claims.parsing.lexicon import Lexicon
from sparring.checks.claims.parsing.tokens import is_digits

_ORDINAL_ENDING = re.compile(r"(?:st|nd|rd|th)$")
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_GROUPED = {
    ".": re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?"),  # in India also groups of two
    ",": re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?"),
}
_LONGEST = 18
"""Digits; a longer sequence is a name."""

_MOST_WORDS = 24
_LARGEST = 1e30


class Numeral(Struct, frozen=True):
    """A number and the token after it."""

    value: float
    end: int
    is_ordinal: bool = False


def digits_value(text: str, decimal_mark: str) -> float | None:
    """Return the number that digits represent with ``decimal_mark``; None if they are not a number.

    Without a decimal mark (the language is unknown) only digits without separators are a number.
    """
    digits = text.replace(" ", "").replace("_", "")
    if digits.isdecimal():
        return float(digits) if len(digits) <= _LONGEST else None
    digits = _ORDINAL_ENDING.sub("", digits)
    if not decimal_mark and not digits.isdecimal():
        return None
    grouped = _GROUPED.get(decimal_mark)
    if grouped and grouped.fullmatch(digits):
        digits = digits.replace("," if decimal_mark == "." else ".", "")
    if decimal_mark == "," and "." not in digits and digits.count(",") == 1:
        digits = digits.replace(",", ".")
    return float(digits) if len(digits) <= _LONGEST and _PLAIN.fullmatch(digits) else None


def numeral_at(tokens: Sequence[str], at: int, words: Lexicon) -> Numeral | None:
    """Return the number that begins at ``at``, with its scale ("5.65 million"); None if there is none.

    The ``tokens`` are in lower case.
    """
    value = _numeral(tokens, at, words)
    return value if value and value.value <= _LARGEST else None


def _numeral(tokens: Sequence[str], at: int, words: Lexicon) -> Numeral | None:
    first = tokens[at]
    if is_digits(first):
        value = digits_value(first, words.decimal_mark)
        if value is None:
            return None
        if first[-1].isalpha():  # "21st"
            return Numeral(value, at + 1, is_ordinal=True)
        return _scaled(value, tokens, at + 1, words.scales)
    if first in words.ordinals:
        return Numeral(words.ordinals[first], at + 1, is_ordinal=True)
    # Vietnamese numeral words often have another meaning: "năm" is a year, "ba" a father.
    return None if "tháng" in words.date_fillers else _in_words(tokens, at, words)


def _scaled(value: float, tokens: Sequence[str], at: int, scales: Mapping[str, int]) -> Numeral:
    end = min(at + _MOST_WORDS, len(tokens))
    while at < end and tokens[at] in scales:
        value *= scales[tokens[at]]
        at += 1
    return Numeral(value, at)


def _in_words(tokens: Sequence[str], at: int, words: Lexicon) -> Numeral | None:
    """Return "two hundred and five", "a million", "twenty-first"."""
    has_article = tokens[at] == "a" and at + 1 < len(tokens) and tokens[at + 1] in words.scales
    if not has_article and tokens[at] not in words.numerals:
        return None
    total = group = 0.0  # of "two thousand three hundred": the thousands, and the hundreds
    end = at + 1 if has_article else at
    last = min(at + _MOST_WORDS, len(tokens))
    while end < last:
        word = tokens[end]
        if word in words.numerals:
            group += words.numerals[word]
        elif word in words.scales:
            scale = words.scales[word]
            group = (group or 1) * scale
            if scale > 100:
                total, group = total + group, 0.0
        elif not _joins(tokens, end, words):
            break
        end += 1
    following = tokens[end] if end < len(tokens) else ""
    is_joined = tokens[end - 1] in {"-", "and"} or tokens[end - 1] in words.scales
    if following in words.ordinals and is_joined:
        return Numeral(total + group + words.ordinals[following], end + 1, is_ordinal=True)
    return Numeral(total + group, end)


def _joins(tokens: Sequence[str], at: int, words: Lexicon) -> bool:
    """Report whether a hyphen or "and" stands between two words of one number: "twenty-five", "hundred and five"."""
    if tokens[at] not in {"-", "and"} or at + 1 >= len(tokens):
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    if tokens[at] == "and":
        return before in words.scales and (after in words.numerals or after in words.ordinals)
    if after in words.numerals or after in words.scales:
        return True
    return after in words.ordinals and before in words.numerals
