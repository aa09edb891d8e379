"""Judged tables: the results of rows, one a line, with a page of them next to it; and such lines from other sources."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from sparring.errors import UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.base import RunId
from sparring.schema.pairs import JudgedTable, RowResult
from sparring.store.files import StateFolder, accessing, refuse_links, replace_file
from sparring.store.history import new_run_id
from sparring.text.tidying import one_line

RESULTS_LIMIT = 256 * 1024 * 1024
"""Most bytes of the results of a table: all of them are in memory."""

_SHOWN = 80
_MOST = 10**12
"""No row has used so many of anything; larger numbers have no sum."""
_MARK = "-table"
"""Mark that distinguishes ids of tables from those of runs."""


def tables_folder(state: Path, kind: str) -> Path:
    """Return the folder of the results of tables that runs of ``kind`` have judged."""
    return state / kind / "tables"


def new_table_id(kind: str, now: datetime) -> RunId:
    """An id for a table that runs of ``kind`` have judged by ``now``."""
    return new_run_id(f"{kind}{_MARK}", now)


def keep_table(state: Path, table_id: RunId, table: JudgedTable, page: str) -> Path:
    """Write the results of ``table`` and its page, and say where the page is.

    Raises:
        StoreError: They cannot be written.
    """
    folder = tables_folder(state, table.kind)
    refuse_links(state, folder)
    StateFolder(state).hide_from_git(state / table.kind)
    replace_file(folder / f"{table_id}.jsonl", *(f"{row.model_dump_json()}\n".encode() for row in table.rows))
    replace_file(folder / f"{table_id}.html", page.encode())
    return folder / f"{table_id}.html"


def find_table(name: str, *states: Path) -> Path | None:
    """Return the results under the id ``name``, or the only ones whose id begins or ends so; None: there are none.

    Raises:
        UsageError: There are several.
        StateUnwritableError: A folder cannot be read, or is a link.
    """
    files = list[Path]()
    for state in states:
        for kind in FORMATS:
            folder = tables_folder(state, kind)
            refuse_links(state, folder)
            with accessing(folder):
                files += sorted(folder.glob("*.jsonl"))
    matches = [file for file in files if file.stem == name or file.stem.endswith(f"-{name}")]
    matches = matches or [file for file in files if _MARK in name and file.stem.startswith(name)]
    if len(matches) > 1:
        named = ", ".join(file.stem for file in matches[:5])
        raise UsageError(f"{len(matches)} tables begin or end with {one_line(repr(name), _SHOWN)}: {named}.")
    return matches[0] if matches else None


def read_table(file: Path) -> JudgedTable:
    """The results in ``file``, as ``jury --input``, ``fact-check --input`` print them and as they are kept.

    Raises:
        UsageError: It cannot be read, or holds something else.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(RESULTS_LIMIT + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    if len(content) > RESULTS_LIMIT:
        raise UsageError(f"{file} has more than {RESULTS_LIMIT // 1024 // 1024} MiB; split it.")
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip()]
    kind = next((kind for kind in FORMATS if lines and _result(kind, lines[0][1])), None)
    if kind is None:
        raise UsageError(f"{file} holds no results of a judged table.", hint=_HINT)
    rows = list[RowResult]()
    for number, line in lines:
        if (row := _result(kind, line)) is None:
            raise UsageError(f"Line {number} of {file} is no result of a row.", hint=_HINT)
        rows.append(row)
    return judged_table(file.name, kind, rows)


_HINT = "Give what `sparring jury --input TABLE > FILE` or `sparring fact-check --input TABLE > FILE` has printed."


def _result(kind: str, line: bytes) -> RowResult | None:
    if (how := FORMATS[kind].rows) is None:
        return None
    try:
        result = how.record.model_validate_json(line)
    except ValidationError:
        return None
    numbers = (result.row, *result.spent.model_dump().values())
    return result if all(0 <= number <= _MOST for number in numbers) else None


def judged_table(name: str, kind: str, rows: Sequence[RowResult]) -> JudgedTable:
    """``rows`` as a table of that name."""
    how = FORMATS[kind].rows
    if how is None:
        raise UsageError(f"A {kind} judges no table.")
    return JudgedTable(name, kind, tuple(rows), how.labels, how.seats)
