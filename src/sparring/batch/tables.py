"""Input of rows: tables at any address, one block of rows after the other.

The rows of all files are numbered consecutively: files in the order of the addresses, and in a folder in the order of
their names. So rows have the same numbers whenever the same input is read. Only the block that is being read is in
memory.
"""

import glob
import gzip
import itertools
import os
import re
import stat
import zlib
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self, cast

from msgspec import Struct, field
from pydantic import JsonValue

from sparring.batch.addresses import Remote, has_wildcards, is_remote, local_path, reading, shown
from sparring.batch.parquet import ParquetTable
from sparring.errors import UsageError
from sparring.schema.batch import InputFile, TableForm
from sparring.text.tables import EmptyTableError, Row, TableError, csv_columns, csv_rows, json_rows

ENDINGS: Mapping[str, TableForm] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Format of a table by its file extension; text may be compressed, with ``.gz`` appended."""

_NAMED = ", ".join(ENDINGS)
_MOST_REMOTE = 100
"""With more remote files than this, their headers are not read first; each takes a moment of waiting."""
_PACKING = (EOFError, zlib.error, gzip.BadGzipFile)
_REJECTED = re.compile(r"rejected(-.+)?\.jsonl")
"""Files that a batch writes next to its rows, and that contain no rows."""


class TableRow(Struct, frozen=True):
    """A row of the input.

    Attributes:
        number: Counted from 1 over the whole input, without headers.
        source: The address of its file, without secrets.
        line: Line in the file where it begins, counted from 1; in Parquet the row number in the file.
        cells: Values by column name, in its original spelling.
        problem: The reason why it cannot be used; then ``cells`` has the readable values.
    """

    number: int
    source: str
    line: int
    cells: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    problem: str = ""


class Shard(Struct, frozen=True):
    """One of several machines that share a table: machine i of n takes every n-th block.

    Attributes:
        index: Counted from 1.
    """

    index: int = 1
    of: int = 1

    @classmethod
    def parse(cls, spelled: str) -> Self:
        """Parse a shard such as ``2/8``: the second of eight.

        Raises:
            UsageError: The text has another form, or there is no such shard.
        """
        match = re.fullmatch(r"\s*(\d{1,4})\s*/\s*(\d{1,4})\s*", spelled, re.ASCII)
        index, of = (int(number) for number in match.groups()) if match else (0, 0)
        if not 1 <= index <= of:
            raise UsageError(f"{spelled!r} is not a shard; write I/N, from 1/N to N/N, as in 2/8.")
        return cls(index, of)

    def has(self, block: int) -> bool:
        """Return whether a block belongs to this shard; blocks are counted from 0."""
        return block % self.of == self.index - 1

    @property
    def name(self) -> str:
        """Return its form in file names, e.g. ``0002-of-0008``; empty if the table is not shared."""
        return f"{self.index:04}-of-{self.of:04}" if self.of > 1 else ""

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"


WHOLE = Shard()


def blocks(
    inputs: Sequence[str],
    *,
    cwd: Path,
    rows: int = 1000,
    shard: Shard = WHOLE,
    columns: Collection[str] | None = None,
) -> Iterator[tuple[TableRow, ...]]:
    """Yield the rows of all ``inputs`` that belong to the shard, in blocks.

    Args:
        inputs: Files, folders or patterns: paths or addresses.
        cwd: The folder that relative paths start from.
        rows: Maximum of rows in a block; only the last has fewer.
        shard: The shard whose blocks are read.
        columns: The required columns, in any letter case, for formats that can skip the others.

    Raises:
        UsageError: There is no such table, or it cannot be read; the latter also in the middle of it.
    """
    files = _files(inputs, cwd)
    every = _rows(files, columns)
    for number in itertools.count():
        block = tuple(itertools.islice(every, rows))
        if not block:
            return
        if shard.has(number):
            yield block


def described(inputs: Sequence[str], *, cwd: Path) -> tuple[InputFile, ...]:
    """Return the files that ``inputs`` stand for, in the order in which they are read.

    Their headers are read as well, so that a file that is no table is reported before the first row is judged, unless
    there are very many remote files.

    Raises:
        UsageError: One of them is missing, cannot be read, or is not a readable table.
    """
    files = _files(inputs, cwd)
    remote = sum(isinstance(file.place, Remote) for file in files)
    return tuple(file.described(from_within=remote <= _MOST_REMOTE) for file in files)


class _File(Struct, frozen=True):
    """A table, local or remote."""

    place: Path | Remote
    address: str
    form: TableForm

    @property
    def name(self) -> str:
        """Return the same name for the same file, written ``a.csv`` or ``./a.csv``; links are not followed."""
        return self.address if isinstance(self.place, Remote) else os.path.abspath(self.place)  # noqa: PTH100 -- see above

    @property
    def _is_packed(self) -> bool:
        return self.address.lower().endswith(".gz")

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        self.size()
        with closing(self._open()) as content:
            yield cast("BinaryIO", gzip.GzipFile(fileobj=content)) if self._is_packed else content

    def _open(self) -> BinaryIO:
        if isinstance(self.place, Remote):
            return self.place.open()
        with reading(self.address):
            return cast("BinaryIO", self.place.open("rb"))

    def size(self) -> int | None:
        if isinstance(self.place, Remote):
            return self.place.size()
        with reading(self.address):
            status = self.place.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{self.address} cannot be read twice; save it to a file first.")
        return status.st_size

    def rows(self, columns: Collection[str] | None) -> Iterator[Row]:
        """Yield the rows of this file.

        Raises:
            UsageError: It is not such a table, or cannot be read to its end.
        """
        with _as_table(self.address), suppress(EmptyTableError), self.opened() as stream:
            if self.form == "parquet":
                yield from ParquetTable(stream).rows(columns)
            else:
                yield from _as_far_as_packed((csv_rows if self.form == "csv" else json_rows)(stream))

    def described(self, *, from_within: bool) -> InputFile:
        """Return the facts about a file; with ``from_within``, the beginning of its content is read for them."""
        if not from_within:
            return InputFile(address=self.address, form=self.form, bytes=self.size())
        size, rows, columns = self.size(), None, ()
        with _as_table(self.address), suppress(EmptyTableError), self.opened() as stream:
            if self.form == "parquet":
                table = ParquetTable(stream)
                rows, columns = table.count, table.columns
            elif self.form == "csv":
                columns = csv_columns(stream)
            else:
                stream.read(1)
        return InputFile(address=self.address, form=self.form, bytes=size, rows=rows, columns=columns)


@contextmanager
def _as_table(address: str) -> Generator[None]:
    with reading(address):
        try:
            yield
        except TableError as error:
            raise UsageError(f"{address} cannot be read: {error}.") from error
        except _PACKING as error:
            raise UsageError(f"{address} cannot be read: its compression does not match its name.") from error


def _as_far_as_packed(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield ``rows``, and a row with the problem if the compressed file breaks off."""
    last = Row(0, 0)
    try:
        for last in rows:
            yield last
    except _PACKING:
        if not last.number:
            raise
        yield Row(last.number + 1, last.line + 1, problem="the file breaks off here, or is damaged")


