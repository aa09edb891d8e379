"""Outcome of a finished fact-check: the label, the deciding part, the support for it, the votes."""

from collections.abc import Iterable, Iterator

from sparring.formats.fact_check.grounds import key, quotes_of
from sparring.reports import markdown, runs, seat_names, verification
from sparring.reports.conclusion import Conclusion
from sparring.schema import fact_check as schema
from sparring.schema.claims import Label, Relation
from sparring.schema.lookups import QuoteFinding, QuoteVerdict
from sparring.schema.runs import Run
from sparring.schema.transcript import TurnKind
from sparring.text.prose import sentences
from sparring.text.tidying import one_line
from sparring.text.words import words


class FinishedFactCheck(runs.FinishedRun[schema.FactCheckRequest, schema.FactCheckOutcome]):
    """A fact-check that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, schema.FactCheckRequest, schema.FactCheckOutcome)

    @property
    def names(self) -> tuple[str, ...]:
        """The sources' names, by index."""
        return tuple(part.name for part in self.request.evidence)

    @property
    def quotes(self) -> tuple[tuple[str, str, QuoteFinding], ...]:
        """Quotes of all rounds with agent and finding; repeated ones occur again."""
        return tuple(
            (agent.name, *quote)
            for agent in self.outcome.agents
            for position in agent.positions
            for quote in quotes_of(position)
        )

    def ask_of(self, agent: schema.AgentPath, round_: int) -> str:
        """The id of the ask that the agent answered last in that round; empty if there is none."""
        for turn in reversed(self.run.transcript.turns):
            if turn.round == round_ and turn.kind is not TurnKind.READING and seat_names.seat_name(turn) == agent.name:
                return turn.ask_id
        return ""


_DECIDED = {
    schema.Decision.UNANIMOUS: "by all votes",
    schema.Decision.MAJORITY: "by more than half of the votes",
    schema.Decision.PLURALITY: "by the most votes, though not by more than half",
    schema.Decision.SPLIT: "since no label has more votes than every other",
    schema.Decision.BY_CODE: "by code alone: no tool was called or read the evidence, and there is no vote",
}
_NO_LABEL = "fewer than two valid votes are left"

_PART_SHOWN = 160
"""Characters of a part or a quote in the first lines."""


def conclusion(fact_check: FinishedFactCheck) -> Conclusion:
    """Return the conclusion of the fact-check of ``run``."""
    outcome = fact_check.outcome
    headline = f"Fact-check: {outcome.label or f'no verdict: {_NO_LABEL}'}"
    is_doubtful = bool(outcome.doubts and outcome.label)
    if outcome.is_contested:
        headline += ", contested"
    elif is_doubtful:
        headline += ", doubtful"
    if not outcome.agents:
        headline += ", by code alone"
    verdicts = [finding.verdict for *_, finding in fact_check.quotes]
    voters = [agent for agent in outcome.agents if agent.positions]
    return Conclusion(
        headline=headline,
        is_plain=outcome.label is not None and not outcome.is_contested and not is_doubtful,
        about=("Claim", fact_check.request.claim),
        label=outcome.label or "",
        why=_why(fact_check),
        firmness=_firmness(outcome),
        doubts=(*_doubts(outcome), *fact_check.notices),
        citations={
            "quotes verbatim": verdicts.count(QuoteVerdict.VERBATIM),
            "altered": verdicts.count(QuoteVerdict.ALTERED),
            "not found": verdicts.count(QuoteVerdict.NOT_FOUND),
        },
        answered_by=tuple(f"{agent.name} {runs.respondent_with_model(agent.respondent)}" for agent in voters),
    )


def _why(fact_check: FinishedFactCheck) -> str:
    """The first part that decides the label, with its quote; else the uncovered part, or the finding of code."""
    outcome = fact_check.outcome
    if not outcome.agents:
        mismatches = verification.mismatches_in(outcome.check)
        return mismatches[0].why if mismatches else ""
    deciding = _DECIDING_STATUS[outcome.label or Label.NEI]
    # A part for which any agent gave a passage cannot be the reason why the evidence is missing.
    all_parts = [part for agent in outcome.agents for position in agent.positions for part in position.parts]
    covered = {key(part.part) for part in all_parts if part.status is schema.PartStatus.COVERED}
    for agent in outcome.agents:
        if agent.debated is None or agent.debated is not outcome.label:
            continue
        for part in (part for position in reversed(agent.positions) for part in position.parts):
            is_given = deciding is schema.PartStatus.MISSING and key(part.part) in covered
            if part.status is deciding and not is_given:
                return _part_in_short(part, fact_check)
    return ""


_DECIDING_STATUS = {
    Label.SUPPORTED: schema.PartStatus.COVERED,
    Label.REFUTED: schema.PartStatus.CONFLICT,
    Label.NEI: schema.PartStatus.MISSING,
}


def _part_in_short(part: schema.CheckedPart, fact_check: FinishedFactCheck) -> str:
    if part.status is schema.PartStatus.MISSING or not part.quote:
        return _missing_in_short(part, fact_check)
    span = part.quote_finding.span if part.quote_finding else None
    place = f" ({one_line(fact_check.names[span.index], 100)}, {span.start}–{span.end})" if span else ""
    against = "against" if part.status is schema.PartStatus.CONFLICT else "for"
    return f"“{one_line(part.quote, _PART_SHOWN)}”{place}, {against} “{one_line(part.part, _PART_SHOWN)}”."


