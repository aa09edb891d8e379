"""Scale and figures of every benchmark."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Folder of development data outside the project."""


class Figure(Struct, frozen=True):
    """A ratio.

    Attributes:
        name: Of what to what.
        ratio: The figure itself; a share is a ratio, too.
        of: What it was made from, in its own units, and what else is worth knowing.
        aim: What is aimed at; empty where that is for people to judge.
    """

    name: str
    ratio: float
    of: str
    aim: str = ""

    def __str__(self) -> str:
        return f"{self.name:<56} {self.ratio:8.3f}  {f'(aim {self.aim})' if self.aim else '':<14}  {self.of}".rstrip()


class LeftOut(Struct, frozen=True):
    """Figure that could not be measured, with the reason."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"left out: {self.what}: {self.why}"


Figures = Iterator[Figure | LeftOut]


class Scale(Struct, frozen=True):
    """Size of a benchmark.

    Attributes:
        is_smoke: It shall run, in a few seconds, and its figures mean nothing.
        data: The folder with the labelled rows; what is not there is taken from the sample in the repository.
    """

    is_smoke: bool = False
    data: Path = BESIDE

    def of(self, full: T, *, smoke: T) -> T:
        """The one of the two that is for this size."""
        return smoke if self.is_smoke else full


def cpu_s(work: Callable[[], object], *, times: int = 1) -> float:
    """The CPU seconds that ``work`` takes: the least of so many times."""
    return min(_once_s(work) for _ in range(times))


def _once_s(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