def _rows(files: Sequence[_File], columns: Collection[str] | None) -> Iterator[TableRow]:
    number = 0
    for file in files:
        for row in file.rows(columns):
            number += 1
            yield TableRow(number, file.address, row.line, row.cells, row.problem)
    if not number:
        named = files[0].address if len(files) == 1 else f"None of {len(files)} tables"
        raise UsageError(f"{named} has {'no' if len(files) == 1 else 'a'} row.")


def _files(inputs: Sequence[str], cwd: Path) -> list[_File]:
    """Return the tables that ``inputs`` stand for, each once."""
    files = dict[str, _File]()
    for spelled in inputs:
        for file in _remote(spelled) if is_remote(spelled) else _local(spelled, cwd):
            if files.setdefault(file.name, file) is not file:
                raise UsageError(f"{file.address} is named twice among the inputs.")
    if not files:
        raise UsageError("No table is named.")
    return list(files.values())


def _remote(address: str) -> Iterator[_File]:
    place = Remote.at(address)
    if has_wildcards(place.path):
        yield from _several(address, {each.address: each for each in place.matches()})
    elif place.is_folder():
        inside = {each.path[len(place.path) :].lstrip("/"): each for each in place.files()}
        yield from _several(address, {name: each for name, each in inside.items() if _is_shown(Path(name))})
    else:
        place.size()
        yield _one(place, shown(place.address))


def _local(spelled: str, cwd: Path) -> Iterator[_File]:
    path = local_path(spelled, cwd)
    with reading(spelled):
        is_there, is_folder = os.path.lexists(path), path.is_dir()
    if is_folder:
        yield from _several(spelled, dict(_inside(path, spelled)))
    elif not is_there and has_wildcards(spelled):
        pattern = str(local_path(spelled, Path()))
        names = sorted(glob.glob(pattern, root_dir=cwd, recursive=True))  # noqa: PTH207 -- the pattern may be absolute
        yield from _several(spelled, {name: cwd / name for name in names if (cwd / name).is_file()})
    else:
        yield _one(path, spelled)


def _inside(folder: Path, spelled: str) -> Iterator[tuple[str, Path]]:
    """Yield the files below ``folder`` with addresses, sorted by name, except those with a leading ``.`` or ``_``."""

    def fail(error: OSError) -> None:
        raise error

    with reading(spelled):
        walked = list(os.walk(folder, onerror=fail))
    files = (Path(root, name).relative_to(folder) for root, _, names in walked for name in names)
    for inner in sorted(filter(_is_shown, files)):
        yield str(local_path(spelled, Path()) / inner), folder / inner


def _is_shown(name: Path) -> bool:
    return not any(part.startswith(("_", ".")) for part in name.parts) and not _REJECTED.fullmatch(name.name)


def _several(address: str, places: Mapping[str, Path | Remote]) -> Iterator[_File]:
    """Yield the tables among ``places``.

    Raises:
        UsageError: No table is among them.
    """
    real = {each.resolve() for each in places.values() if isinstance(each, Path) and not each.is_symlink()}
    tables = {name: place for name, place in places.items() if _form(name) and not _is_link_into(real, place)}
    if not tables:
        raise UsageError(f"{shown(address)} contains no table; names of tables end with {_NAMED}.")
    for name, place in tables.items():
        yield _one(place, shown(place.address) if isinstance(place, Remote) else name)


def _is_link_into(files: Collection[Path], place: Path | Remote) -> bool:
    """Report whether ``place`` is a link to one of ``files``, whose rows would be judged twice."""
    return isinstance(place, Path) and place.is_symlink() and place.resolve() in files


def _one(place: Path | Remote, address: str) -> _File:
    form = _form(address)
    if form is None:
        raise UsageError(f"{address} must be a table whose name ends with {_NAMED}, or a folder of such.")
    return _File(place, address, form)


def _form(name: str) -> TableForm | None:
    name = name.lower()
    form = ENDINGS.get(Path(name.removesuffix(".gz")).suffix)
    return None if form == "parquet" and name.endswith(".gz") else form
