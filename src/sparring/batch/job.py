"""What a batch is asked for, and how its rows are read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from sparring.batch.limit_rules import LimitRules
from sparring.batch.rows import BatchRow, Columns
from sparring.batch.tables import WHOLE, Shard, TableRow, blocks

BLOCK = 256
"""Rows that are read, and looked up in the ledger, together; several processes on one table part it by these."""

USUAL_AT_ONCE = 64
USUAL_BY_BATCH = 1_000
"""Rows judged side by side unless it is said, and where they are asked by batch: each puts a question into it."""

VERIFY = "verify"
"""What is no format: rows are checked by code alone, and nobody is asked."""

NO_LIMITS = LimitRules()

Form = Literal["parquet", "jsonl"]
Engine = Literal["local", "ray"]


@dataclass(frozen=True)
class Job:
    """A table, what is asked of each of its rows, and where that is written.

    Attributes:
        what: The name of a format that judges tables, or ``verify``.
        inputs: Files, folders, globs or addresses of tables.
        output: The folder or address of what comes of them.
        options: Those of the format, by the names of its fields.
        columns: Which column is which field, ``claim=Headline``.
        form: What shards are written as.
        ledger: Where answers are kept: a file, or the address of a database; empty: the project's own.
        shard: The part of the table that is this process's.
        at_once: Rows that are judged side by side; None: as many as is usual.
        processes: How many check, where nobody is asked; 0: one for each core.
        limits: What all workers together may use, and how fast.
        wall_s: Seconds after which what is under way is left to the next call.
        is_fresh: Ask anew for what was judged before.
        reuses_rows: Take what was said of the same row under other settings.
        by_batch: Ask APIs by the batch interfaces of their providers.
        engine: One machine, or a cluster of many, whose ``address`` is empty for one of this machine's own.
    """

    what: str
    inputs: Sequence[str]
    output: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    columns: Sequence[str] = ()
    form: Form = "parquet"
    ledger: str = ""
    shard: Shard = WHOLE
    rows_per_shard: int = 50_000
    at_once: int | None = None
    processes: int = 0
    limits: LimitRules = NO_LIMITS
    wall_s: float | None = None
    is_fresh: bool = False
    reuses_rows: bool = False
    by_batch: bool = False
    engine: Engine = "local"
    address: str = ""

    @property
    def side_by_side(self) -> int:
        """How many rows are judged at once: where APIs are asked by batch, enough to fill one."""
        return self.at_once if self.at_once is not None else USUAL_BY_BATCH if self.by_batch else USUAL_AT_ONCE


def rows_in(job: Job, columns: Columns, cwd: Path, block: int = BLOCK) -> Iterator[list[BatchRow]]:
    """The rows of the job's part of its tables, so many at a time.

    Raises:
        UsageError: A table cannot be read, or has no column for what is needed.
    """
    read = partial(blocks, job.inputs, cwd=cwd, rows=block, shard=job.shard)
    for number, rows in enumerate(read(columns=columns.wanted)):
        if number == 0 and _all_lack(rows, columns):
            columns.refuse(next(row for row in next(read()) if row.cells))  # which is told all that it has
        yield [columns.row(row) for row in rows]


def _all_lack(rows: Sequence[TableRow], columns: Columns) -> bool:
    """Whether none of the first rows can be judged for want of a column."""
    usable = [row for row in rows if row.cells]
    return bool(usable) and all(map(columns.lacking, usable))
