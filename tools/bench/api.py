"""Cost of asking many model APIs at the same time, beyond waiting for their answers."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import anyio
from msgspec import Struct

from bench.figures import Figure, Figures, Scale
from bench.processes import own_peak_mib
from sparring.app import App
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Question
from sparring.testing import Workspace

QUESTION = Question(
    prompt="All work and no play makes a dull debate. " * 50,
    brief=Brief(step="consult/question", topic="Work", role=Role.CONSULTANT, round=1),
    timeout_s=60,
)


class Walls(Struct, frozen=True):
    """Seconds: of the first ask, and each time of all at once, over new connections and over those at hand."""

    first_s: float
    anew_s: Sequence[float]
    again_s: Sequence[float]


def run(scale: Scale) -> Figures:
    """Wall time over that of one answer, and peak memory over that before."""
    asks, times, delay_s = scale.of((64, 9, 0.2), smoke=(4, 1, 0.02))
    argv = [sys.executable, str(Path(__file__).with_name("slow_api.py")), str(delay_s)]
    with tempfile.TemporaryDirectory() as name, subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101 -- tells the type checker
        variables = {"VLLM_BASE_URL": f"{server.stdout.readline().strip()}/v1", "SPARRING_VLLM_MODEL": "m"}
        try:
            before_mib = own_peak_mib()
            walls = anyio.run(_walls, App(Workspace(Path(name), variables).settings), asks, times)
            after_mib = own_peak_mib()
        finally:
            server.terminate()
    yield Figure(
        "first ask, which loads the client / its answer",
        walls.first_s / delay_s,
        f"{1000 * walls.first_s:.0f} ms, {1000 * delay_s:.0f} ms",
    )
    for what, all_s in (("to be made", walls.anew_s), ("at hand", walls.again_s)):
        yield Figure(
            f"{asks} asks at once, connections {what} / one answer",
            median(all_s) / delay_s,
            f"{min(all_s):.3f} s to {max(all_s):.3f} s, {times} times, for answers of {delay_s} s",
            "<= 1.3",
        )
    yield Figure(
        "peak memory / before",
        after_mib / before_mib,
        f"{after_mib:.0f} MiB, {before_mib:.0f} MiB  (aim < 150 MiB)",
    )


async def _walls(app: App, asks: int, times: int) -> Walls:
    first_s, anew_s, again_s = await _timed(app, 1), list[float](), list[float]()
    for _ in range(times):
        async with app.roster.connections.acquired():
            anew_s.append(await _timed(app, asks))
            again_s.append(await _timed(app, asks))
    return Walls(first_s, anew_s, again_s)


async def _timed(app: App, asks: int) -> float:
    async def ask() -> None:
        reply = await app.roster.consultant("vllm").ask(QUESTION)
        assert isinstance(reply, Answer), reply  # noqa: S101 -- else nothing was measured

    began = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(asks):
            tasks.start_soon(ask)
    return time.perf_counter() - began
