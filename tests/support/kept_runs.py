"""A project with a past: finished runs that nobody had to wait for."""

from datetime import timedelta

from sparring.store.lines import EndLine, Link, StartLine, seal
from support.journals import BEGUN_AT, header, keep, outcome
from support.workbench import Workbench


def kept_runs(bench: Workbench, count: int) -> list[str]:
    """The ids of as many finished debates, newest first."""
    ids: list[str] = []
    for number in range(count):
        at = BEGUN_AT + timedelta(minutes=number)
        run_id = f"debate-{at:%Y%m%dT%H%M%SZ}-{number:04x}"
        start = seal(StartLine(seq=0, prev=Link().prev, at=at, body=header(run_id, created_at=at)))
        end = seal(EndLine(seq=start.following.seq, prev=start.following.prev, at=at, body=outcome()))
        keep(bench.state / "debate" / "runs" / run_id, [start.content, end.content])
        ids.insert(0, run_id)
    return ids
