"""A consultation, complete."""

from sparring.app.asked import asked, default_tool, named_tools
from sparring.app.context import blind_notices, gather
from sparring.app.continuing import continued
from sparring.app.requests.desk import Desk
from sparring.app.requests.validating import effort, repo_access, valid
from sparring.app.wishes import ConsultWish
from sparring.errors import UsageError
from sparring.schema.consult import Consulted, ConsultRequest


def complete_consult(wish: ConsultWish, desk: Desk) -> ConsultRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster, named, notices = desk.roster, named_tools(wish.tool, wish.model), tuple[str, ...]()
    session = None
    if wish.session:
        session = continued(wish, named, desk.place.state, roster)
    if session is None and not named:
        tool, notices = default_tool(roster)
        named = named_tools(tool, wish.model)
    answering = (session.named,) if session else asked(named, wish.count, roster)
    if roster.host in {each.tool for each in answering}:
        raise UsageError(f"{roster.host} is you, who ask.", hint="Name another tool, or none to have one chosen.")
    begun_with = session.effort if session else None
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    question = roster.redactor.redact(wish.question)
    blind = blind_notices((each.tool for each in answering), material)
    return valid(
        lambda: ConsultRequest(
            question=question.text,
            context=material.parts,
            asked=tuple(Consulted(tool=each.tool, model=each.model, transport=each.transport) for each in answering),
            effort=effort(wish.effort or begun_with or ""),
            timeout_s=wish.timeout_s,
            repo_access=repo_access(wish.repo_access),
            session_id=session.session_id if session else None,
            redactions=question.count + material.redactions,
            notices=roster.notices + notices + material.notices + blind,
        ),
    )
