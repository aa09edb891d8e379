"""Findings in a text, laid out for people: the place, the fault, and the evidence.

A line is a row of pieces; on a terminal their emphasis is colour, elsewhere the words that matter stand between ``>>``
and ``<<``. Texts are shown as they are, but without what acts on a terminal.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from sparring.reports.runs import number_of
from sparring.schema import verification
from sparring.schema.claims import Label, Severity, Status
from sparring.schema.lookups import CitationStatus, QuoteVerdict, TextSpan
from sparring.text.tidying import for_terminal, one_line

if TYPE_CHECKING:
    from rich.console import Console

_AROUND = 80
"""Characters shown before and after what matters."""

_LONGEST_SHOWN = 400
"""Characters shown of the marked text itself."""

_NAME_SHOWN = 200
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")
_INDENT = "    "
_DIFFERENCE = re.compile(r"(?P<only_here>\[-.*?-\])|(?P<only_there>\{\+.*?\+\})", re.DOTALL)


class Emphasis(StrEnum):
    """Emphasis of a piece of a line, as a style of Rich."""

    NONE = "none"
    PLACE = "cyan"
    WRONG = "bold red"
    DOUBTFUL = "bold yellow"
    OFFENDING = "underline red"
    THERE = "underline green"
    DROPPED = "red"
    ADDED = "green"


_MARKED = frozenset({Emphasis.OFFENDING, Emphasis.THERE})


class Piece(Struct, frozen=True):
    """A few words of a line."""

    text: str
    emphasis: Emphasis = Emphasis.NONE


Line = tuple[Piece, ...]


class Texts(Struct, frozen=True):
    """The texts that the offsets of the findings belong to."""

    text: str
    evidence: Sequence[str]


def findings_lines(result: verification.VerifiedText, texts: Texts) -> Iterator[Line]:
    """Yield every mismatch, every quotation that is not verbatim and every citation that does not exist, in text order;
    then the sum.
    """  # noqa: D205 -- one sentence
    for each in sorted((*result.compared, *result.quotations, *result.citations), key=_start):
        if isinstance(each, verification.VerifiedSentence):
            yield from _sentence(each, result, texts)
        elif isinstance(each, verification.VerifiedQuotation):
            yield from _quote(each, result, texts)
        else:
            yield from _citation(each, result, texts)
    if result.evidence:
        yield (Piece(_totals(result)),)
    if result.repository:
        yield _looked_up(result)


def plain_lines(lines: Iterable[Line]) -> str:
    """The lines for a file or a pipe."""
    return "\n".join("".join(_plain(piece) for piece in line) for line in lines)


def print_findings(lines: Iterable[Line], console: "Console") -> None:
    """Show the lines in colour. ``NO_COLOR`` is honoured."""
    from rich.text import Text  # noqa: PLC0415 -- output to a file does not need Rich

    for line in lines:
        shown = Text.assemble(*((for_terminal(piece.text), piece.emphasis.value) for piece in line))
        console.print(shown, highlight=False, soft_wrap=True)


def _start(each: verification.VerifiedSentence | verification.VerifiedQuotation | verification.VerifiedCitation) -> int:
    if isinstance(each, verification.VerifiedCitation):
        return each.start
    return (each.sentence if isinstance(each, verification.VerifiedSentence) else each.quotation).start


def _sentence(each: verification.VerifiedSentence, result: verification.VerifiedText, texts: Texts) -> Iterator[Line]:
    for finding in each.findings:
        if finding.status is Status.MISMATCH:
            yield from _mismatch(finding, result, texts)
    missing = [finding.claim.text for finding in each.findings if finding.status is Status.MISSING]
    if missing:
        words = ", ".join(f'"{one_line(text, _AROUND)}"' for text in dict.fromkeys(missing))
        yield (_place(result.name, each.line), Piece("the evidence does not settle ", Emphasis.DOUBTFUL), Piece(words))
        yield ()


def _mismatch(finding: verification.PlacedFinding, result: verification.VerifiedText, texts: Texts) -> Iterator[Line]:
    is_critical = finding.severity is Severity.CRITICAL
    emphasis = Emphasis.WRONG if is_critical else Emphasis.DOUBTFUL
    line = texts.text.count("\n", 0, finding.claim.start) + 1
    yield _place(result.name, line), Piece(f"{finding.severity} mismatch", emphasis), Piece(f" ({finding.dimension})")
    yield Piece(_INDENT), *_around(texts.text, finding.claim, Emphasis.OFFENDING)
    if finding.evidence and finding.evidence_line:
        name, source = result.evidence[finding.evidence.index], texts.evidence[finding.evidence.index]
        yield Piece(_INDENT), _place(name, finding.evidence_line), *_around(source, finding.evidence, Emphasis.THERE)
    yield (Piece(_INDENT + _folded(finding.why)),)
    yield ()


def _quote(each: verification.VerifiedQuotation, result: verification.VerifiedText, texts: Texts) -> Iterator[Line]:
    if each.verdict is QuoteVerdict.VERBATIM:
        return
    is_altered = each.nearest is not None
    verdict = "altered quotation" if is_altered else "quotation not in the evidence"
    yield _place(result.name, each.line), Piece(verdict, Emphasis.WRONG)
    yield Piece(_INDENT), *_around(texts.text, each.quotation, Emphasis.OFFENDING)
    if each.nearest and each.evidence_line:
        span = each.nearest.span
        name, source = result.evidence[span.index], texts.evidence[span.index]
        yield Piece(_INDENT), _place(name, each.evidence_line), *_around(source, span, Emphasis.THERE)
        yield Piece(_INDENT), *_difference(one_line(each.nearest.difference, 2 * _LONGEST_SHOWN))
    yield ()


def _citation(each: verification.VerifiedCitation, result: verification.VerifiedText, texts: Texts) -> Iterator[Line]:
    if each.status is not CitationStatus.NOT_FOUND:
        return
    yield _place(result.name, each.line), Piece("citation does not hold", Emphasis.WRONG)
    yield Piece(_INDENT), *_around(texts.text, each, Emphasis.OFFENDING)
    yield (Piece(_INDENT + _folded(each.reason)),)
    yield ()


def _looked_up(result: verification.VerifiedText) -> Line:
    counts = Counter(each.status for each in result.citations)
    wrong = f"{counts[CitationStatus.NOT_FOUND]} not found"
    rest = f", {counts[CitationStatus.UNCHECKED]} that code cannot check"
    more = f" {result.left_out:,} more were not looked up." if result.left_out else ""
    return (
        Piece(
            f"{number_of(len(result.citations), 'citation')} looked up: {counts[CitationStatus.VERIFIED]} verified, "
        ),
        Piece(f"{counts[CitationStatus.EXISTS]} existing, "),
        Piece(wrong, Emphasis.WRONG if counts[CitationStatus.NOT_FOUND] else Emphasis.NONE),
        Piece(f"{rest}.{more}"),
    )


def _place(name: str, line: int) -> Piece:
    return Piece(f"{one_line(name, _NAME_SHOWN)}:{line}: ", Emphasis.PLACE)


def _around(source: str, span: TextSpan, emphasis: Emphasis) -> Line:
    """Return the passage with a few words before and after it, in one line."""
    start, end = max(0, span.start - _AROUND), min(len(source), span.end + _AROUND)
    # Only its own paragraph: text beyond an empty line is unrelated.
    before = _EMPTY_LINE.split(source[start : span.start])[-1]
    after = _EMPTY_LINE.split(source[span.end : end])[0]
    if start and len(before) == span.start - start:
        before = f"… {before.partition(' ')[2]}"
    if end < len(source) and len(after) == end - span.end:
        after = f"{after.rpartition(' ')[0]} …"
    return (
        Piece(_folded(before).lstrip()),
        Piece(one_line(span.text, _LONGEST_SHOWN), emphasis),
        Piece(_folded(after).rstrip()),
    )


def _folded(text: str) -> str:
    """``text`` on one line; white space at its ends stays."""
    return re.sub(r"\s+", " ", text)


def _difference(difference: str) -> Iterator[Piece]:
    place = 0
    for match in _DIFFERENCE.finditer(difference):
        yield Piece(difference[place : match.start()])
        yield Piece(match[0], Emphasis.DROPPED if match["only_here"] else Emphasis.ADDED)
        place = match.end()
    yield Piece(difference[place:])


def _plain(piece: Piece) -> str:
    text = for_terminal(piece.text)
    return f">>{text}<<" if piece.emphasis in _MARKED else text


def _totals(result: verification.VerifiedText) -> str:
    labels = Counter(each.label for each in result.compared)
    verdicts = Counter(each.verdict for each in result.quotations)
    sentences, quotations = number_of(result.sentences, "sentence"), number_of(len(result.quotations), "quotation")
    compared = f"{labels[Label.REFUTED]} contradicted, {labels[Label.SUPPORTED]} supported, {labels[Label.NEI]} open"
    quoted = ", ".join(f"{verdicts[verdict]} {verdict.replace('_', ' ')}" for verdict in QuoteVerdict)
    return (
        f"{sentences}, {len(result.compared)} with something to compare{f': {compared}' if result.compared else ''}. "
        f"{quotations}{f': {quoted}' if result.quotations else ''}."
    )
