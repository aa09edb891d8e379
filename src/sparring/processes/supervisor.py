"""The process itself: ``main`` is started with a call's folder, as ``processes.supervision`` does.

In the folder it finds ``order.json``, and leaves ``ended.json``. Standard input, output and error are those of the
program. Over the lifeline, a pipe, it is told to end by a byte, and that nobody waits any more by its end. The lock on
the folder is inherited: it is held as long as one of the two lives.
"""

import errno
import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import NamedTuple, TypedDict

from sparring.processes.current import adopt_orphans, end_with_parent, hide_memory
from sparring.processes.tree import ProcessTree, started_at

ORDER, ENDED, PID = "order.json", "ended.json", "pid"
OUTPUT, ERRORS = "out", "err"
MARK_VARIABLE = "SPARRING_CHILD"
"""The one variable that a program gets beside those it was given: by it, what the program started is found again."""

DONE = b"d"
"""Sent over the lifeline: nothing more is wanted of the program. Any other word wants no answer any more."""

DONE_SIGNAL = signal.SIGUSR1 if sys.platform != "win32" else signal.SIGTERM
"""The same, from a process that has taken the program up and has no lifeline."""

STOP = b"e"
_GONE = b""
_CUT = -1  # in the place of a lifeline that has ended

_LOOK_S = 0.05  # between two looks at how much was printed: a file tells nobody that it grows
_REST_S = 1.0  # for what the program has started, to end by itself after it


class Launch(TypedDict):
    """Order to a supervisor: program, environment and time limit.

    Attributes:
        names: Of the environment; the values are those of the supervisor, so that they stand in no file.
        mark: Value of ``MARK_VARIABLE``.
        tmp: A folder for temporary files, which is made and removed; empty for none.
        limit: Most bytes of each output file.
        outlives: Whether the program may go on to its deadline when nobody waits for it any more.
        report: A file of the program's own, for whoever reads what it said.
    """

    argv: list[str]
    cwd: str
    names: list[str]
    mark: str
    tmp: str
    timeout_s: float
    limit: int
    outlives: bool
    report: str


class Ended(TypedDict):
    """Record of how a program ended.

    Attributes:
        stopped: Somebody wanted no answer any more.
        dismissed: It was ended, as nothing more was wanted of it.
        errno: Other than 0 when it could not be started; ``filename`` tells what was wrong.
    """

    exit_code: int | None
    timed_out: bool
    overflowed: bool
    stopped: bool
    dismissed: bool
    duration_ms: int
    errno: int
    filename: str


class _Watch(NamedTuple):
    """File descriptors that the supervisor watches: the lifeline, and the signals that it received."""

    lifeline: int
    signals: int


def main(folder: str, lifeline: str) -> None:
    """Start what the order says, see it to its end, and leave word of that.

    Where no word can be left, as on a full disk, the error of the system is the exit code.
    """
    try:
        _supervise(folder, lifeline)
    except OSError as error:
        os._exit(error.errno or errno.EIO)


def _supervise(folder: str, lifeline: str) -> None:
    began = time.monotonic()
    hide_memory()
    os.chdir(folder)
    with open(ORDER, "rb") as file:
        order: Launch = json.load(file)
    _leave(PID, f"{os.getpid()} {started_at(os.getpid())}")
    readable_end, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    for signum in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, DONE_SIGNAL):
        signal.signal(signum, _wake)
    ended = Ended(
        exit_code=None, timed_out=False, overflowed=False, stopped=False, dismissed=False, duration_ms=0, errno=0,
        filename="",
    )  # fmt: skip
    try:
        _see_to_its_end(order, _Watch(int(lifeline), readable_end), began, ended)
    except OSError as error:
        ended["errno"], ended["filename"] = error.errno or errno.EIO, str(error.filename or "")
    if order["tmp"]:
        _remove(order["tmp"])
    ended["duration_ms"] = round((time.monotonic() - began) * 1000)
    _leave(ENDED, json.dumps(ended))


def _wake(_: int, __: object) -> None:
    """The signal's number is in the pipe."""


def _see_to_its_end(order: Launch, watch: _Watch, began: float, ended: Ended) -> None:
    adopts = adopt_orphans()
    if order["tmp"]:
        os.mkdir(order["tmp"], 0o700)
    child = _start(order)
    tree = ProcessTree(child.pid, f"{MARK_VARIABLE}={order['mark']}", adopter=os.getpid() if adopts else 0)
    over = began + order["timeout_s"]
    try:
        while child.poll() is None:
            if time.monotonic() >= over:
                ended["timed_out"] = True
                break
            if _has_overflowed(order["limit"]):
                ended["overflowed"] = True
                break
            word = _awaited_signal(watch, min(over - time.monotonic(), _LOOK_S))
            if word == _GONE and order["outlives"]:
                watch = watch._replace(lifeline=_CUT)
            elif word is not None:
                ended["stopped"], ended["dismissed"] = word != DONE, word == DONE
                break
        else:
            _rest(tree, min(over, time.monotonic() + _REST_S))
    finally:
        tree.end()
    ended["exit_code"] = None if ended["timed_out"] else _code(child)
    ended["overflowed"] = ended["overflowed"] or _has_overflowed(order["limit"])


def _code(child: "subprocess.Popen[bytes]") -> int | None:
    """Return the exit code; the first of several threads may be dead for a moment before the others."""
    try:
        return child.wait(_REST_S)
    except subprocess.TimeoutExpired:  # one that cannot be ended is left as it is
        return None


def _start(order: Launch) -> "subprocess.Popen[bytes]":
    environment = {name: os.environ[name] for name in order["names"] if name in os.environ}
    environment[MARK_VARIABLE] = order["mark"]
    us = os.getpid()

    def settle_in() -> None:
        end_with_parent(signal.SIGKILL)
        if os.getppid() != us:
            os._exit(1)  # it ended before it could be said

    child = subprocess.Popen(  # noqa: S603 -- this is what the supervisor is for
        order["argv"],
        cwd=order["cwd"],
        env=environment,
        start_new_session=True,
        preexec_fn=settle_in,  # noqa: PLW1509 -- there is one thread
    )
    # Whoever reads what the program says must see its end, and not wait for ours.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    return child


def _awaited_signal(watch: _Watch, wait_s: float) -> bytes | None:
    """Wait for news: a word to end, ``_GONE`` when nobody can say one any more, or None."""
    ends = [end for end in watch if end != _CUT]
    ready = select.select(ends, (), (), max(0, wait_s))[0]
    if watch.signals in ready and (signums := set(os.read(watch.signals, 512)) - {signal.SIGCHLD}):
        return DONE if signums == {DONE_SIGNAL} else STOP
    return os.read(watch.lifeline, 1) if watch.lifeline in ready else None


def _has_overflowed(limit: int) -> bool:
    return any(_size(name) > limit for name in (OUTPUT, ERRORS))


def _size(name: str) -> int:
    try:
        return os.stat(name).st_size
    except OSError:
        return 0


def _rest(tree: ProcessTree, until: float) -> None:
    """Let what is left of the tree end by itself."""
    while tree.survivors() and time.monotonic() < until:
        time.sleep(_LOOK_S)


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        import shutil  # noqa: PLC0415 -- most programs leave nothing, and this imports a lot

        shutil.rmtree(folder, ignore_errors=True)


def _leave(name: str, text: str) -> None:
    temporary = f"{name}.new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, name)
