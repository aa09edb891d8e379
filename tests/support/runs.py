"""Small builders of run records, so that a test names only what it is about."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sparring.schema.base import Participant, Role
from sparring.schema.consult import ConsultedTool, ConsultOutcome, ConsultRequest, ConsultStatus
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply
from sparring.schema.debate import DebateRequest
from sparring.schema.lookups import CitationTable
from sparring.schema.providers import ProviderKind
from sparring.schema.runs import (
    AskRepeated,
    AskStarted,
    Outcome,
    Request,
    Run,
    RunHeader,
    RunStatus,
    TurnCompleted,
    spent,
)
from sparring.schema.transcript import Transcript, Turn, TurnKind

CREATED_AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_STAMP = "20260301T120000Z-c0de"
DEBATE_ID = f"debate-{_STAMP}"


def answer(response: str = "Said.", **fields: Any) -> Answer:
    usual: dict[str, Any] = {"tool": "claude", "duration_ms": 8500, "continuable": bool(fields.get("session_id"))}
    return Answer.model_validate({"response": response, **usual, **fields})


def failure(code: FailureCode = FailureCode.TIMEOUT, detail: str = "no answer in time", **fields: Any) -> Failure:
    usual: dict[str, Any] = {"tool": "codex", "duration_ms": 240_000}
    return Failure.model_validate({"code": code, "detail": detail, **usual, **fields})


_IN_TURN = frozenset({TurnKind.OPENING, TurnKind.RESPONSE, TurnKind.FOLLOW_UP})


def turn(
    kind: TurnKind,
    role: Role,
    reply: Reply,
    *,
    round_number: int = 1,
    minute: int = 0,
    ask_id: str = "",
    **place: Any,
) -> Turn:
    """Return a turn that was taken ``minute`` minutes after the run began; ``place`` are more fields of its place."""
    if kind in _IN_TURN and not ask_id:
        place = {"label": f"round {round_number}/2", **place}
    return Turn(
        **place,
        ask_id=ask_id or f"r{round_number}.{role}",
        kind=kind,
        role=role,
        round=round_number,
        tool=reply.tool,
        prompt_sha256="0" * 64,
        at=CREATED_AT + timedelta(minutes=minute),
        reply=reply,
    )


def opening(reply: Reply) -> Turn:
    return turn(TurnKind.OPENING, Role.PROPOSER, reply, minute=1)


def response(reply: Reply, *, minute: int = 2) -> Turn:
    return turn(TurnKind.RESPONSE, Role.CHALLENGER, reply, minute=minute)


def synthesis(reply: Reply, *, round_number: int = 2, attempt: int = 1, judge: int = 1, letters: str = "ab") -> Turn:
    """A judge's reply in one order: ``ab`` with the proposer as Side A, ``ba`` with the challenger."""
    ask_id = f"judge{judge}.{letters}.{attempt}"
    place: dict[str, Any] = {"label": "verdict", "number": judge, "order": 2 if letters == "ba" else 1}
    at: dict[str, Any] = {"round_number": round_number, "minute": 9, "ask_id": ask_id}
    return turn(TurnKind.SYNTHESIS, Role.JUDGE, reply, attempt=attempt, **place, **at)


def debate_request(**changes: object) -> DebateRequest:
    """Claude against codex over two rounds, judged by gemini, with ``changes``."""
    fields: dict[str, object] = {
        "topic": "Should every turn be flushed to disk?",
        "proposer": Participant(tool="claude", model="opus"),
        "challenger": Participant(tool="codex"),
        "judge": Participant(tool="gemini"),
    }
    return DebateRequest.model_validate(fields | changes)


def consult_request(question: str = "Is this safe?", *, tool: str = "claude", **changes: object) -> ConsultRequest:
    """A question to one tool, with ``changes``."""
    fields: dict[str, object] = {"question": question, "asked": (ConsultedTool(tool=tool, transport=ProviderKind.CLI),)}
    return ConsultRequest.model_validate(fields | changes)


def run(
    request: Request,
    turns: tuple[Turn, ...] = (),
    outcome: Outcome | None = None,
    *,
    status: RunStatus | None = None,
    **more: Any,
) -> Run:
    """A run of ``request``: finished when it has an outcome, else interrupted, unless ``status`` says otherwise."""
    return Run(
        header=RunHeader(
            run_id=f"{request.kind}-{_STAMP}", request=request, created_at=CREATED_AT, sparring_version="0.1.0"
        ),
        status=status or (RunStatus.INTERRUPTED if outcome is None else RunStatus.FINISHED),
        transcript=Transcript(turns=turns),
        outcome=outcome,
        spent=spent(turns),
        **more,
    )


def finished_consult(reply: Reply, request: ConsultRequest | None = None) -> Run:
    """A consultation that ended with ``reply``."""
    status = ConsultStatus.COMPLETED if isinstance(reply, Answer) else ConsultStatus.FAILED
    said = turn(TurnKind.ANSWER, Role.CONSULTANT, reply, minute=1, ask_id="question")
    return run(request or consult_request(tool=reply.tool), (said,), ConsultOutcome(status=status, reply=reply))


def finished_several(
    *replies: Reply, citations: CitationTable | None = None, notices: tuple[str, ...] = (), **changes: object
) -> Run:
    """A consultation of several that ended with ``replies``, and with the table of what they cite."""
    consulted = tuple(ConsultedTool(tool=reply.tool, transport=ProviderKind.CLI) for reply in replies)
    request = consult_request().model_copy(update={"asked": consulted, **changes})
    turns = tuple(
        turn(
            TurnKind.ANSWER,
            Role.CONSULTANT,
            reply,
            minute=number,
            ask_id=f"question.{number}",
            label=f"answer {number}",
        )
        for number, reply in enumerate(replies, start=1)
    )
    if citations is not None:
        table = answer(citations.model_dump_json(), tool="sparring-citations", duration_ms=0)
        turns = (*turns, turn(TurnKind.CITATIONS, Role.VERIFIER, table, minute=9, ask_id="citations"))
    answered = any(isinstance(reply, Answer) for reply in replies)
    status = ConsultStatus.COMPLETED if answered else ConsultStatus.FAILED
    return run(request, turns, ConsultOutcome(status=status, notices=notices))


def asked(
    kind: TurnKind = TurnKind.OPENING,
    role: Role = Role.PROPOSER,
    tool: str = "claude",
    *,
    round_number: int = 1,
    **place: Any,
) -> AskStarted:
    """Return the event that a participant was asked; ``place`` are more fields of its place, by default in round 1."""
    place = place or {"label": f"round {round_number}/2"}
    who: dict[str, Any] = {"kind": kind, "role": role, "round": round_number, "tool": tool}
    return AskStarted(**place, **who, run_id=DEBATE_ID, ask_id=f"r{round_number}.{role}.{kind}", at=CREATED_AT)


def repeated(event: AskStarted, why: Failure, wait_s: float, whom: str) -> AskRepeated:
    """The event that follows ``event`` where that has failed, and ``whom`` is asked in so many seconds."""
    return AskRepeated(
        **event.place, run_id=event.run_id, ask_id=event.ask_id, at=event.at, failure=why, wait_s=wait_s, next_tool=whom
    )


def spoke(event: AskStarted, reply: Reply | None = None) -> TurnCompleted:
    """The event that follows ``event``: an answer, unless ``reply`` is another one."""
    said, same = reply or answer(tool=event.tool), {"run_id": event.run_id, "ask_id": event.ask_id, "at": event.at}
    return TurnCompleted.model_validate({**event.place, **same, "prompt_sha256": "0" * 64, "reply": said})
