"""Turn what a user wrote into a complete request: defaults filled in, everything checked, nothing started."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sparring.app.roster import Roster
from sparring.errors import UsageError
from sparring.schema.base import Effort
from sparring.schema.consult import ConsultRequest
from sparring.schema.debate import RULE_BASED_TOOL, DebateRequest, Participant
from sparring.schema.runs import Request
from sparring.text.tidying import one_line

DEBATE_TIMEOUT_S = 240.0
CONSULT_TIMEOUT_S = 120.0
R = TypeVar("R")

NO_MODEL = frozenset({"", "auto", "omit"})
"""Spellings of "let the tool choose its model" (specification: none is passed)."""

_VALUE_SHOWN = 100
"""Characters of a refused value that an error repeats."""

_LONG_FIELDS = frozenset({"topic", "question"})
"""Fields whose value an error does not repeat."""


@dataclass(frozen=True)
class DebateWish:
    """A debate as a user asks for it. An empty tool lets sparring choose; ``provider`` fills every empty seat."""

    topic: str
    provider: str = ""
    proposer: str = ""
    challenger: str = ""
    judge: str = ""
    rounds: int = 2
    effort: str = Effort.MEDIUM
    model_proposer: str = ""
    model_challenger: str = ""
    model_judge: str = ""
    timeout_s: float = DEBATE_TIMEOUT_S


@dataclass(frozen=True)
class ConsultWish:
    """A consultation as a user asks for it."""

    question: str
    tool: str = ""
    model: str = ""
    effort: str = Effort.MEDIUM
    timeout_s: float = CONSULT_TIMEOUT_S
    session_id: str | None = None


def complete_debate(wish: DebateWish, roster: Roster, redact: Callable[[str], str]) -> DebateRequest:
    """The whole request.

    Raises:
        UsageError: It contradicts itself or names what does not exist; one sentence says what to do.
        ToolNotFoundError: A tool it needs is not installed.
    """
    for tool in filter(None, (wish.provider, wish.proposer, wish.challenger, wish.judge)):
        roster.spec(tool)
    proposer, challenger, notices = _sides(wish, roster)
    judge, judge_notices = _judge(wish, roster, proposer, challenger)
    request = _valid(
        lambda: DebateRequest(
            topic=redact(wish.topic).strip(),
            proposer=Participant(tool=proposer, model=_model(wish.model_proposer)),
            challenger=Participant(tool=challenger, model=_model(wish.model_challenger)),
            judge=Participant(tool=judge, model=_model(wish.model_judge)),
            rounds=wish.rounds,
            effort=_effort(wish.effort),
            timeout_s=wish.timeout_s,
            notices=notices + judge_notices,
        ),
    )
    check_tools(request, roster)
    return request


def complete_consult(wish: ConsultWish, roster: Roster, redact: Callable[[str], str]) -> ConsultRequest:
    """The whole request; raises like ``complete_debate``."""
    tool, notices = (wish.tool, ()) if wish.tool else _default_consultant(roster)
    roster.spec(tool)
    request = _valid(
        lambda: ConsultRequest(
            question=redact(wish.question),
            tool=tool,
            model=_model(wish.model),
            effort=_effort(wish.effort),
            timeout_s=wish.timeout_s,
            session_id=wish.session_id,
            notices=notices,
        ),
    )
    check_tools(request, roster)
    return request


def check_tools(request: Request, roster: Roster) -> None:
    """Refuse a request that needs what is not to be had here; raises like ``Roster.check``."""
    match request:
        case DebateRequest():
            for participant in (request.proposer, request.challenger, request.judge):
                roster.check(participant, effort=request.effort)
        case ConsultRequest():
            participant = Participant(tool=request.tool, model=request.model)
            roster.check(participant, effort=request.effort, session_id=request.session_id)


def _model(wish: str) -> str | None:
    return None if wish.strip().lower() in NO_MODEL else wish


def _effort(wish: str) -> Effort:
    try:
        return Effort(wish)
    except ValueError as error:
        raise UsageError(f"The effort must be one of {', '.join(Effort)}; it is {wish!r}.") from error


def _default_consultant(roster: Roster) -> tuple[str, tuple[str, ...]]:
    found = next(roster.ai_tools(), None)
    if found:
        return found, ()
    return RULE_BASED_TOOL, (f"[WARN] No AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, answers.",)


def _sides(wish: DebateWish, roster: Roster) -> tuple[str, str, tuple[str, ...]]:
    """Proposer, challenger, and what to tell about the choice."""
    proposer, challenger = wish.proposer or wish.provider, wish.challenger or wish.provider
    if proposer and challenger:
        return proposer, challenger, ()
    free = [tool for tool in roster.ai_tools() if tool not in (proposer, challenger)]
    notices: list[str] = []

    def seat(role: str) -> str:
        if free:
            return free.pop(0)
        notices.append(f"[WARN] No further AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, is {role}.")
        return RULE_BASED_TOOL

    proposer = proposer or seat("the proposer")
    return proposer, challenger or seat("the challenger"), tuple(notices)


def _judge(wish: DebateWish, roster: Roster, proposer: str, challenger: str) -> tuple[str, tuple[str, ...]]:
    """The judge, and a warning when it is not a third party (design: Debate, default judge)."""
    sides = (proposer, challenger)
    chosen = wish.judge or wish.provider or next((tool for tool in roster.ai_tools() if tool not in sides), proposer)
    if chosen not in sides:
        return chosen, ()
    seat = "proposer's" if chosen == proposer else "challenger's"
    return chosen, (f"[WARN] The judge is {chosen}, the {seat} own tool, in a fresh session.",)


def _valid(build: Callable[[], R]) -> R:
    try:
        return build()
    except ValidationError as error:
        raise UsageError(" ".join(_sentence(problem) for problem in error.errors())) from error


def _sentence(problem: ErrorDetails) -> str:
    """One fault of a request, in a sentence that names the field and what it should be."""
    field = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "value_error":
        said = problem["msg"].removeprefix("Value error, ")
        return f"{field}: {said}." if field else f"{said.capitalize()}."
    if problem["type"] == "string_unicode":
        return f"{field}: it is not UTF-8 text."
    shown = one_line(repr(problem["input"]), _VALUE_SHOWN)
    if problem["type"] == "string_pattern_mismatch":
        return f"{field}: {shown} begins with a hyphen or holds characters that are not allowed there."
    given = "" if field in _LONG_FIELDS else f", it is {shown}"
    return f"{field}: {problem['msg'][0].lower()}{problem['msg'][1:]}{given}."
