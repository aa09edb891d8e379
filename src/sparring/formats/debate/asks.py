"""One ask of a debate: the prompt for models, the brief for consultants made of code, and the seat's own settings."""

from dataclasses import dataclass

from sparring.schema.base import RepoAccess, Role
from sparring.schema.consultation import Brief, Question, Speech
from sparring.schema.debate import DebateRequest
from sparring.schema.participants import Participant
from sparring.schema.transcript import Ask, TurnKind


@dataclass(frozen=True)
class Place:
    """Where an ask stands in the debate.

    Attributes:
        step: The prompt template.
        name: Whom of several with one role it is for, and which of several things it asks.
    """

    id: str
    kind: TurnKind
    step: str
    round: int
    attempt: int = 1
    name: str = ""


def ask_of(
    request: DebateRequest,
    place: Place,
    role: Role,
    prompt: str,
    speeches: tuple[Speech, ...],
    *,
    participant: Participant | None = None,
) -> Ask:
    """The ask that puts ``prompt`` to ``participant``, by default whoever sits in ``role``.

    ``speeches`` is what the prompt was made from.
    """
    seated = participant or request.participant(role)
    brief = Brief(
        step=place.step,
        topic=request.topic,
        role=role,
        round=place.round,
        attempt=place.attempt,
        speeches=speeches,
        name=place.name,
    )
    question = Question(
        prompt=prompt,
        brief=brief,
        effort=request.effort,
        model=seated.model,
        timeout_s=request.timeout_s,
        repo_access=RepoAccess.NONE if role is Role.JUDGE else request.repo_access,
    )
    return Ask(id=place.id, kind=place.kind, role=role, round=place.round, tool=seated.tool, question=question)


def step_of(kind: TurnKind) -> str:
    """The prompt template of that kind of turn, which also names the step in a brief."""
    return f"debate/{kind.replace('_', '-')}"
