"""Peak memory of a whole debate whose answers are 1 MiB each."""

import sys
import tempfile
from pathlib import Path

from bench.figures import Figure, Figures, Scale
from bench.processes import cost_of
from bench.scripted_tools import DEBATE, workspace

SENTENCE = "All work and no play makes a dull debate. "
MIB = 1 << 20


def run(scale: Scale) -> Figures:
    """The peak over that of a debate with short answers."""
    rounds, size = scale.of((2, MIB), smoke=(1, MIB // 256))
    short, long = (_peak_mib(SENTENCE * times, rounds) for times in (1, size // len(SENTENCE)))
    yield Figure(
        f"peak memory with answers of {size // 1024} KiB / short ones",
        long / short,
        f"{long:.0f} MiB, {short:.0f} MiB in {rounds} rounds  (aim < 120 MiB)",
    )


def _peak_mib(speech: str, rounds: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        there = workspace(Path(folder), delay_s=0, speech=speech)
        argv = [sys.executable, "-m", "sparring", "debate", "Bench?", *DEBATE, "--rounds", str(rounds)]
        return cost_of(argv, environment=there.environment, cwd=there.project).peak_mib
