"""What each vote rests on in the end: by label, so that what gives way to a limit is what says the same again."""

from collections.abc import Iterator, Sequence

from sparring.reports.fact_check.checked import FinishedFactCheck
from sparring.reports.fact_check.quotes import shown_key_quote, shown_parts
from sparring.reports.fact_check.rounds import abstained, in_own_words, listed_faults
from sparring.reports.fitting import Section
from sparring.schema.claims import Label
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import AgentPath, Position


def votes_with_grounds(fact_check: FinishedFactCheck) -> Iterator[Section]:
    """A section for each label that has votes, the one that won first; then those who have no vote in the end."""
    won = fact_check.outcome.label
    for vote in (*sorted(Label, key=lambda label: label is not won), None):
        agents = [agent for agent in fact_check.outcome.agents if agent.debated is vote]
        if agents:
            yield Section(f"## {vote or 'No vote'}: {len(agents)}", _told(agents, fact_check.request.evidence))


def _told(agents: Sequence[AgentPath], evidence: Sequence[ContextPart]) -> str:
    """The grounds of each; what several give word for word stands once."""
    givers: dict[str, list[str]] = {}
    for agent in agents:
        givers.setdefault(_grounds(agent, evidence), []).append(f"{agent.name} ({agent.tool})")
    return "\n\n".join(f"### {', '.join(names)}\n\n{grounds}" for grounds, names in givers.items())


def _grounds(agent: AgentPath, evidence: Sequence[ContextPart]) -> str:
    told = [abstained(agent.abstention)] if agent.abstention else []
    parted = _last_with_parts(agent)
    if parted:
        told += shown_parts(parted, evidence), listed_faults(parted)
    if agent.positions:
        last = agent.positions[-1]
        if last is not parted:
            told += "" if parted and _repeats(last, parted) else shown_key_quote(last, evidence), listed_faults(last)
        told.append(in_own_words(last))
    return "\n\n".join(part for part in told if part)


def _last_with_parts(agent: AgentPath) -> Position | None:
    """The agent's last position that takes the claim apart; a rebuttal need not."""
    return next((position for position in reversed(agent.positions) if position.parts), None)


def _repeats(last: Position, parted: Position) -> bool:
    """Whether the key quote is marked already, with the parts of the claim."""
    return any(part.found == last.key_quote_found for part in parted.parts)
