"""Check the places that a text cites against the files of a working tree.

Pure: files come through a function that the caller hands in, and nothing here knows where they are. Only what can be
decided is decided. A citation counts as *not found* when the file, the line or the quoted words are not there; where
it is unclear whether something is meant as a citation at all, it stays *unchecked*.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparring.checks.citations.finding import Finding, is_denied, is_proposed, not_found, unchecked, verified
from sparring.checks.citations.syntax import Citation, Mention, mentions
from sparring.schema.citations import CitationStatus
from sparring.text.secret_files import may_hold_secrets

NEARBY_LINES = 3
"""How far from the cited line quoted words may stand: people and models miscount by a few."""

_OUTSIDE = re.compile(r"[/~\\]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|$)|[a-z+]+://")
_ELLIPSIS = re.compile(r"…|\.{3}")


@dataclass(frozen=True)
class CheckedCitation:
    """A citation, what the files say about it, and why in a few words."""

    citation: Citation
    status: CitationStatus
    reason: str


_LinesOf = Callable[[str], list[str] | None]


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

    return tuple(_checked(mention, lines_of) for mention in mentions(text))


def leads_outside(path: str) -> bool:
    """Whether a path is none of a file below the project's root, by its spelling alone."""
    return bool(_OUTSIDE.match(path))


def from_root(path: str) -> str:
    """The path as it is looked up: from the root, with slashes, however Windows or a shell spells it."""
    return path.replace("\\", "/").removeprefix("./")


def finding_at(citation: Citation, lines: Sequence[str]) -> Finding:
    """What a file of these lines says about a citation of it."""
    if citation.line is None or citation.end_line is None:
        return verified("the file exists")
    if not is_within(citation, lines):
        return not_found(f"the file has {_count(lines)} lines")
    if citation.quoted is None:
        return verified("the line exists; nothing is quoted from it")
    if occurs(citation.quoted, "\n".join(near(citation, lines))):
        return verified("the quoted words stand there")
    if len(citation.quoted.split()) == 1:
        return unchecked("the line exists; the word beside the citation may not be a quotation")
    elsewhere = occurs(citation.quoted, "\n".join(lines))
    return not_found("the quoted words are not " + ("near that line" if elsewhere else "in the file"))


def is_within(citation: Citation, lines: Sequence[str]) -> bool:
    """Whether a file of these lines has those that are cited."""
    first, last = citation.line, citation.end_line
    return first is None or last is None or 1 <= first <= last <= _count(lines)


def near(citation: Citation, lines: Sequence[str]) -> Sequence[str]:
    """The cited lines and those around them in which a quotation may stand."""
    first, last = citation.line or 1, citation.end_line or len(lines)
    return lines[max(first - 1 - NEARBY_LINES, 0) : last + NEARBY_LINES]


def occurs(quoted: str, passage: str) -> bool:
    """Whether the parts of ``quoted`` between ellipses stand in ``passage`` in order, whatever the line wrapping."""
    folded, position = " ".join(passage.split()), 0
    parts = [part for part in (" ".join(part.split()) for part in _ELLIPSIS.split(quoted)) if part]
    for part in parts:
        position = folded.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return bool(parts)


def _checked(mention: Mention, lines_of: _LinesOf) -> CheckedCitation:
    finding = _finding(mention, lines_of)
    return CheckedCitation(mention.citation, finding.status, finding.reason)


def _finding(mention: Mention, lines_of: _LinesOf) -> Finding:
    citation = mention.citation
    if mention.is_quoted_speech:
        return unchecked("it stands in a quotation of somebody else")
    if leads_outside(citation.path):
        return unchecked("the path leads out of the project")
    if may_hold_secrets(from_root(citation.path)):
        return unchecked("a file of that name may hold secrets and is not read")
    lines = lines_of(from_root(citation.path))
    finding = _missing(mention) if lines is None else finding_at(citation, lines)
    if finding.status is CitationStatus.NOT_FOUND and is_denied(mention.sentence):
        return unchecked("it is named as something that is not there")
    return finding


def _missing(mention: Mention) -> Finding:
    citation = mention.citation
    if any(character.isspace() for character in citation.path):
        return unchecked("it may be a command and no path")
    if "/" not in from_root(citation.path):
        return unchecked("the file is named without its folder and does not stand at the root")
    if citation.line is None and is_proposed(mention.sentence):
        return unchecked("there is no such file, but it may be one that is proposed")
    return not_found("there is no such file")


def _count(lines: Sequence[str]) -> int:
    return len(lines) if lines[-1] else len(lines) - 1
