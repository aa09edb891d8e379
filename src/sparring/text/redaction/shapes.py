"""Find the secrets that give themselves away. What they look like stands in ``shapes.toml``.

Two hundred literals are too many to be sought one by one in a long text. So the text is searched once for runs of
characters that secrets are made of, which leaves a twentieth of it, and only what occurs there is sought.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sparring.text.redaction.spans import Span

RUN = re.compile(r"\b[\w.~+/=%:|\\@-]{13,}", re.ASCII)
"""What a secret stands in; the shortest that is known has 13 characters."""

_MARGIN = 8
"""How far around a run a secret may begin (``.aB`` begins with no word), or a pattern look for what must not stand."""

_TELLING = re.compile(r"[0-9A-Z]")
_LONGEST_WORD = 30
"""Longer runs may be secrets of lower case letters alone; of shorter ones it is one in a million."""

# No word may run into a literal, but an escape may: \nghp_…, %22ghp_…
_BOUNDARY = r"(?:(?<![A-Za-z0-9]{0})|(?<=\\[nrt]{0})|(?<=%[0-9A-Fa-f][0-9A-Fa-f]{0}))"


@dataclass(frozen=True)
class _Shape:
    kind: str
    literal: str
    source: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


def find_shapes(text: str, runs: list[re.Match[str]]) -> Iterator[Span]:
    """The secrets in ``text`` that are known by their shape; ``runs`` are all matches of ``RUN`` in it."""
    places: dict[str, list[int]] = {}
    for run in runs:
        if run.end() - run.start() > _LONGEST_WORD or _TELLING.search(run[0]):
            places.setdefault(run[0], []).append(run.start())
    condensed = "\n".join(places)
    for shape in _shapes():
        if shape.literal in condensed:
            for run in _holding(condensed, shape):
                for start in places[run]:
                    for match in shape.pattern.finditer(text, max(0, start - _MARGIN), start + len(run) + _MARGIN):
                        yield Span(*match.span("secret"), shape.kind)


def _holding(condensed: str, shape: _Shape) -> Iterator[str]:
    """The runs, of those in ``condensed``, that hold a secret of that shape; each once."""
    end = 0
    while match := shape.pattern.search(condensed, end):
        start, end = condensed.rfind("\n", 0, match.start()) + 1, condensed.find("\n", match.end())
        end = len(condensed) if end < 0 else end
        yield condensed[start:end]


@cache
def _shapes() -> tuple[_Shape, ...]:
    data = resources.files("sparring.text.redaction").joinpath("shapes.toml").read_text(encoding="utf-8")
    return tuple(
        _Shape(kind, literal, _pattern(literal, row))
        for kind, rows in tomllib.loads(data).items()
        for literal, row in rows.items()
    )


@cache  # two hundred patterns take long to compile, and most texts need none
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)


def _pattern(literal: str, row: str | dict[str, str]) -> str:
    if isinstance(row, dict):
        whole = row["whole"]
        return whole if "(?P<secret>" in whole else f"(?P<secret>{whole})"
    escaped = re.escape(literal)
    return f"(?P<secret>{escaped}{_BOUNDARY.format(escaped)}(?:{row}))"
