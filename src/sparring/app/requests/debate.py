"""A debate, complete."""

from sparring.app.context import blind_notices, gather
from sparring.app.requests.debaters import seat_debate
from sparring.app.requests.desk import Desk
from sparring.app.requests.hosting import access_notices
from sparring.app.requests.validating import effort, repo_access, valid
from sparring.app.wishes import DebateWish
from sparring.schema.base import Role
from sparring.schema.debate import SPEAKING_ORDER, DebateRequest


def complete_debate(wish: DebateWish, desk: Desk) -> DebateRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    seating = seat_debate(wish, roster)
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    blind = blind_notices(seating.tools, material)
    access = repo_access(wish.repo_access)
    debaters = tuple(seating.seats[role].tool for role in SPEAKING_ORDER)
    reading = access_notices(debaters, access, roster)
    return valid(
        lambda: DebateRequest(
            topic=roster.redactor.redact(wish.topic).text.strip(),
            context=material.parts,
            proposer=seating.participant(Role.PROPOSER),
            challenger=seating.participant(Role.CHALLENGER),
            judge=seating.participant(Role.JUDGE),
            panel=seating.panelists,
            rounds=wish.rounds,
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            repo_access=access,
            blind_openings=wish.blind_openings,
            devil=bool(wish.devil.strip()),
            notices=roster.notices + seating.notices + material.notices + blind + reading,
        ),
    )
