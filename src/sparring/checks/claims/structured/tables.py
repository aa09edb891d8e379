"""Tables of Markdown and reStructuredText, including those of benchmarks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sparring.checks.claims.structured.entries import LONGEST_LINE, Aspect, StatedValue, unit_in_name, unit_near

_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*")
_GRID = re.compile(r"[ \t]*\+(?:[-=]+\+)+[ \t]*")
_SIMPLE = re.compile(r"[ \t]*(?:={2,}(?:[ \t]+={2,})+|-{3,}(?:[ \t]+-{3,})+)[ \t]*")
_MAY_BE_ALIGNED = re.compile(r"  \d")
_CELL = re.compile(r"\S+(?: \S+)*")
_COLUMN = re.compile(r"[=-]{2,}")
_UNIT = re.compile(r"[ \t]*[(\[][^()\[\]]*[)\]]")
_MOST_COLUMNS = 40
_HEADS: Mapping[str, Aspect] = {
    **dict.fromkeys(("default", "defaults", "default value"), Aspect.DEFAULT),
    **dict.fromkeys(("required", "mandatory", "required?", "optional"), Aspect.REQUIRED),
    **dict.fromkeys(("added", "since", "added in", "introduced"), Aspect.ADDED),
    "type": Aspect.TYPE,
    "deprecated": Aspect.DEPRECATED,
    "removed": Aspect.REMOVED,
    "value": Aspect.VALUE,
}
_NOTES = frozenset(("description", "meaning", "notes", "note", "what", "comment", "comments", "purpose", "details"))
_YES = frozenset(("yes", "true", "required", "✓", "x", "y"))
_EMPTY = frozenset(("", "-", "–", "—", "n/a"))
_REACHING = (
    *("takes", "took", "reaches", "reached", "needs", "needed", "runs", "ran", "makes", "made", "does", "did"),
    *("has", "had", "uses", "used"),
)
_CONTEXT_WORDS = frozenset((*_REACHING, "time", "at", "benchmark", "case"))


class _Cell(NamedTuple):
    text: str
    start: int


def tabled(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the statements of table cells under a head: about the first cell of a row, by the head of their column."""
    if not any(mark in text for mark in ("|", "==", "-- ", "--\t")) and not _MAY_BE_ALIGNED.search(text):
        return
    head: Sequence[_Cell] = ()
    before: Sequence[_Cell] = ()
    columns: Sequence[tuple[int, int]] = ()
    above = ""
    for line in text.split("\n"):
        if len(line) > LONGEST_LINE or not line.strip():
            head, before, columns = (), (), ()
        elif _SIMPLE.fullmatch(line):
            # The rule below a head, or the first of three: above the head, below it, and at the end.
            is_below_head = bool(columns)
            columns = [match.span() for match in _COLUMN.finditer(line)]
            line_above = _by_columns(above, columns, start) if "-" in line else ()
            head = before if is_below_head else line_above
        elif (_RULE.fullmatch(line) and "|" in line) or (_GRID.fullmatch(line) and "=" in line):
            head = before
        elif not _GRID.fullmatch(line):
            cells = _by_columns(line, columns, start) if columns else _by_bars(line, start) or _by_gaps(line, start)
            if not head and not columns and "|" not in above + line and _is_aligned(before, cells):
                head = before
            if head:
                yield from _row(head, cells)
            elif not columns and any(_HEADS.get(cell.text.lower(), Aspect.VALUE) is not Aspect.VALUE for cell in cells):
                head = cells  # a head without a rule below it: "| name | Default | what |"
            before = cells
        above, start = line, start + len(line) + 1


def _by_bars(line: str, start: int) -> Sequence[_Cell]:
    if "|" not in line:
        return ()
    cells: list[_Cell] = []
    for part in re.split(r"(?<!\\)\|", line)[: _MOST_COLUMNS + 2]:
        cells.append(_cell(part, start))
        start += len(part) + 1
    if len(cells) > 1 and not cells[-1].text and line.rstrip().endswith("|"):
        del cells[-1]
    if not cells[0].text:
        del cells[0]
    return cells


def _by_gaps(line: str, start: int) -> Sequence[_Cell]:
    cells = [_Cell(match[0], start + match.start()) for match in _CELL.finditer(line)]
    return cells if 1 < len(cells) <= _MOST_COLUMNS else ()


def _is_aligned(head: Sequence[_Cell], cells: Sequence[_Cell]) -> bool:
    """Report whether a row of numbers follows a head that has none."""
    if len(head) < 2 or len(head) != len(cells) or not cells[0].text[:1].isalpha():
        return False
    return not any(cell.text[0].isdigit() for cell in head) and all(cell.text[0].isdigit() for cell in cells[1:])


def _by_columns(line: str, columns: Sequence[tuple[int, int]], start: int) -> Sequence[_Cell]:
    begins = [begin for begin, _ in columns]
    return [_cell(line[begin:end], start + begin) for begin, end in zip(begins, [*begins[1:], len(line)], strict=True)]


def _cell(part: str, start: int) -> _Cell:
    return _Cell(part.strip(), start + len(part) - len(part.lstrip()))


def _row(head: Sequence[_Cell], cells: Sequence[_Cell]) -> Iterator[StatedValue]:
    key = cells[0].text.strip("`*\"' ") if cells else ""
    if not key:
        return
    for column, cell in zip(head[1:], cells[1:], strict=False):
        title, value = column.text.strip("`* "), cell.text.strip("`\"' ")
        if title.lower() in _NOTES or cell.text in _EMPTY:
            continue
        which = _HEADS.get(title.lower())
        place = cell.start, cell.start + len(cell.text)
        unit = unit_in_name(key) or unit_near(column.text) or unit_near(key)
        if which is Aspect.REQUIRED:
            is_needed = (value.lower() in _YES) != (title.lower() == "optional")
            yield StatedValue((key,), which, "required" if is_needed else "optional", *place)
        elif which:
            yield StatedValue((key,), which, value, *place, unit)
        else:
            name = _UNIT.sub("", title)
            unit = name.lower() if "/" in name else unit
            yield StatedValue((key, name), Aspect.VALUE, value, *place, unit, _REACHING, _CONTEXT_WORDS)
