"""``python -m sparring.server``: the server without the command line around it; ``sparring serve`` begins here, too.

Only the standard library, and little of it, is imported before the host is answered (``fast_start``).
"""

import os
import signal
import sys
import threading
from types import FrameType

from sparring.processes.current import ending_signals, without_garbage_collection
from sparring.processes.prctl import hide_memory
from sparring.server.fast_start import LAST_ANSWERS_S, FastStart
from sparring.server.snapshot import load
from sparring.server.wire import Wire

_SCARCITY = (MemoryError, ImportError, OSError, RuntimeError, SystemError)
"""Errors of a system with too little memory: some parts cannot be loaded, and no thread begins."""


def main(*, last_answers_s: float = LAST_ANSWERS_S) -> None:
    """Serve on standard input and output until the host closes them or ends us."""
    for number in ending_signals():
        signal.signal(number, _exit_now)
    try:
        wire = Wire.claim()
    except OSError:
        sys.stderr.write("A server talks with its host over standard input and output, and one of them is closed.\n")
        sys.exit(2)
    host = FastStart(load(), wire.write, last_answers_s)
    try:
        # Nothing can interrupt it in a read, and nothing needs to wait for it.
        threading.Thread(target=_listen, args=(wire, host), daemon=True).start()
        hide_memory()

        with without_garbage_collection():
            from sparring.server.building import build_server  # noqa: PLC0415 -- takes a second, the host is answered
            from sparring.server.stdio import run  # noqa: PLC0415

            server = build_server()
        run(server, host, wire)
    except* _SCARCITY as errors:
        sys.stderr.write(f"The server stopped: {_first(errors)}.\n")
        sys.stderr.flush()
        os._exit(1)  # the rest of the process may not even be able to end in order


def _first(errors: BaseExceptionGroup[Exception]) -> str:
    """The first of several errors in words."""
    error: Exception | BaseExceptionGroup[Exception] = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or "there is not enough memory"


def _listen(wire: Wire, host: FastStart) -> None:
    try:
        for batch in wire.batches():
            host.receive(batch)
    except OSError:
        pass  # a peer that neither writes nor reads any more has ended, too
    if not host.end():
        # The rest of the process is still importing, for no client.
        os._exit(0)


def _exit_now(number: int, frame: FrameType | None) -> None:
    """No run has begun yet, and no child."""
    del number, frame
    os._exit(0)


if __name__ == "__main__":
    main()
