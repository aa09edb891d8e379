"""Bring a child to life so that all it starts can be found again, and end it with everything that it has started."""

import secrets
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import anyio
import anyio.abc

from sparring.consult.process.capture import Capture
from sparring.consult.process.command import Command, located
from sparring.consult.process.tree import ProcessTree

MARK_VARIABLE = "SPARRING_CHILD"
"""The one variable that a child gets beside those it was given: by it, what the child started is found again."""

_DRAIN_S = 1.0  # for the end of the output after the child's own end: somebody else may hold the pipe open
_REAP_S = 2.0  # for the event loop to notice that the child is dead
_CREATION_FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0


@dataclass(frozen=True)
class Child:
    """A child that lives, and the tree that it leads."""

    process: anyio.abc.Process
    tree: ProcessTree


async def start(command: Command, stdin: IO[bytes] | int) -> Child:
    """Start ``command`` as the leader of its own session. Whoever calls this has to call ``end``, cancelled or not.

    Raises:
        OSError: The program cannot be started; ``filename`` tells which.
    """
    token = secrets.token_hex(16)
    with to_the_end():  # a cancellation while the child comes to life would leave one that nobody knows of
        process = await anyio.open_process(
            (located(command), *command.argv[1:]),
            stdin=stdin,
            cwd=command.cwd,
            env={**command.env, MARK_VARIABLE: token},
            start_new_session=True,
            creationflags=_CREATION_FLAGS,
        )
        return Child(process, ProcessTree(process.pid, f"{MARK_VARIABLE}={token}"))


async def end(child: Child, captures: Sequence[Capture]) -> None:
    """End what is left of the tree, then read what is there. Cancelling the caller does not stop this."""
    with to_the_end():
        await child.tree.end()
        with anyio.move_on_after(_REAP_S):
            await child.process.wait()
        await drained(captures)
        for capture in captures:
            capture.stop()
        if child.process.returncode is not None:  # else it cannot be ended, and closing it would wait for that
            await child.process.aclose()


async def drained(captures: Sequence[Capture]) -> None:
    """Wait for the end of what is captured, for a bounded time."""
    with anyio.move_on_after(_DRAIN_S):
        for capture in captures:
            await capture.closed.wait()


@contextmanager
def to_the_end() -> Generator[None]:
    """What runs in it is not cancelled."""
    with anyio.CancelScope(shield=True):
        yield
