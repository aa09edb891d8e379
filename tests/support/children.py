"""Commands that start ``fake_cli``, what is told of their ends, and what becomes of what known programs print."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sparring.processes.children import Command, FinishedProcess
from sparring.providers.cli.output import parse
from sparring.providers.receiving.causes import AskedQuestion
from sparring.schema.consultation import Reply
from sparring.testing import fake_cli
from sparring.text.redaction import Redactor
from support.desk import question

ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
FAMILY = {"parent": "", "child": "", "runaway": ""}
"""The last words of ``fake_cli family``."""

KILLED, TERMINATED = -signal.SIGKILL, -signal.SIGTERM


def fake(*arguments: str) -> Command:
    """A program that behaves so."""
    program = (sys.executable, "-S", fake_cli.__file__)
    return Command(argv=(*program, *arguments), env=ENVIRONMENT, cwd=Path(fake_cli.__file__).parent)


def ended(
    exit_code: int | None = 0, *, stdout: str = "", stderr: str = "", overflowed: bool = False
) -> FinishedProcess:
    """The end of one, without the time that it took."""
    return FinishedProcess(exit_code, stdout, stderr, timed_out=False, overflowed=overflowed, duration_ms=0)


def reply_of(
    tool: str,
    *said: object,
    exit_code: int | None = 0,
    stderr: str = "",
    report: str = "",
    timed_out: bool = False,
    secrets: Sequence[str] = (),
    **asked: Any,
) -> Reply:
    """Return the reply parsed from lines that ``tool`` prints, each a text or a value for JSON."""
    stdout = "\n".join(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in said)
    finished = FinishedProcess(
        exit_code, stdout, stderr, timed_out=timed_out, overflowed=False, duration_ms=12, report=report
    )
    return parse(tool, finished, AskedQuestion(tool, question(timeout_s=30, **asked), Redactor(secrets)))
