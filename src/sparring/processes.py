"""What a pool of processes needs to know: how many are worth while, how each begins, and when it is to end."""

import gc
import os
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread


def cores() -> int:
    """On how many processors this process may run, which may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def begin_work() -> None:
    """Prepare this process, one of a pool, for many small pieces of work.

    It ends when its parent does, who may be killed while we have something that takes minutes. What is checked leaves
    hardly anything that refers to itself: to look for that takes a tenth of the time.
    """
    Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def _end_with_parent() -> None:
    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
