"""A project with a past: finished runs that nobody had to wait for."""

from datetime import timedelta

from support.journals import BEGUN_AT, chained, header, keep, outcome
from support.workbench import Workbench


def kept_runs(bench: Workbench, count: int) -> list[str]:
    """The ids of as many finished debates, newest first."""
    ids: list[str] = []
    for number in range(count):
        at = BEGUN_AT + timedelta(minutes=number)
        run_id = f"debate-{at:%Y%m%dT%H%M%SZ}-{number:04x}"
        lines = chained(header(run_id, created_at=at), outcome())
        keep(bench.state / "debate" / "runs" / run_id, lines)
        ids.insert(0, run_id)
    return ids
