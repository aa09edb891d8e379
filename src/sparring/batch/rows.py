"""Row of a table in the form that its format needs, and the key of its answers in the ledger."""

import hashlib
import json
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import JsonValue

from sparring.batch.tables import TableRow
from sparring.errors import UsageError
from sparring.schema.runs import CIRCUMSTANTIAL, Request
from sparring.text.tidying import is_encodable, one_line

NAMES: Mapping[str, tuple[str, ...]] = {
    "row_id": ("row_id", "id"),
    "dataset": ("dataset",),
    "gold": ("gold", "label"),
}
"""Optional fields of a row, with the columns that may contain them."""

_SHOWN = 180
_NAME_SHOWN = 60


class BatchRow(Struct, frozen=True):
    """A row to be judged.

    Attributes:
        number: Its position in the whole input, counted from 1.
        source, line: File and line of the row.
        texts: The texts to judge, by the fields of the format; normalised, so that equal-looking texts are equal.
        gold: The true label, if the table has one; no participant sees it.
        problem: The reason why it cannot be judged; then ``texts`` is empty.
    """

    number: int
    source: str
    line: int
    row_id: str = ""
    dataset: str = ""
    gold: str = ""
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    problem: str = ""


class Columns:
    """Mapping of fields to columns of a table."""

    def __init__(self, fields: Mapping[str, Sequence[str]], named: Iterable[str] = ()) -> None:
        """``fields`` are the texts that every row must have, with their usual columns; ``named`` is ``claim=Headline``.

        Raises:
            UsageError: An entry of ``named`` names no field or no column, or a field twice.
        """
        self._texts = tuple(fields)
        self._usual = {**fields, **NAMES}
        self._named = _named(named, self._usual)
        self._layouts: dict[tuple[str, ...], dict[str, str]] = {}

    @property
    def wanted(self) -> frozenset[str]:
        """Return every column that may be read, in lower case."""
        return frozenset(name.casefold() for field in self._usual for name in self._columns(field))

    def lacking(self, row: TableRow) -> str:
        """Return the first required or named field for which ``row`` has no column; empty if there is none."""
        columns = self._of(row.cells)
        return next((name for name in dict.fromkeys((*self._texts, *self._named)) if name not in columns), "")

    def refuse(self, row: TableRow) -> NoReturn:
        """Raise ``UsageError`` for a table whose rows are like ``row``, which lacks a column."""
        name, has = self.lacking(row), one_line(", ".join(row.cells), _SHOWN)
        raise UsageError(
            f"{row.source} has no column {' or '.join(self._columns(name))} for the {name}; it has {has}.",
            hint=f"Name it with --column {name}=COLUMN.",
        )

    def row(self, row: TableRow) -> BatchRow:
        """Return the fields of ``row``; with a problem if a text is missing or malformed."""
        cells, problem, columns = row.cells, row.problem, self._of(row.cells)
        texts_by_name = {name: text_of(cells[column]) for name, column in columns.items()}
        if texts_by_name.get("gold", "") is None:  # a label that cannot be a verdict, and is reported as one
            texts_by_name["gold"] = json.dumps(cells[columns["gold"]])
        for name in (*self._texts, "row_id", "dataset"):
            if texts_by_name.get(name, "") is None:
                problem = problem or f"its {name} is not a text"
        normal = {name: normalised(texts_by_name.get(name) or "") for name in self._texts}
        for name, text in normal.items():
            if not text:
                problem = problem or f"it has no {name}"
        row_id, dataset, gold = (_harmless(texts_by_name.get(name) or "") for name in NAMES)
        texts = {} if problem else normal
        return BatchRow(row.number, row.source, row.line, row_id, dataset, gold, texts, problem)

    def _columns(self, name: str) -> tuple[str, ...]:
        return (self._named[name],) if name in self._named else tuple(self._usual[name])

    def _of(self, cells: Mapping[str, JsonValue]) -> Mapping[str, str]:
        """Return the columns in the spelling of these cells, by their fields."""
        spelled = tuple(cells)
        if (known := self._layouts.get(spelled)) is None:
            # If two columns differ in letter case alone, the one in the requested spelling is used.
            by_name = {column.strip().casefold(): column for column in spelled} | dict(
                zip(spelled, spelled, strict=True)
            )
            known = {
                name: column
                for name in self._usual
                for each in reversed(self._columns(name))  # the first existing one counts
                if (column := by_name.get(each) or by_name.get(each.casefold()))
            }
            if len(self._layouts) < _MOST_LAYOUTS:  # lines of JSON may have any fields
                self._layouts[spelled] = known
        return known


