"""From what was heard to the reply: an answer, or a failure with its code."""

from collections.abc import Sequence
from dataclasses import dataclass

from acp.schema import Cost, PromptResponse
from pydantic import TypeAdapter, ValidationError

from sparring.consult.acp.desk import Desk
from sparring.consult.acp.ending import AgentFailedError
from sparring.consult.acp.hearing import Hearing
from sparring.consult.acp.session import OpenSession
from sparring.consult.outputs import Asked
from sparring.schema.base import SessionId
from sparring.schema.consultation import DETAIL_LIMIT, Answer, FailureCode, Usage
from sparring.text.tidying import for_terminal, one_line

_SHOWN = 4
"""Things that a warning names."""

_SESSION_ID: TypeAdapter[str] = TypeAdapter(SessionId)
_CUT_SHORT = {
    "max_tokens": "the model reached its limit of tokens",
    "max_turn_requests": "it reached its limit of requests to the model",
}


@dataclass(frozen=True)
class Turn:
    """A prompt that the agent has finished with."""

    session: OpenSession
    response: PromptResponse
    hearing: Hearing
    desk: Desk


def answer(turn: Turn, asked: Asked, *, has_efforts: bool, duration_ms: int) -> Answer:
    """The answer.

    Raises:
        AgentFailedError: There is none.
    """
    text = _text(turn, asked.tool)
    question, session_id = asked.question, _session_id(turn.session.id)
    warnings = [asked.redactor.redact(for_terminal(warning)) for warning in _warnings(turn, asked, has_efforts)]
    return Answer(
        tool=asked.tool,
        model=one_line(turn.session.model or "", DETAIL_LIMIT) or None,
        effort=question.effort if has_efforts else None,
        response=text,
        session_id=session_id,
        continuable=question.keep_session and turn.session.can_be_continued and session_id is not None,
        duration_ms=duration_ms,
        usage=_usage(turn, resumed=question.session_id is not None),
        redactions=turn.desk.redactions + sum(warning.count for warning in warnings),
        warnings=tuple(one_line(warning.text, DETAIL_LIMIT) for warning in warnings),
    )


def _text(turn: Turn, tool: str) -> str:
    reason, text = turn.response.stop_reason, turn.hearing.text()
    if turn.hearing.is_broken:
        raise AgentFailedError(FailureCode.PARSE, f"{tool} sent an update that cannot be understood.")
    if reason == "cancelled":
        raise AgentFailedError(FailureCode.CANCELLED, f"{tool} says that the question was cancelled.")
    if reason == "refusal":
        raise AgentFailedError(FailureCode.PERMISSION, f"{tool} refused to answer. {text}")
    if text.strip():
        return text
    if turn.desk.refused:
        asked_for = f"It asked for what it may not do: {_listed(list(turn.desk.refused))}."
        raise AgentFailedError(FailureCode.PERMISSION, f"{tool} gave no answer. {asked_for}")
    raise AgentFailedError(FailureCode.EMPTY, f"{tool} gave an empty answer.")


def _warnings(turn: Turn, asked: Asked, has_efforts: bool) -> list[str]:  # noqa: FBT001 - private
    tool, question = asked.tool, asked.question
    liberties, refused = turn.desk.liberties(), list(turn.desk.refused)
    cut_short = _CUT_SHORT.get(turn.response.stop_reason)
    found = {
        f"The answer of {tool} may be incomplete: {cut_short}.": cut_short is not None,
        f"{tool} said something that is no text; it is left out.": turn.hearing.left_out,
        f"{tool} asked for what it may not do, and was refused: {_listed(refused)}.": bool(refused),
        f"{tool} used tools of its own that nobody had allowed: {_listed(liberties)}.": bool(liberties),
        f"{tool} cannot be told how hard to think; it used its own effort.": bool(question.effort and not has_efforts),
    }
    return [warning for warning, holds in found.items() if holds]


def _listed(things: Sequence[str]) -> str:
    more = f" and {len(things) - _SHOWN} more" if len(things) > _SHOWN else ""
    return ", ".join(one_line(thing, DETAIL_LIMIT) for thing in things[:_SHOWN]) + more


def _session_id(told: str) -> SessionId | None:
    try:
        return _SESSION_ID.validate_python(told)
    except ValidationError:
        return None  # it can be used, but not be given to anybody else


def _usage(turn: Turn, *, resumed: bool) -> Usage:
    tokens = turn.response.usage
    if resumed:
        # The protocol counts a session, some agents count a turn; of the first turn it is the same.
        return Usage()
    cost = _dollars(turn.hearing.cost)
    if tokens is None:
        return Usage(cost_usd=cost)
    # opencode 1.18.33 counts what came from the cache beside the input, Copilot 1.0.102 as part of it; the total tells.
    cached = (tokens.cached_read_tokens or 0) + (tokens.cached_write_tokens or 0)
    beside = tokens.total_tokens >= tokens.input_tokens + tokens.output_tokens + cached
    return Usage(
        input_tokens=tokens.input_tokens + (cached if beside else 0),
        cached_tokens=tokens.cached_read_tokens,
        output_tokens=tokens.output_tokens,
        reasoning_tokens=tokens.thought_tokens,
        cost_usd=cost,
    )


def _dollars(cost: Cost | None) -> float | None:
    return cost.amount if cost is not None and cost.currency == "USD" and 0 <= cost.amount < float("inf") else None
