"""System services for our processes: signals that end them, processors, garbage collection, work in a pool."""

import gc
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

ENDINGS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals of a terminal, and of a host or other parent; Windows has no SIGHUP."""


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those that are to be obeyed; under nohup a run outlives its terminal."""
    return tuple(
        number for number in ENDINGS if number.name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN
    )


def core_count() -> int:
    """On how many processors this process may run, which may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collect_rarely() -> None:
    """Make garbage collection of reference cycles rare in this process.

    Imported objects stay, and checks leave hardly any cycles: repeated collections
    take a twentieth of the time of a command, and a tenth of that of a check.
    """
    gc.set_threshold(200_000, 20, 20)


@contextmanager
def without_garbage_collection() -> Generator[None]:
    """Collect no garbage in the block, and never examine its objects later: imported objects stay."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def spawning_context() -> "SpawnContext":
    """Return the context that starts our processes as fresh interpreters; a forked one would share all that we hold.

    They import nothing from the folder that they are started in. By default Python looks there first, so that a file
    ``multiprocessing.py`` in the project under work would be run.
    """
    from multiprocessing import get_context  # noqa: PLC0415 -- as below

    os.environ["PYTHONSAFEPATH"] = "1"
    return get_context("spawn")


@contextmanager
def deferring_interrupts() -> Generator[None]:
    """Shield processes started in the block from Ctrl-C, and delay it for this one until the end: none is lost."""
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker  # noqa: PLC0415 -- as below

    resource_tracker.ensure_running()  # or it would be started in the block, and let signals through when it was
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_work() -> None:
    """Prepare this process, one of several, for many small pieces of work.

    It ends when its parent ends, which may be killed during a piece of work that takes minutes. Ctrl-C is left to the
    parent.
    """
    if sys.platform == "win32":  # see ``deferring_interrupts`` for others
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    collect_rarely()


def _end_with_parent() -> None:
    # Not every process is one of a pool, and this import takes longer than the rest of this file.
    from multiprocessing import parent_process  # noqa: PLC0415
    from multiprocessing.connection import wait  # noqa: PLC0415

    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
