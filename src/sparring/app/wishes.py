"""What a user asks for, as it was written: nothing filled in, nothing checked."""

from dataclasses import dataclass

from sparring.schema.base import RepoAccess
from sparring.schema.context import ContextPart

DEBATE_TIMEOUT_S = 240.0
CONSULT_TIMEOUT_S = 120.0
CONTEXT_LIMIT = 256 * 1024
"""Most bytes of all context together, unless the user allows more."""

LAST = "last"
"""Stands for the session of the last consultation."""


@dataclass(frozen=True)
class ContextWish:
    """Material that is to go with a question.

    Attributes:
        spellings: ``diff``, ``file=PATH``.
        piped: What came through standard input.
        limit_bytes: Most bytes of everything together.
        secrets_allowed: Hand over files whose names are made for secrets as well.
    """

    spellings: tuple[str, ...] = ()
    piped: ContextPart | None = None
    limit_bytes: int = CONTEXT_LIMIT
    secrets_allowed: bool = False


@dataclass(frozen=True)
class DebateWish:
    """A debate as a user asks for it. An empty tool lets sparring choose; ``provider`` fills every empty seat."""

    topic: str
    provider: str = ""
    proposer: str = ""
    challenger: str = ""
    judge: str = ""
    rounds: int = 2
    effort: str = ""
    model_proposer: str = ""
    model_challenger: str = ""
    model_judge: str = ""
    timeout_s: float = DEBATE_TIMEOUT_S
    repo_access: str = RepoAccess.NONE
    context: ContextWish = ContextWish()


@dataclass(frozen=True)
class ConsultWish:
    """A consultation as a user asks for it.

    Attributes:
        tool: One or several, ``claude,codex``, each with its own model if it is to have one, ``claude:opus,codex``.
            Empty lets sparring choose.
        model: For a single tool.
        effort: Empty is medium, or what the session was begun with.
        session: An id, ``last``, or the number of one of the last several answers.
        count: How often each tool is asked.
    """

    question: str
    tool: str = ""
    model: str = ""
    effort: str = ""
    timeout_s: float = CONSULT_TIMEOUT_S
    session: str = ""
    count: int = 1
    repo_access: str = RepoAccess.NONE
    context: ContextWish = ContextWish()
