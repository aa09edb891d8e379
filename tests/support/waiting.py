"""Waiting for what another thread or process does."""

import time
from collections.abc import Callable

_PATIENCE_S = 200.0


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something has happened; give up after long."""
    until = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "it has not happened"
        time.sleep(0.01)  # a database tells nobody
