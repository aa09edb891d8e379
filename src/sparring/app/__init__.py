"""The use cases, and the only place where parts are wired.

Both doors (``cli``, ``server``) do the same four things with an ``App``: complete a wish into a request, begin a run,
work on it, show it. Reading order: ``application``; ``wishes`` and ``completion``, with ``seats``, ``debate_seats``,
``asked``, ``continuing`` and ``material``; ``roster``.
"""

from sparring.app.application import App
from sparring.app.wishes import (
    CONTEXT_LIMIT,
    EVIDENCE_LIMIT,
    LAST,
    ChairedDebateWish,
    ConsultWish,
    ContextWish,
    DebateWish,
    EvidenceWish,
    FactCheckWish,
    JuryWish,
    NamedFile,
    Wish,
    spelled_source,
)

__all__ = [
    "CONTEXT_LIMIT",
    "EVIDENCE_LIMIT",
    "LAST",
    "App",
    "ChairedDebateWish",
    "ConsultWish",
    "ContextWish",
    "DebateWish",
    "EvidenceWish",
    "FactCheckWish",
    "JuryWish",
    "NamedFile",
    "Wish",
    "spelled_source",
]
