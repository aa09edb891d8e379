"""Run a pure function of ours on what others wrote, where it can be ended.

That is a thread where the texts are short, else a process of its own with limits on time and memory.

One search of a pattern holds the interpreter until it is through; no cancellation and no signal reaches it. What is
handed over is pickled, and both ends of it are ours.
"""

import base64
import json
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar, cast

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from sparring.errors import SparringError, WorkerEndedError
from sparring.providers.cli.conversation import OutputOverflowError, talk
from sparring.providers.cli.process import Command

_T = TypeVar("_T")

SHORT = 256 << 10
"""Characters up to which a thread will do: a process takes half a second to start."""

_RESULT_LIMIT = 512 << 20
_ENVIRONMENT = {
    name: value for name in ("SYSTEMROOT",) if (value := os.environ.get(name))
}  # Windows starts none without
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from sparring.providers.worker import serve; serve()"


@dataclass(frozen=True)
class Allowance:
    """Most that a call may use."""

    wall_s: float = 120.0
    processor_s: int = 60
    memory_bytes: int = 4 << 30


PLENTY = Allowance()

_ROOM: RunVar[anyio.CapacityLimiter] = RunVar("_ROOM")


def room_for_workers() -> anyio.CapacityLimiter:
    """How many processes of ours may work at once, for however many runs and members; the others wait in order."""
    try:
        return _ROOM.get()
    except LookupError:
        room = anyio.CapacityLimiter((os.cpu_count() or 1) + 1)
        _ROOM.set(room)
        return room


async def run_pure(
    function: Callable[..., _T],
    *arguments: object,
    texts: Sequence[str | bytes],
    short: int = SHORT,
    allowance: Allowance = PLENTY,
) -> _T:
    """What ``function``, which has to be importable by its name, makes of ``arguments``.

    ``texts`` are those in them; of up to ``short`` characters, all together, a thread takes care.

    Raises:
        WorkerEndedError: It used more than ``allowance``, or failed.
    """
    if sum(map(len, texts)) > short:
        return await in_worker(function, *arguments, allowance=allowance)
    with anyio.move_on_after(allowance.wall_s):
        return await anyio.to_thread.run_sync(partial(function, *arguments), abandon_on_cancel=True)
    raise WorkerEndedError


async def in_worker(function: Callable[..., _T], *arguments: object, allowance: Allowance = PLENTY) -> _T:
    """The same, always in a process of its own; however this is left, it is ended before. It may have to wait for room.

    Raises:
        WorkerEndedError: It used more than ``allowance``, or failed.
    """
    async with room_for_workers():
        result = await _worked(await anyio.to_thread.run_sync(_packed, (function, arguments)), allowance)
    if isinstance(result, SparringError):
        raise result
    return cast("_T", result)


async def _worked(order: bytes, allowance: Allowance) -> object:
    limits = (str(allowance.processor_s), str(allowance.memory_bytes))
    command = Command(
        (sys.executable, "-I", "-c", _START, json.dumps(sys.path), *limits), env=_ENVIRONMENT, cwd=Path(sys.prefix)
    )
    answer: bytes | None = None
    try:
        with anyio.move_on_after(allowance.wall_s):
            async with talk(command, output_limit=_RESULT_LIMIT) as worker:
                await worker.send(order)
                answer = await worker.receive()
    except (OSError, OutputOverflowError) as error:
        raise WorkerEndedError from error
    if answer is None:
        raise WorkerEndedError
    return await anyio.to_thread.run_sync(_unpacked, answer)


def serve() -> None:
    """Do the one call that stands on the standard input. What fails, fails the process; that says enough."""
    processor_s, memory_bytes = map(int, sys.argv[2:])
    _limit(processor_s, memory_bytes)
    function, arguments = _unpacked(sys.stdin.buffer.readline())
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        # In a thread with a loop beside it, as here: who looks things up starts programs by it.
        result = anyio.run(anyio.to_thread.run_sync, partial(function, *arguments))
    except SparringError as error:
        result = error
    sys.stdout.buffer.write(_packed(result) + b"\n")
    sys.stdout.buffer.flush()
    os._exit(0)  # taking down what was built up for nothing takes time, too


def _end_with_parent() -> None:
    sys.stdin.buffer.read()  # nothing more comes; it ends when nobody is left who wants to know
    os._exit(1)


def _packed(value: object) -> bytes:
    return base64.b64encode(pickle.dumps(value))


def _unpacked(line: bytes) -> Any:
    return pickle.loads(base64.b64decode(line))  # noqa: S301 -- by ourselves, and nobody else has the pipe


def _limit(processor_s: int, memory_bytes: int) -> None:
    if sys.platform == "win32":
        return  # there, the time limit of whoever waits must do
    import resource  # noqa: PLC0415 -- Unix only

    for limited, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, processor_s)):
        with suppress(ValueError, OSError):  # lower limits of the system's stand
            resource.setrlimit(limited, (most, most))
