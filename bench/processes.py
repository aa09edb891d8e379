"""Run a program once and read what the operating system accounted for it."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system) and peak resident memory in MiB of one process and its waited-for children."""

    cpu_s: float
    peak_mib: float


def cost_of(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    until: Callable[[bytes], bool] | None = None,
) -> Cost:
    """Run ``argv``; with ``until``, close its input when a line of its output satisfies it."""
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdin is not None  # noqa: S101 -- tells the type checker
        assert process.stdout is not None  # noqa: S101 -- tells the type checker
        process.stdin.write(stdin)
        process.stdin.flush()
        for line in process.stdout:
            if until and until(line):
                break
        process.stdin.close()
        process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv)
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def median_cost(runs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(median(run.cpu_s for run in runs), median(run.peak_mib for run in runs))
