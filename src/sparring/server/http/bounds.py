"""How much a server takes from those who come to it, and how long it waits for them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """Limits that protect the server; they are generous for every client that means well.

    Attributes:
        head_s: Seconds until the head of a request must be there, from the connection or the first byte on.
        body_s: Seconds until its body must be there.
        body_bytes: Most bytes of a body. Evidence may have 1 MiB, and a character up to six bytes as JSON.
        sessions: Most sessions of one member at once; who speaks a later revision of the protocol needs none.
        idle_s: Seconds without a request after which a session ends.
        connections: Most connections at once; fewer where the system allows fewer open files.
        flush_s: Seconds that calls have at the end to write what they have to say.
    """

    head_s: float = 10
    body_s: float = 60
    body_bytes: int = 8 * 1024 * 1024
    sessions: int = 500
    idle_s: float = 30 * 60
    connections: int = 2_000
    flush_s: float = 5
