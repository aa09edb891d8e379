"""Roman numerals, as they stand behind centuries and the names of kings."""

import re

_ROMAN = re.compile("(?=[XVI])(X{0,3})(IX|IV|V?I{0,3})")
_VALUES = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}


def roman_value(word: str) -> int | None:
    """What a numeral below forty in capital letters is worth; None for any other word."""
    match = _ROMAN.fullmatch(word)
    return 10 * len(match[1]) + _VALUES[match[2]] if match else None