def _missing_in_short(part: schema.CheckedPart, fact_check: FinishedFactCheck) -> str:
    """Return why a part counts as missing, in a sentence that stays true if the agents overlooked evidence."""
    words = one_line(part.part, _PART_SHOWN)
    if part.quote:
        quote = one_line(part.quote, _PART_SHOWN)
        if part.quote_finding and part.quote_finding.verdict is not QuoteVerdict.VERBATIM:
            return f"What was quoted for “{words}” is not in the evidence word for word: “{quote}”."
        if part.relation is Relation.CARRIES and part.claimed is schema.PartStatus.CONFLICT:
            return f"“{quote}” was quoted against “{words}”, and says the same."
        how = "against" if part.claimed is schema.PartStatus.CONFLICT else "for"
        return f"“{quote}” was quoted {how} “{words}”, and code and readers could not follow that."
    lead = f"No agent's parts mention “{words}”" if part.is_added else f"No passage was quoted for “{words}”"
    passage = _passage_with(part.part, (evidence.text for evidence in fact_check.request.evidence))
    return f"{lead}; code finds its words in “{one_line(passage, _PART_SHOWN)}”." if passage else f"{lead}."


def _passage_with(part: str, texts: Iterable[str]) -> str:
    """The first sentence with every word of ``part``; empty if there is none, or ``part`` has no word."""
    required = set(words(part.casefold()))
    if not required:
        return ""
    for text in texts:
        for start, end in sentences(text, 0, len(text)):
            if required <= set(words(text[start:end].casefold())):
                return text[start:end].strip()
    return ""


def _firmness(outcome: schema.FactCheckOutcome) -> str:
    """Return how it was decided, with the last count of votes if there was one."""
    if outcome.decision is None or not outcome.agents:
        return ""
    last = outcome.debated if outcome.rounds_completed > 1 else outcome.blind
    votes = ", ".join(f"{count} {word}" for word, count in _votes(last).items() if count)
    return f"{_DECIDED[outcome.decision]} ({votes})"


def _votes(tally: schema.Tally) -> dict[str, int]:
    return {"SUPPORTED": tally.supported, "REFUTED": tally.refuted, "NEI": tally.nei, "abstained": tally.abstained}


def _doubts(outcome: schema.FactCheckOutcome) -> Iterator[str]:
    """Yield reasons to doubt the label, and weak grounds."""
    if outcome.is_contested:
        contested = f"[WARN] Contested: the label is {outcome.label}, yet code"
        for finding in outcome.check.critical_mismatches:
            yield f"{contested} found a critical mismatch. {finding.why}"
        if outcome.check.label is Label.SUPPORTED:
            passage = one_line(outcome.check.passage.text, _PART_SHOWN) if outcome.check.passage else "the claim"
            yield f"{contested} finds that the evidence says so: “{passage}”"
    for doubt in outcome.doubts:
        yield f"[WARN] Doubtful: {doubt.why}"


_STOPPED = {
    schema.StopReason.NOT_ESCALATED: "Nothing called for a debate after the blind round.",
    schema.StopReason.STABLE: "The debate ended after round {completed}: all agree, and no vote changed.",
    schema.StopReason.MAX_ROUNDS: "All rounds that were allowed are used up ({completed}).",
    schema.StopReason.NO_QUORUM: "",  # it is the reason for no verdict, and reported there
    schema.StopReason.BY_CODE: "",
}


def decided(outcome: schema.FactCheckOutcome) -> str:
    """The label with how it came about, and why no tool was called any more."""
    how = _DECIDED[outcome.decision] if outcome.decision else ""
    verdict = f"**{outcome.label}** {how}." if outcome.label else f"**No verdict**: {_NO_LABEL}."
    return f"{verdict} {_STOPPED[outcome.stop_reason].format(completed=outcome.rounds_completed)}".rstrip()


def counted(outcome: schema.FactCheckOutcome) -> str:
    """The votes before and after the debate, then agents by rounds: each vote, and its fate."""
    tallies = {"blind (round 1)": outcome.blind}
    if outcome.rounds_completed > 1:
        tallies[f"debated (round {outcome.rounds_completed})"] = outcome.debated
    counts = [(name, *(str(count) for count in _votes(tally).values())) for name, tally in tallies.items()]
    votes_by_agent = [_votes_by_round(agent) for agent in outcome.agents]
    last_round = max((round_ for votes in votes_by_agent for round_ in votes), default=1)
    rounds = range(1, last_round + 1)
    paths: list[tuple[str, ...]] = []
    for agent, votes in zip(outcome.agents, votes_by_agent, strict=True):
        tool = markdown.cell(runs.respondent_with_model(agent.respondent))
        paths.append((agent.name, tool, *(votes.get(number, "") for number in rounds), agent.path.value))
    head = ("agent", "tool", *(f"round {number}" for number in rounds), "path")
    return f"{markdown.table(('vote', *_votes(outcome.blind)), counts)}\n\n{markdown.table(head, paths)}"


def _votes_by_round(agent: schema.AgentPath) -> dict[int, str]:
    votes = {position.round: _vote(position) for position in agent.positions}
    if agent.abstention:
        votes[agent.abstention.round] = f"abstained: {agent.abstention.code.replace('_', ' ')}"
    return votes


def _vote(position: schema.Position) -> str:
    """A vote, with the claimed verdict if that differs, e.g. ``NEI (said SUPPORTED)``."""
    if position.movement is schema.Movement.CHANGE_REJECTED:
        return f"{position.verdict} (change to {position.claimed} rejected)"
    remarks: list[str] = []
    if position.movement is schema.Movement.CHANGED:
        remarks.append("changed")
    if position.claimed is not position.verdict:
        remarks.append(f"said {position.claimed}")
    return f"{position.verdict} ({', '.join(remarks)})" if remarks else position.verdict.value
