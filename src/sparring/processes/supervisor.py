"""The process that supervises one program: ``processes.supervision`` starts ``main`` with a call's folder.

The folder contains its order, and it writes a record of the program's end there. Standard input, output and error are
those of the program. On the lifeline, a pipe, a byte asks it to end, and end of file means that no process waits any
more. The lock on the folder is inherited: the folder is locked as long as one of the two processes lives.

It is started for every question, so it imports next to nothing: ``subprocess``, ``json``, ``typing`` and ``signal``
would each take as long as the interpreter's own start.
"""

import errno
import os
import select
import sys
import time

from sparring.processes.prctl import adopt_orphans, end_with_parent, hide_memory
from sparring.processes.records import ExitRecord, LaunchOrder
from sparring.processes.tree import ProcessTree, started_at

TYPE_CHECKING = False  # that of ``typing``, which type checkers know by its name
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the same functions and numbers, without enumerations

ORDER, ENDED, PID = "order", "ended", "pid"
OUTPUT, ERRORS = "out", "err"
MARK_VARIABLE = "SPARRING_CHILD"
"""The one variable that a program gets in addition to its environment: it marks all descendants."""

DONE = b"d"
"""Sent over the lifeline: no more output is needed. With any other byte, no answer is needed any more."""

DONE_SIGNAL = signal.SIGUSR1 if sys.platform != "win32" else signal.SIGTERM
"""The same, from a process that has taken the program up and has no lifeline."""

STOP = b"e"
_GONE = b""
_CUT = -1  # in the place of a lifeline that has ended

_LOOK_S = 0.05  # seconds between two looks at the amount of output: a growing file sends no event
_IDLE_S = 1.0  # for descendants of the program to end by themselves after it
_DEAD_S = 0.01  # seconds between two looks at a killed program


class _Watch:
    """File descriptors that the supervisor watches: the lifeline, and the signals that it received."""

    def __init__(self, lifeline: int, signals: int) -> None:
        self.lifeline = lifeline
        self.signals = signals


class _Program:
    """The program, a child of this process.

    Attributes:
        exit_code: None as long as it lives.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.exit_code: int | None = None

    def is_alive(self) -> bool:
        """Return whether it lives, and note its exit code if not."""
        if self.exit_code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.exit_code = os.waitstatus_to_exitcode(status) if pid else None
        return self.exit_code is None


def main(folder: str, lifeline: str, lock: str) -> None:
    """Start the program of the order, see it to its end, and leave a record of that.

    Where no record can be left, as on a full disk, the error of the system is the exit code. Never returns, as there is
    nothing that the interpreter's own end would have to clean up.
    """
    try:
        _supervise(folder, int(lifeline), int(lock))
    except OSError as error:
        os._exit(error.errno or errno.EIO)
    os._exit(0)


def _supervise(folder: str, lifeline: int, lock: int) -> None:
    began = time.monotonic()
    hide_memory()
    for ours in (lifeline, lock):
        os.set_inheritable(ours, False)  # noqa: FBT003 -- it has no name
    os.chdir(folder)
    with open(ORDER, "rb") as file:
        order = LaunchOrder.decoded(file.read())
    _leave(PID, b"%d %d" % (os.getpid(), started_at(os.getpid())))
    readable_end, writable_end = os.pipe()
    os.set_blocking(writable_end, False)
    signal.set_wakeup_fd(writable_end, warn_on_full_buffer=False)
    for signum in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, DONE_SIGNAL):
        signal.signal(signum, _wake)
    ended = ExitRecord()
    try:
        _supervise_program(order, _Watch(lifeline, readable_end), began, ended)
    except OSError as error:
        ended.errno, ended.filename = error.errno or errno.EIO, str(error.filename or "")
    if order.tmp:
        _remove(order.tmp)
    ended.duration_ms = round((time.monotonic() - began) * 1000)
    _leave(ENDED, ended.encoded())


def _wake(_: int, __: object) -> None:
    """Do nothing: the signal's number is in the pipe."""


