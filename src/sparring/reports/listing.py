"""Runs as a list, one line a run."""

from sparring.schema.runs import RunSummary
from sparring.text.tidying import one_line

_TOPIC_WIDTH = 60


def runs_list(runs: tuple[RunSummary, ...]) -> str:
    """One line for each run: id, how it stands or ended, number of turns, and what it was about."""
    rows = [(run.run_id, _standing(run), f"{run.turns} turns", _about(run)) for run in runs]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]).rstrip()
        for row in rows
    )


def _standing(run: RunSummary) -> str:
    return "unreadable" if run.problem else run.outcome or str(run.status)


def _about(run: RunSummary) -> str:
    return run.problem or one_line(run.topic, _TOPIC_WIDTH)
