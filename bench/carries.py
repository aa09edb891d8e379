"""How often code is right about whether a quote carries a part of a claim, or conflicts with it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, Figures, LeftOut, Scale
from sparring.app.verification import carries_answers
from sparring.schema.claims import Relation
from sparring.schema.verification import CarriesRow

_SAMPLE = Path(__file__).resolve().parents[1] / "tests" / "data" / "carries.sample.jsonl"
_SMOKE_ROWS = 12
_FLAGS = {Relation.CARRIES: ("carries", "right 98, found 60"), Relation.CONFLICTS: ("conflict", "right 97")}


def run(scale: Scale) -> Figures:
    """Of what is called so, how much is; and how much of it is found."""
    rows = _rows(scale)
    answer = carries_answers()
    told = [(row, answer(CarriesRow.model_validate_json(json.dumps(row))).relation) for row in rows]
    for relation, (flag, aim) in _FLAGS.items():
        called = [bool(row[flag]) for row, each in told if each is relation]
        there = sum(bool(row[flag]) for row in rows)
        if not called or not there:
            yield LeftOut(f"quotes that {relation}", "code found none in these rows")
            continue
        share = f"found {100 * sum(called) / there:.1f} % of {there}"
        yield Figure(f"{relation}: rightly / in all", sum(called) / len(called), share, aim)


def _rows(scale: Scale) -> Sequence[Mapping[str, Any]]:
    file = scale.data / "carries.dev.jsonl"
    text = (file if file.is_file() else _SAMPLE).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    return rows[:: max(1, len(rows) // _SMOKE_ROWS)] if scale.is_smoke else rows
