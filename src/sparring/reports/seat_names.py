"""Names of the seats of a run, for reports."""

from sparring.schema.base import Role
from sparring.schema.transcript import Placed


def seat_name(place: Placed) -> str:
    """Return the speaker of a turn, e.g. ``proposer`` or ``Agent 2``; empty, as is the tool, for a turn of code."""
    if place.role is Role.VERIFIER:
        return ""
    if place.role is Role.FACT_CHECKER and place.number:
        return f"Agent {place.number}"
    # Whether others follow, the first judge does not know.
    return f"{place.role.display_name} {place.number}" if place.number > 1 else place.role.display_name
