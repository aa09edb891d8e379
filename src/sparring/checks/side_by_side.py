"""What several texts cite, side by side: files of a working tree, addresses, and the symbols that they share.

Pure, as ``citations`` is. A symbol that only one of them names is left out: every text about code is full of those.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sparring.checks.citation_syntax import code_spans, prose_lines
from sparring.checks.citations import check_citations
from sparring.schema.citations import CitationTable, PlaceCited, SourceCited, SourceKind

MOST_SOURCES = 50
"""More rows nobody reads; those that most texts share come first."""

_URL = re.compile(r"https?://[^\s<>\"'`()\[\]{}|]+")
_AFTER_URL = ".,;:!?*_…"
_SYMBOL = re.compile(r"(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?P<call>\(\))?")
_MADE_BY_SOMEBODY = re.compile(r"_|\.|::|#|[a-z][A-Z]")
_LONGEST_SYMBOL = 120


@dataclass(frozen=True)
class _Source:
    kind: SourceKind
    name: str


def compare_citations(texts: Mapping[int, str], read: Callable[[str], str | None]) -> CitationTable:
    """Who cites what.

    Args:
        texts: Texts in Markdown by their numbers.
        read: As ``check_citations`` has it; it may be asked for the same path once for each text.
    """
    found: dict[_Source, dict[PlaceCited, None]] = {}
    for number, text in texts.items():
        for source, place in _cited(number, text, read):
            found.setdefault(source, {})[place] = None
    sources = [
        SourceCited(kind=source.kind, name=source.name, places=tuple(places)) for source, places in found.items()
    ]
    told = [source for source in sources if source.kind is not SourceKind.SYMBOL or len(source.answers) > 1]
    told.sort(key=lambda source: (-len(source.answers), list(SourceKind).index(source.kind)))
    return CitationTable(sources=tuple(told[:MOST_SOURCES]), left_out=max(0, len(told) - MOST_SOURCES))


def _cited(number: int, text: str, read: Callable[[str], str | None]) -> Iterator[tuple[_Source, PlaceCited]]:
    for checked in check_citations(text, read):
        cited = checked.citation
        place = PlaceCited(answer=number, line=cited.line, end_line=cited.end_line, status=checked.status)
        yield _Source(SourceKind.PATH, cited.path.removeprefix("./")), place
    for _, line in prose_lines(text):
        for match in _URL.finditer(line):
            yield _Source(SourceKind.URL, match[0].rstrip(_AFTER_URL)), PlaceCited(answer=number)
        for span in code_spans(line):
            if name := _symbol(span.words):
                yield _Source(SourceKind.SYMBOL, name), PlaceCited(answer=number)


def _symbol(words: str) -> str:
    """The symbol that a code span names; empty when it is a plain word, a file or something else."""
    match = _SYMBOL.fullmatch(words) if len(words) <= _LONGEST_SYMBOL else None
    if match is None or not (match["call"] or _MADE_BY_SOMEBODY.search(match["name"])):
        return ""
    is_file = next(iter(check_citations(f"`{words}`", lambda _: None)), None) is not None
    return "" if is_file else match["name"]
