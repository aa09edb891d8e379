"""What a pool of processes needs to know: how many are worth while, how each begins, and when it is to end."""

import gc
import os
from threading import Thread


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


def begin_work() -> None:
    """Prepare this process, one of a pool, for many small pieces of work.

    It ends when its parent does, who may be killed while we have something that takes minutes.
    """
    Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    collect_rarely()


def _end_with_parent() -> None:
    # Not every process is one of a pool, and to import this takes longer than the rest of this file.
    from multiprocessing import parent_process  # noqa: PLC0415
    from multiprocessing.connection import wait  # noqa: PLC0415

    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
