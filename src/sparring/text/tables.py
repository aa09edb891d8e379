"""Rows of a table: CSV as spreadsheets write it, or one JSON object a line, one row after the other.

A row that cannot be read is a row with a problem; the others are unaffected. Only a fault that leaves no row readable
(no header, no text) refuses the whole table. For a table of any length and content, memory contains one row
and the text that is read ahead.
"""

import codecs
import csv
import io
import json
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, cast

from msgspec import Struct, field
from pydantic import JsonValue

from sparring.text.tidying import is_encodable

LONGEST_ROW = 16 * 1024 * 1024
"""Most characters of a row of CSV, or bytes of a line of JSON."""

_SEPARATORS = (",", ";", "\t", "|")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_READ_AHEAD = 1 << 16
_MOST_AGAIN = 4
"""Lines after an unclosed quotation mark are read again. Text with many such marks would be read again
for each, so there is a limit: so many times the bytes from the file."""

_UNCLOSED = "a quotation mark that opens here is never closed"
_REST = "it may be the rest of the row before it, which is broken"
_TOO_LONG = f"it is longer than {LONGEST_ROW // 1024 // 1024} MiB"


class TableError(ValueError):
    """The table has no rows; the message is a sentence for its author."""


class EmptyTableError(TableError):
    """There is nothing in it."""


class Row(Struct, frozen=True):
    """A row of a table.

    Attributes:
        number: Counted from 1; a header is no row.
        line: Its first line in the file, counted from 1.
        cells: By the spelled name of their column.
        problem: Why the row cannot be used; then ``cells`` has the readable ones.
    """

    number: int
    line: int
    cells: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    problem: str = ""


def csv_rows(stream: BinaryIO) -> Iterator[Row]:
    """Yield the rows of a table with a header, separated by commas, semicolons, tabs or bars, by its header.

    UTF-8, or UTF-16 with a byte order mark. Bytes that are no UTF-8 make their row unusable. Where a quotation
    mark is never closed, its line is a row with a problem, and the rows continue with the next line.

    Raises:
        TableError: There is no header, two of its columns share a name, or it is no text.
        OSError: The stream cannot be read.
    """
    lines = _Lines(stream)
    records = _records(lines)
    names = _header(records)
    for number, (line, cells, problem) in enumerate(records, start=1):
        if not problem and line <= lines.doubtful and len(cells) != len(names):
            problem = _REST  # noqa: PLW2901 -- a problem of the row, not of its text
        yield _row(number, names, line, cells, problem)


def csv_columns(stream: BinaryIO) -> tuple[str, ...]:
    """Return the names in the header of a table; otherwise as ``csv_rows``."""
    return tuple(name for name in _header(_records(_Lines(stream))) if name)


def json_rows(stream: BinaryIO) -> Iterator[Row]:
    """Yield the rows of a file with one JSON object a line; empty lines are passed over.

    Lines end at a line feed only: some texts have other characters that are taken for line ends elsewhere.

    Raises:
        TableError: There is no row.
        OSError: The stream cannot be read.
    """
    number = 0
    for line_number, line in enumerate(_json_lines(stream), start=1):
        if line is None:
            number += 1
            yield Row(number, line_number, problem=_TOO_LONG)
        elif line.strip():
            number += 1
            yield _object(number, line_number, line)
    if not number:
        raise EmptyTableError("the file is empty")


def _header(records: Iterator[tuple[int, list[str], str]]) -> list[str]:
    line, header, problem = next(records, (1, list[str](), ""))
    names = [name.strip() for name in header]
    if problem or not any(names):
        raise TableError(f"line {line} is not a header: {problem or 'it names no column'}")
    refuse_same_names(names)
    return names


def refuse_same_names(names: Sequence[str]) -> None:
    """Raise ``TableError`` where two columns share a name."""
    if twice := sorted(name for name, times in Counter(names).items() if name and times > 1):
        raise TableError(f"the header names {', '.join(map(repr, twice))} twice")


