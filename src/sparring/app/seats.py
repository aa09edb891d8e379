"""Who sits where: a jury, and the agents of a fact-check; the calling agent among them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle, islice

from sparring.app.asked import Named, listed, model_of, named
from sparring.app.roster import Roster
from sparring.app.wishes import FactCheckWish, JuryWish
from sparring.errors import UsageError
from sparring.schema.base import RepoAccess, Role
from sparring.schema.fact_check import FEWEST_AGENTS, MOST_AGENTS, USUAL_AGENTS
from sparring.schema.participants import RULE_BASED_TOOL, Participant


def own_seat(tool: str, role: Role, roster: Roster) -> str:
    """``tool``, which sits in ``role`` already, in one more seat; for a sentence that says whose seat it is."""
    if roster.is_host(tool):
        return f"{tool}, which is the {role.spoken} too, in the same conversation"
    return f"{tool}, the {role.spoken}'s own tool, in a fresh session"


def deciding_notice(who: str, tool: str, roster: Roster) -> str:
    """A warning when the calling agent decides, empty when it does not; ``who`` is the seat, e.g. ``The judge``."""
    if not roster.is_host(tool):
        return ""
    return f"[WARN] {who} is {tool}, the calling agent: it has no fresh session, and knows what it has been told."


def stands_in_notice(tool: str, role: Role) -> str:
    """A warning that the calling agent sits in ``role`` since there was no other tool."""
    return f"[WARN] No further AI tool is installed: {tool}, the calling agent, is the {role.spoken}."


def access_notices(tools: tuple[str, ...], access: RepoAccess, roster: Roster) -> tuple[str, ...]:
    """That the calling agent is not given the repository, when everybody is to read it: what it sees is not ours."""
    if access is RepoAccess.NONE:
        return ()
    return tuple(
        f"[WARN] {tool} is not given the project's files: it sees of them what its own user lets it see."
        for tool in tools
        if roster.is_host(tool)
    )


_DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)
_CHOOSING = (*_DEBATERS, Role.JUDGE, Role.FACT_CHECKER)
"""In this order empty seats of a jury are given tools: whose difference matters most, first."""


@dataclass(frozen=True)
class Seating:
    """Who sits in each role, and what the user should know about the choice.

    Attributes:
        panel: Those who judge a debate beside the judge.
    """

    seats: Mapping[Role, Named]
    notices: tuple[str, ...] = ()
    panel: tuple[Named, ...] = ()

    def participant(self, role: Role) -> Participant:
        """Who sits in ``role``; raises pydantic's ``ValidationError`` for a model that cannot be one."""
        return _participant(self.seats[role])

    @property
    def panelists(self) -> tuple[Participant, ...]:
        """Who sits on the panel; raises like ``participant``."""
        return tuple(_participant(seat) for seat in self.panel)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools in all seats."""
        return tuple(seat.tool for seat in (*self.seats.values(), *self.panel))


def seated(tool: str, model: str, roster: Roster) -> Named | None:
    """A seat as it was named, None if it was not; raises ``UsageError`` for a tool that does not exist."""
    if not tool.strip():
        return None
    seat = named(tool.strip(), model)
    roster.spec(seat.tool)
    return seat


def seat_jury(wish: JuryWish, roster: Roster) -> Seating:
    """Advocate, Skeptic, Fact-Checker and Judge: different tools as far as they go round; raises ``UsageError``."""
    wanted = {
        Role.ADVOCATE: (wish.advocate, wish.model_advocate),
        Role.SKEPTIC: (wish.skeptic, wish.model_skeptic),
        Role.FACT_CHECKER: (wish.fact_checker, wish.model_fact_checker),
        Role.JUDGE: (wish.judge, wish.model_judge),
    }
    seats = {
        role: seat
        for role, (tool, model) in wanted.items()
        if (seat := seated(tool or wish.provider, model, roster)) is not None
    }
    empty = [role for role in _CHOOSING if role not in seats]
    installed = list(roster.ai_tools()) if empty else []
    taken = _tools(*seats.values())
    round_ = cycle(sorted(installed, key=lambda tool: tool in taken) or [RULE_BASED_TOOL])
    seats |= {role: Named(next(round_), model_of(wanted[role][1])) for role in empty}
    alone = () if installed or not empty else (_nobody_else(empty),)
    return Seating(seats, (*alone, *_both_sides_notices(seats, roster), *_judging_notices(seats, roster)))


def _participant(seat: Named) -> Participant:
    return Participant(tool=seat.tool, model=seat.model)


def _tools(*seats: Named | None) -> frozenset[str]:
    return frozenset(seat.tool for seat in seats if seat)


def _nobody_else(roles: list[Role]) -> str:
    *others, last = (role.spoken for role in roles)
    names = f"{', '.join(others)} and {last}" if others else last
    return f"[WARN] No AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, is {names}."


def _both_sides_notices(seats: Mapping[Role, Named], roster: Roster) -> tuple[str, ...]:
    advocate, skeptic = (seats[role].tool for role in _DEBATERS)
    if advocate != skeptic or advocate == RULE_BASED_TOOL:
        return ()
    how = "in one conversation" if roster.is_host(advocate) else "each in a fresh session"
    return (f"[WARN] {advocate} is both advocate and skeptic, {how}.",)


def _judging_notices(seats: Mapping[Role, Named], roster: Roster) -> tuple[str, ...]:
    """Warnings when the judge is not a third party, or no fresh session."""
    judge = seats[Role.JUDGE].tool
    side = next((role for role in _DEBATERS if seats[role].tool == judge), None)
    own = f"[WARN] The judge is {own_seat(judge, side, roster)}." if side else ""
    return tuple(filter(None, (own, deciding_notice("The judge", judge, roster))))


@dataclass(frozen=True)
class Chosen:
    """The agents in their order, and what the user should know about the choice."""

    agents: tuple[Named, ...]
    notices: tuple[str, ...] = ()


def choose_agents(wish: FactCheckWish, roster: Roster) -> Chosen:
    """The agents of a fact-check.

    Raises:
        UsageError: They are named in two ways that contradict each other, are too few or too many, or one of them
            does not exist.
    """
    if wish.agents.strip():
        if wish.provider.strip():
            raise UsageError("The agents are named twice: give a list of them, or one tool for all.")
        return Chosen(_named_agents(wish, roster))
    count = USUAL_AGENTS if wish.count is None else wish.count
    _refuse_number(count, "asked for")
    if wish.provider.strip():
        agents = (_known(named(wish.provider.strip(), ""), roster),) * count
        _refuse_host_twice(agents, roster)
        return Chosen(agents)
    return _usual(count, roster)


def _named_agents(wish: FactCheckWish, roster: Roster) -> tuple[Named, ...]:
    agents = listed(wish.agents)
    if wish.count not in (None, len(agents)):
        raise UsageError(f"{len(agents)} agents are named and {wish.count} asked for.", hint="Leave the count out.")
    _refuse_number(len(agents), "named")
    known = tuple(_known(agent, roster) for agent in agents)
    _refuse_host_twice(known, roster)
    return known


def _known(agent: Named, roster: Roster) -> Named:
    roster.spec(agent.tool)
    return agent


def _refuse_host_twice(agents: tuple[Named, ...], roster: Roster) -> None:
    if sum(roster.is_host(agent.tool) for agent in agents) > 1:
        raise UsageError(
            "The calling agent is one conversation, and can be one agent of a fact-check.",
            hint=f"Name other tools beside it; {RULE_BASED_TOOL} needs nothing installed.",
        )


def _refuse_number(count: int, how: str) -> None:
    if not FEWEST_AGENTS <= count <= MOST_AGENTS:
        raise UsageError(
            f"A fact-check has {FEWEST_AGENTS} to {MOST_AGENTS} agents; {count} {'is' if count == 1 else 'are'} {how}.",
            hint="The same tool may be named several times.",
        )


def _usual(count: int, roster: Roster) -> Chosen:
    """One tool of each family, the rule-based one where they do not suffice, then the same tools once more."""
    families = _one_of_each_family(roster)
    if not families:
        return Chosen(
            (Named(RULE_BASED_TOOL),) * count,
            (f"[WARN] No AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, is all {count} agents.",),
        )
    tools = tuple(islice((*families, RULE_BASED_TOOL, *islice(cycle(families), count)), count))
    return Chosen(tuple(Named(tool) for tool in tools), _makeshift_notices(tools, families))


def _one_of_each_family(roster: Roster) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for tool in roster.ai_tools():
        first.setdefault(roster.spec(tool).family, tool)
    return tuple(first.values())


def _makeshift_notices(tools: tuple[str, ...], families: tuple[str, ...]) -> tuple[str, ...]:
    if len(tools) <= len(families):
        return ()
    found = "1 family" if len(families) == 1 else f"{len(families)} families"
    rule_based = f"agent {len(families) + 1} is {RULE_BASED_TOOL}, which is rule-based"
    often = Counter(tools)
    return (
        f"[WARN] AI tools of {found} are installed: {rule_based}.",
        *(f"[WARN] {tool} is {often[tool]} agents, each in a fresh session." for tool in families if often[tool] > 1),
    )
