"""The file of rows of an evaluation: a line for each arm on each row, from which every figure can be computed anew."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.batch.addresses import optional
from sparring.errors import UsageError
from sparring.schema.evaluation import ArmRow, ArmUse, EvaluatedRow
from sparring.schema.pairs import SeatLabel

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
"""Columns and their types. ``votes`` and ``seats`` are JSON; an empty cell is what is not known."""

_TEXTS = frozenset({"id", "group", "failure", "run", "about"})
"""Columns in which an empty text is a value."""


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


def rows_from(lines: Iterable[Mapping[str, Any]]) -> list[EvaluatedRow]:
    """Return the rows that ``lines_of`` made these lines of."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for line in lines:
        found.setdefault(line["row"], []).append(line)
    return [_row(arms) for arms in found.values()]


def _row(lines: Sequence[Mapping[str, Any]]) -> EvaluatedRow:
    first = lines[0]
    return EvaluatedRow(
        row=first["row"],
        row_id=first["id"],
        about=first["about"],
        group=first["group"],
        gold=first["gold"],
        by_code=first["by_code"],
        seats=tuple(SeatLabel.model_validate(seat) for seat in json.loads(first["seats"])),
        arms={line["arm"]: _arm(line) for line in lines},
    )


def _arm(line: Mapping[str, Any]) -> ArmRow:
    return ArmRow(
        label=line["label"],
        votes=tuple(json.loads(line["votes"])),
        confidence=line["confidence"],
        use=ArmUse(**{name: line[name] for name in ArmUse.model_fields}),
        failure=line["failure"],
        run=line["run"],
    )


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


def read_rows(path: Path) -> list[EvaluatedRow]:
    """Return the rows of a file that an evaluation wrote; raises ``UsageError`` where it is another kind of file."""
    if path.suffix == ".parquet":
        return rows_from(optional("pyarrow.parquet", "data").read_table(path).to_pylist())
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != tuple(COLUMNS):
            raise UsageError(f"{path} is no file of rows of an evaluation.")
        return rows_from([{name: _cell(name, text) for name, text in line.items()} for line in reader])


def _cell(name: str, text: str) -> object:
    if not text and name not in _TEXTS:
        return None
    return COLUMNS[name](text)
