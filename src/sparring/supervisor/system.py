"""What Linux can do for whoever starts programs. Elsewhere, and where it is refused, nothing happens."""

import sys

_SET_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> bool:
    """Have every orphan among our descendants fall to us, so that none gets out of sight; whether that works."""
    return _prctl(_SET_CHILD_SUBREAPER, 1)


def end_with_parent(signum: int) -> None:
    """Have this process sent ``signum`` when the one that started it ends."""
    _prctl(_SET_PDEATHSIG, signum)


def _prctl(option: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    try:
        import ctypes  # noqa: PLC0415 -- not every Python has it

        return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0
    except (ImportError, OSError, AttributeError):
        return False
