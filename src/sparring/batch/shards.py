"""Output of rows: shards of results, rejected rows, and the manifest when everything is written.

Each file appears complete or not at all (see ``addresses``), and the manifest is last: if it exists, all files do.
"""

import heapq
import re
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from enum import Enum
from pathlib import Path
from typing import Any, Self, Union, cast, get_args, get_origin

from msgspec import Struct, field
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from sparring.batch import addresses, parquet, tables
from sparring.disk import SYSTEM, Disk
from sparring.errors import UsageError
from sparring.schema.batch import DecidedByCode, Form, Manifest, OutputFile, RejectedRow, ShardRow
from sparring.store.files import record_parts
from sparring.text.tables import EmptyTableError, json_rows
from sparring.text.tidying import json_for_terminal

JOB = "_job.json"
"""File that identifies the job whose output a folder holds, from the beginning."""

_GROUP = 2_000
"""Rows that are buffered and written together: a row group of Parquet."""
_MOST_LABELS = 1_000
_JOB_LIMIT = 64 * 1024
_PART = re.compile(r"part-(?:(?P<name>.+)-)?(?P<number>\d{5})\.(?P<form>parquet|jsonl)")
_OURS = re.compile(r"(part-.*|rejected.*|_manifest.*)\.(parquet|jsonl|json)")


def arrow_schema() -> Any:
    """Return the columns of ``ShardRow`` as a schema of ``pyarrow``.

    Raises:
        UsageError: It is not installed.
    """
    arrow = addresses.optional("pyarrow", "data")
    return arrow.schema(_fields(arrow, ShardRow))


def _fields(arrow: Any, record: type[BaseModel]) -> list[Any]:
    fields_listed = list[Any]()
    for name, column in record.model_fields.items():
        given = [each for each in get_args(column.annotation) if each is not type(None)]
        is_optional = get_origin(column.annotation) in {Union, types.UnionType}
        kind = given[0] if is_optional else column.annotation
        fields_listed.append(arrow.field(name, _kind(arrow, kind), nullable=is_optional))
    return fields_listed


