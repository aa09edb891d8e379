"""Processes that a test starts: how they begin, and which run for it, found by what only they were given."""

import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def heeding_endings() -> Generator[None]:
    """Have what is started in the block heed the signals that end a program, whether or not we do.

    Who runs tests in the background of a script, or under nohup, ignores some of them, and so would it.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in _ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def processes_with_home(home: Path) -> list[Path]:
    """The processes whose ``HOME`` is this folder, as their folders in ``/proc``."""
    return processes_given(f"HOME={home}")


def processes_given(variable: str) -> list[Path]:
    """The same of those that have this in their environment."""
    found: list[Path] = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or is not ours to look into
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process)
    return found
