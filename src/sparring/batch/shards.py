"""Rows out: shards of results, what was rejected, and the manifest when all of it is there.

Each file appears whole or not at all (see ``addresses``), and the manifest comes last: where it is, all is.
"""

import heapq
import re
import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from enum import Enum
from pathlib import Path
from typing import Any, Self, Union, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from sparring.batch import addresses, parquet, tables
from sparring.disk import SYSTEM, Disk
from sparring.errors import UsageError
from sparring.schema.batch import BatchSpent, Form, Manifest, OutputFile, RejectedRow, ShardRow
from sparring.store.files import record_parts
from sparring.text.tables import EmptyTableError, json_rows
from sparring.text.tidying import json_for_terminal

JOB = "_job.json"
"""Names the job whose output a folder holds, from the first moment on."""

_GROUP = 2_000
"""Rows that are held until they are written together: a row group of Parquet."""
_MOST_LABELS = 1_000
_JOB_LIMIT = 64 * 1024
_PART = re.compile(r"part-(?:(?P<name>.+)-)?(?P<number>\d{5})\.(?P<form>parquet|jsonl)")
_OURS = re.compile(r"(part-.*|rejected.*|_manifest.*)\.(parquet|jsonl|json)")


def arrow_schema() -> Any:
    """The columns of ``ShardRow`` as ``pyarrow`` has them.

    Raises:
        UsageError: It is not installed.
    """
    arrow = addresses.optional("pyarrow", "data")
    return arrow.schema(_fields(arrow, ShardRow))


def _fields(arrow: Any, record: type[BaseModel]) -> list[Any]:
    found = list[Any]()
    for name, field in record.model_fields.items():
        given = [each for each in get_args(field.annotation) if each is not type(None)]
        is_optional = get_origin(field.annotation) in {Union, types.UnionType}
        kind = given[0] if is_optional else field.annotation
        found.append(arrow.field(name, _kind(arrow, kind), nullable=is_optional))
    return found


