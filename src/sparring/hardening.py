"""What a process asks of the system for its own safety: Linux only, elsewhere and where it is refused nothing happens.

A process that is asked for nothing can be read by every other one of the same user: its environment with all keys, and
its memory. So a consulted program could read that of whoever started it. The command line and the servers, and whatever
of ours starts programs, therefore begin with ``hide_memory``. Root may look all the same.
"""

import sys

_PDEATHSIG, _DUMPABLE, _CHILD_SUBREAPER = 1, 4, 36
"""Numbers of ``prctl``, the same on every Linux."""


def hide_memory() -> bool:
    """Keep environment, memory and open files from other programs of this user; whether that was done.

    No core is written, and no debugger gets in. A program that is started does not inherit it; a fork does.
    """
    return _asked(_DUMPABLE, 0)


def adopt_orphans() -> bool:
    """Become the parent of whatever of our tree loses its own, so that it can be found, waited for and ended."""
    return _asked(_CHILD_SUBREAPER, 1)


def end_with_parent(signal: int) -> bool:
    """Be sent ``signal`` when the thread that started this process ends, however it does.

    Whoever calls it compares ``os.getppid`` with what it was told: a parent that is gone already sends nothing.
    """
    return _asked(_PDEATHSIG, signal)


def _asked(what: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 -- others need not wait for it

    try:
        return ctypes.CDLL(None).prctl(what, value, 0, 0, 0) == 0
    except (OSError, AttributeError):  # pragma: no cover -- a libc that cannot be loaded
        return False
