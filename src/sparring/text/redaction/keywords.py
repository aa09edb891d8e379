"""Find the secrets that only the name of their provider gives away. Names and shapes stand in ``keywords.toml``."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources

from sparring.text.redaction.judging import may_be_checksum
from sparring.text.redaction.spans import Span

_REACH = 64
"""How far, in characters, a value may stand from the name of its provider."""

_SHORTEST, _LONGEST = 14, 160
_DIGIT = re.compile(r"[0-9]")
_INNER = re.compile(r"[=:]")
_TELLS_OF_SECRET = re.compile(r"[=:>|,]|access|auth|credential|id\b|key|login|pass|secret|token")
_TELLS_OF_OTHER = re.compile(
    r"build|checksum|commit|correlation|digest|etag|fingerprint|hash|image|integrity|md5|release|request|rev\b|revision"
    r"|session|sha|span|trace|version|[\[\]{}]\s*[\[{]"
)
_FOLLOWS = re.compile(r"[\"'`)]{0,3} (?:is|was|as|for|belongs to) ([^\n.;]{3,50})")


def find_keywords(text: str, runs: list[re.Match[str]]) -> Iterator[Span]:
    """The secrets in ``text`` that stand by their provider's name; ``runs`` are all matches of ``RUN`` in it."""
    keywords = tuple(_shapes())
    for run in runs:
        start, end = run.span()
        if end - start < _SHORTEST or not _DIGIT.search(text, start, end):
            continue
        # The name may stand in the run itself: NAME=value
        before = text[max(0, start - _REACH) : min(end, start + _LONGEST)].lower()
        named = [keyword for keyword in keywords if keyword in before]
        if named and (span := _secret_in(text, run, named)):
            yield span
        elif following := _FOLLOWS.match(text, end):
            said = following[1].lower()
            named = [keyword for keyword in keywords if keyword in said]
            if named and (span := _secret_before(text, run, said, named)):
                yield span


def _secret_in(text: str, run: re.Match[str], named: list[str]) -> Span | None:
    start, end = run.span()
    inner = (inner.end() for inner in _INNER.finditer(text, start, min(end, start + _LONGEST)))
    for position in (_beginning(text, start), start, *inner):
        before = text[max(0, position - _REACH) : position].lower()
        for keyword in named:
            _, found, between = before.rpartition(keyword)
            if not found or not _TELLS_OF_SECRET.search(between):
                continue
            match = _compiled(keyword).match(text, position)
            if match and not (may_be_checksum(match[0]) and _TELLS_OF_OTHER.search(between)):
                return Span(*match.span(), _kind(keyword))
    return None


def _secret_before(text: str, run: re.Match[str], said: str, named: list[str]) -> Span | None:
    if not _TELLS_OF_SECRET.search(said) or _TELLS_OF_OTHER.search(said):
        return None
    for keyword in named:
        if match := _compiled(keyword).fullmatch(text, _beginning(text, run.start()), run.end()):
            return Span(*match.span(), _kind(keyword))
    return None


def _beginning(text: str, start: int) -> int:
    """Where a value begins whose first letter or digit stands at ``start``."""
    first = start
    while start - first < 4 and first and text[first - 1] in "+-/=":
        first -= 1
    return first


def _kind(keyword: str) -> str:
    return re.sub("[ _]", "-", keyword)


@cache
def _compiled(keyword: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(_shapes()[keyword])})(?![\w/+=-])", re.ASCII | re.IGNORECASE)


@cache
def _shapes() -> dict[str, list[str]]:
    return tomllib.loads(
        resources.files("sparring.text.redaction").joinpath("keywords.toml").read_text(encoding="utf-8")
    )