def _kind(arrow: Any, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        return arrow.list_(arrow.field("element", _kind(arrow, get_args(kind)[0]), nullable=False))
    if issubclass(kind, BaseModel):
        return arrow.struct(_fields(arrow, kind))
    if issubclass(kind, str | Enum):
        return arrow.string()
    return {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}[kind]


class _JsonLines:
    """Spells few rows at a time into a file."""

    def __init__(self, file: addresses.NewFile) -> None:
        self._file = file

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        lines = [_spelled(row) for row in rows]
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


class Shards:
    """The output of a batch, or of one machine's share of it.

    What is given comes in the order of the input. When ``close`` returns, it is safe; whoever leaves without that has
    whole shards there, and no manifest.
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
        """Find out whether ``output`` may be written, before anything is paid.

        Args:
            output: A folder, by its path or address.
            form: How rows are spelled.
            rows_per_shard: Of each shard but the last.
            name: Of a share, as ``Shard.name`` has it: several may write to one folder.
            job: What is done, as a digest; the output of another job is not replaced.
            cwd: From where a path is seen.
            disk: What a folder on this machine is written through.

        Raises:
            UsageError: There is another job's output, or ``pyarrow`` is not installed.
            StoreError: It cannot be written.
        """
        if form == "parquet":
            addresses.optional("pyarrow.parquet", "data")
        self._folder = addresses.folder_at(output, cwd, disk)
        self._form: Form = form
        self._per_shard = rows_per_shard
        self._job = job
        self._infix = f"-{name}" if name else ""
        self._name = name
        self._waiting = list[Mapping[str, Any]]()
        self._file: addresses.NewFile | None = None
        self._writer: _Writer | None = None
        self._in_shard = 0
        self._outputs = list[OutputFile]()
        self._rejected: addresses.NewFile | None = None
        self._rejections = 0
        self._statuses, self._labels = Counter[str](), Counter[str]()
        self._contested = 0
        self._spent, self._counted = Counter[str](), set[int]()
        self._take_over()

    @property
    def address(self) -> str:
        """The folder, as it may be told to anybody."""
        return self._folder.address

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write ``rows``, dictionaries with the fields of ``ShardRow`` in their order.

        Raises:
            StoreError: They cannot be written.
        """
        self._count(rows)
        begin = 0
        while begin < len(rows):
            room = min(_GROUP, self._per_shard - self._in_shard) - len(self._waiting)
            self._waiting += rows[begin : begin + room]
            begin += room
            if len(self._waiting) == min(_GROUP, self._per_shard - self._in_shard):
                self._write_waiting()

    def reject(self, row: tables.TableRow) -> None:
        """Tell of a row that could not be used."""
        if self._rejected is None:
            self._rejected = self._folder.create(f"rejected{self._infix}.jsonl")
        told = RejectedRow(row=row.number, source=row.source, line=row.line, problem=row.problem)
        self._rejected.write(_spelled(told.model_dump()) + b"\n")
        self._rejections += 1

    def close(self, manifest: Manifest) -> Manifest:
        """Write what is left, and ``manifest`` with all that was counted here, which is returned.

        Raises:
            StoreError: It cannot be written; then there is no manifest.
        """
        self._write_waiting()
        if self._in_shard or not self._outputs:
            self._end_shard()
        if self._rejected is not None:
            self._rejected.publish()
        self._remove_stale()
        full = manifest.model_copy(
            update={
                "job": self._job,
                "outputs": tuple(self._outputs),
                "rows": sum(each.rows for each in self._outputs),
                "statuses": {str(status): rows for status, rows in self._statuses.most_common()},
                "labels": dict(self._labels.most_common()),
                "contested": self._contested,
                "rejected": self._rejections,
                "spent": BatchSpent.model_validate(dict(self._spent)),
            }
        )
        self.put(self._manifest, *record_parts(full))
        self._folder.release()
        return full

    def discard(self) -> None:
        """Leave nothing that is half-written. Whole shards stay; without effect after ``close``."""
        for file in (self._file, self._rejected):
            if file is not None:
                file.drop()
        self._folder.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    @property
    def _manifest(self) -> str:
        return f"_manifest{self._infix}.json"

    def _take_over(self) -> None:
        names = self._folder.names()
        told = to_json({"job": self._job, "shards": self._name.partition("-of-")[2]})
        is_same = bool(self._job) and JOB in names and _beginning(self._folder, JOB) == told
        if not is_same and any(map(_OURS.fullmatch, names)):
            raise UsageError(
                f"{self.address} holds the output of another batch.", hint="Give another folder, or remove that one."
            )
        self._folder.prepare(self._name)
        self._folder.remove(self._manifest)
        if not is_same:
            self.put(JOB, told)

    def put(self, name: str, *parts: bytes) -> None:
        """Write a file beside the shards, whole or not at all; raises ``StoreError``."""
        file = self._folder.create(name)
        try:
            for part in parts:
                file.write(part)
            file.publish()
        finally:
            file.drop()

    def _count(self, rows: Sequence[Mapping[str, Any]]) -> None:
        for row in rows:
            label = row["label"]
            if label is not None and (label in self._labels or len(self._labels) < _MOST_LABELS):
                self._labels[label] += 1
            self._contested += label is not None and bool(row["contested"])
            self._statuses[row["status"]] += 1
            if row["calls"] and (run := hash(row["run"])) not in self._counted:
                self._counted.add(run)
                for name in BatchSpent.model_fields:
                    self._spent[name] += row[name]

    def _write_waiting(self) -> None:
        if not self._waiting:
            return
        writer = self._begun()
        try:
            writer.write(self._waiting)
        except UnicodeEncodeError:
            writer.write([_encodable(row) for row in self._waiting])
        self._in_shard += len(self._waiting)
        self._waiting.clear()
        if self._in_shard == self._per_shard:
            self._end_shard()

    def _begun(self) -> _Writer:
        if self._writer is None:
            self._file = self._folder.create(f"part{self._infix}-{len(self._outputs):05}.{self._form}")
            self._writer = _WRITERS[self._form](self._file)
        return self._writer

    def _end_shard(self) -> None:
        self._begun().end()
        self._writer = None
        if self._file is not None:
            self._file.publish()
            told = OutputFile(
                file=self._file.name, rows=self._in_shard, bytes=self._file.size, sha256=self._file.sha256
            )
            self._outputs.append(told)
            self._file = None
        self._in_shard = 0

    def _remove_stale(self) -> None:
        """Remove what an earlier start of this job has left and this one has not replaced."""
        written = {each.file for each in self._outputs}
        for name in self._folder.names():
            part = _PART.fullmatch(name)
            if part and (part["name"] or "") == self._name and name not in written:
                self._folder.remove(name)
        if self._rejected is None:
            self._folder.remove(f"rejected{self._infix}.jsonl")


def _spelled(row: Mapping[str, Any]) -> bytes:
    try:
        return json_for_terminal(to_json(row, inf_nan_mode="null"))
    except PydanticSerializationError:
        return json_for_terminal(to_json(_encodable(row), inf_nan_mode="null"))


def _encodable(value: Any) -> Any:
    """``value`` without halves of characters, which JSON may spell and no encoding has."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, Mapping):
        return {name: _encodable(each) for name, each in cast("Mapping[str, Any]", value).items()}
    return [_encodable(each) for each in cast("Sequence[Any]", value)] if isinstance(value, list | tuple) else value


def _beginning(folder: addresses.Folder, name: str) -> bytes:
    with closing(folder.open(name)) as stream:
        return stream.read(_JOB_LIMIT)


def read_rows(output: str, *, cwd: Path = Path()) -> Iterator[dict[str, Any]]:
    """The rows of a batch's output, in the order of the input, as they were written.

    Raises:
        UsageError: There are none, or they cannot be read.
    """
    folder = addresses.folder_at(output, cwd)
    shares = dict[str, list[str]]()
    for name in folder.names():
        if part := _PART.fullmatch(name):
            shares.setdefault(part["name"] or "", []).append(name)
    if not shares:
        raise UsageError(f"{folder.address} holds no output of a batch.")
    # Each share is in the order of the input.
    yield from heapq.merge(*(_rows_of(folder, names) for names in shares.values()), key=lambda row: row["row"])


def _rows_of(folder: addresses.Folder, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        with closing(folder.open(name)) as stream, suppress(EmptyTableError):
            rows = parquet.ParquetTable(stream).rows() if name.endswith(".parquet") else json_rows(stream)
            for row in rows:
                if row.problem:
                    raise UsageError(f"Line {row.line} of {folder.address}/{name} is no row: {row.problem}.")
                yield cast("dict[str, Any]", row.cells)
