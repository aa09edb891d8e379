"""Every bench runs, from a fresh clone, and what it gives are figures; what they say is measured by ``make bench``."""

import importlib
import math
from pathlib import Path

import pytest

from bench.__main__ import BENCHES
from bench.figures import Figure, LeftOut, Scale

ROOT = Path(__file__).parents[2]
_PROGRAMS = "overhead history startup memory adapter api ledger exhibits serving ending table_page batch"
PROGRAMS = frozenset(_PROGRAMS.split())
"""What these measure are programs, or they ask git or a browser."""
MARKS = {**dict.fromkeys(PROGRAMS, (pytest.mark.process,)), "real_model": (pytest.mark.process, pytest.mark.real)}


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS.get(name, ())) for name in BENCHES])
def test_a_bench_runs_without_data_and_gives_figures(name: str, tmp_path: Path) -> None:
    bench = importlib.import_module(f"bench.{name}")
    lines: list[Figure | LeftOut] = list(bench.run(Scale(is_smoke=True, data=tmp_path / "no such folder")))
    figures = [line for line in lines if isinstance(line, Figure)]
    assert len({figure.name for figure in figures}) == len(figures) > 0
    assert all(math.isfinite(figure.ratio) and figure.ratio >= 0 and figure.of for figure in figures)
    assert all(line.what and line.why for line in lines if isinstance(line, LeftOut))
