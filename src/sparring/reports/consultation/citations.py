"""Who cited what, as a Markdown table: a row for each source, a column for each answer."""

import re

from sparring.reports.consultation.answered import FinishedConsult, NumberedTurn
from sparring.reports.foreign import inline
from sparring.schema.citations import CitationStatus, PlaceCited, SourceCited, SourceKind
from sparring.text.tidying import one_line

_NAME_SHOWN = 120
_PLACES_SHOWN = 6
_BACKTICKS = re.compile(r"`+")
_LEGEND = (
    "Found by code: a line or file marked *not found* is not in the project; addresses and symbols were not looked up."
)


def citations_table(consultation: FinishedConsult) -> str:
    """The table with its legend; empty when nothing is cited, or was not looked up."""
    found = consultation.citations
    if not found.sources:
        return ""
    answered = [each for each in consultation.answers if each.turn.answer]
    head = ["cited", *(f"{each.number} {each.consulted.tool}" for each in answered), "by"]
    rows = [_row(source, answered) for source in found.sources]
    lines = [_line(head), "|" + " --- |" * len(head), *(_line(row) for row in rows)]
    more = [f"[… {found.left_out} more]"] if found.left_out else []
    return "\n\n".join(["\n".join(lines), *more, _LEGEND])


def _row(source: SourceCited, answered: list[NumberedTurn]) -> list[str]:
    cells = (_cell(source, [place for place in source.places if place.answer == each.number]) for each in answered)
    return [_code(source.name), *cells, f"{len(source.answers)} of {len(answered)}"]


def _cell(source: SourceCited, places: list[PlaceCited]) -> str:
    """Where an answer cites the source: line numbers, or that it does."""
    if source.kind is not SourceKind.PATH:
        return "yes" if places else ""
    told = [_place(place) for place in places[:_PLACES_SHOWN]]
    return ", ".join([*told, *(["…"] if len(places) > _PLACES_SHOWN else [])])


def _place(place: PlaceCited) -> str:
    lines = "file" if place.line is None else f"{place.line}"
    if place.end_line is not None and place.end_line != place.line:
        lines += f"-{place.end_line}"
    return f"{lines} (*{place.status.replace('_', ' ')}*)" if place.status is not CitationStatus.VERIFIED else lines


def _code(name: str) -> str:
    """A name as a code span that a table takes: no bar ends the cell, no backtick the span."""
    plain = _BACKTICKS.sub("'", one_line(name, _NAME_SHOWN)).replace("|", "\\|")
    return f"`{plain}`"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(inline(cell) for cell in cells) + " |"
