"""An agent's way through the rounds of a fact-check, as Markdown sections."""

from collections.abc import Iterator, Sequence

from sparring.reports.fact_check.quotes import listed_parts, listed_quote, listed_rebuttal
from sparring.reports.fitting import Section
from sparring.reports.foreign import literal, quoted
from sparring.reports.phrases import cause
from sparring.reports.places import stage, voice
from sparring.schema.consultation import FailureCode
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import Abstention, AgentPath, ChangeTrigger, FaultFound, Position
from sparring.schema.transcript import Transcript


def rounds_of(agent: AgentPath, evidence: Sequence[ContextPart]) -> Iterator[Section]:
    """A section for each round in which the agent was heard, or fell out."""
    for position in agent.positions:
        yield Section(f"### {agent.name}, round {position.round}: {position.verdict}", _told(position, evidence))
    if agent.abstention:
        yield Section(f"### {agent.name}, round {agent.abstention.round}: no vote", abstained(agent.abstention))


def unread(agent: AgentPath, transcript: Transcript) -> Iterator[Section]:
    """What the agent said that could not be read, and that cost it its vote."""
    abstention = agent.abstention
    if abstention is None or abstention.code is not FailureCode.PARSE:
        return
    for turn in transcript.turns:
        if turn.answer and voice(turn) == agent.name and turn.round == abstention.round:
            yield Section(f"### {agent.name}, {stage(turn)}: could not be read", quoted(turn.answer.response))


def abstained(abstention: Abstention) -> str:
    """E.g. ``Abstained in round 2: timeout (no answer in time)``."""
    return literal(f"Abstained in round {abstention.round}: {cause(abstention.code, abstention.detail, 0)}")


def in_own_words(position: Position) -> str:
    """The agent's reason; empty if it gave none."""
    return f"In its own words:\n\n{quoted(position.reason)}" if position.reason.strip() else ""


def listed_faults(position: Position) -> str:
    """What code has caught the answer at, a fault a line; empty without any."""
    return "\n".join(_fault(fault, position.round) for fault in position.faults)


def _told(position: Position, evidence: Sequence[ContextPart]) -> str:
    movement = position.movement.replace("_", " ")
    stands = f"Claimed {position.claimed}, counted {position.verdict}: {movement}."
    said = "\n".join(_said(position, evidence))
    return "\n\n".join(part for part in (stands, said, in_own_words(position)) if part)


def _said(position: Position, evidence: Sequence[ContextPart]) -> Iterator[str]:
    yield from listed_parts(position, evidence)
    if position.key_quote:
        yield f"- Key quote{listed_quote(position.key_quote, position.key_quote_found, evidence)}"
    if position.parts_checked:
        yield f"- Looked at: {'; '.join(literal(part) for part in position.parts_checked)}"
    if position.decision_change:
        yield f"- What it says it does: {position.decision_change}{_trigger(position)}"
    yield from (listed_rebuttal(rebuttal, evidence) for rebuttal in position.rebuttals)
    yield from (_fault(fault, position.round) for fault in position.faults)


def _trigger(position: Position) -> str:
    trigger = position.change_trigger
    return f" ({trigger.replace('_', ' ')})" if trigger and trigger is not ChangeTrigger.NONE else ""


def _fault(found: FaultFound, round_: int) -> str:
    quote = f" — “{literal(found.quote)}”" if found.quote else ""
    return f"- Fault in round {round_}, {found.fault.replace('_', ' ')}: {literal(found.why)}{quote}"
