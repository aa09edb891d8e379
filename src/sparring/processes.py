"""What a pool of processes needs to know: how many are worth while, and when they are to end."""

import os
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread


def cores() -> int:
    """On how many processors this process may run, which may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def end_with_parent() -> None:
    """Let this process end when its parent does, who may be killed while we have something that takes minutes."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
