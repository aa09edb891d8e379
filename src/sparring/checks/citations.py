"""Check what a text cites against the files of a working tree.

Pure: files come through a function that the caller hands in, and nothing here knows where they are. Only what can be
decided is decided. A citation counts as *not found* when the file, the line or the quoted words are not there; where
it is unclear whether something is meant as a citation at all, it stays *unchecked*.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sparring.checks.citation_syntax import Citation, Mention, mentions
from sparring.schema.citations import CitationStatus

__all__ = ["CheckedCitation", "Citation", "CitationStatus", "check_citations", "find_citations"]

NEARBY_LINES = 3
"""How far from the cited line quoted words may stand: people and models miscount by a few."""

_OUTSIDE = re.compile(r"[/~\\]|[A-Za-z]:[/\\]|(?:.*/)?\.\.(?:/|$)|[a-z+]+://")
_DENIED = re.compile(
    r"\b(?:(?:does|do|did|is|are|was|can)(?: not|n't|not) (?:exist|hold|there|be found|contain|occur|stand)|not found|"
    r"no such|non-?existent|missing|fabricated|invented)\b",
    re.IGNORECASE,
)
_PROPOSED = re.compile(
    r"\b(?:add|adding|create|creating|introduce|new|rename|move|would|could|should|such as|for example)\b|\be\.g\.",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"…|\.{3}")


@dataclass(frozen=True)
class CheckedCitation:
    """A citation, what the files say about it, and why in a few words."""

    citation: Citation
    status: CitationStatus
    reason: str


_LinesOf = Callable[[str], list[str] | None]
_Finding = tuple[CitationStatus, str]


def find_citations(text: str) -> tuple[Citation, ...]:
    """Every ``path:line``, ``path:line-line``, ``path#Lline`` and path with a known suffix, in order."""
    return tuple(mention.citation for mention in mentions(text))


def check_citations(text: str, read: Callable[[str], str | None]) -> tuple[CheckedCitation, ...]:
    """Every citation of ``text``, checked.

    Args:
        text: A speech, in Markdown.
        read: Gives the text of a file below the project's root by its relative path, None if there is no such file.
            It is asked once for each path.
    """
    files: dict[str, list[str] | None] = {}

    def lines_of(path: str) -> list[str] | None:
        if path not in files:
            content = read(path)
            files[path] = None if content is None else content.split("\n")
        return files[path]

    return tuple(CheckedCitation(mention.citation, *_finding(mention, lines_of)) for mention in mentions(text))


def _finding(mention: Mention, lines_of: _LinesOf) -> _Finding:
    citation = mention.citation
    if mention.is_quoted_speech:
        return CitationStatus.UNCHECKED, "it stands in a quotation of somebody else"
    if _OUTSIDE.match(citation.path):
        return CitationStatus.UNCHECKED, "the path leads out of the project"
    lines = lines_of(citation.path.removeprefix("./"))
    status, reason = _missing(mention) if lines is None else _at_line(citation, lines)
    if status is CitationStatus.NOT_FOUND and _DENIED.search(mention.sentence):
        return CitationStatus.UNCHECKED, "it is named as something that is not there"
    return status, reason


def _missing(mention: Mention) -> _Finding:
    citation = mention.citation
    if any(character.isspace() for character in citation.path):
        return CitationStatus.UNCHECKED, "it may be a command and no path"
    if "/" not in citation.path:
        return CitationStatus.UNCHECKED, "the file is named without its folder and does not stand at the root"
    if citation.line is None and _PROPOSED.search(mention.sentence):
        return CitationStatus.UNCHECKED, "there is no such file, but it may be one that is proposed"
    return CitationStatus.NOT_FOUND, "there is no such file"


def _at_line(citation: Citation, lines: list[str]) -> _Finding:
    if citation.line is None or citation.end_line is None:
        return CitationStatus.VERIFIED, "the file exists"
    count = len(lines) if lines[-1] else len(lines) - 1
    if not 1 <= citation.line <= citation.end_line <= count:
        return CitationStatus.NOT_FOUND, f"the file has {count} lines"
    if citation.quoted is None:
        return CitationStatus.VERIFIED, "the line exists; nothing is quoted from it"
    first, last = max(citation.line - 1 - NEARBY_LINES, 0), citation.end_line + NEARBY_LINES
    if _occurs(citation.quoted, "\n".join(lines[first:last])):
        return CitationStatus.VERIFIED, "the quoted words stand there"
    if len(citation.quoted.split()) == 1:
        return CitationStatus.UNCHECKED, "the line exists; the word beside the citation may not be a quotation"
    elsewhere = _occurs(citation.quoted, "\n".join(lines))
    return CitationStatus.NOT_FOUND, "the quoted words are not " + ("near that line" if elsewhere else "in the file")


def _occurs(quoted: str, passage: str) -> bool:
    """Whether the parts of ``quoted`` between ellipses stand in ``passage`` in order, whatever the line wrapping."""
    folded, position = " ".join(passage.split()), 0
    parts = [part for part in (" ".join(part.split()) for part in _ELLIPSIS.split(quoted)) if part]
    for part in parts:
        position = folded.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return bool(parts)