class _Stream(io.RawIOBase):
    """A stream whose first bytes are already read. It does not close the other, which belongs to its owner."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.beginning = b""
        while len(self.beginning) < 3:  # a pipe may give fewer bytes than it is asked for
            piece = stream.read(3 - len(self.beginning))
            if not piece:
                break
            self.beginning += piece
        self._waiting = self.beginning

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._waiting or self._stream.read(len(buffer))
        self._waiting = b""
        buffer[: len(piece)] = piece
        return len(piece)


class _Lines:
    """The lines of a table for the csv module, kept until their row is known.

    Line ends stay as they are: those inside quotation marks are a part of the cell. A line that
    cannot be read is represented by its error.

    Attributes:
        first: The first line of the current row.
        doubtful: Up to this line a row may be the rest of a broken one.
    """

    def __init__(self, stream: BinaryIO) -> None:
        beginning = _Stream(stream)
        content = io.BufferedReader(beginning, _READ_AHEAD)
        if beginning.beginning[:2] in _UTF_16:
            self._text = io.TextIOWrapper(content, "utf-16", "surrogatepass", newline="")
        else:
            self._text = io.TextIOWrapper(content, "utf-8-sig", "surrogateescape", newline="")
        self.first, self.doubtful = 1, 0
        self._kept = list[str | csv.Error]()
        self._length = 0
        self._again = deque[str | csv.Error]()
        self._may_read_again = 0
        self._are_rows_until = 0
        self._is_over = False

    def separator(self) -> str:
        """Return the separator that splits the header best: the first line that is not empty."""
        line = self._fresh()
        while isinstance(line, str) and line and not line.strip():
            self.first += 1
            line = self._fresh()
        if line == "":
            raise EmptyTableError("the file is empty")
        self._again.append(line)
        return max(_SEPARATORS, key=line.count) if isinstance(line, str) else ","

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._kept and self.first <= self._are_rows_until:
            raise csv.Error(_UNCLOSED)
        line = self._again.popleft() if self._again else self._fresh()
        if line == "":
            raise StopIteration
        self._kept.append(line)
        if isinstance(line, csv.Error):
            raise line if len(self._kept) == 1 else csv.Error(_UNCLOSED)
        self._length += len(line)
        if self._length > LONGEST_ROW:
            raise csv.Error(_TOO_LONG if len(self._kept) == 1 else _UNCLOSED)
        return line

    def resume(self) -> None:
        """Begin another row with the next line."""
        self.first += len(self._kept)
        self._kept.clear()
        self._length = 0

    def rewind(self) -> None:
        """Begin another row with the line after the one with which the last row began, for that was none.

        Where too much has been read again already, each line is a row until there are new ones.
        """
        again = self._kept[1:]
        self.doubtful = max(self.doubtful, self.first + len(again), self.first + 1)
        if again:
            self._again.extendleft(reversed(again))
            self._may_read_again -= self._length
            if self._may_read_again < 0:
                self._are_rows_until = self.first + len(self._again)
            del self._kept[1:]
        self.resume()

    def _fresh(self) -> str | csv.Error:
        """Return the next line of the file; empty at its end."""
        if self._is_over:
            return ""
        try:
            line = self._text.readline(LONGEST_ROW + 1)
            self._may_read_again += _MOST_AGAIN * len(line)
            if len(line) <= LONGEST_ROW or line.endswith(("\n", "\r")):
                return line
            while (rest := self._text.readline(LONGEST_ROW)) and not rest.endswith(("\n", "\r")):
                pass  # the rest of the line is passed over piece by piece
        except UnicodeDecodeError as error:
            self._is_over = True
            if not self._may_read_again:
                raise TableError("the file begins like UTF-16 and is none; save it as UTF-8") from error
            return csv.Error("it is not UTF-16 text, nor is what follows")
        return csv.Error(_TOO_LONG)


def _records(lines: _Lines) -> Iterator[tuple[int, list[str], str]]:
    """Yield line, cells and problem of each record that is not empty, the header first."""
    if csv.field_size_limit() < LONGEST_ROW:
        # A limit of the process, which is never lowered again: another table may be read at the same time.
        csv.field_size_limit(LONGEST_ROW)
    reader = csv.reader(lines, delimiter=lines.separator(), strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield lines.first, [], _problem(error)
            lines.rewind()
            continue
        if any(map(str.strip, cells)):
            yield lines.first, cells, ""
        lines.resume()


def _problem(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end" in message:
        return _UNCLOSED
    if "expected after" in message:
        return "a quotation mark ends in the middle of a cell; double it inside a cell"
    return message


def _row(number: int, names: list[str], line: int, cells: list[str], problem: str) -> Row:
    cells_by_name: dict[str, JsonValue] = dict(zip(names, cells, strict=False))
    cells_by_name.pop("", None)
    if not problem and len(cells) > len(names):
        problem = f"it has {len(cells)} cells, the header has {len(names)}"
    text = "".join(cells)
    if not problem and not text.isascii() and not is_encodable(text):
        problem = "it is not UTF-8 text"
    return Row(number, line, cells_by_name, problem)


def _json_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield each line; None for one that is too long."""
    beginning = _Stream(stream)
    content = io.BufferedReader(beginning, _READ_AHEAD)
    if beginning.beginning == codecs.BOM_UTF8:
        content.read(3)
    while line := content.readline(LONGEST_ROW + 1):
        if len(line) <= LONGEST_ROW or line.endswith(b"\n"):
            yield line
            continue
        while (rest := content.readline(LONGEST_ROW)) and not rest.endswith(b"\n"):
            pass  # the rest of the line is passed over piece by piece
        yield None


class DoubledKeyError(ValueError):
    """A key stands twice in an object: which of its values is meant cannot be known."""


def unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of ``pairs``, for ``json.loads``; raises ``DoubledKeyError``."""
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in counts.items() if count > 1)
        raise DoubledKeyError(f"it names {repeated[:_KEY_SHOWN]!r} twice")
    return members


_KEY_SHOWN = 60


def _object(number: int, line: int, content: bytes) -> Row:
    try:
        value = json.loads(content.decode(), object_pairs_hook=unambiguous)
    except DoubledKeyError as error:
        return Row(number, line, problem=str(error))
    except UnicodeDecodeError:
        return Row(number, line, problem="it is not UTF-8 text")
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply, or too large a number"
        if isinstance(error, json.JSONDecodeError):
            why = f"{error.msg.removesuffix(' at')} at character {error.pos + 1}"
        return Row(number, line, problem=f"it is not JSON: {why}")
    if not isinstance(value, dict):
        return Row(number, line, problem="it is not a JSON object")
    return Row(number, line, cast("dict[str, JsonValue]", value))