def _supervise_program(order: LaunchOrder, watch: _Watch, began: float, ended: ExitRecord) -> None:
    adopts = adopt_orphans()
    if order.tmp:
        os.mkdir(order.tmp, 0o700)
    program = _Program(_start(order))
    tree = ProcessTree(program.pid, f"{MARK_VARIABLE}={order.mark}", adopter=os.getpid() if adopts else 0)
    over = began + order.timeout_s
    try:
        while program.is_alive():
            if time.monotonic() >= over:
                ended.timed_out = True
                break
            if _has_overflowed(order.limit):
                ended.overflowed = True
                break
            word = _awaited_signal(watch, min(over - time.monotonic(), _LOOK_S))
            if word == _GONE and order.outlives:
                watch.lifeline = _CUT
            elif word is not None:
                ended.stopped, ended.dismissed = word != DONE, word == DONE
                break
        else:
            _rest(tree, min(over, time.monotonic() + _IDLE_S), adopts=adopts)
    finally:
        if program.is_alive() or not (adopts and _is_childless()):
            tree.end()
    # The first of several threads may be dead for a moment before the others; what cannot be ended is left as it is.
    until = time.monotonic() + _IDLE_S
    while program.is_alive() and time.monotonic() < until:
        time.sleep(_DEAD_S)
    ended.exit_code = None if ended.timed_out else program.exit_code
    ended.overflowed = ended.overflowed or _has_overflowed(order.limit)


def _start(order: LaunchOrder) -> int:
    """Start the program in a session of its own and return its pid; raises ``OSError``."""
    environment = {name: os.environ[name] for name in order.names if name in os.environ}
    environment[MARK_VARIABLE] = order.mark
    us = os.getpid()
    readable_end, writable_end = os.pipe()  # closed by the program's start, or with the reason of its failure
    pid = os.fork()
    if not pid:
        _execute(order, environment, us, writable_end)
    os.close(writable_end)
    with open(readable_end, "rb") as failure:
        number, _, filename = failure.read().partition(b" ")
    if number:
        os.waitpid(pid, 0)
        raise OSError(int(number), os.strerror(int(number)), os.fsdecode(filename))
    # A reader of the program's output must see its end, and not wait for ours.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    return pid


def _execute(order: LaunchOrder, environment: dict[str, str], parent: int, failure: int) -> None:
    """Become the program, in the child; a failure is written to ``failure``. Never returns."""
    filename = order.cwd
    try:
        os.setsid()
        end_with_parent(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # it ended before this call
        for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored_by_python, signal.SIG_DFL)
        os.chdir(order.cwd)
        filename = order.argv[0]
        os.execve(order.argv[0], order.argv, environment)  # noqa: S606 -- this is what the supervisor is for
    except OSError as error:
        os.write(failure, b"%d %s" % (error.errno or errno.EIO, os.fsencode(filename)))
    finally:
        os._exit(1)


def _awaited_signal(watch: _Watch, wait_s: float) -> bytes | None:
    """Wait for an event: a request to end, ``_GONE`` when no process can send one any more, or None."""
    ends = [end for end in (watch.lifeline, watch.signals) if end != _CUT]
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


def _rest(tree: ProcessTree, until: float, *, adopts: bool) -> None:
    """Let the descendants that have outlived the program end by themselves."""
    while not (adopts and _is_childless()) and tree.survivors() and time.monotonic() < until:
        time.sleep(_LOOK_S)


def _is_childless() -> bool:
    """Return whether this process has no child; those that are dead are forgotten.

    A process that adopts orphans has a living child as long as it has any descendant, because a process that loses its
    parent becomes its child. That is exact, and avoids a search of all processes of the machine.
    """
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        import shutil  # noqa: PLC0415 -- most programs leave nothing, and this imports a lot

        shutil.rmtree(folder, ignore_errors=True)


def _leave(name: str, content: bytes) -> None:
    temporary = f"{name}.new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)
    os.replace(temporary, name)
