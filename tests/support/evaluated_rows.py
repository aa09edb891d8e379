"""Rows of an evaluation read back from the file that it wrote, so that its figures can be computed anew."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.batch.addresses import optional
from sparring.evaluation.rows_file import COLUMNS
from sparring.schema.evaluation import ArmRow, ArmUse, EvaluatedRow
from sparring.schema.pairs import SeatLabel

_TEXTS = frozenset({"id", "group", "failure", "run", "about"})
"""Columns in which an empty text is a value."""


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


def read_rows(path: Path) -> list[EvaluatedRow]:
    """Return the rows of a file that an evaluation wrote."""
    if path.suffix == ".parquet":
        return rows_from(optional("pyarrow.parquet", "data").read_table(path).to_pylist())
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert tuple(reader.fieldnames or ()) == tuple(COLUMNS)
        return rows_from([{name: _cell(name, text) for name, text in line.items()} for line in reader])


def _cell(name: str, text: str) -> object:
    if not text and name not in _TEXTS:
        return None
    return COLUMNS[name](text)
