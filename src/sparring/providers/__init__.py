"""Providers: one ``Question`` to one of them, one ``Answer`` or ``Failure`` back.

Transports are equal implementations of ``Consultant``; ``tests/contract`` is one suite that each must pass.

``known`` reads the TOML file that describes each provider, ``available`` determines which are installed and which
requests they cannot meet. ``cli``, ``acp``, ``api``, ``host`` (the calling agent) and ``scripted`` are the kinds;
``receiving`` reads the answers of all of them, and ``wrappers`` adds retries, redaction and stand-ins.
"""

from typing import Protocol

from sparring.schema.consultation import Question, Reply

__all__ = ["Consultant"]


class Consultant(Protocol):
    """Interface of everything that answers a question."""

    async def ask(self, question: Question) -> Reply:
        """Answer ``question``, or return a ``Failure`` with the reason why there is no answer.

        Never raises for anything the provider does. Ends within ``question.timeout_s`` plus the bounded time it takes
        to end a child. When the caller is cancelled, everything that was started is ended before the cancellation
        continues. Only the calling agent may take longer, and only its silence is raised (see ``host``).
        """
        ...
