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


def read_tables(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the statements of table cells under a head: about the first cell of a row, by the head of their column."""
    if not any(mark in text for mark in ("|", "==", "-- ", "--\t")) and not _MAY_BE_ALIGNED.search(text):
        return
    table = _Table()
    for line in text.split("\n"):
        yield from table.read(line, start)
        start += len(line) + 1


class _Table:
    """Reads line by line; remembers the head of the current table, its columns, and the line above."""

    def __init__(self) -> None:
        self._head: Sequence[_Cell] = ()
        self._before: Sequence[_Cell] = ()
        self._columns: Sequence[tuple[int, int]] = ()
        self._above = ""

    def read(self, line: str, start: int) -> Iterator[StatedValue]:
        """Yield the statements of the line that begins at ``start``."""
        is_grid = _GRID.fullmatch(line) is not None
        if len(line) > LONGEST_LINE or not line.strip():
            self._head, self._before, self._columns = (), (), ()
        elif _SIMPLE.fullmatch(line):
            self._read_simple_rule(line, start)
        elif (_RULE.fullmatch(line) and "|" in line) or (is_grid and "=" in line):
            self._head = self._before  # the rule between a head and its rows
        elif not is_grid:
            cells = self._cells(line, start)
            self._find_head(line, cells)
            if self._head and self._head is not cells:
                yield from _row(self._head, cells)
            self._before = cells
        self._above = line

    def _read_simple_rule(self, line: str, start: int) -> None:
        """Take the columns from a rule of a simple table of reStructuredText: ``====  ====``."""
        was_open = bool(self._columns)
        self._columns = [match.span() for match in _COLUMN.finditer(line)]
        if was_open:
            self._head = self._before
        else:
            # A single rule of hyphens stands below its head; a first rule of equals signs stands above it.
            self._head = _by_columns(self._above, self._columns, start) if "-" in line else ()

    def _cells(self, line: str, start: int) -> Sequence[_Cell]:
        if self._columns:
            return _by_columns(line, self._columns, start)
        return _by_bars(line, start) or _by_gaps(line, start)

    def _find_head(self, line: str, cells: Sequence[_Cell]) -> None:
        """Recognise a head that no rule marks: one above aligned numbers, or one with words such as "Default"."""
        if self._head or self._columns:
            return
        if "|" not in self._above + line and _is_aligned(self._before, cells):
            self._head = self._before
        elif any(_HEADS.get(cell.text.lower(), Aspect.VALUE) is not Aspect.VALUE for cell in cells):
            self._head = cells


def _by_bars(line: str, start: int) -> Sequence[_Cell]:
    if "|" not in line:
        return ()
    cells: list[_Cell] = []
    for part in re.split(r"(?<!\\)\|", line)[: _MOST_COLUMNS + 2]:
        cells.append(_cell(part, start))
        start += len(part) + 1
    # Bars at the edges of the line delimit no cells.
    first = 1 if cells and not cells[0].text else 0
    is_closed = len(cells) > 1 and not cells[-1].text and line.rstrip().endswith("|")
    return cells[first : len(cells) - 1 if is_closed else len(cells)]


def _by_gaps(line: str, start: int) -> Sequence[_Cell]:
    cells = [_Cell(match[0], start + match.start()) for match in _CELL.finditer(line)]
    return cells if 1 < len(cells) <= _MOST_COLUMNS else ()


def _is_aligned(head: Sequence[_Cell], cells: Sequence[_Cell]) -> bool:
    """Report whether a row of numbers follows a head that has none."""
    if len(head) < 2 or len(head) != len(cells) or not cells[0].text[:1].isalpha():
        return False
    has_head_numbers = any(cell.text[0].isdigit() for cell in head)
    return not has_head_numbers and all(cell.text[0].isdigit() for cell in cells[1:])


def _by_columns(line: str, columns: Sequence[tuple[int, int]], start: int) -> Sequence[_Cell]:
    begins = [begin for begin, _ in columns]
    ends = [*begins[1:], len(line)]  # the last column has no end
    return [_cell(line[begin:end], start + begin) for begin, end in zip(begins, ends, strict=True)]


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
        aspect = _HEADS.get(title.lower())
        unit = unit_in_name(key) or unit_near(column.text) or unit_near(key)
        place = cell.start, cell.start + len(cell.text)
        if aspect is Aspect.REQUIRED:
            is_needed = (value.lower() in _YES) != (title.lower() == "optional")
            yield StatedValue((key,), aspect, "required" if is_needed else "optional", *place)
        elif aspect:
            yield StatedValue((key,), aspect, value, *place, unit)
        else:  # a benchmark, whose columns are what is measured
            name = _UNIT.sub("", title)
            unit = name.lower() if "/" in name else unit
            yield StatedValue((key, name), Aspect.VALUE, value, *place, unit, _REACHING, _CONTEXT_WORDS)
