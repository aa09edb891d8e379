"""Where in its deliberation somebody speaks, and under which name: worded alike as it happens and afterwards."""

from sparring.schema.base import Role
from sparring.schema.transcript import Place


def stage(place: Place) -> str:
    """E.g. ``round 1/2`` or ``verdict (order 2, again)``; empty where there is only one."""
    order = ["order 2"] if place.order == 2 else []
    again = ["again"] if place.attempt > 1 else []
    return f"{place.label} ({', '.join(order + again)})" if order or again else place.label


def voice(place: Place) -> str:
    """Whose turn it is, e.g. ``proposer`` or ``Agent 2``; empty, as is the tool, for what is no speaker but code."""
    if place.role is Role.VERIFIER:
        return ""
    if place.role is Role.FACT_CHECKER and place.number:
        return f"Agent {place.number}"
    # Whether others follow, the first judge does not know.
    return f"{place.role.spoken} {place.number}" if place.number > 1 else place.role.spoken


def who(place: Place) -> str:
    """All of it, e.g. ``round 1/2  proposer  claude``."""
    tool = place.tool if voice(place) else ""
    return "  ".join(part for part in (stage(place), voice(place), tool) if part)
