"""When a fact-check is over, and what its votes come to (design: Fact-check). Nothing here reads an answer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sparring.formats.fact_check.rounds import Round
from sparring.schema.claims import Label
from sparring.schema.fact_check import (
    QUORUM,
    Decision,
    Escalation,
    FactCheckRequest,
    Fault,
    Movement,
    StopReason,
    Tally,
)

QUOTE_FAILURES = frozenset(
    {
        Fault.FABRICATED_QUOTE,
        Fault.ALTERED_QUOTE,
        Fault.MISSING_QUOTE,
        Fault.UNRELATED_QUOTE,
        Fault.CONTRADICTED_PART,
    }
)
"""Faults by which a quote did not carry what it was given for."""


@dataclass(frozen=True)
class Decided:
    """A label and how the votes made it."""

    label: Label
    decision: Decision


def stop_reason(rounds: Sequence[Round], request: FactCheckRequest) -> StopReason | None:
    """Why nobody is asked any more after ``rounds``; None when another round follows."""
    if not rounds:
        return None
    last = rounds[-1]
    if len(last.votes) < QUORUM:
        return StopReason.NO_QUORUM
    if len(rounds) == 1 and not _is_debate_called_for(last, request.escalation):
        return StopReason.NOT_ESCALATED
    if len(rounds) > 1 and _is_unanimous(last) and not _has_movement(last):
        return StopReason.STABLE
    return StopReason.MAX_ROUNDS if len(rounds) == request.max_rounds else None


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


def _is_debate_called_for(blind: Round, escalation: Escalation) -> bool:
    if escalation is not Escalation.AUTO:
        return escalation is Escalation.ALWAYS
    faults = {found.fault for position in blind.positions.values() for found in position.faults}
    return not _is_unanimous(blind) or not faults.isdisjoint(QUOTE_FAILURES)


def _is_unanimous(round_: Round) -> bool:
    return len(set(round_.votes)) == 1


def _has_movement(round_: Round) -> bool:
    return any(position.movement is Movement.CHANGED for position in round_.positions.values())