def _kind(arrow: Any, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        return arrow.list_(arrow.field("element", _kind(arrow, get_args(kind)[0]), nullable=False))
    if issubclass(kind, BaseModel):
        return arrow.struct(_fields(arrow, kind))
    if issubclass(kind, str | Enum):
        return arrow.string()
    return {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}[kind]


class _JsonLines:
    """Writes rows into a file as lines of JSON, a few at a time."""

    def __init__(self, file: addresses.NewFile) -> None:
        self._file = file

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        lines = [_row_line(row) for row in rows]
        self._file.write(b"\n".join((*lines, b"")))

    def end(self) -> None:
        pass


class _Parquet:
    def __init__(self, file: addresses.NewFile) -> None:
        self._arrow = addresses.optional("pyarrow", "data")
        self._schema = arrow_schema()
        self._writer = addresses.optional("pyarrow.parquet", "data").ParquetWriter(
            file, self._schema, compression="zstd"
        )

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._writer.write_batch(self._arrow.RecordBatch.from_pylist(rows, schema=self._schema))

    def end(self) -> None:
        self._writer.close()


_Writer = _JsonLines | _Parquet
_WRITERS: Mapping[Form, Callable[[addresses.NewFile], _Writer]] = {"jsonl": _JsonLines, "parquet": _Parquet}


class OpenShard:
    """A shard while it is written: rows are buffered and written in groups."""

    def __init__(self, file: addresses.NewFile, form: Form) -> None:
        self.rows = 0
        self._file = file
        self._writer = _WRITERS[form](file)
        self._waiting = list[Mapping[str, Any]]()

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write ``rows``, possibly together with later ones."""
        self._waiting += rows
        self.rows += len(rows)
        if len(self._waiting) >= _GROUP:
            self._write()

    def publish(self) -> OutputFile:
        """Make the shard visible under its name."""
        self._write()
        self._writer.end()
        self._file.publish()
        file = self._file
        return OutputFile(file=file.name, rows=self.rows, bytes=file.size, sha256=file.sha256)

    def drop(self) -> None:
        """Remove the unfinished shard."""
        self._file.drop()

    def _write(self) -> None:
        if not self._waiting:
            return
        try:
            self._writer.write(self._waiting)
        except UnicodeEncodeError:
            self._writer.write([_encodable(row) for row in self._waiting])
        self._waiting.clear()


class RowTally(Struct):
    """Counts of rows by status and label, and of doubtful verdicts."""

    statuses: Counter[str] = field(default_factory=Counter[str])
    labels: Counter[str] = field(default_factory=Counter[str])
    contested: int = 0
    by_code: DecidedByCode = field(default_factory=DecidedByCode)

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Count ``rows``."""
        for row in rows:
            label = row["label"]
            if label is not None:
                self._label(label, 1)
            self.contested += label is not None and bool(row["contested"])
            if label is not None and not row["calls"] and row["run"]:
                gold = row["gold"]
                self.by_code += DecidedByCode(rows=1, with_gold=gold is not None, right=label == gold)
            self.statuses[row["status"]] += 1

    def join(
        self, statuses: Mapping[str, int], labels: Mapping[str, int], contested: int, by_code: DecidedByCode
    ) -> None:
        """Add the counts of other writers."""
        self.by_code += by_code
        self.statuses.update(statuses)
        for label, count in labels.items():
            self._label(label, count)
        self.contested += contested

    def _label(self, label: str, count: int) -> None:
        if label in self.labels or len(self.labels) < _MOST_LABELS:
            self.labels[label] += count


class OutputFolder:
    """The folder that a batch writes to.

    Attributes:
        folder: The folder itself.
        infix: Part of the file names of a share.
    """

    def __init__(
        self, output: str, *, form: Form, name: str, job: str, cwd: Path, disk: Disk, writer: str = ""
    ) -> None:
        """Check that ``output`` may be written; raises ``UsageError`` if it holds another job's output."""
        if form == "parquet":
            addresses.optional("pyarrow.parquet", "data")
        self.folder = addresses.folder_at(output, cwd, disk)
        self.form: Form = form
        self.name = name
        self.infix = f"-{name}" if name else ""
        self.job = job
        self._writer = writer
        names = self.folder.names()
        self.marked = to_json({"job": job, "shards": name.partition("-of-")[2]})
        self.is_same = bool(job) and JOB in names and _beginning(self.folder, JOB) == self.marked
        if not self.is_same and any(map(_OURS.fullmatch, names)):
            raise UsageError(
                f"{self.folder.address} contains the output of another batch.",
                hint="Give another folder, or remove that one.",
            )

    @property
    def manifest(self) -> str:
        """Return the name of the manifest."""
        return f"_manifest{self.infix}.json"

    @property
    def rejected(self) -> str:
        """Return the name of the file of rows that could not be used."""
        return f"rejected{self.infix}.jsonl"

    def mark_as_ours(self) -> None:
        """Write the job's identity into the folder."""
        if not self.is_same:
            self.write_file(JOB, self.marked)

    def open(self, number: int) -> OpenShard:
        """Begin the shard of that number."""
        return OpenShard(self.create(f"part{self.infix}-{number:05}.{self.form}"), self.form)

    def create(self, name: str) -> addresses.NewFile:
        """Create a file of that name, which becomes visible when it is finished."""
        return self.folder.create(name, self._writer)

    def write_file(self, name: str, *parts: bytes) -> None:
        """Write a file next to the shards, complete or not at all; raises ``StoreError``."""
        file = self.create(name)
        try:
            for part in parts:
                file.write(part)
            file.publish()
        finally:
            file.drop()

    def remove_stale(self, written: Collection[str], *, has_rejected: bool) -> None:
        """Remove files of an earlier start of this job that this start has not replaced."""
        for name in self.folder.names():
            part = _PART.fullmatch(name)
            if part and (part["name"] or "") == self.name and name not in written:
                self.folder.remove(name)
        if not has_rejected:
            self.folder.remove(self.rejected)

    def filled(self, manifest: Manifest, outputs: Sequence[OutputFile], tally: RowTally, rejected: int) -> Manifest:
        """Return ``manifest`` with the counts."""
        return manifest.model_copy(
            update={
                "job": self.job,
                "outputs": tuple(outputs),
                "rows": sum(each.rows for each in outputs),
                "statuses": {str(status): rows for status, rows in tally.statuses.most_common()},
                "labels": dict(tally.labels.most_common()),
                "contested": tally.contested,
                "by_code": tally.by_code,
                "rejected": rejected,
            }
        )


class Shards:
    """The output of a batch, or of one machine's share of it, written by one process in the order of the input.

    When ``close`` returns, it is safe on disk; without ``close`` there are complete shards, and no manifest.
    """

    def __init__(
        self,
        output: str,
        *,
        form: Form,
        rows_per_shard: int = 50_000,
        name: str = "",
        job: str = "",
        cwd: Path = Path(),
        disk: Disk = SYSTEM,
    ) -> None:
        """Check that ``output`` may be written, before anything is paid.

        Args:
            output: A folder, by its path or address.
            form: The file format of rows.
            rows_per_shard: Rows of each shard except the last.
            name: Name of a share, as in ``Shard.name``: several may write to one folder.
            job: A digest of the job; the output of another job is not replaced.
            cwd: The folder that relative paths start from.
            disk: Used for writes to a folder on this machine.

        Raises:
            UsageError: It holds another job's output, or ``pyarrow`` is not installed.
            StoreError: It cannot be written.
        """
        self._output = OutputFolder(output, form=form, name=name, job=job, cwd=cwd, disk=disk)
        self._per_shard = rows_per_shard
        self._shard: OpenShard | None = None
        self._outputs = list[OutputFile]()
        self._rejected: addresses.NewFile | None = None
        self._rejections = 0
        self._tally = RowTally()
        self._output.folder.prepare(name)
        self._output.folder.remove(self._output.manifest)
        self._output.mark_as_ours()

    @property
    def address(self) -> str:
        """Return the address of the folder as it may be shown."""
        return self._output.folder.address

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write ``rows``, dictionaries with the fields of ``ShardRow`` in their order.

        Raises:
            StoreError: They cannot be written.
        """
        self._tally.add(rows)
        begin = 0
        while begin < len(rows):
            self._shard = shard = self._shard or self._output.open(len(self._outputs))
            room = min(_GROUP, self._per_shard - shard.rows)
            shard.add(rows[begin : begin + room])
            begin += room
            if shard.rows >= self._per_shard:
                self._end_shard()

    def reject(self, row: tables.TableRow) -> None:
        """Record a row that could not be used."""
        if self._rejected is None:
            self._rejected = self._output.folder.create(self._output.rejected)
        self._rejected.write(rejection(row))
        self._rejections += 1

    def write_file(self, name: str, *parts: bytes) -> None:
        """Write a file next to the shards, complete or not at all; raises ``StoreError``."""
        self._output.write_file(name, *parts)

    def end(self) -> None:
        """Write the buffered rows, so that all rows can be read."""
        if self._shard or not self._outputs:
            self._shard = self._shard or self._output.open(len(self._outputs))
            self._end_shard()

    def close(self, manifest: Manifest) -> Manifest:
        """Write the buffered rows, and ``manifest`` with all counts, which is returned.

        Raises:
            StoreError: It cannot be written; then there is no manifest.
        """
        self.end()
        if self._rejected is not None:
            self._rejected.publish()
        self._output.remove_stale({each.file for each in self._outputs}, has_rejected=self._rejected is not None)
        full = self._output.filled(manifest, self._outputs, self._tally, self._rejections)
        self._output.write_file(self._output.manifest, *record_parts(full))
        self._output.folder.release()
        return full

    def discard(self) -> None:
        """Remove unfinished files. Complete shards stay; no effect after ``close``."""
        for file in (self._shard, self._rejected):
            if file is not None:
                file.drop()
        self._output.folder.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def _end_shard(self) -> None:
        if self._shard is not None:
            self._outputs.append(self._shard.publish())
            self._shard = None


def rejection(row: tables.TableRow) -> bytes:
    """Return a line of JSON about a row that could not be used."""
    row_rejected = RejectedRow(row=row.number, source=row.source, line=row.line, problem=row.problem)
    return _row_line(row_rejected.model_dump()) + b"\n"


def _row_line(row: Mapping[str, Any]) -> bytes:
    try:
        return json_for_terminal(to_json(row, inf_nan_mode="null"))
    except PydanticSerializationError:
        return json_for_terminal(to_json(_encodable(row), inf_nan_mode="null"))


def _encodable(value: Any) -> Any:
    """Return ``value`` without lone surrogates, which JSON may contain and no encoding can express."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, Mapping):
        return {name: _encodable(each) for name, each in cast("Mapping[str, Any]", value).items()}
    return [_encodable(each) for each in cast("Sequence[Any]", value)] if isinstance(value, list | tuple) else value


def _beginning(folder: addresses.Folder, name: str) -> bytes:
    with closing(folder.open(name)) as stream:
        return stream.read(_JOB_LIMIT)


def read_rows(output: str, *, cwd: Path = Path(), name: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch's output, in the order of the input; ``name`` is that of a share.

    Raises:
        UsageError: There are none, or they cannot be read.
    """
    folder = addresses.folder_at(output, cwd)
    shares = dict[str, list[str]]()
    for file in folder.names():
        if (part := _PART.fullmatch(file)) and name in {None, part["name"] or ""}:
            shares.setdefault(part["name"] or "", []).append(file)
    if not shares:
        raise UsageError(f"{folder.address} contains no output of a batch.")
    # Each share is in the order of the input.
    yield from heapq.merge(*(_rows_of(folder, names) for names in shares.values()), key=lambda row: row["row"])


def _rows_of(folder: addresses.Folder, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        with closing(folder.open(name)) as stream, suppress(EmptyTableError):
            rows = parquet.ParquetTable(stream).rows() if name.endswith(".parquet") else json_rows(stream)
            for row in rows:
                if row.problem:
                    raise UsageError(f"Line {row.line} of {folder.address}/{name} is not a row: {row.problem}.")
                if not isinstance(row.cells.get("row"), int):
                    raise UsageError(f"Line {row.line} of {folder.address}/{name} has no number of its row.")
                yield cast("dict[str, Any]", row.cells)
