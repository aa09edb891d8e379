"""What a finished fact-check has come to: the label, the part that decides it, and how much stands behind it."""

from collections.abc import Iterator, Sequence

from sparring.reports.conclusion import Conclusion
from sparring.reports.progress import voice
from sparring.reports.runs import FinishedRun, tool_with_model
from sparring.reports.verification import mismatches_in
from sparring.schema.claims import Label
from sparring.schema.fact_check import (
    AgentPath,
    CheckedPart,
    Decision,
    FactCheckOutcome,
    FactCheckRequest,
    PartStatus,
)
from sparring.schema.lookups import QuoteFinding, QuoteVerdict
from sparring.schema.runs import Run
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import one_line


class FinishedFactCheck(FinishedRun[FactCheckRequest, FactCheckOutcome]):
    """A fact-check that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, FactCheckRequest, FactCheckOutcome)

    @property
    def names(self) -> tuple[str, ...]:
        """The sources' names, by index."""
        return tuple(part.name for part in self.request.evidence)

    @property
    def quotes(self) -> tuple[QuoteFinding, ...]:
        """What became of every quote of every agent in every round; one that is repeated is counted again."""
        return tuple(found for agent in self.outcome.agents for found in _found(agent) if found)

    def ask_of(self, agent: AgentPath, round_: int) -> str:
        """The id of the ask that the agent answered in that round last; empty where there is none."""
        turns = reversed(self.run.transcript.turns)
        said = (turn for turn in turns if turn.kind is not TurnKind.READING and voice(turn) == agent.name)
        return next((turn.ask_id for turn in said if turn.round == round_), "")


def _found(agent: AgentPath) -> Iterator[QuoteFinding | None]:
    for position in agent.positions:
        yield from (part.found for part in position.parts)
        yield position.key_quote_found
        yield from (rebuttal.found for rebuttal in position.rebuttals)


DECIDED = {
    Decision.UNANIMOUS: "by all votes",
    Decision.MAJORITY: "by more than half of the votes",
    Decision.PLURALITY: "by the most votes, though not by more than half",
    Decision.SPLIT: "since two labels have the most votes",
    Decision.BY_CODE: "by code alone: no tool was asked, nobody has read the evidence, and nothing is voted on",
}
"""How a label came about."""

_PART_SHOWN = 160
"""Characters of a part or a quote in the first lines."""


def conclusion(run: Run) -> Conclusion:
    """What the fact-check of ``run`` has come to."""
    fact_check = FinishedFactCheck(run)
    outcome = fact_check.outcome
    by_code = "" if outcome.agents else ", by code alone"
    contested = ", contested" if outcome.is_contested else ", doubtful" if outcome.doubts and outcome.label else ""
    label = outcome.label or "no verdict: fewer than two valid votes are left"
    return Conclusion(
        headline=f"Fact-check: {label}{contested}{by_code}",
        is_plain=outcome.label is not None and not contested,
        about=("Claim", fact_check.request.claim),
        label=outcome.label or "",
        why=_why(fact_check),
        firmness=_firmness(outcome),
        doubts=(*_contested(fact_check), *_doubtful(outcome), *fact_check.notices),
        citations=_quote_counts(fact_check),
        answered_by=_answered_by(outcome),
    )


def _why(fact_check: FinishedFactCheck) -> str:
    """The first part that decides the label, with its quote; what nothing carries; or what code finds by itself."""
    outcome = fact_check.outcome
    wanted = {Label.REFUTED: PartStatus.CONFLICT, Label.NEI: PartStatus.MISSING}
    voters = [agent for agent in outcome.agents if agent.debated and agent.debated is outcome.label]
    parts = [part for agent in voters for position in reversed(agent.positions) for part in position.parts]
    status = wanted.get(outcome.label or Label.NEI, PartStatus.COVERED)
    for part in parts:
        if part.status is status:
            return _part_in_short(part, fact_check.names)
    return " ".join(found.why for found in mismatches_in(outcome.check)[:1]) if not outcome.agents else ""


def _part_in_short(part: CheckedPart, names: Sequence[str]) -> str:
    if part.status is PartStatus.MISSING or not part.quote:
        return f"No passage carries “{one_line(part.part, _PART_SHOWN)}”."
    place = part.found.span if part.found else None
    where = f" ({one_line(names[place.index], 100)}, {place.start}–{place.end})" if place else ""
    against = "against" if part.status is PartStatus.CONFLICT else "for"
    quote, said = (one_line(text, _PART_SHOWN) for text in (part.quote, part.part))
    return f"“{quote}”{where}, {against} “{said}”."


def _firmness(outcome: FactCheckOutcome) -> str:
    """How it was decided, and the last count where anybody voted."""
    if outcome.decision is None or not outcome.agents:
        return ""
    last = outcome.debated if outcome.rounds_completed > 1 else outcome.blind
    counts = {"SUPPORTED": last.supported, "REFUTED": last.refuted, "NEI": last.nei, "abstained": last.abstained}
    votes = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"{DECIDED[outcome.decision]} ({votes})"


def _quote_counts(fact_check: FinishedFactCheck) -> dict[str, int]:
    verdicts = [found.verdict for found in fact_check.quotes]
    names = {
        "quotes verbatim": QuoteVerdict.VERBATIM,
        "altered": QuoteVerdict.ALTERED,
        "not found": QuoteVerdict.NOT_FOUND,
    }
    return {name: verdicts.count(verdict) for name, verdict in names.items()}


def _answered_by(outcome: FactCheckOutcome) -> tuple[str, ...]:
    voters = (agent for agent in outcome.agents if agent.positions)
    return tuple(f"{agent.name} {tool_with_model(agent.tool, agent.model)}" for agent in voters)


def _contested(fact_check: FinishedFactCheck) -> list[str]:
    """Why the label should be doubted."""
    if not fact_check.outcome.is_contested:
        return []
    doubt = f"[WARN] Contested: the label is {fact_check.outcome.label}, yet code found a critical mismatch."
    return [f"{doubt} {found.why}" for found in fact_check.outcome.check.critical_mismatches]


def _doubtful(outcome: FactCheckOutcome) -> list[str]:
    """What the label rests on, where that is little."""
    return [f"[WARN] Doubtful: {doubt.why}" for doubt in outcome.doubts]
