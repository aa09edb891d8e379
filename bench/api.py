"""What asking many model APIs at the same time costs beyond waiting for their answers."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import anyio

from sparring.app import App
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Question
from sparring.settings import Settings

ASKS = 64
DELAY_S = 0.2
TIMES = 9
QUESTION = Question(
    prompt="All work and no play makes a dull debate. " * 50,
    brief=Brief(step="consult/question", topic="Work", role=Role.CONSULTANT, round=1),
    timeout_s=60,
)


def main() -> None:
    """Print wall time over that of one answer (aim: at most 1.3), and peak memory (aim: under 150 MiB)."""
    argv = [sys.executable, str(Path(__file__).with_name("slow_api.py")), str(DELAY_S)]
    with tempfile.TemporaryDirectory() as name, subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101 -- tells the type checker
        variables = {"VLLM_BASE_URL": f"{server.stdout.readline().strip()}/v1", "SPARRING_VLLM_MODEL": "m"}
        try:
            anyio.run(_measure, App(Settings.read(variables, Path(name))))
        finally:
            server.terminate()


async def _measure(app: App) -> None:
    first_s = await _timed(app, 1)
    anew: list[float] = []
    again: list[float] = []
    for _ in range(TIMES):
        async with app.roster.connections.held():
            anew.append(await _timed(app, ASKS))
            again.append(await _timed(app, ASKS))
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"the first ask, which loads the client: {first_s * 1000:.0f} ms, {DELAY_S * 1000:.0f} of them waiting")
    print(
        f"{ASKS} asks at once, each answered after {DELAY_S * 1000:.0f} ms, {TIMES} times; wall / answer (aim <= 1.3)"
    )
    for what, walls in (("connections to be made", anew), ("connections at hand", again)):
        best, middle, worst = (wall_s / DELAY_S for wall_s in (min(walls), median(walls), max(walls)))
        print(f"{what:<23} {best:.3f} best, {middle:.3f} median, {worst:.3f} worst")
    print(f"peak memory {peak_mib:.0f} MiB  (aim < 150 MiB)")


async def _timed(app: App, asks: int) -> float:
    async def ask() -> None:
        reply = await app.roster.consultant("vllm").ask(QUESTION)
        assert isinstance(reply, Answer), reply  # noqa: S101 -- else nothing was measured

    began = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(asks):
            tasks.start_soon(ask)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
