"""Which signals ask a program to end that has runs under way."""

import signal

ENDINGS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Those of a terminal, and of a host or whoever else started us; Windows has no SIGHUP."""


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those that are to be obeyed; under nohup a run outlives its terminal."""
    return tuple(
        number for number in ENDINGS if number.name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN
    )
