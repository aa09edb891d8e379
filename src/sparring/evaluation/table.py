"""The labelled rows of an evaluation, read and checked before anything is paid."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from sparring.batch.job import BLOCK, Job
from sparring.batch.rows import BatchRow, Columns, text_of
from sparring.batch.tables import TableRow, blocks
from sparring.engine.format import Rows
from sparring.errors import UsageError
from sparring.text.tidying import one_line

_SHOWN = 5
_NAME_SHOWN = 60


class LabelledTable(Struct, frozen=True):
    """Rows with gold labels.

    Attributes:
        groups: The group of each row, by its number; empty where no column is named.
        sha256: Digest of texts and labels, in their order.
    """

    rows: tuple[BatchRow, ...]
    groups: Mapping[int, str]
    sha256: str


def labelled(
    job: Job, rows_: Rows, group: str, cwd: Path, named: Callable[[Sequence[BatchRow]], Sequence[BatchRow]]
) -> LabelledTable:
    """Read the table of ``job``.

    Args:
        job: Names the table and its columns.
        rows_: How the format judges rows.
        group: The column whose values are groups of rows; empty: none.
        cwd: Folder for relative paths.
        named: Spells gold labels as the format does, and removes secrets from names.

    Raises:
        UsageError: The table cannot be read, or cannot be evaluated: rows without text or gold label, labels that no
            verdict can be, a single class, or two rows with the same id.
    """
    columns = Columns(rows_.fields, job.columns)
    wanted = {*columns.wanted, group.casefold()}
    labelled_rows, groups = list[BatchRow](), dict[int, str]()
    for block in blocks(job.inputs, cwd=cwd, rows=BLOCK, columns=wanted):
        usable = [row for row in block if row.cells]
        # A whole first block without the columns is a table of another kind, which is better named as such than row by
        # row.
        if not labelled_rows and usable and all(map(columns.lacking, usable)):
            columns.refuse(usable[0])
        if group:
            groups |= {row.number: _group(row, group) for row in block}
        labelled_rows += named([columns.row(row) for row in block])
    _refuse(labelled_rows, rows_.labels, job.inputs[0])
    return LabelledTable(tuple(labelled_rows), groups, _digest(labelled_rows))


def _group(row: TableRow, column: str) -> str:
    for name, value in row.cells.items():
        if name.strip().casefold() == column.casefold():
            return one_line(text_of(value) or "", _NAME_SHOWN)
    columns = one_line(", ".join(row.cells), 3 * _NAME_SHOWN)
    raise UsageError(f"{row.source} has no column {one_line(column, _NAME_SHOWN)!r} to group by; it has {columns}.")


def _refuse(rows: Sequence[BatchRow], labels: Sequence[str], path: str) -> None:
    """Raise ``UsageError`` where ``rows`` cannot be evaluated."""
    if not rows:
        raise UsageError(f"{path} has no rows.", hint="No tool was called. Give it labelled rows.")

    broken = [row for row in rows if row.problem]
    if broken:
        raise UsageError(
            f"{len(broken)} of {len(rows)} rows cannot be evaluated; line {broken[0].line}: {broken[0].problem}.",
            hint="No tool was called. Fix these rows or leave them out.",
        )

    unlabelled = [row for row in rows if not row.gold]
    if unlabelled:
        raise UsageError(
            f"{len(unlabelled)} of {len(rows)} rows have no gold label: {_lines(unlabelled)}.",
            hint="No tool was called. Label them, or name the column with --column gold=COLUMN.",
        )

    unknown = [row for row in rows if row.gold not in labels]
    if unknown:
        shown = one_line(repr(unknown[0].gold), _NAME_SHOWN)
        raise UsageError(
            f"Gold labels are {', '.join(labels)}; {len(unknown)} rows have another: {shown} in {_lines(unknown[:1])}.",
            hint="No tool was called. Rename these labels.",
        )

    classes = {row.gold for row in rows}
    if len(classes) == 1:
        raise UsageError(
            f"All {len(rows)} rows have the gold label {rows[0].gold}; an evaluation needs at least two classes.",
            hint="No tool was called. Add rows with another label.",
        )

    rows_by_id: dict[tuple[str, str], list[BatchRow]] = {}
    for row in rows:
        if row.row_id:
            rows_by_id.setdefault((row.dataset, row.row_id), []).append(row)
    repeated = [same_id for same_id in rows_by_id.values() if len(same_id) > 1]
    if repeated:
        shown = one_line(repr(repeated[0][0].row_id), _NAME_SHOWN)
        raise UsageError(
            f"{len(repeated)} ids are given to several rows, such as {shown} in {_lines(repeated[0])}.",
            hint="No tool was called. Give each row an id of its own.",
        )


def _lines(rows: Sequence[BatchRow]) -> str:
    shown = ", ".join(str(row.line) for row in rows[:_SHOWN])
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return f"{'line' if len(rows) == 1 else 'lines'} {shown}{more}"


def _digest(rows: Sequence[BatchRow]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        for text in (*row.texts.values(), row.gold):
            content = text.encode()
            digest.update(b"%d:" % len(content))
            digest.update(content)
    return digest.hexdigest()
