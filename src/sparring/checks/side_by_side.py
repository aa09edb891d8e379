"""What several texts cite, side by side: files of a working tree, addresses, and the symbols that they share.

Pure, as ``citations`` is. A symbol that only one of them names is left out: every text about code is full of those.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sparring.checks.citations import check_citations, code_spans, find_addresses, named_in_code, prose_lines
from sparring.schema.citations import CitationTable, PlaceCited, SourceCited, SourceKind

MOST_SOURCES = 50
"""More rows nobody reads; those that most texts share come first."""


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
        for start, end in find_addresses(line):
            yield _Source(SourceKind.URL, line[start:end]), PlaceCited(answer=number)
        for span in code_spans(line):
            if name := _symbol(span.words):
                yield _Source(SourceKind.SYMBOL, name), PlaceCited(answer=number)


def _symbol(words: str) -> str:
    """The symbol that a code span names; empty when it is a plain word, a file or something else."""
    name = named_in_code(words)
    is_file = bool(name) and next(iter(check_citations(f"`{words}`", lambda _: None)), None) is not None
    return "" if is_file else words.removesuffix("()") if name else ""
