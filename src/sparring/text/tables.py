"""Rows of a table in a file: CSV as spreadsheets write it, or one JSON object a line.

A row that cannot be read is a row with a problem: the others stay what they are. Only what leaves no row readable (no
header, no text at all) refuses the whole table.
"""

import codecs
import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from sparring.text.tidying import is_encodable

_SEPARATORS = (",", ";", "\t", "|")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST_CELL = 16 * 1024 * 1024
"""Characters; the csv module refuses 131,072 unless it is told otherwise."""


class TableError(ValueError):
    """There is no row to be had; the message is a sentence for whoever made the table."""


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes:
        number: Counted from 1; a header is no row.
        line: Where it begins in the file, counted from 1.
        cells: By the name of their column, as it is spelled.
        problem: Why the row cannot be used; then ``cells`` holds what could be read.
    """

    number: int
    line: int
    cells: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    problem: str = ""


def read_csv(content: bytes) -> tuple[Row, ...]:
    """The rows of a table with a header, separated by commas, semicolons, tabs or bars, whichever splits the header.

    UTF-8, or UTF-16 with a byte order mark. Bytes that are no UTF-8 spoil the row that they are in.

    Raises:
        TableError: There is no header, two of its columns share a name, or it is no text.
    """
    text = _decoded(content)
    if not text.strip():
        raise TableError("the file is empty")
    records = _records(text)
    header_line, header, problem = next(records, (1, list[str](), ""))
    names = [name.strip() for name in header]
    if problem or not any(names):
        raise TableError(f"line {header_line} is no header: {problem or 'it names no column'}")
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise TableError(f"the header names {', '.join(map(repr, twice))} twice")
    return tuple(_row(number, names, *record) for number, record in enumerate(records, start=1))


def read_json_lines(content: bytes) -> tuple[Row, ...]:
    """The rows of a file with one JSON object a line; empty lines are passed over.

    Lines end at a line feed only: some texts hold other characters that are taken for line ends elsewhere.

    Raises:
        TableError: There is no row.
    """
    lines = content.removeprefix(codecs.BOM_UTF8).split(b"\n")
    filled = [(place, line) for place, line in enumerate(lines, start=1) if line.strip()]
    if not filled:
        raise TableError("the file is empty")
    return tuple(_object(number, place, line) for number, (place, line) in enumerate(filled, start=1))


def _decoded(content: bytes) -> str:
    try:
        if content.startswith(_UTF_16):
            return content.decode("utf-16")
        return content.decode("utf-8-sig", "surrogateescape")
    except UnicodeDecodeError as error:
        raise TableError("the file begins like UTF-16 and is none; save it as UTF-8") from error


def _records(text: str) -> Iterator[tuple[int, list[str], str]]:
    """Line, cells and problem of each record that is not empty, the header first."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        # The line ends inside quotation marks are a part of the cell, so none is translated.
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield line, [], _problem(error)
                continue
            if any(cell.strip() for cell in cells):
                yield line, cells, ""
    finally:
        csv.field_size_limit(before)


def _separator(text: str) -> str:
    header = next(line for line in text.splitlines() if line.strip())
    return max(_SEPARATORS, key=header.count)


def _problem(error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return "a quotation mark that opens here is never closed"
    if "expected after" in str(error):
        return "a quotation mark ends in the middle of a cell; double it where it is meant"
    return f"it is no CSV: {error}"


def _row(number: int, names: list[str], line: int, cells: list[str], problem: str) -> Row:
    pairs = zip(names, cells, strict=False)
    found: dict[str, JsonValue] = {name: cell for name, cell in pairs if name}
    if not problem and len(cells) > len(names):
        problem = f"it has {len(cells)} cells, the header has {len(names)}"
    if not problem and not is_encodable("".join(cells)):
        problem = "it is not UTF-8 text"
    return Row(number, line, found, problem)


def _object(number: int, line: int, content: bytes) -> Row:
    try:
        found = json.loads(content.decode())
    except UnicodeDecodeError:
        return Row(number, line, problem="it is not UTF-8 text")
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply, or too large a number"
        return Row(number, line, problem=f"it is not JSON: {why}")
    if not isinstance(found, dict):
        return Row(number, line, problem="it is not a JSON object")
    return Row(number, line, cast("dict[str, JsonValue]", found))
