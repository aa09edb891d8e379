"""Consulted programs: a supervisor process starts each, and watches it to its end, even if this process ends before.

The output of a program is in files of its call's folder (``private_folders``), or, for agents, in
pipes. Windows has no supervisor: this process starts the program, which ends with it or is swept.
"""

import errno
import os
import sys
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, cast

import anyio
import anyio.abc
from anyio.to_thread import run_sync
from msgspec import Struct

import sparring
from sparring.disk import system_folder
from sparring.errors import ExhaustedError
from sparring.processes.call_folders import CallFolder, CallFolders
from sparring.processes.children import (
    LOOK_S,
    OUTPUT_LIMIT,
    PIPE,
    Capture,
    Command,
    Conversation,
    FinishedProcess,
    Watch,
    located,
    run_child,
    shielded_from_cancellation,
    talking,
    wait_for_captures,
)
from sparring.processes.records import ExitRecord, LaunchOrder
from sparring.processes.supervisor import DONE, ERRORS, OUTPUT, STOP

_START = "import sys; sys.path.append(sys.argv[1]); from sparring.processes.supervisor import main; main(*sys.argv[2:])"
_END_S = 8.0  # for a supervisor to end a tree, which takes three seconds at most
_MUCH = 64 * 1024  # bytes of output that are examined in another thread
_BROKE = 1  # exit code of Python after a failed start or an unexpected exception; no error of a disk
_TEMPORARY = "TMPDIR"
_REPORT_LIMIT = 1024 * 1024  # most bytes of a report that are read


class ConsultTerms(Struct, frozen=True):
    """Limits and files of one consultation of a program.

    Attributes:
        timeout_s: Seconds until it is ended.
        outlives: Whether it may run until then after this process has ended, because its answer will be taken over.
        report: A file in which it reports what its output lacks.
        output_limit: Most bytes of each output stream; a program that prints more is ended.
        watch: Decides when no more output is needed, so that it is ended.
    """

    timeout_s: float
    outlives: bool = False
    report: Path | None = None
    output_limit: int = OUTPUT_LIMIT
    watch: Watch | None = None


async def run_consultation(command: Command, folder: CallFolder, prompt: Path, terms: ConsultTerms) -> FinishedProcess:
    """Run ``command`` with the file ``prompt`` as its standard input, and return how it ended.

    In every case, also when the caller is cancelled, it and its descendants are ended before this returns or
    raises; that takes a few seconds at most, in addition to its own timeout.

    Raises:
        OSError: The program cannot be started, or the prompt cannot be read; ``filename`` names the file.
        ExhaustedError: The supervisor was killed from outside, and the program with it: that is no answer of the tool.
    """
    if sys.platform == "win32":
        return await run_child(command, prompt=prompt, timeout_s=terms.timeout_s, watch=terms.watch)
    with _files(folder, prompt) as files:
        supervisor = await _started(command, folder, terms, files)
    async with _ending(supervisor), anyio.create_task_group() as watching:
        if terms.watch:
            watching.start_soon(_watched, folder, terms.watch, supervisor)
        await supervisor.process.wait()
        watching.cancel_scope.cancel()
    supervisor.raise_if_broken()
    return await run_sync(_finished, folder, terms.output_limit)


async def wait_for_earlier_call(
    folders: CallFolders, call: str, timeout_s: float, watch: Watch | None = None
) -> FinishedProcess | None:
    """Wait for a call that an earlier process began; None if its end is unknown.

    The wait for a running call ends at its deadline, which its supervisor enforces. The call is ended when
    ``watch`` returns True, or when the caller is cancelled.
    """
    folder = None
    printed = _NewOutput(folders.path(call) / OUTPUT, folders.path(call) / ERRORS)
    try:
        with anyio.move_on_after(timeout_s + _END_S):
            # There is no record of its end: it is the child of another process.
            while folders.has_folder(call) and (folder := folders.take_up(call)) is None:
                if watch and await _watch_output(printed, watch):
                    folders.dismiss(call)
                await anyio.sleep(LOOK_S)
    except anyio.get_cancelled_exc_class():
        folders.stop(call)
        raise
    if folder is None:
        return None
    ended = folder.ended()
    if ended is None or ended.stopped:
        await run_sync(folder.end_remaining)
        folders.settle(call)
        return None
    return await run_sync(_finished, folder, OUTPUT_LIMIT)


class _Supervisor(Struct, frozen=True):
    """A supervisor that lives, and our end of its lifeline."""

    process: anyio.abc.Process
    lifeline: int
    folder: CallFolder

    def end(self, *, is_done: bool = False) -> None:
        """Make it end its program, and then itself; with ``is_done``, because the program's output was complete."""
        with suppress(OSError):  # it has ended
            os.write(self.lifeline, DONE if is_done else STOP)

    def raise_if_broken(self, *, was_stopped: bool = False) -> None:
        """Raise ``OSError`` or ``ExhaustedError`` for the fault that kept it from recording the program's end.

        A record that it was stopped counts only where it ``was_stopped`` by us; else the stop came from outside.
        """
        if (number := self.process.returncode or 0) == _BROKE:
            raise OSError(errno.EIO, "its supervising process failed")
        if number > 0:
            raise OSError(number, os.strerror(number))
        ended = self.folder.ended()
        if ended is None or (ended.stopped and not was_stopped):
            cause = f"by signal {-number}" if number else "from outside"
            raise ExhaustedError(
                f"The supervising process of a tool was killed {cause}, perhaps for lack of memory.",
                hint="The tool did not fail; all answers are kept.",
            )


