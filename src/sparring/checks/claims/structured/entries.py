"""Statements about keys in the structured parts of a text."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from sparring.checks.claims.parsing.lexicon import units
from sparring.checks.claims.parsing.words import stem

LARGEST = 1 << 18
"""Maximum number of characters of a text whose structure is read."""

MOST_ENTRIES, MOST_LEVELS = 4_000, 40
LONGEST_LINE = 1_600
"""Characters; lines of structured formats for human readers are shorter."""


class Aspect(StrEnum):
    """The property of the key that is stated."""

    VALUE = "value"
    DEFAULT = "default"
    TYPE = "type"
    RETURNS = "returns"
    REQUIRED = "required"
    ADDED = "added"
    DEPRECATED = "deprecated"
    REMOVED = "removed"


class StatedValue(Struct, frozen=True):
    """One statement.

    Attributes:
        path: The key after the names above it, outermost first.
        value: The text as written, without quotation marks.
        start: Place of the value in the plain text; ``end`` is after it.
        unit: The unit next to the value or in the name of the key; empty for none.
        aliases: Other names of the last part of the path.
        also: Words that may accompany key and value in an equivalent sentence ("exposes port 80").
    """

    path: tuple[str, ...]
    aspect: Aspect
    value: str
    start: int
    end: int
    unit: str = ""
    aliases: tuple[str, ...] = ()
    also: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """Return the last part of the path."""
        return self.path[-1]

    @property
    def first_words(self) -> tuple[str, ...]:
        """Return the first word of every name of the key: a claim about it has one of them."""
        first: list[str] = []
        for name in (self.key, *self.aliases):
            first += name_words(name)[:1]
        return tuple(first)


class Malformed(Struct, frozen=True):
    """A part that looks like a format and does not parse, and the reason, in a sentence."""

    start: int
    end: int
    why: str


class FormatReading(Struct, frozen=True):
    """The statements of the structured parts of a text, and the malformed parts."""

    entries: Sequence[StatedValue] = ()
    malformed: Sequence[Malformed] = ()


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
_SPELLINGS = {"licence": "license", "licences": "license", "colour": "color", "maximum": "max", "minimum": "min"}


@lru_cache(maxsize=1 << 14)
def name_words(name: str, *, is_exact: bool = False) -> tuple[str, ...]:
    """Return the words of a name in lower case without inflection: equal for ``cacheTTL`` and "cache TTL".

    The result for ``num_workers`` is that for ``workers``. ``is_exact`` keeps the inflection.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if not is_exact:
        words = [_without_inflection(word) for word in words]
    if words[:1] == ["num"] and len(words) > 1:
        words = words[1:]
    return tuple(words)


def _without_inflection(word: str) -> str:
    if word.endswith(("ing", "ings")):  # "logging" and "log" are two keys
        return word.removesuffix("s")
    return stem(_SPELLINGS.get(word, word))


_UNIT = (
    "ms|msec|millis|milliseconds?|us|microseconds?|ns|nanoseconds?|s|secs?|seconds?|mins|minutes?|hours?|days?|weeks?"
    "|bytes?|kb|mb|gb|kib|mib|gib|kilobytes|megabytes|gigabytes|percent|pct"
)
_NEARBY_UNIT = re.compile(rf"(?<![\w-])(?:{_UNIT})\b(?![-/])", re.IGNORECASE)
_IN_NAME = re.compile(
    rf"(?:[_-](?:{_UNIT})|(?<=[a-z])(?-i:Ms|Secs?|Seconds?|Minutes?|Hours?|Days?|Bytes?))$", re.IGNORECASE
)


def unit_in_name(name: str) -> str:
    """Return the unit that a name ends with: ``timeout_ms``; empty for none."""
    match = _IN_NAME.search(name)
    return match[0].strip("_-").lower() if match else ""


def without_unit(name: str) -> str:
    """Return a name without the unit that it ends with: "timeout" of ``timeout_ms``; empty if it has none."""
    match = _IN_NAME.search(name)
    return name[: match.start()] if match else ""


def unit_near(text: str) -> str:
    """Return the unit that a comment or description names, as in "(seconds)"; empty for none or several."""
    words = {match[0].lower() for match in _NEARBY_UNIT.finditer(text[:LONGEST_LINE])}
    meanings = {units().get(word) for word in words}
    return words.pop() if len(meanings) == 1 else ""
