"""Standard streams as one finds them: closed before we started, too narrow for a letter, gone or full while we write.

Whoever stops reading a result (``| head``) has what they wanted, and whoever watches a run must not be able to end it
by going away. A result that cannot be written for another reason is an error.
"""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from io import UnsupportedOperation
from pathlib import Path
from typing import Literal, TextIO

import typer

from sparring.cli.invocation import Streams, invocation
from sparring.errors import SparringError


def streams_of_process() -> Streams:
    """The streams of this process: each that is closed is given a place, and no letter that one lacks is an error."""
    # In this order each gets its own descriptor back; otherwise the next file opened would become standard output.
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    return Streams(sys.stdin, sys.stdout, typer.get_text_stream("stderr", errors=None))


@contextmanager
def writing_result() -> Generator[TextIO]:
    """Standard output for a result, which is written when the block ends; nobody reading it is no error.

    Raises:
        SparringError: It cannot be written, e.g. because the disk is full.
    """
    out = invocation().streams.stdout
    try:
        yield out
        out.flush()
    except BrokenPipeError:
        discard(out)
    except OSError as error:
        discard(out)
        raise SparringError(f"Standard output cannot be written: {error.strerror}.") from error


def discard(stream: TextIO) -> None:
    """Let what is written to ``stream``, or still waits in it, go nowhere; at its end Python would try it again."""
    try:
        descriptor = stream.fileno()
    except UnsupportedOperation:
        return  # nothing lies behind it
    with _nowhere("w") as nowhere:
        os.dup2(nowhere.fileno(), descriptor)


def _nowhere(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")
