"""Numbers, in digits and in words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparring.checks.claims.lexicon import Lexicon
from sparring.checks.claims.tokens import Language, Token

_ORDINAL_ENDING = re.compile(r"(?:st|nd|rd|th)$")
_POINTS_GROUP = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_CUT_GROUP = re.compile(r"[0-9]{3},[0-9]{2}")
_LONGEST = 18


@dataclass(frozen=True)
class Numeral:
    """A number and the place behind it, in tokens."""

    value: float
    end: int
    is_ordinal: bool = False


def numeral_at(tokens: Sequence[Token], place: int, words: Lexicon, language: Language) -> Numeral | None:
    """The number that begins at ``place``, with its scale ("5.65 million"); None where there is none."""
    token = tokens[place]
    if token.is_digits:
        return _written(tokens, place, words, language)
    if token.lower in words.ordinals:
        return Numeral(words.ordinals[token.lower], place + 1, is_ordinal=True)
    if language is Language.VIETNAMESE:
        return _vietnamese(tokens, place, words)
    is_one = token.lower == "a" and place + 1 < len(tokens) and tokens[place + 1].lower in words.scales  # "a million"
    return _english(tokens, place + is_one, words) if is_one or token.lower in words.numerals else None


def digits_value(text: str, language: Language) -> float | None:
    """What digits mean: in English a comma groups and a point divides, in Vietnamese it is the other way round."""
    bare = _ORDINAL_ENDING.sub("", text).replace(" ", "")
    if language is Language.VIETNAMESE:
        if _POINTS_GROUP.fullmatch(bare):
            bare = bare.replace(".", "")
        bare = bare.replace(",", ".") if bare.count(",") == 1 else bare.replace(",", "")
    else:
        if _CUT_GROUP.fullmatch(bare):
            bare += "0"  # "900,00" is nine hundred thousand with a digit lost
        bare = bare.replace(",", "")
    # Longer ones name something; "1.2.3" is a version.
    return float(bare) if len(bare) <= _LONGEST and _PLAIN.fullmatch(bare) else None


def _written(tokens: Sequence[Token], place: int, words: Lexicon, language: Language) -> Numeral | None:
    value = digits_value(tokens[place].text, language)
    if value is None:
        return None
    if _ORDINAL_ENDING.search(tokens[place].lower):
        return Numeral(value, place + 1, is_ordinal=True)
    return _scaled(value, tokens, place + 1, words.scales)


def _scaled(value: float, tokens: Sequence[Token], place: int, scales: Mapping[str, int]) -> Numeral:
    while place < len(tokens) and tokens[place].lower in scales:
        value *= scales[tokens[place].lower]
        place += 1
    return Numeral(value, place)


def _english(tokens: Sequence[Token], place: int, words: Lexicon) -> Numeral:
    total = current = 0.0
    end = place
    while end < len(tokens):
        word = tokens[end].lower
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
    if end < len(tokens) and tokens[end].lower in words.ordinals and tokens[end - 1].text == "-":
        return Numeral(value + words.ordinals[tokens[end].lower], end + 1, is_ordinal=True)
    return Numeral(value, end)


def _joins(tokens: Sequence[Token], place: int, words: Lexicon) -> bool:
    """Whether a hyphen or "and" stands between two words of one number."""
    if tokens[place].lower not in {"-", "and"} or place + 1 >= len(tokens):
        return False
    before, after = tokens[place - 1].lower, tokens[place + 1].lower
    if tokens[place].text == "-":
        return (
            after in words.numerals or after in words.scales or (after in words.ordinals and before in words.numerals)
        )
    return before in words.scales and after in words.numerals


def _vietnamese(tokens: Sequence[Token], place: int, words: Lexicon) -> Numeral | None:
    # A single numeral word is too often something else: "năm" is a year, "ba" a father, "một" an article.
    following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    first = tokens[place].lower
    if first not in words.numerals or (first != "mười" and following not in words.scales):
        return None
    total = current = 0.0
    end, last = place, ""
    while end < len(tokens):
        word = tokens[end].lower
        if word in words.scales:
            scale = words.scales[word]
            # "hai trăm ba mươi": only the last digit is multiplied by ten
            said = current if current or last in words.numerals else 1  # "không trăm" is none
            current = current + (current % 10) * (scale - 1) if scale == 10 else said * scale
            if scale > 100:
                total, current = total + current, 0.0
        elif word in words.numerals and not (last in words.numerals and last != "mười"):
            if word == "năm" and (last in {"mười", "mươi"} or (end + 1 < len(tokens) and tokens[end + 1].is_digits)):
                break  # a year; behind ten, five is "lăm"
            current += words.numerals[word]
        elif word not in {"lẻ", "linh"}:
            break
        last = word
        end += 1
    return Numeral(total + current, end)
