"""ASK: one question to one provider, one ``Answer`` or ``Failure`` back.

Transports are equal implementations of ``Consultant``; ``tests/contract`` holds one suite that each must pass.

``known`` says who can be asked, ``available`` whether they are there and what they cannot do. Then each kind for
itself: ``scripted``, ``host`` (the agent that called us), ``offline``, ``api``, ``cli``, which alone starts programs,
and ``acp``. Each is described by a TOML file beside its code. ``failures`` are spelled alike by all of them, and
``wrappers`` stand in front of each. In ``lookup`` is who looks things up in the project and on the web, ``worker`` runs
what may take too long where it can be ended, and ``private_folders`` hold what goes when it is over.
"""

from typing import Protocol

from sparring.schema.consultation import Question, Reply

__all__ = ["Consultant"]


class Consultant(Protocol):
    """Whatever answers a question."""

    async def ask(self, question: Question) -> Reply:
        """Answer ``question``, or say as a ``Failure`` why there is no answer.

        Never raises for anything the provider does. Ends within ``question.timeout_s`` plus the bounded time it takes
        to end a child. When the caller is cancelled, everything that was started is ended before the cancellation
        goes on. Only the agent that called us may take longer, and only its silence is raised (see ``host``).
        """
        ...
