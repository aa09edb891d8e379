"""Commands that start ``fake_cli``, and what is told of their ends."""

import os
import signal
import sys
from pathlib import Path

from sparring.providers.cli.process import Command, Finished
from sparring.testing import fake_cli

ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
FAMILY = {"parent": "", "child": "", "runaway": ""}
"""The last words of ``fake_cli family``."""

KILLED, TERMINATED = -signal.SIGKILL, -signal.SIGTERM


def fake(*arguments: str) -> Command:
    """A program that behaves so."""
    program = (sys.executable, "-S", fake_cli.__file__)
    return Command(argv=(*program, *arguments), env=ENVIRONMENT, cwd=Path(fake_cli.__file__).parent)


def ended(exit_code: int | None = 0, *, stdout: str = "", stderr: str = "", overflowed: bool = False) -> Finished:
    """The end of one, without the time that it took."""
    return Finished(exit_code, stdout, stderr, timed_out=False, overflowed=overflowed, duration_ms=0)
