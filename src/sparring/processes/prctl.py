"""Requests to Linux about this process (prctl(2)); elsewhere, and where one is refused, nothing happens.

A process that asks for nothing can be read by every other one of the same user: its environment with all keys, and its
memory. So a consulted program could read that of the process that started it. The command line, the servers and the
supervisor therefore begin with ``hide_memory``. Root may look all the same.
"""

import sys

_PDEATHSIG, _DUMPABLE, _CHILD_SUBREAPER = 1, 4, 36  # the same on every Linux


def hide_memory() -> bool:
    """Keep environment, memory and open files from other programs of this user; return whether that was done.

    No core is written, and no debugger gets in. A program that is started does not inherit it; a fork does.
    """
    return _asked(_DUMPABLE, 0)


def adopt_orphans() -> bool:
    """Become the parent of each descendant that loses its own, so that it can be listed, waited for and ended."""
    return _asked(_CHILD_SUBREAPER, 1)


def end_with_parent(number: int) -> bool:
    """Be sent the signal ``number`` when the thread that started this process ends, however it does.

    The caller then compares ``os.getppid`` with the parent's pid, because a parent that has ended already sends none.
    """
    return _asked(_PDEATHSIG, number)


def _asked(what: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 -- other systems need not wait for it

    try:
        return ctypes.CDLL(None).prctl(what, value, 0, 0, 0) == 0
    except (OSError, AttributeError):  # pragma: no cover -- a libc that cannot be loaded
        return False
