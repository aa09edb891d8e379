"""The output of a batch, read again: its rows, its page, and why rows have no verdict."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from sparring.batch.addresses import folder_at
from sparring.batch.checks import LABELS
from sparring.batch.engine import rows_of
from sparring.batch.job import VERIFY
from sparring.batch.results import PAGE_ROWS
from sparring.batch.shards import read_rows
from sparring.errors import UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.batch import Manifest, ShardRow
from sparring.schema.pairs import JudgedTable, RowResult
from sparring.text.tidying import one_line

MOST_ROWS = 200_000
"""Rows that are compared: all of them are in memory."""

_MANIFEST_LIMIT = 16 * 1024 * 1024
_CAUSES = 3
_CAUSE_SHOWN = 300


def read_table(output: str, cwd: Path) -> JudgedTable:
    """Return the rows of a batch's output, without their texts, which stand in the input alone.

    Raises:
        UsageError: It is no output of a batch, is not finished, or has too many rows.
    """
    manifest = read_manifest(output, cwd)
    rows = tuple(judged_rows(output, cwd))
    if manifest.format == VERIFY:
        return JudgedTable(output, VERIFY, rows, LABELS)
    how = rows_of(FORMATS[manifest.format])
    return JudgedTable(output, manifest.format, rows, how.labels, how.seats)


def read_manifest(output: str, cwd: Path) -> Manifest:
    """Return the manifest of a batch's output, or of one share of it; raises ``UsageError`` as ``read_table``."""
    folder = folder_at(output, cwd)
    name = next((name for name in folder.names() if name.startswith("_manifest") and name.endswith(".json")), None)
    if name is None:
        raise UsageError(
            f"{folder.address} contains no finished output of a batch.", hint="Run its command to the end."
        )
    with closing(folder.open(name)) as stream:
        content = stream.read(_MANIFEST_LIMIT)
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        raise UsageError(f"{folder.address}/{name} is not a batch manifest of this version.") from error
    if manifest.format != VERIFY and manifest.format not in FORMATS:
        raise UsageError(f"{folder.address}/{name} names the format {one_line(repr(manifest.format), 60)}.")
    return manifest


def judged_rows(output: str, cwd: Path) -> Iterator[RowResult]:
    """Yield the rows of the shards in ``output``; raises ``UsageError`` as ``read_table``."""
    for number, row in enumerate(read_rows(output, cwd=cwd), start=1):
        if number > MOST_ROWS:
            raise UsageError(f"{output} has more than {MOST_ROWS:,} rows; they are not compared.")
        try:
            shard_row = ShardRow.model_validate(row)
        except ValidationError as error:
            raise UsageError(f"Row {number} in the shards of {output} has another form.") from error
        yield RowResult(
            row=shard_row.row,
            row_id=shard_row.id,
            dataset=shard_row.dataset,
            gold=shard_row.gold,
            status=shard_row.status,
            problem=shard_row.problem,
            word=shard_row.label or "",
            key=shard_row.run or "",
        )


def causes_of_gaps(output: str, cwd: Path) -> list[str]:
    """Return why the first rows of ``output`` lack a verdict or a vote: a line for each of the most frequent causes."""
    rows = list(islice(read_rows(output, cwd=cwd), PAGE_ROWS))
    sentences = (str(row["problem"]).removeprefix("[WARN] ") for row in rows if row["problem"])
    problems = Counter(one_line(problem, _CAUSE_SHOWN) for problem in sentences)
    seen = f" of the first {PAGE_ROWS:,}" if len(rows) == PAGE_ROWS else ""
    return [f"  {count:,}{seen}: {problem}" for problem, count in problems.most_common(_CAUSES)]
