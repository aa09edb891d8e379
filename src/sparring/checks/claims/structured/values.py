"""Values of settings as written, all possible meanings of each, and the comparison of two of them."""

import re
from collections.abc import Iterator
from functools import lru_cache

from sparring.checks.claims.parsing.language import Language
from sparring.checks.claims.parsing.lexicon import lexicon, statement_words, units

SWITCH, NEED, NONE, COUNT, TEXT = "switch", "need", "none", "count", "text"

_SWITCHES = {
    **dict.fromkeys(("true", "yes", "on", "enabled", "active", "activated", "turned on", "switched on"), 1.0),
    **dict.fromkeys(("false", "no", "off", "disabled", "inactive", "deactivated", "turned off", "switched off"), 0.0),
}
_NEEDS = {
    **dict.fromkeys(("required", "mandatory", "obligatory", "compulsory", "necessary"), 1.0),
    **dict.fromkeys(("optional", "nullable", "omitted", "left out"), 0.0),
}
_NOTHING = frozenset(("none", "null", "nil", "unset", "empty", "nothing", "undefined", "~", ""))
_EMPTY = frozenset(("{}", "[]", "()"))
_NUMBER = re.compile(
    r"([+-]?(?:[0-9][0-9,_]{0,30}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})(?:e[+-]?[0-9]{1,3})?)[ \t]?([A-Za-zµ%]*)"
)
_MONEY = re.compile(r"([$€£])[ ]?([0-9][0-9,]{0,30}(?:\.[0-9]{1,30})?)([kKM]?)")
_DURATION = re.compile(r"(?:[0-9]{1,9}(?:ms|h|m|s|d)){2,9}")
_DURATION_PART = re.compile(r"([0-9]+)([a-z]+)")
_SUFFIXES = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "bn": 1e9, "B": 1e9, "G": 1e9}
_SIZES = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9}
_QUOTES = "`'\" \t*"
_MARKED = re.compile(r"[\"'`].*[\"'`]|.*`.*`.*")

Readings = frozenset[tuple[str, float | str]]


def is_marked(value: str) -> bool:
    """Report whether a value is quoted or in backticks, and so is meant literally."""
    return bool(_MARKED.fullmatch(value.strip()))


@lru_cache(maxsize=1 << 12)
def readings(value: str, unit: str = "") -> Readings:
    """Return all possible meanings of a value, as pairs of kind and amount: ``10m`` is ten minutes or ten million."""
    bare = value.strip(_QUOTES).rstrip(".;")
    lower = bare.lower()
    for kind, words in ((SWITCH, _SWITCHES), (NEED, _NEEDS)):
        if lower in words:
            return frozenset({(kind, words[lower])})
    if lower in _NOTHING or bare in _EMPTY:
        return frozenset({(NONE, bare if bare in _EMPTY else "")})
    numbers = {*_numbers_in(bare)}
    plain = next((float(amount) for kind, amount in numbers if kind == COUNT), None)
    if unit and plain is not None:
        numbers |= {each for each in _numbers(plain, unit) if each[0] != COUNT}
    return frozenset(numbers) or frozenset({(TEXT, bare)})


def _numbers_in(bare: str) -> Iterator[tuple[str, float | str]]:
    if match := _MONEY.fullmatch(bare):
        yield f"money {match[1]}", _number(match[2]) * _SUFFIXES.get(match[3], 1)
    elif match := _NUMBER.fullmatch(bare):
        yield from _numbers(_number(match[1]), match[2])
    elif _DURATION.fullmatch(bare):  # 5m0s
        parts = (_numbers(int(number), unit) for number, unit in _DURATION_PART.findall(bare))
        yield "time", sum(amount for part in parts for kind, amount in part if kind == "time")
    else:
        yield from _in_words(bare.lower().split())


def _number(digits: str) -> float:
    """Return a number; for whole numbers every digit is significant."""
    plain = digits.replace(",", "").replace("_", "")
    return int(plain) if plain.lstrip("+-").isdecimal() else float(plain)


def _in_words(words: list[str]) -> Iterator[tuple[str, float | str]]:
    """Yield "two", "30 thousand", "10 million bytes"."""
    english = lexicon(Language.ENGLISH)
    if not words or len(words) > 3:
        return
    match = _NUMBER.fullmatch(words[0])
    if words[0] not in english.numerals and not (match and not match[2]):
        return
    number = float(english.numerals[words[0]]) if words[0] in english.numerals else _number(words[0])
    if len(words) < 3:
        yield from _numbers(number, words[1] if len(words) == 2 else "")
    elif words[1] in english.scales:
        yield from _numbers(number * english.scales[words[1]], words[2])


def _numbers(number: float, suffix: str) -> Iterator[tuple[str, float]]:
    scales = lexicon(Language.ENGLISH).scales
    if not suffix:
        yield COUNT, number
    if suffix in _SUFFIXES:
        yield COUNT, number * _SUFFIXES[suffix]
    if suffix in _SIZES:
        yield "size", number * _SIZES[suffix]
    if suffix.lower() in scales:
        yield COUNT, number * scales[suffix.lower()]
    if suffix in {"%", "percent"}:
        yield "percent", number
    if suffix == "m":
        yield "time", number * 60
    if measured := units().get(suffix) or units().get(suffix.lower()):
        yield measured[0], round(number * measured[1], 9)


