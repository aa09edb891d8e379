"""Time to list the runs of a project: first from their journals, then from the index."""

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.figures import Figure, Figures, Scale
from bench.processes import Cost, cost_of
from sparring.store.history import run_folder
from sparring.store.provenance import KEY_VARIABLE, StateKey
from support.journals import lines_of, turn

_SIGNED_WITH = "a key of the bench, which signs its runs"
_KEY = StateKey(None, given=_SIGNED_WITH)


def run(scale: Scale) -> Figures:
    """CPU of ``sparring runs list`` beyond that of a project with one run."""
    count = scale.of(20_000, smoke=20)
    with tempfile.TemporaryDirectory() as name:
        few, many = Path(name) / "few", Path(name) / "many"
        _make_runs(few, 1)
        _make_runs(many, count)
        _listing(few)
        first, (later, start) = _listing(many), (_listing(folder) for folder in (many, few))
    aside = f"{later.cpu_s:.3f} s, {start.cpu_s:.3f} s with one run, {first.cpu_s:.2f} s the first time"
    yield Figure(f"CPU to list {count:,} runs / one", later.cpu_s / start.cpu_s, f"{aside}  (aim <= 0.3 s more)")


def _listing(folder: Path) -> Cost:
    place = {"AI_STATE_DIR": str(folder), "HOME": str(folder), KEY_VARIABLE: _SIGNED_WITH}
    environment: Mapping[str, str] = {**os.environ, **place}
    return cost_of([sys.executable, "-m", "sparring", "runs", "list"], environment=environment, cwd=folder)


def _make_runs(state: Path, count: int) -> None:
    turns = tuple(map(turn, range(8)))
    for number in range(count):
        hour, rest = divmod(number, 3600)
        stamp = f"20250102T{hour:02}{rest // 60:02}{rest % 60:02}Z"
        folder = run_folder(state, "debate", f"debate-{stamp}-{number % 65536:04x}")
        folder.mkdir(parents=True)
        (folder / "journal.jsonl").write_bytes(b"".join(lines_of(turns, ended=True, key=_KEY)))
