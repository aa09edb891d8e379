"""What the SDK would make of the session so far, as far as that is certain.

The first request fixes whether a session has a handshake (protocol revisions up to 2025-11-25) or an envelope around
each request (2026-07-28). A probe (``server/discover``) alone does not here, although it does in the SDK: a host that
gave up on it sends ``initialize`` next, which the SDK would refuse, and Copilot CLI then reports the server as failed.
"""

from sparring.server.doorway.shapes import HANDSHAKE, PROBE, Message, asks_in, asks_plainly, is_plain, offered
from sparring.server.doorway.snapshot import Result, Snapshot


class Opening:
    """The session as the SDK will see it, told of every request in order."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self._snapshot = snapshot
        self._version = ""
        self._lost = False

    @property
    def settled(self) -> bool:
        """Whether the kind of session is fixed; until then a probe may turn out to be given up."""
        return self._lost or bool(self._version)

    def lose(self) -> None:
        """Take note that the SDK gets what may change the session in a way that only the SDK knows."""
        self._lost = True

    def settle_by_probe(self) -> None:
        """Take note that the SDK gets a probe that was answered here."""
        if self._snapshot:
            self._version = self._snapshot.modern

    def result(self, line: bytes, message: Message) -> Result | None:
        """What the SDK would answer to a request; None if that is not certain, and the SDK has to be asked."""
        if self._lost:
            return None
        result = self._known(self._snapshot, message) if self._snapshot and is_plain(line, message) else None
        method = message["method"]
        if result is None and (method == HANDSHAKE or (not self._version and method != PROBE)):
            self.lose()
        return result

    def _known(self, snapshot: Snapshot, message: Message) -> Result | None:
        method = message["method"]
        if not self._version and (version := offered(message)) is not None:
            self._version = snapshot.negotiated(version)
            return snapshot.result(self._version, method)
        if self._version in {"", snapshot.modern}:
            result = snapshot.result(snapshot.modern, method) if asks_in(message, snapshot.modern) else None
            if result is not None and method != PROBE:
                self._version = snapshot.modern
            return result
        if method == HANDSHAKE or not asks_plainly(message):
            return None
        return snapshot.result(self._version, method)
