"""The process: the doorway first, then all that it stands before."""

import os
import signal
import sys
import threading
from types import FrameType

from sparring.server.doorway import snapshot
from sparring.server.doorway.doorway import Doorway
from sparring.server.doorway.wire import Wire

ENDINGS: tuple[int, ...] = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
"""The signals by which a host ends us; Windows has no SIGHUP."""

LAST_ANSWERS_S = 1.0
"""How long answers may take after the input has ended. Hosts send SIGTERM after two seconds at the earliest."""


def main(*, last_answers_s: float = LAST_ANSWERS_S) -> None:
    """Serve on standard input and output until the host closes them or ends us."""
    for number in ENDINGS:
        signal.signal(number, _end_at_once)
    try:
        wire = Wire.claim()
    except OSError:
        sys.stderr.write("A server talks with its host over standard input and output, and one of them is closed.\n")
        sys.exit(2)
    doorway = Doorway(snapshot.load(), wire.write)
    # Nothing can interrupt it in a read, and nothing needs to wait for it.
    threading.Thread(target=_listen, args=(wire, doorway), daemon=True).start()

    from sparring.server.building import build_server  # noqa: PLC0415 -- takes a second, and the host is answered
    from sparring.server.stdio import run  # noqa: PLC0415

    run(build_server(), doorway, wire, last_answers_s)


def _listen(wire: Wire, doorway: Doorway) -> None:
    try:
        for batch in wire.batches():
            doorway.receive(batch)
    except OSError:
        pass  # whoever neither writes nor reads any more has ended, too
    if not doorway.end():
        # The rest of the process is still importing, for nobody.
        os._exit(0)


def _end_at_once(number: int, frame: FrameType | None) -> None:
    """No run has begun yet, and no child."""
    del number, frame
    os._exit(0)
