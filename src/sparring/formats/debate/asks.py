"""One ask of a debate: the prompt for models, the brief for consultants made of code, and the seat's own settings."""

from sparring.schema.base import RepoAccess, Role
from sparring.schema.consultation import Brief, Question, Speech
from sparring.schema.debate import DebateRequest
from sparring.schema.transcript import Ask, TurnKind


def ask_of(
    request: DebateRequest,
    role: Role,
    kind: TurnKind,
    prompt: str,
    speeches: tuple[Speech, ...],
    *,
    id_: str,
    round_: int,
    attempt: int = 1,
) -> Ask:
    """The ask that puts ``prompt`` to whoever sits in ``role``; ``speeches`` is what it was made from."""
    participant = request.participant(role)
    brief = Brief(step=step_of(kind), topic=request.topic, role=role, round=round_, attempt=attempt, speeches=speeches)
    question = Question(
        prompt=prompt,
        brief=brief,
        effort=request.effort,
        model=participant.model,
        timeout_s=request.timeout_s,
        repo_access=RepoAccess.NONE if role is Role.JUDGE else request.repo_access,
    )
    return Ask(id=id_, kind=kind, role=role, round=round_, tool=participant.tool, question=question)


def step_of(kind: TurnKind) -> str:
    """The prompt template of that kind of turn, which also names the step in a brief."""
    return f"debate/{kind.replace('_', '-')}"
