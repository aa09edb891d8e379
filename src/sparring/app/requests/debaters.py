"""Who debates and who judges: seats as they were named, and tools for those that were left empty."""

from collections.abc import Iterator

from sparring.app.asked import Named, listed, model_of
from sparring.app.requests.hosting import stands_in_notice
from sparring.app.requests.judges import Sides, choose_judges, judging_notices
from sparring.app.requests.seats import Seating, seated
from sparring.app.roster import Roster
from sparring.app.wishes import DebateWish
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.participants import RULE_BASED_TOOL


def seat_debate(wish: DebateWish, roster: Roster) -> Seating:
    """Proposer, challenger and judges.

    Raises:
        UsageError: They are named in ways that contradict each other, or one of them does not exist.
    """
    sides, notices = _sides(wish, roster)
    _refuse_one_tool(wish, sides, roster)
    judge, *panel = choose_judges(wish, sides, roster)
    kinship = judging_notices((judge, *panel), sides, roster)
    return Seating({**sides, Role.JUDGE: judge}, (*notices, *kinship), tuple(panel))


def _sides(wish: DebateWish, roster: Roster) -> tuple[Sides, tuple[str, ...]]:
    """Both sides, and what the user should know about those that were not named."""
    named = {
        Role.PROPOSER: seated(_tool(wish, wish.proposer), wish.model_proposer, roster),
        Role.CHALLENGER: seated(_tool(wish, wish.challenger), wish.model_challenger, roster),
    }
    models = {Role.PROPOSER: wish.model_proposer, Role.CHALLENGER: wish.model_challenger}
    taken = {seat.tool for seat in named.values() if seat}
    free = _free(wish, taken, roster)
    sides: dict[Role, Named] = {}
    notices: list[str] = []
    for role, seat in named.items():
        sides[role] = seat or Named(next(free, RULE_BASED_TOOL), model_of(models[role]))
        if seat is None and sides[role].tool == RULE_BASED_TOOL:
            notices.append(
                f"[WARN] No further AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, is the {role}."
            )
        elif seat is None and roster.is_host(sides[role].tool):
            notices.append(stands_in_notice(sides[role].tool, role))
    return sides, tuple(notices)


def _free(wish: DebateWish, taken: set[str], roster: Roster) -> Iterator[str]:
    """Who may sit on a side that nobody was named for; the calling agent last, and not if it is to judge."""
    yield from [tool for tool in roster.ai_tools() if tool not in taken]
    judges = {judge.tool for judge in listed(wish.judges or wish.judge)}
    if roster.host and roster.host not in taken | judges:
        yield roster.host


def _tool(wish: DebateWish, seat: str) -> str:
    if wish.devil.strip() and seat.strip():
        raise UsageError("The devil's advocate argues both sides.", hint="Leave the proposer and the challenger out.")
    return wish.devil or seat or wish.provider


def _refuse_one_tool(wish: DebateWish, sides: Sides, roster: Roster) -> None:
    proposer, challenger = (side.tool for side in sides.values())
    if proposer == challenger and roster.is_host(proposer):
        raise UsageError(
            f"{proposer} is one conversation and cannot argue both sides.",
            hint=f"Let another tool take one of them; {RULE_BASED_TOOL} needs nothing installed.",
        )
    if proposer == challenger and not wish.devil.strip() and proposer != RULE_BASED_TOOL:
        raise UsageError(
            f"Proposer and challenger must be different tools, both are {proposer!r}.",
            hint="For one tool on both sides name it as the devil's advocate.",
        )
