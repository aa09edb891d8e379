"""System services for a process of ours: signals that end it, processors, garbage collection, work in a pool."""

import gc
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext

ENDINGS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Those of a terminal, and of a host or whoever else started us; Windows has no SIGHUP."""


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those that are to be obeyed; under nohup a run outlives its terminal."""
    return tuple(
        number for number in ENDINGS if number.name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN
    )


def cores() -> int:
    """On how many processors this process may run, which may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collect_rarely() -> None:
    """Let this process seldom look for what refers to itself and can go.

    What is imported stays, and what is checked leaves hardly anything of the kind: to look through it again and again
    takes a twentieth of what a command costs, and a tenth of what a check does.
    """
    gc.set_threshold(200_000, 20, 20)


@contextmanager
def importing() -> Generator[None]:
    """Collect no garbage in the block, and never look through what it leaves behind: imports make what stays."""
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
def interrupts_deferred() -> Generator[None]:
    """Let what is started in the block never hear of Ctrl-C, and us only behind it: none is lost meanwhile."""
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


def begin_work(*wanted: "Connection[object, object]") -> None:
    """Prepare this process, one of a pool, for many small pieces of work.

    It ends when its parent does, who may be killed while we have something that takes minutes, or closes the other end
    of one that is ``wanted``. Ctrl-C is for that one.
    """
    if sys.platform == "win32":  # see ``interrupts_held`` for others
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_when_parent_does, args=wanted, daemon=True).start()
    gc.freeze()
    collect_rarely()


def _end_when_parent_does(*wanted: "Connection[object, object]") -> None:
    # Not every process is one of a pool, and to import this takes longer than the rest of this file.
    from multiprocessing import parent_process  # noqa: PLC0415
    from multiprocessing.connection import wait  # noqa: PLC0415

    if parent := parent_process():
        wait([parent.sentinel, *wanted])
        os._exit(1)
