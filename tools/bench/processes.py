"""Run a program once and read what the operating system accounted for it."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct

_UNIT = 1 if sys.platform == "darwin" else 1024
"""Of the peak memory: macOS counts bytes, Linux KiB."""


class Cost(Struct, frozen=True):
    """CPU seconds (user and system) and peak resident memory in MiB of one process and its waited-for children.

    ``answers_s`` are the seconds from its start until each line that it was asked for was there.
    """

    cpu_s: float
    peak_mib: float
    answers_s: Sequence[float] = ()


def cost_of(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    messages: Iterable[Mapping[str, object]] = (),
) -> Cost:
    """Run ``argv`` to its end; before that, give it the messages, and wait for an answer to each that has an id."""
    began, answers_s = time.perf_counter(), list[float]()
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=cwd
    ) as process:
        assert process.stdin is not None  # noqa: S101 -- tells the type checker
        assert process.stdout is not None  # noqa: S101 -- tells the type checker
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                if json.loads(process.stdout.readline())["id"] != message["id"]:
                    raise RuntimeError("an answer is missing")
                answers_s.append(time.perf_counter() - began)
        process.stdin.close()
        process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv)
    return Cost(used.ru_utime + used.ru_stime, _mib(used), answers_s)


def own_peak_mib() -> float:
    """The peak resident memory of this process until now."""
    return _mib(resource.getrusage(resource.RUSAGE_SELF))


def median_cost(runs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    answers = zip(*(run.answers_s for run in runs), strict=True)
    return Cost(
        median(run.cpu_s for run in runs),
        median(run.peak_mib for run in runs),
        [median(answer) for answer in answers],
    )


def _mib(used: resource.struct_rusage) -> float:
    return used.ru_maxrss * _UNIT / 2**20
