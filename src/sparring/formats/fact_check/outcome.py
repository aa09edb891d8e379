"""How a fact-check ends: what its votes come to, what that rests on, and what people are told beside it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.formats.fact_check.grounds import Grounds
from sparring.formats.fact_check.parts import WholeClaim
from sparring.formats.fact_check.readers import Readings
from sparring.schema.claims import Label
from sparring.schema.fact_check import (
    QUORUM,
    Abstention,
    AgentPath,
    Decision,
    Doubt,
    DoubtKind,
    FactCheckRequest,
    FactCheckStatus,
    Fault,
    PartStatus,
    Path,
    Position,
    SecondReading,
    Tally,
)
from sparring.text.tidying import one_line

_QUOTE_SHOWN = 200

_FAULTS = {
    Fault.FABRICATED_QUOTE: ("fabricated quote", "fabricated quotes"),
    Fault.ALTERED_QUOTE: ("altered quote", "altered quotes"),
    Fault.UNRELATED_QUOTE: ("unrelated quote", "unrelated quotes"),
    Fault.CONTRADICTED_PART: ("part contradicted by its quote", "parts contradicted by their quotes"),
    Fault.AGREEING_QUOTE: ("conflict whose quote agrees", "conflicts whose quotes agree"),
    Fault.OPEN_QUOTE: ("quote that nobody else finds to say it", "quotes that nobody else finds to say it"),
    Fault.MISSING_QUOTE: ("missing quote", "missing quotes"),
    Fault.FOREIGN_PART: ("part that is none of the claim", "parts that are none of the claim"),
    Fault.INCOMPLETE_PARTS: ("analysis that leaves words of the claim out",) * 2,
    Fault.VERDICT_NOT_BY_RULE: ("verdict not by the rules", "verdicts not by the rules"),
    Fault.CHANGE_WITHOUT_NEW_QUOTE: ("change rejected", "changes rejected"),
    Fault.CONFORMED: ("of them to what most others said", "of them to what most others said"),
    Fault.MISQUOTED_AGENT: ("agent misquoted", "agents misquoted"),
    Fault.MISSTATED_ITSELF: ("misstatement about itself", "misstatements about itself"),
    Fault.UNUSABLE_ANSWER: ("unusable answer", "unusable answers"),
}
"""How one fault and how several are called."""


@dataclass(frozen=True)
class Stand:
    """What came of asking one agent in one round: a position, or an abstention.

    Attributes:
        model: What the tool reported last, if it did.
    """

    name: str
    position: Position | None = None
    abstention: Abstention | None = None
    model: str | None = None


@dataclass(frozen=True)
class Round:
    """A round that is over."""

    number: int
    stands: tuple[Stand, ...]

    @property
    def positions(self) -> Mapping[str, Position]:
        """Where those agents stand that do not abstain, by name."""
        return {stand.name: stand.position for stand in self.stands if stand.position}

    @property
    def votes(self) -> tuple[Label, ...]:
        """The valid votes, in the order of the agents."""
        return tuple(position.verdict for position in self.positions.values())


@dataclass(frozen=True)
class Decided:
    """A label and how the votes made it."""

    label: Label
    decision: Decision


def decide(votes: Sequence[Label]) -> Decided:
    """The label with the most of ``votes``, of which there is at least one; NEI when two have as many."""
    counted = Counter(votes).most_common()
    label, most = counted[0]
    if len(counted) == 1:
        return Decided(label, Decision.UNANIMOUS)
    if most == counted[1][1]:
        return Decided(Label.NEI, Decision.SPLIT)
    return Decided(label, Decision.MAJORITY if 2 * most > len(votes) else Decision.PLURALITY)


def tally(round_: Round, request: FactCheckRequest) -> Tally:
    """The votes of a round; whoever has none abstained in it or before."""
    votes = Counter(round_.votes)
    return Tally(
        supported=votes[Label.SUPPORTED],
        refuted=votes[Label.REFUTED],
        nei=votes[Label.NEI],
        abstained=len(request.agents) - len(round_.votes),
    )


def doubts_about(
    label: Label | None, agents: Sequence[AgentPath], request: FactCheckRequest, grounds: Grounds
) -> tuple[Doubt, ...]:
    """What ``label`` rests on less than on several families, and on quotes that code can show."""
    if label in {None, Label.NEI}:
        return ()
    voters = [agent for agent in agents if agent.debated is label]
    not_compared = _not_compared(voters, request, grounds) if label is Label.SUPPORTED else ()
    return (*_doubts(label, voters, request), *not_compared)


def _not_compared(voters: Sequence[AgentPath], request: FactCheckRequest, grounds: Grounds) -> Iterator[Doubt]:
    """What nobody has compared before it was called SUPPORTED: whether the parts are all, and what joins them."""
    if not WholeClaim(request.claim).is_told_apart:
        why = "The words of this claim cannot be told apart by code: whether the parts hold all of it was not compared."
        yield Doubt(kind=DoubtKind.PARTS_NOT_COMPARED, why=why)
    if all(len(_passages(agent, grounds)) > 1 for agent in voters):
        why = "Different sentences carry the parts, and none says the whole claim: what joins them was not compared."
        yield Doubt(kind=DoubtKind.PARTS_NOT_JOINED, why=why)


def _passages(agent: AgentPath, grounds: Grounds) -> frozenset[str]:
    parted = next((position for position in reversed(agent.positions) if position.parts), None)
    found = (part.found for part in parted.parts) if parted else ()
    return frozenset(grounds.passage(each) for each in found if each)


def _doubts(label: Label | None, voters: Sequence[AgentPath], request: FactCheckRequest) -> Iterator[Doubt]:
    unshown = [_unshown(agent, label) for agent in voters]
    quotes = list(dict.fromkeys(quote for each in unshown for quote in each))
    common = next((quote for quote in quotes if all(quote in each for each in unshown)), None)
    if common:
        why = f"All who vote {label} rest on a quote that code could not show: “{common}”"
        yield Doubt(kind=DoubtKind.ONE_QUOTE, why=why)
    if others := [quote for quote in quotes if quote != common]:
        why = f"Code could not show {len(others)} of the quotes behind {label}; a second reader finds that they say so."
        yield Doubt(kind=DoubtKind.UNSHOWN_QUOTE, why=why)
    readings = [reading for each in unshown for reading in each.values()]
    if any(len({_seat(name, request) for name in (each.by, *each.beside)}) == 1 for each in readings):
        why = "A quote that code could not show was read twice by the same tool, in fresh sessions, and by nobody else."
        yield Doubt(kind=DoubtKind.ONE_READER, why=why)
    families = {request.family_of(agent.name) for agent in voters}
    if len(families) == 1:
        count = "the only vote" if len(voters) == 1 else f"all {len(voters)} votes"
        yield Doubt(kind=DoubtKind.ONE_FAMILY, why=f"One family: {count} for {label} come from {families.pop()}.")


def _unshown(agent: AgentPath, label: Label | None) -> Mapping[str, SecondReading]:
    """The quotes of the parts that make the vote and that code could not show, with what was read in them."""
    parted = next((position for position in reversed(agent.positions) if position.parts), None)
    status = PartStatus.COVERED if label is Label.SUPPORTED else PartStatus.CONFLICT
    parts = [part for part in parted.parts if part.status is status] if parted else []
    shown = [part for part in parts if part.reading is None]
    if status is PartStatus.CONFLICT and shown:
        return {}  # one conflict is enough, and code shows it
    return {one_line(part.quote or "", _QUOTE_SHOWN): part.reading for part in parts if part.reading}


def _seat(name: str, request: FactCheckRequest) -> tuple[str, str | None]:
    agent = request.agents[request.names.index(name)]
    return agent.tool, agent.model


def status_of(last: Round) -> FactCheckStatus:
    """How a fact-check ends whose last round that is."""
    if len(last.votes) >= QUORUM:
        return FactCheckStatus.COMPLETED
    return FactCheckStatus.NO_QUORUM if last.votes else FactCheckStatus.FAILED


def path_of(request: FactCheckRequest, rounds: Sequence[Round], label: Label | None, number: int) -> AgentPath:
    """The way of agent ``number``, which is counted from 0, through ``rounds``."""
    name, agent = request.names[number], request.agents[number]
    stands = [stand for round_ in rounds for stand in round_.stands if stand.name == name]
    positions = tuple(stand.position for stand in stands if stand.position)
    models = [stand.model for stand in stands if stand.model]
    first, last = rounds[0].positions.get(name), rounds[-1].positions.get(name)
    blind, debated = first.verdict if first else None, last.verdict if last else None
    return AgentPath(
        name=name,
        tool=agent.tool,
        model=models[-1] if models else agent.model,
        positions=positions,
        abstention=next((stand.abstention for stand in stands if stand.abstention), None),
        blind=blind,
        debated=debated,
        path=_became(blind, debated, label),
    )


def _became(blind: Label | None, debated: Label | None, label: Label | None) -> Path:
    if blind is None or debated is None:
        return Path.ABSTAINED
    if blind is debated:
        return Path.KEPT
    return Path.FIXED if debated is label else Path.FLIPPED


def notices_of(agents: Sequence[AgentPath], last: Round, readings: Readings) -> Iterator[str]:
    """Lines for the reader: who has no vote, which quotes nobody could read, what was caught."""
    if len(last.votes) < QUORUM:
        yield _no_verdict(agents, last)
    for agent in agents:
        if agent.abstention:
            yield f"[WARN] {agent.name} ({agent.tool}) abstains{_since(agent.abstention)}: {_cause(agent.abstention)}"
    tools = {agent.name: agent.tool for agent in agents}
    for failure in readings.failures:
        yield f"[WARN] {failure.reader} ({tools[failure.reader]}) could not read {failure.told}"
    for agent in agents:
        if found := _counted(agent):
            yield f"[WARN] {agent.name} ({agent.tool}): {found}."


def _no_verdict(agents: Sequence[AgentPath], last: Round) -> str:
    causes = ", ".join(f"{agent.name}: {agent.abstention.code}" for agent in agents if agent.abstention)
    count = len(last.votes)
    votes = "1 valid vote" if count == 1 else f"{count or 'no'} valid votes"
    return f"[ERROR] No verdict: round {last.number} has {votes}, and a verdict needs {QUORUM} ({causes})."


def _since(abstention: Abstention) -> str:
    return "" if abstention.round == 1 else f" from round {abstention.round} on"


def _cause(abstention: Abstention) -> str:
    return f"{abstention.code}: {abstention.detail.rstrip('.')}."


def _counted(agent: AgentPath) -> str:
    counts = Counter(found.fault for position in agent.positions for found in position.faults)
    return ", ".join(f"{count} {_FAULTS[fault][count > 1]}" for fault in Fault if (count := counts[fault]))
