"""Processes of a pool, which end when whoever started them is gone."""

import os
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread


def end_with_parent() -> None:
    """Let this process end when its parent does, who may be killed while we have something that takes minutes."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
