"""What a user asks for, as it was written: nothing filled in, nothing checked."""

from dataclasses import dataclass

from sparring.schema.base import RepoAccess
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import Escalation

DELIBERATION_TIMEOUT_S = 240.0
CONSULT_TIMEOUT_S = 120.0
CONTEXT_LIMIT = 256 * 1024
"""Most bytes of all context together, unless the user allows more."""

EVIDENCE_LIMIT = 1024 * 1024
"""Most bytes of all evidence together, unless the user allows more. Every agent reads it in every round."""

LAST = "last"
"""Stands for the session of the last consultation."""

FILE = "file="
"""Begins the spelling of a file of the project."""


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
    """A debate as a user asks for it. An empty tool lets sparring choose; ``provider`` fills every empty seat.

    Attributes:
        judges: A panel instead of a judge, ``claude,codex:MODEL``.
        devil: The tool that argues both sides.
    """

    topic: str
    provider: str = ""
    proposer: str = ""
    challenger: str = ""
    judge: str = ""
    judges: str = ""
    devil: str = ""
    blind_openings: bool = False
    rounds: int = 2
    effort: str = ""
    model_proposer: str = ""
    model_challenger: str = ""
    model_judge: str = ""
    timeout_s: float = DELIBERATION_TIMEOUT_S
    repo_access: str = RepoAccess.NONE
    context: ContextWish = ContextWish()


@dataclass(frozen=True)
class NamedFile:
    """A file that is to be read.

    Attributes:
        path: As it was spelled.
        is_named_by_user: Whether whoever sits at the keyboard has named it: then it may lie anywhere. One that a
            model has named must lie in the project.
        secrets_allowed: Read it even if its name is made for secrets.
    """

    path: str
    is_named_by_user: bool = False
    secrets_allowed: bool = False


@dataclass(frozen=True)
class ChairedDebateWish:
    """A chaired debate as a user asks for it. What is left empty is taken from the config file, else chosen.

    Attributes:
        config: The file that is read instead of ``config/debate-config.json``.
        audience: Empty and ``reporter``: nobody, unless the config file names somebody.
        no_web: No debater may search the web.
    """

    topic: str = ""
    config: NamedFile | None = None
    provider: str = ""
    chair: str = ""
    promoter: str = ""
    detractor: str = ""
    audience: str = ""
    reporter: str = ""
    min_rounds: int | None = None
    max_rounds: int | None = None
    time_budget_s: float | None = None
    no_web: bool = False
    output_dir: str = ""
    effort: str = ""
    timeout_s: float = DELIBERATION_TIMEOUT_S
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


Source = str | NamedFile
"""A text, or the file that holds it."""


def spelled_source(spelled: str) -> Source:
    """What a caller means that can only give texts: ``file=PATH`` is a file of the project, all else a text."""
    return NamedFile(spelled.removeprefix(FILE)) if spelled.startswith(FILE) else spelled


@dataclass(frozen=True)
class EvidenceWish:
    """What a claim is to be held against.

    Attributes:
        sources: In the order in which they are to be shown.
        piped: What came through standard input; it is shown last.
        limit_bytes: Most bytes of everything together.
    """

    sources: tuple[Source, ...] = ()
    piped: ContextPart | None = None
    limit_bytes: int = EVIDENCE_LIMIT


@dataclass(frozen=True)
class FactCheckWish:
    """A fact-check as a user asks for it.

    Attributes:
        agents: ``claude,codex:MODEL,claude``; empty lets sparring choose.
        provider: The tool that is to be every agent, instead of a list.
        count: How many agents, where none are listed; None is the usual number.
    """

    claim: str
    evidence: EvidenceWish = EvidenceWish()
    agents: str = ""
    provider: str = ""
    count: int | None = None
    max_rounds: int = 3
    escalation: str = Escalation.AUTO
    language: str = ""
    effort: str = ""
    timeout_s: float = DELIBERATION_TIMEOUT_S


@dataclass(frozen=True)
class JuryWish:
    """A jury as a user asks for it. An empty seat lets sparring choose; ``provider`` fills every empty one."""

    claim: str
    truth: Source = ""
    row_id: str = ""
    dataset: str = ""
    provider: str = ""
    advocate: str = ""
    skeptic: str = ""
    fact_checker: str = ""
    judge: str = ""
    model_advocate: str = ""
    model_skeptic: str = ""
    model_fact_checker: str = ""
    model_judge: str = ""
    rebuttals: int = 1
    language: str = ""
    effort: str = ""
    timeout_s: float = DELIBERATION_TIMEOUT_S


Wish = DebateWish | ChairedDebateWish | ConsultWish | FactCheckWish | JuryWish
