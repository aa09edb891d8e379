"""Who checks a claim: the agents as they were named, or as many of different families as there are."""

from collections import Counter
from dataclasses import dataclass
from itertools import cycle, islice

from sparring.app.asked import Named, listed, named
from sparring.app.roster import Roster
from sparring.app.wishes import FactCheckWish
from sparring.errors import UsageError
from sparring.schema.fact_check import FEWEST_AGENTS, MOST_AGENTS, USUAL_AGENTS
from sparring.schema.participants import RULE_BASED_TOOL


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
