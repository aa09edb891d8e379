"""Which signals ask a program to end that has runs under way, and how a process of ours ends with its parent."""

import os
import signal
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread

ENDINGS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Those of a terminal, and of a host or whoever else started us; Windows has no SIGHUP."""


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those that are to be obeyed; under nohup a run outlives its terminal."""
    return tuple(
        number for number in ENDINGS if number.name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN
    )


def live_for_parent() -> None:
    """Let this process, one of a pool, end when whoever started it is gone, and by nothing that is typed.

    Ctrl-C is for the parent, who ends us; and it may be killed while we have a row that takes minutes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
