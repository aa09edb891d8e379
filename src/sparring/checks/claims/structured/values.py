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
    if lower in _SWITCHES:
        return frozenset({(SWITCH, _SWITCHES[lower])})
    if lower in _NEEDS:
        return frozenset({(NEED, _NEEDS[lower])})
    if bare in _EMPTY:
        return frozenset({(NONE, bare)})
    if lower in _NOTHING:
        return frozenset({(NONE, "")})
    meanings = {*_numbers_in(bare)}
    counts = [float(amount) for kind, amount in meanings if kind == COUNT]
    if unit and counts:  # a unit next to the value: "30" with the comment "seconds"
        meanings.update(each for each in _numbers(counts[0], unit) if each[0] != COUNT)
    return frozenset(meanings) or frozenset({(TEXT, bare)})


def _numbers_in(bare: str) -> Iterator[tuple[str, float | str]]:
    if match := _MONEY.fullmatch(bare):
        yield f"money {match[1]}", _number(match[2]) * _SUFFIXES.get(match[3], 1)
    elif match := _NUMBER.fullmatch(bare):
        yield from _numbers(_number(match[1]), match[2])
    elif _DURATION.fullmatch(bare):  # 5m0s
        seconds = 0.0
        for number, unit in _DURATION_PART.findall(bare):
            seconds += sum(amount for kind, amount in _numbers(int(number), unit) if kind == "time")
        yield "time", seconds
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
    first, *behind = words
    if first in english.numerals:
        number = float(english.numerals[first])
    else:
        match = _NUMBER.fullmatch(first)
        if match is None or match[2]:
            return
        number = _number(first)
    if len(behind) < 2:
        yield from _numbers(number, behind[0] if behind else "")
    elif behind[0] in english.scales:
        yield from _numbers(number * english.scales[behind[0]], behind[1])


def _numbers(number: float, suffix: str) -> Iterator[tuple[str, float]]:
    """Yield the meanings of a number with a unit, scale or suffix behind it: ``10m`` has three."""
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
        kind, factor = measured
        yield kind, round(number * factor, 9)


def differ_in_unit_alone(one: str, other: str) -> bool:
    """Report whether only one of two equal numbers has a unit or scale: "5" and ``5m`` may have the same meaning."""
    ours = _NUMBER.fullmatch(one.strip(_QUOTES).rstrip(".;"))
    theirs = _NUMBER.fullmatch(other.strip(_QUOTES).rstrip(".;"))
    if ours is None or theirs is None:
        return False
    return ours[1] == theirs[1] and bool(ours[2]) != bool(theirs[2])


def same_switch(one: Readings, other: Readings) -> bool | None:
    """Compare a switch, or an empty value, with a number: ``DEBUG=0`` is off; None for a number like 5, or 5 hours."""
    ours = {amount for kind, amount in one if kind in {SWITCH, COUNT}}
    theirs = {amount for kind, amount in other if kind in {SWITCH, COUNT}}
    if not ours or not theirs:
        has_no_amount = {NONE, TEXT} & {kind for kind, _ in one | other}
        return False if has_no_amount else None
    if (ours | theirs) - {0, 1}:
        return None
    return bool(ours & theirs)


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
    ours, theirs = _type_names(claimed), _type_names(stated)
    if ours == theirs:
        return True
    if not ours or not theirs or (len(ours) > 1 and not is_marked(claimed)):
        return None
    both = ours | theirs
    if "number" in both and both <= {"number", "int", "float"}:
        return None  # an integer is a number
    is_name = is_marked(claimed) or claimed[:1].isupper() or both <= {*_TYPES.values()}
    return False if is_name else None


def _type_names(text: str) -> set[str]:
    """Return the words of a type in the usual spelling: "an integer, optional" is ``int``."""
    words: list[str] = re.findall(r"\w+", text.lower())
    names = {_TYPES.get(word, word) for word in words}
    return names - {"a", "an", "optional", "none"}


_NOT_OF_LICENCE = frozenset(("license", "licence", "the", "version", "v"))


def same_licence(claimed: str, stated: str) -> bool | None:
    """Report whether two texts name the same licence; None if one may be a shorter name of the other."""
    ours, theirs = _licence_parts(claimed), _licence_parts(stated)
    if ours == theirs:
        return True
    is_name = any(map(str.isupper, claimed)) or any(map(str.isdigit, claimed))
    if not is_name or not ours or not theirs:
        return None
    if not any(map(str.isalpha, ours & theirs)):
        return False
    # "BSD-like" may be BSD-3-Clause, and "GPL" is GPL-3.0; but GPL-2.0-only is not GPL-3.0-only.
    is_shorter = ours < theirs or theirs < ours
    differ_in_version = not is_shorter and not any(map(str.isalpha, ours ^ theirs))
    return False if differ_in_version else None


def _licence_parts(text: str) -> set[str]:
    """Return the words and versions of a licence: "GNU GPL v3.0" has gnu, gpl and 3."""
    return {*re.findall(r"[a-z]+|\d+(?:\.[1-9]\d*)*", text.lower())} - _NOT_OF_LICENCE


def same_release(claimed: str, stated: str, *, or_later: bool) -> bool | None:
    """Report whether two releases are equal, or with ``or_later`` whether the first includes changes of the second."""
    release = claimed.strip("`\"' ").rstrip(".").removeprefix("version ").removesuffix("+")
    if not _VERSION.fullmatch(release) or not _VERSION.fullmatch(stated):
        return None
    if or_later:
        return _parts(release) >= _parts(stated)
    return _parts(release) == _parts(stated)


def same_versions(claimed: str, stated: str, context: frozenset[str]) -> bool | None:
    """Compare a version with a requirement such as ``>=1.2``; ``context`` has the words around the claimed one."""
    words = re.findall(r"[a-z]{2,}", _REQUIREMENT.sub("", claimed.lower()))
    is_of_other_thing = {*words} - statement_words("of_versions")  # "Python 3.9" is not a version of pytest
    if "!=" in claimed or is_of_other_thing:
        return None
    wanted = list(_REQUIREMENT.finditer(claimed))
    bounds = [part for part in stated.split(",") if "!=" not in part]
    requirements = list(_REQUIREMENT.finditer(",".join(bounds)))
    if len(wanted) != 1 or not requirements:
        return None
    sign, version = _claimed_sign(wanted[0], claimed, context), _parts(wanted[0]["version"])
    required: list[tuple[str, tuple[int, ...]]] = []
    for match in requirements:
        required_sign = (match["sign"] or "").removeprefix("===").removeprefix("==")
        required.append((required_sign, _parts(match["version"])))
    if (sign, version) in required and (len(required) == 1 or sign):
        return True
    if len(required) > 1:
        return None
    required_sign, required_version = required[0]
    if sign == required_sign:
        return False
    is_least = not sign and required_sign == ">=" and context & statement_words("requiring")  # "requires 3.9"
    return version == required_version if is_least else None


def _claimed_sign(version: re.Match[str], claimed: str, context: frozenset[str]) -> str:
    """Return the bound of a claimed version, in signs or words; empty for exactly that version."""
    sign = version["sign"] or ""
    if not sign and (context & statement_words("later") or "+" in claimed):
        return ">="
    if not sign and context & statement_words("earlier"):
        return "<="
    is_equality = {*sign} == {"="}  # "==", "==="
    return "" if is_equality else sign


def _parts(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.removeprefix("v").split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)
