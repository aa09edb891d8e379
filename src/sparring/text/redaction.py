"""Take secrets out of text, by value. What secrets look like stands in ``secret_rules``.

Whatever is found becomes ``[REDACTED:kind]``. Redacting redacted text finds nothing, so that every door may redact
without asking whether another one did. It is a net, not a proof: a secret that looks like nothing is found only if
it is among the values that were given.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from sparring.text.secret_rules import RULES, Rule, is_path, is_secret_name

_SHORTEST_VALUE = 8
"""Shorter values occur by chance, and a password that short is lost anyway."""

_MOST_PASSES = 8
"""Taking one secret out may lay another one free that was glued to it. Text that needs more passes is hostile."""

_SEARCHED_AGAIN = 200
"""Longest rejected match, in characters, that is searched for another one inside."""

_MARKER = re.compile(r"(\[REDACTED:[a-z-]+\])")
_ONLY_MARKERS = re.compile(rf"(?:{_MARKER.pattern}:?)+")
_PLAIN_WORD = re.compile(r"[A-Za-z_-]{1,15}|[0-9.,:]+")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/?#\s:@]*:(?P<password>[^/?#\s]+)@)?")


@dataclass(frozen=True)
class Redacted:
    """Text without secrets, and how many were taken out."""

    text: str
    count: int


class Redactor:
    """Takes out what looks like a secret, and the given values wherever they occur."""

    def __init__(self, secret_values: Iterable[str] = ()) -> None:
        long_enough = {value for value in secret_values if len(value) >= _SHORTEST_VALUE}
        # Longest first: one value may be a part of another.
        self._values = sorted(long_enough, key=lambda value: (-len(value), value))

    def redact(self, text: str) -> Redacted:
        """``text`` with every secret replaced by ``[REDACTED:kind]``."""
        total = 0
        for _ in range(_MOST_PASSES):
            text, count = self._one_pass(text)
            total += count
            if not count:
                break
        return Redacted(text, total)

    def _one_pass(self, text: str) -> tuple[str, int]:
        total = 0
        for value in self._values:
            if value in text:
                text, count = _without_value(text, value)
                total += count
        for rule, pattern in _compiled_rules():
            if not rule.hints or any(hint in text for hint in rule.hints):
                text, count = _without_shape(text, rule, pattern)
                total += count
        return text, total


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-looking variables, and the passwords inside their URLs, sorted.

    Paths, numbers, plain words and short values are left out: taking them out of every text would ruin the text.
    """
    found: set[str] = set()
    for name, value in environment.items():
        url = _URL.match(value)
        if url and url["password"]:
            found |= {value, url["password"]}
        elif is_secret_name(name) and not (url or is_path(value) or _PLAIN_WORD.fullmatch(value)):
            found.add(value)
    return tuple(sorted(value for value in found if len(value) >= _SHORTEST_VALUE))


@cache
def _compiled_rules() -> tuple[tuple[Rule, re.Pattern[str]], ...]:
    return tuple((rule, re.compile(rule.pattern)) for rule in RULES)


def _without_value(text: str, value: str) -> tuple[str, int]:
    # What stands in or across a marker is no secret, whatever the value: else a second pass would find it again.
    pieces = _MARKER.split(text)
    count = sum(piece.count(value) for piece in pieces[::2])
    pieces[::2] = [piece.replace(value, "[REDACTED:known-value]") for piece in pieces[::2]]
    return "".join(pieces), count


def _without_shape(text: str, rule: Rule, pattern: re.Pattern[str]) -> tuple[str, int]:
    group = "secret" if "secret" in pattern.groupindex else 0
    pieces: list[str] = []
    kept = position = 0
    while match := pattern.search(text, position):
        if _ONLY_MARKERS.fullmatch(match[group]) or not rule.accepts(match):
            # A secret may begin inside what was none, but searching long matches again and again would be quadratic.
            position = match.start() + 1 if match.end() - match.start() <= _SEARCHED_AGAIN else match.end()
            continue
        pieces += text[kept : match.start(group)], f"[REDACTED:{rule.kind}]"
        kept = position = match.end(group)
    return "".join([*pieces, text[kept:]]), len(pieces) // 2
