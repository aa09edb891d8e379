"""Start a program, hand it a prompt as its standard input, read what it says, and leave nothing of it running.

This module knows nothing of providers: what to start, and what the bytes mean, is somebody else's.
"""

import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import anyio

from sparring.consult.process.capture import OUTPUT_LIMIT, Capture
from sparring.consult.process.command import Command
from sparring.consult.process.starting import drained, end, start


@dataclass(frozen=True)
class Finished:
    """How a child ended, and what it said.

    Attributes:
        exit_code: Negative when a signal ended it. None when it timed out and had to be ended.
        stdout: UTF-8; undecodable bytes are replaced.
        stderr: The same.
        overflowed: A stream went over the limit, so the child was ended and the streams hold the beginning only.
        report: What it wrote into the file that it was given for that.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    timed_out: bool
    overflowed: bool
    duration_ms: int
    report: str = ""


async def run_child(
    command: Command,
    *,
    prompt: Path | None,
    timeout_s: float,
    output_limit: int = OUTPUT_LIMIT,
    is_last: Callable[[str], bool] | None = None,
) -> Finished:
    """Run ``command`` with the file ``prompt`` as its standard input (None: an empty one).

    Whatever happens, also when the caller is cancelled, the child and all that it started are ended before this
    returns or raises; that takes a few seconds at most, in addition to ``timeout_s``. It is also ended after a line
    of its standard output that ``is_last``.

    Raises:
        OSError: The program cannot be started, or the prompt cannot be read; ``filename`` tells which. No child
            was left behind.
    """
    began = anyio.current_time()
    with _standard_input(prompt) as stdin:
        child = await start(command, stdin)
    process, waiting = child.process, anyio.CancelScope(deadline=began + timeout_s)
    streams = (stream for stream in (process.stdout, process.stderr) if stream is not None)
    stdout, stderr = captures = [
        Capture(stream, output_limit, waiting.cancel, is_last=watch)
        for stream, watch in zip(streams, (is_last, None), strict=True)
    ]
    timed_out = False
    async with anyio.create_task_group() as readers:
        for capture in captures:
            readers.start_soon(capture.read)
        try:
            with waiting:
                await process.wait()
                await drained(captures)
            ended_early = stdout.said_last or any(capture.overflowed for capture in captures)
            timed_out = process.returncode is None and not ended_early
        finally:
            await end(child, captures)
    return Finished(
        exit_code=None if timed_out else process.returncode,
        stdout=stdout.text(),
        stderr=stderr.text(),
        timed_out=timed_out,
        overflowed=any(capture.overflowed for capture in captures),
        duration_ms=round((anyio.current_time() - began) * 1000),
    )


@contextmanager
def _standard_input(prompt: Path | None) -> Generator[IO[bytes] | int]:
    if prompt is None:
        yield subprocess.DEVNULL
        return
    with prompt.open("rb") as file:
        yield file
