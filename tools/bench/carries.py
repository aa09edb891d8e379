"""Figures of how often code is right about whether a quote carries a part of a claim, or conflicts with it."""

import json
from collections.abc import Sequence

from bench.figures import Figure, Figures, LeftOut, Scale
from bench.rows import PARTS, Row, few, part_of, rows_of, sample_or
from sparring.app.verification import carries_answers
from sparring.schema.claims import Relation
from sparring.schema.verification import CarriesRow

_FLAGS = {Relation.CARRIES: ("carries", ">= 0.98"), Relation.CONFLICTS: ("conflict", ">= 0.95")}


def run(scale: Scale) -> Figures:
    """Yield, for both parts, what is right of what is said, and beside it what is found."""
    rows = few(rows_of(sample_or("carries", scale.data)), scale)
    for part in PARTS:
        yield from _figures(part, [row for row in rows if part_of(row) == part])


def _figures(part: str, rows: Sequence[Row]) -> Figures:
    answer = carries_answers()
    given = [(row, answer(CarriesRow.model_validate_json(json.dumps(row))).relation) for row in rows]
    for relation, (flag, aim) in _FLAGS.items():
        called = [bool(row[flag]) for row, each in given if each is relation]
        there = sum(bool(row[flag]) for row in rows)
        if not called or not there:
            yield LeftOut(f"{part}: quotes that {relation}", "code found none in these rows")
            continue
        share = f"{sum(called)} of {len(called)}; found {100 * sum(called) / there:.1f} % of {there}"
        yield Figure(f"{part}: {relation}, right of said", sum(called) / len(called), share, aim)
