"""Cost of a debate beyond waiting for its answers."""

import tempfile
import time
from pathlib import Path

import anyio

from bench.figures import Figure, Figures, Scale
from bench.scripted_tools import workspace
from sparring.app import App
from sparring.formats.debate.options import DebateOptions
from sparring.schema.runs import RunEvent

SPEECH = "I claim that `README.md:1` says so."


def run(scale: Scale) -> Figures:
    """Wall time over the sum of the answers on the critical path."""
    rounds, delay_s = scale.of((5, 0.5), smoke=(1, 0.01))
    with tempfile.TemporaryDirectory() as folder:
        there = workspace(Path(folder), delay_s=delay_s, speech=SPEECH)
        app = App(there.settings)
        wish = DebateOptions(topic="Bench?", proposer="left", challenger="right", seat=("judge=bench",), rounds=rounds)
        began = time.perf_counter()
        outcome = anyio.run(app.work, app.begin(app.request(wish)), _unwatched)
        wall_s = time.perf_counter() - began
    answers = 2 * rounds + 1  # that somebody waits for: the speeches and the verdict; summaries are made beside them
    yield Figure(
        f"wall time of {rounds} rounds / of its answers",
        wall_s / (answers * delay_s),
        f"{wall_s:.3f} s for {answers} answers of {delay_s} s, one after the other; it ended {outcome.status}",
        "<= 1.03",
    )


def _unwatched(_: RunEvent) -> None:
    pass
