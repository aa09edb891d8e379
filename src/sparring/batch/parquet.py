"""Tables in Parquet: their rows as JSON values, read in record batches by ``pyarrow``."""

import math
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, cast
from uuid import UUID

from pydantic import JsonValue

from sparring.batch.addresses import optional
from sparring.text.tables import LONGEST_ROW, Row, TableError, refuse_same_names

_MOST_ROWS = 1000
_MOST_BYTES = 16 * 1024 * 1024
"""Bytes of a record batch, as far as the file's metadata predicts them."""
_BUFFER = 1024 * 1024


class ParquetTable:
    """The rows of a Parquet file.

    Attributes:
        columns: Names of the columns.
        count: Number of rows.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Read the metadata at the end of the file.

        Raises:
            TableError: It is not a Parquet file, or two columns share a name.
            UsageError: ``pyarrow`` is not installed.
        """
        self._arrow = optional("pyarrow", "data")
        self._faults = (ValueError, OverflowError, self._arrow.ArrowException)
        parquet = optional("pyarrow.parquet", "data")
        with self._understanding():
            # Row groups are read in parts, not whole: one may be larger than the memory.
            self._file = parquet.ParquetFile(stream, buffer_size=_BUFFER, pre_buffer=False)
            self.columns = tuple(cast("list[str]", self._file.schema_arrow.names))
        self.count = cast("int", self._file.metadata.num_rows)
        refuse_same_names(self.columns)

    def rows(self, wanted: Collection[str] | None = None) -> Iterator[Row]:
        """Yield each row; its line is its number.

        Dates and times are ISO 8601, decimals are text, and NaN and infinite floats are None. A row with a value that
        JSON cannot represent, such as bytes, has a problem.

        Args:
            wanted: Required columns, in any letter case; the others are not read.

        Raises:
            TableError: The file is damaged.
        """
        folded = {name.strip().casefold() for name in wanted or ()}
        columns = [name for name in self.columns if name.strip().casefold() in folded] or None
        number = 0
        for batch in self._batches(columns):
            problems = dict[int, str]()
            for place, cells in enumerate(self._cells(batch, problems)):
                number += 1
                yield Row(number, number, cells, problems.get(place, ""))

    def _cells(self, batch: Any, problems: dict[int, str]) -> Sequence[dict[str, JsonValue]]:
        """Return the rows of a batch; ``problems`` gets those of rows with a cell that JSON cannot represent."""
        if all(map(self._is_plain, batch.columns)):
            with suppress(*self._faults):
                return batch.to_pylist()
        names = cast("list[str]", batch.schema.names)
        values = [self._values(batch.column(at), name, problems) for at, name in enumerate(names)]
        return [dict(zip(names, cells, strict=True)) for cells in zip(*values, strict=True)]

    def _batches(self, columns: Sequence[str] | None) -> Iterator[Any]:
        size = self._rows_at_once()
        batches = self._file.iter_batches(batch_size=size, columns=columns, use_threads=False)
        while True:
            with self._understanding():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _rows_at_once(self) -> int:
        metadata = self._file.metadata
        groups = (metadata.row_group(at) for at in range(metadata.num_row_groups))
        largest = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=0)
        return max(1, min(_MOST_ROWS, int(_MOST_BYTES / max(largest, 1))))

    def _values(self, column: Any, name: str, problems: dict[int, str]) -> list[JsonValue]:
        """Return the cells of a column; one that JSON cannot represent is None, and becomes the problem of its row."""
        with suppress(*self._faults):
            column_values = column.to_pylist()
            return column_values if self._is_plain(column) else [_json(value) for value in column_values]
        values = list[JsonValue]()
        for place, cell in enumerate(column):
            try:
                values.append(_json(cell.as_py()))
            except self._faults as error:
                values.append(None)
                problem = str(error) if isinstance(error, _NoJsonError) else "cannot be read as a value"
                problems.setdefault(place, f"its {name} {problem}")
        return values

    def _is_plain(self, column: Any) -> bool:
        return column.nbytes < LONGEST_ROW and _is_plain(self._arrow.types, column.type)

    @contextmanager
    def _understanding(self) -> Generator[None]:
        try:
            yield
        except (self._arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno:
                raise  # the place cannot be read; the table may be fine
            raise TableError(
                f"it is not a readable Parquet file: {str(error).strip().splitlines()[0].rstrip('.')}"
            ) from error


def _is_plain(types: Any, kind: Any) -> bool:
    """Return whether all values of this type are JSON values, so that they need no separate checks."""
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_plain(types, kind.value_type)
    if types.is_struct(kind):
        return all(_is_plain(types, kind.field(at).type) for at in range(kind.num_fields))
    plain = (types.is_string, types.is_large_string, types.is_integer, types.is_boolean, types.is_null)
    return any(each(kind) for each in plain)


class _NoJsonError(ValueError):
    pass


def _json(value: Any) -> JsonValue:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, list | tuple):
        return [_json(each) for each in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        return {str(name): _json(each) for name, each in cast("dict[Any, Any]", value).items()}
    return _number(value) if isinstance(value, float) else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID | timedelta):
        return str(value)
    if not isinstance(value, str):
        raise _NoJsonError("contains bytes, not text" if isinstance(value, bytes) else "is not a text, number or list")
    if len(value) > LONGEST_ROW:
        raise _NoJsonError(f"is longer than {LONGEST_ROW // 1024 // 1024} MiB")
    return value


def _number(value: float) -> float | None:
    if math.isinf(value):
        raise _NoJsonError("is infinite")
    return None if math.isnan(value) else value
