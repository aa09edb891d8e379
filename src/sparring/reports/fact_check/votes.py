"""The votes of a fact-check: how they make the label, who voted what in which round."""

from sparring.reports.fact_check.checked import FinishedFactCheck
from sparring.reports.foreign import cell, table
from sparring.reports.phrases import tool_with_model
from sparring.schema.fact_check import AgentPath, Decision, FactCheckOutcome, Movement, Position, StopReason, Tally

_DECIDED = {
    Decision.UNANIMOUS: "by all votes",
    Decision.MAJORITY: "by more than half of the votes",
    Decision.PLURALITY: "by the most votes, though not by more than half",
    Decision.SPLIT: "since two labels have the most votes",
}

_STOPPED = {
    StopReason.NOT_ESCALATED: "Nothing called for a debate after the blind round.",
    StopReason.STABLE: "The debate ended after round {completed}: all agree, and nobody moved any more.",
    StopReason.MAX_ROUNDS: "All rounds that were allowed are used up ({completed}).",
    StopReason.NO_QUORUM: "",  # it is why there is no verdict, and said as that
}


def decided(fact_check: FinishedFactCheck) -> str:
    """The label and how it came about, or why there is none, in a paragraph."""
    outcome = fact_check.outcome
    how = _DECIDED[outcome.decision] if outcome.decision else ""
    verdict = f"**{outcome.label}** {how}." if outcome.label else "**No verdict**: fewer than two valid votes are left."
    return f"{verdict} {_STOPPED[outcome.stop_reason].format(completed=outcome.rounds_completed)}".rstrip()


def tallies(outcome: FactCheckOutcome) -> str:
    """The blind vote beside the debated one, as a table."""
    last = f"debated (round {outcome.rounds_completed})"
    rows = [("blind (round 1)", outcome.blind)]
    rows += [(last, outcome.debated)] if outcome.rounds_completed > 1 else []
    return table(("vote", "SUPPORTED", "REFUTED", "NEI", "abstained"), (_tally(name, tally) for name, tally in rows))


def paths(outcome: FactCheckOutcome) -> str:
    """Agents by rounds: each vote, and what became of it."""
    rounds = range(1, max(map(_last_round, outcome.agents), default=1) + 1)
    head = ("agent", "tool", *(f"round {number}" for number in rounds), "path")
    return table(head, (_path(agent, rounds) for agent in outcome.agents))


def moved(position: Position) -> str:
    """A vote with what it was claimed to be where that differs, e.g. ``NEI (said SUPPORTED)``."""
    if position.movement is Movement.CHANGE_REJECTED:
        return f"{position.verdict} (change to {position.claimed} rejected)"
    remarks = ["changed"] if position.movement is Movement.CHANGED else []
    remarks += [f"said {position.claimed}"] if position.claimed is not position.verdict else []
    return f"{position.verdict} ({', '.join(remarks)})" if remarks else position.verdict.value


def _tally(name: str, tally: Tally) -> tuple[str, ...]:
    return name, *(str(count) for count in (tally.supported, tally.refuted, tally.nei, tally.abstained))


def _last_round(agent: AgentPath) -> int:
    spoken = [position.round for position in agent.positions]
    return max([*spoken, agent.abstention.round if agent.abstention else 1])


def _path(agent: AgentPath, rounds: range) -> tuple[str, ...]:
    votes = {position.round: moved(position) for position in agent.positions}
    if agent.abstention:
        votes |= {agent.abstention.round: f"abstained: {agent.abstention.code.replace('_', ' ')}"}
    tool = cell(tool_with_model(agent.tool, agent.model))
    return agent.name, tool, *(votes.get(number, "") for number in rounds), agent.path.value
