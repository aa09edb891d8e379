"""Turn what a user wrote into a complete request: defaults filled in, everything checked, nothing started."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sparring.app.asked import asked, default_tool, model_of, named_tools
from sparring.app.context import Material, gather
from sparring.app.continuing import continued
from sparring.app.place import Place
from sparring.app.roster import Roster
from sparring.app.wishes import ConsultWish, DebateWish
from sparring.errors import UsageError
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consult import Consulted, ConsultRequest
from sparring.schema.debate import RULE_BASED_TOOL, DebateRequest, Participant
from sparring.schema.runs import Request
from sparring.settings import Settings
from sparring.text.tidying import one_line

R = TypeVar("R")

_VALUE_SHOWN = 100
"""Characters of a refused value that an error repeats."""

_LONG_FIELDS = frozenset({"topic", "question"})
"""Fields whose value an error does not repeat."""


class Desk:
    """Where wishes become requests: who can be asked, and where we are."""

    def __init__(self, roster: Roster, place: Place, settings: Settings) -> None:
        self.roster = roster
        self.place = place
        self.settings = settings


def complete_debate(wish: DebateWish, desk: Desk) -> DebateRequest:
    """The whole request.

    Raises:
        UsageError: It contradicts itself or names what does not exist; one sentence says what to do.
        ToolNotFoundError: A tool it needs is not installed.
    """
    roster = desk.roster
    for tool in filter(None, (wish.provider, wish.proposer, wish.challenger, wish.judge)):
        roster.spec(tool)
    proposer, challenger, notices = _sides(wish, roster)
    judge, judge_notices = _judge(wish, roster, proposer, challenger)
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    blind = _blind((proposer, challenger, judge), material)
    request = _valid(
        lambda: DebateRequest(
            topic=roster.redactor.redact(wish.topic).text.strip(),
            context=material.parts,
            proposer=Participant(tool=proposer, model=model_of(wish.model_proposer)),
            challenger=Participant(tool=challenger, model=model_of(wish.model_challenger)),
            judge=Participant(tool=judge, model=model_of(wish.model_judge)),
            rounds=wish.rounds,
            effort=_effort(wish.effort),
            timeout_s=wish.timeout_s,
            repo_access=_repo_access(wish.repo_access),
            notices=roster.notices + notices + judge_notices + material.notices + blind,
        ),
    )
    check_tools(request, roster)
    return request


def complete_consult(wish: ConsultWish, desk: Desk) -> ConsultRequest:
    """The whole request; raises like ``complete_debate``."""
    roster, named, notices = desk.roster, named_tools(wish.tool, wish.model), tuple[str, ...]()
    session = continued(wish, named, desk.place.state, roster) if wish.session else None
    if session is None and not named:
        tool, notices = default_tool(roster)
        named = named_tools(tool, wish.model)
    answering = (session.named,) if session else asked(named, wish.count, roster)
    begun_with = session.effort if session else None
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    question = roster.redactor.redact(wish.question)
    blind = _blind((each.tool for each in answering), material)
    request = _valid(
        lambda: ConsultRequest(
            question=question.text,
            context=material.parts,
            asked=tuple(Consulted(tool=each.tool, model=each.model, transport=each.transport) for each in answering),
            effort=_effort(wish.effort or begun_with or ""),
            timeout_s=wish.timeout_s,
            repo_access=_repo_access(wish.repo_access),
            session_id=session.session_id if session else None,
            redactions=question.count + material.redactions,
            notices=roster.notices + notices + material.notices + blind,
        ),
    )
    check_tools(request, roster)
    return request


def check_tools(request: Request, roster: Roster) -> None:
    """Refuse a request that needs what is not to be had here; raises like ``Roster.check``."""
    match request:
        case DebateRequest():
            for side in (request.proposer, request.challenger):
                roster.check(side, effort=request.effort, repo_access=request.repo_access)
            roster.check(request.judge, effort=request.effort)
        case ConsultRequest():
            for each in dict.fromkeys(request.asked):
                roster.check(
                    Participant(tool=each.tool, model=each.model),
                    effort=request.effort,
                    repo_access=request.repo_access,
                    session_id=request.session_id,
                )


def _effort(wish: str) -> Effort:
    try:
        return Effort(wish or Effort.MEDIUM)
    except ValueError as error:
        shown = one_line(repr(wish), _VALUE_SHOWN)
        raise UsageError(f"The effort must be one of {', '.join(Effort)}; it is {shown}.") from error


def _repo_access(wish: str) -> RepoAccess:
    try:
        return RepoAccess(wish or RepoAccess.NONE)
    except ValueError as error:
        shown = one_line(repr(wish), _VALUE_SHOWN)
        raise UsageError(f"The repository access must be one of {', '.join(RepoAccess)}; it is {shown}.") from error


def _blind(tools: Iterable[str], material: Material) -> tuple[str, ...]:
    """That the rule-based tool reads no context, if it is among ``tools`` and there is some."""
    if not material.parts or RULE_BASED_TOOL not in tools:
        return ()
    return (f"[WARN] {RULE_BASED_TOOL} does not read the context: it searches the files of the project itself.",)


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