_MOST_LAYOUTS = 1000


def _named(spellings: Iterable[str], usual: Mapping[str, Sequence[str]]) -> dict[str, str]:
    named: dict[str, str] = {}
    for spelling in spellings:
        name, _, column = (part.strip() for part in spelling.partition("="))
        if name not in usual or not column:
            shown = one_line(repr(spelling), _NAME_SHOWN)
            raise UsageError(f"There is no column mapping {shown}; write FIELD=COLUMN with one of {', '.join(usual)}.")
        if name in named:
            raise UsageError(f"Two columns are named for {name}.")
        named[name] = column
    return named


def text_of(cell: JsonValue) -> str | None:
    """Return the text of a cell; None if it is no text. Several sentences of evidence are one truth."""
    match cell:
        case None:
            return ""
        case bool() | dict():
            return None
        case float() if not math.isfinite(cell):  # not JSON, but Python writes it for a missing number
            return "" if math.isnan(cell) else None
        case str():
            return cell if is_encodable(cell) else None
        case int() | float():
            return str(cell)
        case list():
            parts = [part for part in cell if isinstance(part, str) and is_encodable(part)]
            return "\n".join(parts) if len(parts) == len(cell) else None


def normalised(text: str) -> str:
    """Return ``text`` in Unicode NFC: texts that differ only in their encoding are the same row."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()


def _harmless(name: str) -> str:
    return name.strip() if name.isascii() else name.encode(errors="replace").decode().strip()


ROW_BYTES, SETTINGS_BYTES = 10, 6
"""Parts of a key: first the row, so that keys of one row are adjacent, then everything that determines its question."""

SAMPLE = "-"
"""A placeholder text for detecting everything that all rows share."""


class RowSettings(Struct, frozen=True):
    """A digest of everything that determines the questions of all rows, by its parts.

    Attributes:
        prompts: The digest of the templates of the format.
        models: The tools that are asked, and their models if the provider states them.
        is_gated: Whether code decides the rows that it can before a tool is asked.
    """

    format: str
    rules_version: int
    prompts: str
    request: Request
    models: Mapping[str, str]
    is_gated: bool = False

    @property
    def digest(self) -> bytes:
        """Return the digest, six bytes."""
        request = self.request.model_dump(mode="json", exclude=CIRCUMSTANTIAL)
        parts = [self.format, self.rules_version, self.prompts, request, dict(self.models)]
        parts += ["gated"] if self.is_gated else []
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).digest()[:SETTINGS_BYTES]


def key_maker(format_: str, settings: bytes) -> Callable[[BatchRow], bytes]:
    """Return a function that makes the key of a row from its texts alone, not from its name or position."""
    begun = hashlib.sha256(json.dumps([format_]).encode())

    def key(row: BatchRow) -> bytes:
        digest = begun.copy()
        for name, text in row.texts.items():
            content = text.encode()
            digest.update(b"%s:%d:" % (name.encode(), len(content)))
            digest.update(content)
        return digest.digest()[:ROW_BYTES] + settings

    return key


def harmless(rows: Sequence[BatchRow], redact: Callable[[str], str]) -> list[BatchRow]:
    """Return ``rows`` with names without secrets. Texts are redacted when a row is judged, names with every result.

    All names are checked together, and one by one only if that check reports a secret.
    """
    together = "\n".join(f"{row.row_id}\n{row.dataset}\n{row.gold}" for row in rows)
    if redact(together) == together:
        return list(rows)
    return [replace(row, row_id=redact(row.row_id), dataset=redact(row.dataset), gold=redact(row.gold)) for row in rows]
