"""The user's own commands that a gate runs before the review, such as ``make test``.

They are in the user's configuration, never in the project. They run the project's own code, though, as when the user
types them: they get the user's environment without the variables whose names suggest that they hold a secret.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio

from sparring.processes.call_folders import CallFolders
from sparring.processes.children import Command, FinishedProcess
from sparring.processes.supervision import ConsultTerms, run_consultation
from sparring.schema.checks import CheckResult
from sparring.text.redaction import Redactor
from sparring.text.secret_shapes import is_key_name, is_secret_name
from sparring.text.tidying import for_terminal

_OUTPUT_LIMIT = 32 * 1024 * 1024
"""Maximum output of a command in bytes; one that prints more is ended."""

_LINES, _LINE = 20, 400
"""Last lines of the output that are kept, and maximum characters of each."""

_TAIL = 64 * 1024
_BOTH = 'exec 2>&1; eval "$1"'


async def run_checks(
    commands: Sequence[str],
    project: Path,
    environment: Mapping[str, str],
    folders: CallFolders,
    redactor: Redactor,
    *,
    limit_s: float,
) -> tuple[CheckResult, ...]:
    """Run ``commands`` in ``project`` one after the other, all within ``limit_s``, and return their results.

    In every case a command and all its children are ended before this returns, also when this process is killed.
    """
    until = anyio.current_time() + limit_s
    kept = {name: value for name, value in environment.items() if not (is_secret_name(name) or is_key_name(name))}
    results = list[CheckResult]()
    for command in commands:
        left_s = until - anyio.current_time()
        results.append(await _run(command, project, kept, folders, redactor, left_s))
    return tuple(results)


async def _run(
    command: str,
    project: Path,
    environment: Mapping[str, str],
    folders: CallFolders,
    redactor: Redactor,
    limit_s: float,
) -> CheckResult:
    shown = redactor.redact(command).text
    if limit_s <= 0:
        return CheckResult(command=shown, lines=("Not run: the other checks used up the time.",))
    shell = ("cmd", "/c", command) if sys.platform == "win32" else ("/bin/sh", "-c", _BOTH, "check", command)
    started = Command(argv=shell, env=environment, cwd=project)
    try:
        with folders.new_folder() as folder:
            terms = ConsultTerms(timeout_s=limit_s, output_limit=_OUTPUT_LIMIT)
            finished = await run_consultation(started, folder, Path(os.devnull), terms)
    except OSError as error:
        return CheckResult(command=shown, lines=(f"It cannot be started: {error.strerror or error}.",))
    return CheckResult(
        command=shown,
        exit_code=None if finished.timed_out or finished.overflowed else finished.exit_code,
        lines=_last_lines(finished, redactor),
    )


def _last_lines(finished: FinishedProcess, redactor: Redactor) -> tuple[str, ...]:
    text = redactor.redact(for_terminal((finished.stdout + finished.stderr)[-_TAIL:])).text
    lines = [line.rstrip()[:_LINE] for line in text.split("\n") if line.strip()][-_LINES:]
    if finished.overflowed:
        lines.append("Stopped: it printed too much.")
    if finished.timed_out:
        lines.append("Stopped: it took too long.")
    return tuple(lines)