def differ_in_unit_alone(one: str, other: str) -> bool:
    """Report whether only one of two equal numbers has a unit or scale: "5" and ``5m`` may have the same meaning."""
    ours = _NUMBER.fullmatch(one.strip(_QUOTES).rstrip(".;"))
    theirs = _NUMBER.fullmatch(other.strip(_QUOTES).rstrip(".;"))
    if not ours or not theirs or ours[1] != theirs[1]:
        return False
    return bool(ours[2]) != bool(theirs[2])


def switched_alike(one: Readings, other: Readings) -> bool | None:
    """Compare a switch, or an empty value, with a number: ``DEBUG=0`` is off; None for a number like 5, or 5 hours."""
    ours = {amount for kind, amount in one if kind in {SWITCH, COUNT}}
    theirs = {amount for kind, amount in other if kind in {SWITCH, COUNT}}
    if not ours or not theirs:
        return False if {NONE, TEXT} & {kind for kind, _ in one | other} else None
    if (ours | theirs) - {0, 1}:
        return None
    return not ours.isdisjoint(theirs)


# -- types and versions

_TYPES = {
    **dict.fromkeys(("integer", "int", "ints"), "int"),
    "number": "number",
    "date": "date",
    **dict.fromkeys(("float", "double"), "float"),
    **dict.fromkeys(("str", "string", "text"), "str"),
    **dict.fromkeys(("bool", "boolean"), "bool"),
    **dict.fromkeys(("list", "array"), "list"),
    **dict.fromkeys(("dict", "dictionary", "object", "map", "mapping"), "dict"),
}
_VERSION = re.compile(r"v?\d{1,9}(?:\.\d{1,9})*")
_REQUIREMENT = re.compile(
    r"(?<![\w.-])(?P<sign>===?|~=|>=|<=|>|<|\^|~)?\s*v?(?P<version>\d{1,9}(?:\.\d{1,9})*)(?:\.\*)?"
)


def is_type(word: str) -> bool:
    """Report whether a word names a plain type."""
    return word.lower() in _TYPES


def same_type(claimed: str, stated: str) -> bool | None:
    """Report whether two texts name the same type; None if one of them is no plain name of a type."""
    one, other = _type_names(claimed), _type_names(stated)
    if one == other:
        return True
    if not one or not other or (len(one) > 1 and not is_marked(claimed)):
        return None
    if "number" in one | other and one | other <= {"number", "int", "float"}:
        return None
    is_name = is_marked(claimed) or claimed[:1].isupper() or one | other <= {*_TYPES.values()}
    return False if is_name else None


def _type_names(text: str) -> set[str]:
    words: list[str] = re.findall(r"\w+", text.lower())
    return {_TYPES.get(word, word) for word in words} - {"a", "an", "optional", "none"}


_NOT_OF_LICENCE = frozenset(("license", "licence", "the", "version", "v"))


def same_licence(claimed: str, stated: str) -> bool | None:
    """Report whether two texts name the same licence; None if one may be a shorter name of the other."""
    one, other = _licence_words(claimed), _licence_words(stated)
    if one == other:
        return True
    is_name = any(map(str.isupper, claimed)) or any(map(str.isdigit, claimed))
    if not is_name or not one or not other:
        return None
    if not any(map(str.isalpha, one & other)):
        return False
    # GPL-2.0-only is not GPL-3.0-only, while "BSD-like" may be BSD-3-Clause.
    differ_in_words = any(map(str.isalpha, one ^ other))
    return None if differ_in_words or one < other or other < one else False


def _licence_words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+|\d+(?:\.[1-9]\d*)*", text.lower())) - _NOT_OF_LICENCE


def same_release(claimed: str, stated: str, *, or_later: bool) -> bool | None:
    """Report whether two releases are equal, or with ``or_later`` whether the first includes changes of the second."""
    value = claimed.strip("`\"' ").rstrip(".").removeprefix("version ").removesuffix("+")
    if not _VERSION.fullmatch(value) or not _VERSION.fullmatch(stated):
        return None
    return _parts(value) >= _parts(stated) if or_later else _parts(value) == _parts(stated)


def same_versions(claimed: str, stated: str, context: frozenset[str]) -> bool | None:
    """Compare a version with a requirement such as ``>=1.2``; ``context`` has the words around the claimed one."""
    names = set(re.findall(r"[a-z]{2,}", _REQUIREMENT.sub("", claimed.lower()))) - statement_words("of_versions")
    if "!=" in claimed or names:  # "Python 3.9" is not a version of pytest
        return None
    stated = ",".join(part for part in stated.split(",") if "!=" not in part)
    wanted = [*_REQUIREMENT.finditer(claimed)]
    requirements = [*_REQUIREMENT.finditer(stated)]
    if len(wanted) != 1 or not requirements:
        return None
    sign = wanted[0]["sign"] or ""
    if not sign and (context & statement_words("later") or "+" in claimed):
        sign = ">="
    elif not sign and context & statement_words("earlier"):
        sign = "<="
    if set(sign) == {"="}:  # no sign means equality
        sign = ""
    version = _parts(wanted[0]["version"])
    others: list[tuple[str, tuple[int, ...]]] = []
    for match in requirements:
        other_sign = (match["sign"] or "").removeprefix("===").removeprefix("==")
        others.append((other_sign, _parts(match["version"])))
    if (sign, version) in others and (len(others) == 1 or sign):
        return True
    if len(others) > 1:
        return None
    ((other_sign, other_version),) = others
    if sign == other_sign:
        return False
    is_least = not sign and other_sign == ">=" and context & statement_words("requiring")
    return version == other_version if is_least else None


def _parts(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.removeprefix("v").split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)
