"""Numbers in digits and in words, and versions as intervals.

A version is "3.11 or later", "^1.2", ">= 3" or "before version 4"; "3.11" is every release of it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sparring.checks.claims.lexicon import Bound, Lexicon, bounding_words
from sparring.checks.claims.tokens import DASHES, Language, Text, is_digits

_ORDINAL_ENDING = re.compile(r"(?:st|nd|rd|th)$")
_POINTS_GROUP = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_COMMAS_GROUP = re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?")  # in India by two, too
_CUT_GROUP = re.compile(r"[0-9]{3},[0-9]{2}")
_LONGEST = 18
_MOST_WORDS = 24
"""Tokens of a number in words; what goes on longer is a list."""

_LARGEST = 1e30
"""A larger one is no number of anything."""

_AND_A_HALF = "rưỡi"


@dataclass(frozen=True)
class Numeral:
    """A number and the place behind it, in tokens."""

    value: float
    end: int
    is_ordinal: bool = False


def numeral_at(tokens: Sequence[str], place: int, words: Lexicon, language: Language) -> Numeral | None:
    """The number that begins at ``place``, with its scale ("5.65 million"); None where there is none.

    The ``tokens`` are in small letters.
    """
    found = _numeral(tokens, place, words, language)
    return found if found and found.value <= _LARGEST else None


def _numeral(tokens: Sequence[str], place: int, words: Lexicon, language: Language) -> Numeral | None:
    first = tokens[place]
    if is_digits(first):
        return _written(tokens, place, words, language)
    if first in words.ordinals:
        return Numeral(words.ordinals[first], place + 1, is_ordinal=True)
    if language is Language.VIETNAMESE:
        return _vietnamese(tokens, place, words)
    if first == "half" and tokens[place + 1 : place + 2] == ["a"]:
        whole = _english_from(tokens, place + 1, words)
        return replace(whole, value=whole.value / 2) if whole else None
    return _english_from(tokens, place, words)


def _english_from(tokens: Sequence[str], place: int, words: Lexicon) -> Numeral | None:
    is_one = tokens[place] == "a" and place + 1 < len(tokens) and tokens[place + 1] in words.scales  # "a million"
    return _english(tokens, place + is_one, words) if is_one or tokens[place] in words.numerals else None


def digits_value(text: str, language: Language) -> float | None:
    """What digits mean: in English a comma groups and a point divides, in Vietnamese it is the other way round."""
    bare = _ORDINAL_ENDING.sub("", text).replace(" ", "").replace("_", "")
    if language is Language.VIETNAMESE:
        if _POINTS_GROUP.fullmatch(bare):
            bare = bare.replace(".", "")
        bare = bare.replace(",", ".") if bare.count(",") == 1 else bare.replace(",", "")
    else:
        if _CUT_GROUP.fullmatch(bare):
            bare += "0"  # "900,00" is nine hundred thousand with a digit lost
        if _COMMAS_GROUP.fullmatch(bare):
            bare = bare.replace(",", "")
    # Longer ones name something; "1.2.3" is a version.
    return float(bare) if len(bare) <= _LONGEST and _PLAIN.fullmatch(bare) else None


def _written(tokens: Sequence[str], place: int, words: Lexicon, language: Language) -> Numeral | None:
    value = digits_value(tokens[place], language)
    if value is None:
        return None
    if _ORDINAL_ENDING.search(tokens[place]):
        return Numeral(value, place + 1, is_ordinal=True)
    return _scaled(value, tokens, place + 1, words.scales)


def _scaled(value: float, tokens: Sequence[str], place: int, scales: Mapping[str, int]) -> Numeral:
    end = min(place + _MOST_WORDS, len(tokens))
    while place < end and tokens[place] in scales:
        value *= scales[tokens[place]]
        place += 1
    if tokens[place : place + 1] == [_AND_A_HALF] and tokens[place - 1] in scales:
        return Numeral(value + scales[tokens[place - 1]] / 2, place + 1)
    return Numeral(value, place)


def _english(tokens: Sequence[str], place: int, words: Lexicon) -> Numeral:
    total = current = 0.0
    end, last = place, min(place + _MOST_WORDS, len(tokens))
    while end < last:
        word = tokens[end]
        if word in words.numerals:
            current += words.numerals[word]
        elif word in words.scales:
            scale = words.scales[word]
            current = (current or 1) * scale
            if scale > 100:
                total, current = total + current, 0.0
        elif not _joins(tokens, end, words):
            break
        end += 1
    value = total + current
    if end < len(tokens) and tokens[end] in words.ordinals and _may_end(tokens[end - 1], words):
        return Numeral(value + words.ordinals[tokens[end]], end + 1, is_ordinal=True)
    return Numeral(value, end)


def _may_end(before: str, words: Lexicon) -> bool:
    """Whether an ordinal behind it ends the number: "twenty-first", "one hundred and first"."""
    return before in {"-", "and"} or before in words.scales


def _joins(tokens: Sequence[str], place: int, words: Lexicon) -> bool:
    """Whether a hyphen or "and" stands between two words of one number."""
    if tokens[place] not in {"-", "and"} or place + 1 >= len(tokens):
        return False
    before, after = tokens[place - 1], tokens[place + 1]
    if tokens[place] == "-":
        return (
            after in words.numerals or after in words.scales or (after in words.ordinals and before in words.numerals)
        )
    return before in words.scales and (after in words.numerals or after in words.ordinals)


def _vietnamese(tokens: Sequence[str], place: int, words: Lexicon) -> Numeral | None:
    # A single numeral word is too often something else: "năm" is a year, "ba" a father, "một" an article.
    following = tokens[place + 1] if place + 1 < len(tokens) else ""
    first = tokens[place]
    if first not in words.numerals or (first != "mười" and following not in words.scales):
        return None
    total = current = 0.0
    end, last = place, ""
    while end < min(place + _MOST_WORDS, len(tokens)):
        word = tokens[end]
        if word in words.scales:
            scale = words.scales[word]
            # "hai trăm ba mươi": only the last digit is multiplied by ten
            said = current if current or last in words.numerals else 1  # "không trăm" is none
            current = current + (current % 10) * (scale - 1) if scale == 10 else said * scale
            if scale > 100:
                total, current = total + current, 0.0
        elif word in words.numerals and not (last in words.numerals and last != "mười"):
            if word == "năm" and (last in {"mười", "mươi"} or (end + 1 < len(tokens) and is_digits(tokens[end + 1]))):
                break  # a year; behind ten, five is "lăm"
            current += words.numerals[word]
        elif word == _AND_A_HALF and last in words.scales:
            return Numeral(total + current + words.scales[last] / 2, end + 1)
        elif word not in {"lẻ", "linh"}:
            break
        last = word
        end += 1
    return Numeral(total + current, end)


_VERSION = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}){0,3}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_SURELY = 2
"""Points that no number has."""

_PARTS, _PER_PART = 4, 10_000
_BOUND_REACH = 4
_NONE_BEFORE = frozenset({"/", "%"})
_SAME_MAJOR = "^"
_MARKS = frozenset("<>=^")
_EARLIER = frozenset({"older", "earlier"})
_SIGNS: Mapping[str, Bound] = {">=": ">=", ">": ">", "<=": "<=", "<": "<", _SAME_MAJOR: "range"}


class Version(NamedTuple):
    """A version at a token; ``first`` is the token with the "v" of it, ``value`` its first release.

    ``end`` is the token behind it, or behind the other end of "3.8 to 3.12".
    """

    first: int
    end: int
    value: float
    low: float
    high: float
    bound: Bound


def version_at(text: Text, place: int, words: Lexicon) -> Version | None:
    """The version at ``place``: of several parts, or told as one; None where there is none."""
    written = text.written[place]
    if not _VERSION.fullmatch(written) or text.word(place + 1) in _NONE_BEFORE:
        return None
    if text.language is Language.VIETNAMESE and _GROUPED.fullmatch(written):
        return None
    is_marked = text.lower(place - 1) == "v" and text.is_glued(place)
    is_said = is_marked or _is_called_one(text, place, words) or _is_release(text, place, words)
    if written.count(".") < _SURELY and not is_said:
        return None
    first = place - 1 if is_marked else place
    low = _releases(written)[0]
    if other := _other_end(text, first, place, words):
        return Version(first, place + 3, low, low, _releases(other)[1], "range")
    bound = _read_bound(text, first, place + 1, words)
    return Version(first, place + 1, low, *_interval(written, bound), bound)


def _other_end(text: Text, first: int, place: int, words: Lexicon) -> str:
    """The version up to which a range reaches: "3.8 to 3.12", "between 3.8 and 3.12"; empty where there is none."""
    joint, other = text.lower(place + 1), text.word(place + 2)
    is_begun = text.lower(first - 1) in words.ranges_from and joint in words.ranges_to
    is_range = is_begun or joint in DASHES or joint in words.ranges_alone
    is_later = bool(_VERSION.fullmatch(other)) and "." in other and _releases(other)[0] > _releases(text.word(place))[0]
    return other if is_range and is_later else ""


def _is_called_one(text: Text, place: int, words: Lexicon) -> bool:
    before = place - 1
    while text.word(before) in _MARKS:
        before -= 1
    return text.lower(before) in words.versions


def _is_release(text: Text, place: int, words: Lexicon) -> bool:
    """Whether it is told like one: "3.11 or later", "Python 3.11"."""
    follows, name = text.lower(place + 1), place - 1
    if (follows, text.lower(place + 2)) in words.releases:
        return True
    while place - name <= _BOUND_REACH and text.lower(name) in bounding_words(text.language):
        name -= 1  # "Python at least 3.11"
    before, lower = text.word(name), text.lower(name)
    is_name = before[:1].isupper() and lower not in words.plain_capitals and lower not in words.months
    is_counted = follows in words.scales or follows in words.currencies
    is_noun = follows[:1].isalpha() and follows not in words.small
    return text.written[place].count(".") == 1 and is_name and not is_counted and not is_noun


def _read_bound(text: Text, begin: int, end: int, words: Lexicon) -> Bound:
    after = (text.lower(end), text.lower(end + 1))
    if after in words.releases and after[1] in _EARLIER:
        return "<="  # who is "17 or older" is no version
    if sign := words.bounds_after.get(after) or words.bounds_after.get(after[:1]):
        return sign
    before = tuple(text.lowered[max(0, begin - _BOUND_REACH) : begin])
    while before and before[-1] in words.versions:
        before = before[:-1]
    if sign := _SIGNS.get("".join(before[-2:])) or _SIGNS.get("".join(before[-1:])):
        return sign
    return _bound_of(before, words)


def _bound_of(before: Sequence[str], words: Lexicon) -> Bound:
    window = words.window_before(before)  # first: who is "older than 17" is no version
    if window == "since":
        return ">="
    if window == "<" or window == "<=" or window == ">" or window == ">=":  # noqa: PLR1714 -- so that the type is narrowed
        return window
    return words.bound_before(before)


def _releases(written: str) -> tuple[int, int]:
    """The first and the last release that a version names, as numbers in their order."""
    parts = [int(part) for part in written.split(".")]
    missing = _PARTS - len(parts)
    return _ordered([*parts, *[0] * missing]), _ordered([*parts, *[_PER_PART - 1] * missing])


def _ordered(parts: Sequence[int]) -> int:
    number = 0
    for part in parts:
        number = number * _PER_PART + min(part, _PER_PART - 1)
    return number


def _interval(written: str, bound: Bound) -> tuple[float, float]:
    low, high = _releases(written)
    match bound:
        case ">":
            return high + 1, math.inf
        case ">=":
            return low, math.inf
        case "<":
            return -math.inf, low - 1
        case "<=":
            return -math.inf, high
        case "range":
            return low, _releases(written.partition(".")[0])[1]
        case _:
            return low, high
