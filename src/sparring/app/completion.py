"""What a request needs of the tools that it names."""

from collections.abc import Iterator

from sparring.app.roster import Roster
from sparring.schema.base import RepoAccess
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.schema.consult import ConsultRequest
from sparring.schema.debate import DebateRequest
from sparring.schema.fact_check import FactCheckRequest
from sparring.schema.jury import JuryRequest
from sparring.schema.participants import Participant
from sparring.schema.runs import Request


def check_tools(request: Request, roster: Roster) -> None:
    """Refuse a request that needs what is not to be had here; raises like ``Roster.check``."""
    access, session_id = RepoAccess.NONE, None
    if isinstance(request, DebateRequest | ConsultRequest):
        access = request.repo_access
    if isinstance(request, ConsultRequest):
        session_id = request.session_id
    for participant in dict.fromkeys(_asked(request)):
        roster.check(participant, effort=request.effort, repo_access=access, session_id=session_id)
    if isinstance(request, ChairedDebateRequest):
        for role, participant in request.participants:
            if role in request.searching:
                roster.check(participant, effort=request.effort, web=True)
    if isinstance(request, DebateRequest):
        for judge in request.judges:
            roster.check(judge, effort=request.effort)  # who sees nothing of the project


def _asked(request: Request) -> Iterator[Participant]:
    match request:
        case DebateRequest():
            yield from (request.proposer, request.challenger)
        case ChairedDebateRequest():
            yield from (participant for _, participant in request.participants)
        case ConsultRequest():
            yield from (Participant(tool=each.tool, model=each.model) for each in request.asked)
        case FactCheckRequest():
            yield from request.agents
        case JuryRequest():
            yield from (request.advocate, request.skeptic, request.fact_checker, request.judge)
