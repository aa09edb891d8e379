"""Which signals ask a program to end that has runs under way."""

import signal
import sys


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those of a terminal and of whoever started us; under nohup a run outlives its terminal."""
    signals = (signal.SIGINT, signal.SIGTERM)
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return signals
    return (*signals, signal.SIGHUP)
