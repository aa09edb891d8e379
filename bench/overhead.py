"""What a debate costs beyond waiting for its answers."""

import tempfile
import time
from pathlib import Path

import anyio

from bench.scripted_tools import environment, write_tools
from sparring.app import App, DebateWish
from sparring.schema.runs import RunEvent
from sparring.settings import Settings

ROUNDS = 5
DELAY_S = 0.5
CRITICAL_PATH = 2 * ROUNDS + 1
"""Answers that somebody waits for: the speeches and the verdict. Summaries are made beside them."""


def main() -> None:
    """Print wall time over the sum of the answers on the critical path (aim: at most 1.03)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tools(folder / "config", delay_s=DELAY_S, speech="I claim that `README.md:1` says so.")
        app = App(Settings.read(environment(folder), folder))
        wish = DebateWish(topic="Bench?", proposer="left", challenger="right", judge="bench", rounds=ROUNDS)
        began = time.perf_counter()
        run = app.begin(app.debate_request(wish))
        anyio.run(app.work, run, _unwatched)
        wall_s = time.perf_counter() - began
    answers_s = CRITICAL_PATH * DELAY_S
    print(f"{ROUNDS}-round debate, {CRITICAL_PATH} scripted answers of {DELAY_S} s on the critical path")
    print(f"wall / answers = {wall_s:.3f} s / {answers_s:.3f} s = {wall_s / answers_s:.3f}  (aim <= 1.03)")


def _unwatched(_: RunEvent) -> None:
    pass


if __name__ == "__main__":
    main()
