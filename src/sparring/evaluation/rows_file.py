"""The file of rows of an evaluation: a line for each arm on each row, from which every figure can be recomputed."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sparring.batch.addresses import optional
from sparring.schema.evaluation import EvaluatedRow

COLUMNS: Mapping[str, type] = {
    "row": int,
    "id": str,
    "group": str,
    "gold": str,
    "arm": str,
    "label": str,
    "votes": str,
    "confidence": float,
    "calls": int,
    "tokens": int,
    "cost_usd": float,
    "seconds": float,
    "failure": str,
    "run": str,
    "by_code": str,
    "seats": str,
    "about": str,
}
"""Columns and their types. ``votes`` and ``seats`` are JSON; an empty cell is an unknown value."""


def lines_of(rows: Iterable[EvaluatedRow]) -> Iterator[dict[str, Any]]:
    """Return a line for each arm on each row, by column."""
    for row in rows:
        seats = json.dumps([seat.model_dump() for seat in row.seats], ensure_ascii=False)
        for name, arm in row.arms.items():
            yield {
                "row": row.row,
                "id": row.row_id,
                "group": row.group,
                "gold": row.gold,
                "arm": name,
                "label": arm.label,
                "votes": json.dumps(arm.votes, ensure_ascii=False),
                "confidence": arm.confidence,
                **arm.use.model_dump(),
                "failure": arm.failure,
                "run": arm.run,
                "by_code": row.by_code,
                "seats": seats,
                "about": row.about,
            }


def as_csv(rows: Iterable[EvaluatedRow]) -> bytes:
    """Return the file of rows as CSV."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines_of(rows))
    return text.getvalue().encode()


def as_parquet(rows: Iterable[EvaluatedRow]) -> bytes:
    """Return the file of rows as Parquet; raises ``UsageError`` where ``pyarrow`` is not installed."""
    arrow, parquet = optional("pyarrow", "data"), optional("pyarrow.parquet", "data")
    types = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    fields = arrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    content = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(list(lines_of(rows)), schema=fields), content)
    return content.getvalue()