@asynccontextmanager
async def _ending(supervisor: _Supervisor) -> AsyncGenerator[None]:
    """End the rest of the program when the block is left, cancelled or not."""
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            if supervisor.process.returncode is None:
                supervisor.end()
                with anyio.move_on_after(_END_S):
                    await supervisor.process.wait()
            os.close(supervisor.lifeline)
            if supervisor.process.returncode != 0:  # it was ended from outside, and has seen nothing to its end
                with suppress(ProcessLookupError):
                    supervisor.process.kill()
                await run_sync(supervisor.folder.end_remaining)
            await supervisor.process.aclose()


Streams = Sequence[IO[bytes] | int]
"""Standard input, output and error."""


async def _started(command: Command, folder: CallFolder, terms: ConsultTerms, streams: Streams) -> _Supervisor:
    """Return a supervisor that starts ``command``. The caller has to continue with ``_ending``, cancelled or not."""
    # Short, because some programs put sockets there, whose paths may have 100 characters.
    own = str(system_folder(command.env) / f"sparring-{folder.mark[:16]}")
    environment = {**command.env, _TEMPORARY: own}
    folder.write_order(
        LaunchOrder(
            (located(command), *command.argv[1:]),
            tuple(environment),
            cwd=str(command.cwd),
            mark=folder.mark,
            tmp=own,
            timeout_s=terms.timeout_s,
            limit=terms.output_limit,
            outlives=terms.outlives,
            report=str(terms.report or ""),
        )
    )
    theirs, ours = os.pipe()
    stdin, stdout, stderr = streams
    library = str(Path(sparring.__file__).parents[1])
    # A cancellation during the start would leave an unknown supervisor.
    with ExitStack() as undo, shielded_from_cancellation():
        undo.callback(os.close, ours)
        try:
            process = await anyio.open_process(
                (sys.executable, "-I", "-S", "-c", _START, library, str(folder.path), str(theirs), str(folder.lock)),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=environment,
                start_new_session=True,
                pass_fds=(theirs, folder.lock),
            )
        finally:
            os.close(theirs)
        undo.pop_all()
        return _Supervisor(process, ours, folder)


@contextmanager
def _files(folder: CallFolder, prompt: Path) -> Generator[Streams]:
    """Open the prompt, and new files for the output; raises ``OSError``."""
    with ExitStack() as files:
        stdin = files.enter_context(prompt.open("rb"))
        yield (stdin, *(files.enter_context(_new_file(file)) for file in (folder.output, folder.errors)))


def _new_file(file: Path) -> IO[bytes]:
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600), "wb", buffering=0)


async def _watched(folder: CallFolder, watch: Watch, supervisor: _Supervisor) -> None:
    """End the program as soon as ``watch`` returns True."""
    printed = _NewOutput(folder.output, folder.errors)
    while not await _watch_output(printed, watch):  # noqa: ASYNC110 -- a growing file sends no event
        await anyio.sleep(LOOK_S)
    supervisor.end(is_done=True)


async def _watch_output(printed: "_NewOutput", watch: Watch) -> bool:
    stdout, stderr = printed.new()
    if len(stdout) + len(stderr) > _MUCH:
        return await run_sync(watch, stdout, stderr)
    return watch(stdout, stderr)


class _NewOutput:
    """The bytes that a program has newly written into its output files."""

    def __init__(self, *files: Path) -> None:
        self._files = files
        self._read = [0 for _ in files]

    def new(self) -> tuple[bytes, ...]:
        return tuple(map(self._new, range(len(self._files))))

    def _new(self, number: int) -> bytes:
        try:
            with self._files[number].open("rb") as stream:
                stream.seek(self._read[number])
                new = stream.read(max(0, OUTPUT_LIMIT - self._read[number]))
        except OSError:  # it is not there yet, or not there any more
            return b""
        self._read[number] += len(new)
        return new


def _finished(folder: CallFolder, limit: int) -> FinishedProcess:
    """Return how the program of that call ended, which is on record; raises ``OSError`` if it could not be started."""
    ended = cast("ExitRecord", folder.ended())
    _raise_if_not_started(ended)
    order = folder.order()
    return FinishedProcess(
        exit_code=ended.exit_code,
        stdout=_beginning(folder.output, limit),
        stderr=_beginning(folder.errors, limit),
        timed_out=ended.timed_out,
        overflowed=ended.overflowed,
        duration_ms=ended.duration_ms,
        dismissed=ended.dismissed,
        report=_beginning(Path(order.report), _REPORT_LIMIT) if order and order.report else "",
    )


def _raise_if_not_started(ended: ExitRecord) -> None:
    if number := ended.errno:
        raise OSError(number, os.strerror(number), ended.filename or None)


def _beginning(file: Path, limit: int) -> str:
    """Read the beginning of a file; empty if there is none, because a program that fails early reports nothing."""
    try:
        with file.open("rb") as stream:
            return stream.read(limit).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""


@asynccontextmanager
async def converse(command: Command, folder: CallFolder, terms: ConsultTerms) -> AsyncGenerator[Conversation]:
    """Start ``command`` and talk with it.

    On every exit, also when the caller is cancelled, the child and its descendants are ended before:
    input closed, a moment's grace, then as ``run_consultation`` does. That takes a few seconds at most.

    Raises:
        OSError: The program cannot be started; ``filename`` names the file.
    """
    supervisor = await _started(command, folder, terms, (PIPE,) * 3)

    async def end(stderr: Capture) -> None:
        supervisor.end()
        await supervisor.process.wait()
        await wait_for_captures([stderr])
        stderr.stop()

    async with _ending(supervisor), talking(supervisor.process, end, output_limit=terms.output_limit) as conversation:
        yield conversation
    supervisor.raise_if_broken(was_stopped=True)
    if ended := folder.ended():
        conversation.exit_code = ended.exit_code
        _raise_if_not_started(ended)
