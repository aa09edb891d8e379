"""Versions: numbers of several parts, or numbers named so ("Python 3.11", "3.11 or later", "v2")."""

import re
from collections.abc import Sequence

from sparring.checks.claims.parsing.lexicon import Lexicon
from sparring.checks.claims.parsing.tokens import Tokens

_VERSION = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}){0,3}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_MARKS = frozenset("<>=^~")
_PARTS, _PER_PART = 4, 10_000
_SURELY = 2
"""Points in a version; no number has as many."""


def is_version(text: str) -> bool:
    """Report whether a token has the shape of a version."""
    return bool(_VERSION.fullmatch(text))


def releases(written: str) -> tuple[int, int]:
    """Return the first and the last release that a version names, as sortable numbers."""
    parts = [min(int(part), _PER_PART - 1) for part in written.split(".")]
    missing = _PARTS - len(parts)
    return _ordered([*parts, *[0] * missing]), _ordered([*parts, *[_PER_PART - 1] * missing])


def _ordered(parts: Sequence[int]) -> int:
    number = 0
    for part in parts:
        number = number * _PER_PART + part
    return number


def version_at(tokens: Tokens, at: int, words: Lexicon) -> int | None:
    """Return the first token of the version whose number is at ``at``, with its "v"; None if there is none."""
    written, following = tokens.written[at], tokens.lower(at + 1)
    points = written.count(".")
    is_marked = tokens.lower(at - 1) == "v" and tokens.is_glued(at)
    first = at - 1 if is_marked else at
    is_version_word = is_marked or _is_called(tokens, first, words) or _is_release(tokens, at, words)
    if (points < _SURELY and not is_version_word) or following in {"/", "%"} or not is_version(written):
        return None
    return None if words.decimal_mark == "," and _GROUPED.fullmatch(written) else first


def _is_called(tokens: Tokens, first: int, words: Lexicon) -> bool:
    """Report whether "version" precedes it, with nothing but signs between them."""
    before = first - 1
    while tokens.word(before) in _MARKS:
        before -= 1
    return tokens.lower(before) in words.versions


def _is_release(tokens: Tokens, at: int, words: Lexicon) -> bool:
    """Report whether a number is used like a version: "3.11 or later", "Python 3.11"."""
    after = tuple(tokens.lowered[at + 1 : at + 3])
    if after in words.releases or after[:1] in words.releases:
        return True
    if tokens.written[at].count(".") != 1 or at < 2:
        return False
    before, following = tokens.word(at - 1), tokens.lower(at + 1)
    is_name = before[:1].isupper() and before.lower() not in words.functional and before.lower() not in words.months
    is_noun = following[:1].isalpha() and following not in words.functional
    return is_name and not is_noun and following not in words.currencies
