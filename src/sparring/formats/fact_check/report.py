"""Views of a fact-check: the label first, then its grounds, then the rounds; and the records."""

from collections.abc import Iterator, Sequence

from sparring.engine.course import UnusableReplyError, read_answer
from sparring.engine.format import Presentation
from sparring.formats.fact_check import page, readers, replies
from sparring.formats.fact_check.outcome import FinishedFactCheck, conclusion, counted, decided
from sparring.reports import progress, runs, seat_names, verification
from sparring.reports.markdown import HARD_BREAK, Section, Sections, literal, quoted
from sparring.schema import fact_check as schema
from sparring.schema.claims import Label
from sparring.schema.consultation import ContextPart, FailureCode
from sparring.schema.lookups import QuoteFinding, QuoteVerdict, Span
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Transcript, TurnKind
from sparring.text.tidying import one_line

_CLAIM_SHOWN = 500
"""Characters of a claim in the decision: the reader of a decision knows the claim."""


def _report(fact_check: FinishedFactCheck) -> Sections:
    claim = f"Claim:\n\n{quoted(fact_check.request.claim)}"
    sizes = [
        f"- {literal(one_line(part.name, 200))}: {runs.byte_size(part.size_bytes)}"
        for part in fact_check.request.evidence
    ]
    return [
        *_verdict_sections(fact_check, claim),
        *_votes_with_grounds(fact_check),
        Section("## Found by code", _by_code_line(fact_check)),
        *(_rounds(fact_check) if fact_check.outcome.agents else ()),
        Section("## Evidence", "\n".join(sizes)),
        Section("## Run", _about_the_run(fact_check)),
    ]


def _details(fact_check: FinishedFactCheck) -> Sections:
    claim = f"Claim: {literal(one_line(fact_check.request.claim, _CLAIM_SHOWN))}"
    return [
        *_verdict_sections(fact_check, claim),
        Section("## Found by code", _by_code_line(fact_check, is_short=bool(fact_check.outcome.agents))),
        *_votes_with_grounds(fact_check),
    ]


def _verdict_sections(fact_check: FinishedFactCheck, claim: str) -> list[Section]:
    outcome = fact_check.outcome
    evidence = f"Evidence: {literal(runs.context_line(fact_check.request.evidence))}"
    separator = "\n\n" if "\n" in claim else HARD_BREAK
    sections = [
        Section("## Verdict", decided(outcome)),
        Section("", f"{claim}{separator}{evidence}{HARD_BREAK}{_verified(fact_check)}"),
    ]
    if outcome.agents:
        sections.append(Section("## Votes", counted(outcome)))
    return sections


def _verified(fact_check: FinishedFactCheck) -> str:
    if not fact_check.outcome.agents:
        return "SUPPORTED needs a passage with every word of the claim, REFUTED a shown opposite; all else is NEI."
    verbatim = sum(finding.verdict is QuoteVerdict.VERBATIM for *_, finding in fact_check.quotes)
    facts = [f"{verbatim} of {len(fact_check.quotes)} quotes are in the evidence word for word"]
    parts = [part for agent in fact_check.outcome.agents for position in agent.positions for part in position.parts]
    read = sum(part.reading is not None for part in parts)
    if read:
        facts.append(f"{read} of {len(parts)} parts were put to a second reader")
    facts.append("each vote follows from its parts by rule, and moves by a new quote or to NEI")
    return f"Verified by code: {'; '.join(facts)}."


def _by_code_line(fact_check: FinishedFactCheck, *, is_short: bool = False) -> str:
    """Return the finding of code alone, with the passage that supports it."""
    check, names = fact_check.outcome.check, fact_check.names
    if is_short and not check.passage:
        return verification.mismatches(check, names)
    compared = verification.compared(check, names)
    # In the full report of a check with agents, the passage stands with the votes that rest on it.
    if check.passage and (is_short or not fact_check.outcome.agents):
        shown = _marked((check.passage,), check.passage, fact_check.request.evidence)
        return f"{compared}\n\n{shown}" if compared else shown
    return compared


def _about_the_run(fact_check: FinishedFactCheck) -> str:
    request = fact_check.request
    facts = {"Escalation": request.escalation.value, "Language": request.language, "Effort": request.effort.value}
    return fact_check.about(facts)


# -- What a vote rests on -------------------------------------------------------------------------------------------


def _votes_with_grounds(fact_check: FinishedFactCheck) -> Iterator[Section]:
    """A section for each label that has votes, the winning one first; then the agents without a vote in the end."""
    winner = fact_check.outcome.label
    for vote in (*sorted(Label, key=lambda label: label is not winner), None):
        agents = [agent for agent in fact_check.outcome.agents if agent.debated is vote]
        if agents:
            grounds = _grounds_by_agents(agents, fact_check.request.evidence)
            yield Section(f"## {vote or 'No vote'}: {len(agents)}", grounds)


def _grounds_by_agents(agents: Sequence[schema.AgentPath], evidence: Sequence[ContextPart]) -> str:
    """The grounds of each agent; identical grounds of several appear once."""
    names_by_grounds: dict[str, list[str]] = {}
    for agent in agents:
        names_by_grounds.setdefault(_grounds(agent, evidence), []).append(f"{agent.name} ({agent.respondent.name})")
    return "\n\n".join(f"### {', '.join(names)}\n\n{grounds}" for grounds, names in names_by_grounds.items())


def _grounds(agent: schema.AgentPath, evidence: Sequence[ContextPart]) -> str:
    """Return what the last vote of an agent rests on: the parts of the claim, then its last round if that is later."""
    paragraphs: list[str] = []
    if agent.abstention:
        paragraphs.append(_abstained(agent.abstention))
    # A rebuttal need not take the claim apart; then the parts of an earlier round still count.
    parted = next((position for position in reversed(agent.positions) if position.parts), None)
    last = agent.positions[-1] if agent.positions else None
    if parted:
        if last and last.verdict is not parted.verdict:
            paragraphs.append(f"From round {parted.round}, when its vote was {parted.verdict}:")
        paragraphs += [_shown_part(part, evidence) for part in parted.parts]
        paragraphs.append(_listed_faults(parted))
    if last and last is not parted:
        is_shown = parted is not None and any(part.quote_finding == last.key_quote_finding for part in parted.parts)
        if last.key_quote and not is_shown:
            quote = _shown_quote(last.key_quote, last.key_quote_finding, evidence)
            paragraphs.append(f"Key quote of round {last.round}:\n\n{quote}")
        paragraphs.append(_listed_faults(last))
    if last:
        paragraphs.append(_in_own_words(last))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _shown_part(part: schema.CheckedPart, evidence: Sequence[ContextPart]) -> str:
    """Return a part as a bullet, with its quote and the second reading indented below it."""
    head = f"- **{part.status}**{_claimed(part)}: {literal(part.part)}"
    if not part.quote:
        return head
    below = [_shown_quote(part.quote, part.quote_finding, evidence)]
    if part.reading:
        below.append(_second_reading(part, part.reading))
    lines = "\n\n".join(below).split("\n")
    return "\n".join((head, "", *(f"  {line}" if line else "" for line in lines)))


_LEGEND = "[-only in the quote-], {+only in the evidence+}"


def _shown_quote(quote: str, finding: QuoteFinding | None, evidence: Sequence[ContextPart]) -> str:
    if finding and finding.span:
        return _marked(finding.parts or (finding.span,), finding.span, evidence)
    if finding and finding.nearest:
        place = _marked((finding.nearest.span,), finding.nearest.span, evidence)
        difference = literal(finding.nearest.difference)
        return f"Altered: “{literal(quote)}”\n\n{place}\n\nDifference ({_LEGEND}): {difference}"
    return f"Not in the evidence: “{literal(quote)}”"


def _marked(spans: Sequence[Span], whole: Span, evidence: Sequence[ContextPart]) -> str:
    source = evidence[whole.index]
    return f"{verification.highlighted(source.text, spans)}\n>\n> ({verification.reference(source.name, whole)})"


# -- Rounds --------------------------------------------------------------------------------------------------------


def _rounds(fact_check: FinishedFactCheck) -> Iterator[Section]:
    yield Section("## Rounds", "Statements of each agent in each round, and which of them count.")
    for agent in fact_check.outcome.agents:
        for position in agent.positions:
            heading = f"### {agent.name}, round {position.round}: {position.verdict}"
            text = _position_text(position, fact_check.request.evidence)
            yield Section(heading, text, fact_check.ask_of(agent, position.round))
        if agent.abstention:
            yield Section(f"### {agent.name}, round {agent.abstention.round}: no vote", _abstained(agent.abstention))
        yield from _unread(agent, fact_check.run.transcript)


def _unread(agent: schema.AgentPath, transcript: Transcript) -> Iterator[Section]:
    """Show the unparsable reply that cost the agent its vote."""
    abstention = agent.abstention
    if abstention is None or abstention.code is not FailureCode.PARSE:
        return
    for turn in transcript.turns:
        is_its_own = seat_names.seat_name(turn) == agent.name and turn.kind is not TurnKind.READING
        if turn.answer and is_its_own and turn.round == abstention.round:
            yield Section(f"### {agent.name}, {progress.stage(turn)}: could not be read", quoted(turn.answer.response))


def _abstained(abstention: schema.Abstention) -> str:
    """E.g. ``Abstained in round 2: timeout (no answer in time)``."""
    return literal(f"Abstained in round {abstention.round}: {runs.cause(abstention.code, abstention.detail, 0)}")


def _position_text(position: schema.Position, evidence: Sequence[ContextPart]) -> str:
    movement = position.movement.replace("_", " ")
    vote = f"Claimed {position.claimed}, counted {position.verdict}: {movement}."
    lines = "\n".join(_position_lines(position, evidence))
    return "\n\n".join(part for part in (vote, lines, _in_own_words(position)) if part)


def _in_own_words(position: schema.Position) -> str:
    reasoning = position.reasoning_vi
    return f"In its own words:\n\n{quoted(reasoning)}" if reasoning.strip() else ""


def _position_lines(position: schema.Position, evidence: Sequence[ContextPart]) -> Iterator[str]:
    for part in position.parts:
        quote = _listed_quote(part.quote, part.quote_finding, evidence)
        reading = f" {_second_reading(part, part.reading)}" if part.reading else ""
        yield f"- {part.status}{_claimed(part)}: {literal(part.part)}{quote}{reading}"
    if position.key_quote:
        yield f"- Key quote{_listed_quote(position.key_quote, position.key_quote_finding, evidence)}"
    if position.key_parts_checked:
        yield f"- Looked at: {'; '.join(literal(part) for part in position.key_parts_checked)}"
    if position.decision_change:
        trigger = position.change_trigger or schema.ChangeTrigger.NONE
        trigger_shown = "" if trigger is schema.ChangeTrigger.NONE else f" ({trigger.replace('_', ' ')})"
        yield f"- What it says it does: {position.decision_change}{trigger_shown}"
    yield from (_listed_rebuttal(rebuttal, evidence) for rebuttal in position.rebuttals)
    yield from (_fault(fault, position.round) for fault in position.faults)


def _claimed(part: schema.CheckedPart) -> str:
    if part.is_added:
        return " (added by code)"
    return "" if part.claimed is part.status else f" (said {part.claimed})"


def _second_reading(part: schema.CheckedPart, reading: schema.SecondReading) -> str:
    """Return the finding of code on the quote, then the second reader's."""
    code = "Code leaves it open"
    if part.is_against_code and part.relation:
        code = f"Code finds that the quote {readers.FINDS[part.relation]}"
    if reading.problem:
        finding = literal(reading.problem)
    else:
        words = f": “{literal(reading.words)}”" if reading.words else ""
        finding = f"the quote {readers.FINDS[reading.says]}{words}"
    return f"{code}; {reading.by}, shown both alone: {finding}."


def _listed_rebuttal(rebuttal: schema.CheckedRebuttal, evidence: Sequence[ContextPart]) -> str:
    issue = f": {rebuttal.issue.replace('_', ' ')}" if rebuttal.issue else ""
    theirs = f" (“{literal(rebuttal.their_quote)}”)" if rebuttal.their_quote else ""
    verdict = f", {rebuttal.their_verdict}" if rebuttal.their_verdict else ""
    against = f"- Against {literal(rebuttal.agent)}{verdict}{theirs}{issue}"
    return against + _listed_quote(rebuttal.counter_quote, rebuttal.quote_finding, evidence)


def _listed_quote(quote: str | None, finding: QuoteFinding | None, evidence: Sequence[ContextPart]) -> str:
    """Return the place of a quote, or that it is absent, to follow its part; empty without a quote."""
    if not quote:
        return ""
    if finding and finding.span:
        return f" — “{literal(quote)}” ({verification.reference(evidence[finding.span.index].name, finding.span)})"
    if finding and finding.nearest:
        place = verification.reference(evidence[finding.nearest.span.index].name, finding.nearest.span)
        return f" — altered, {place} has: {literal(finding.nearest.difference)}"
    return f" — not in the evidence: “{literal(quote)}”"


def _listed_faults(position: schema.Position) -> str:
    return "\n".join(_fault(fault, position.round) for fault in position.faults)


def _fault(fault: schema.FaultFinding, round_: int) -> str:
    quote = f" — “{literal(fault.quote)}”" if fault.quote else ""
    return f"- Fault in round {round_}, {fault.fault.replace('_', ' ')}: {literal(fault.why)}{quote}"


# -- During the run, and records -----------------------------------------------------------------------------------


def _live(_request: Request, transcript: Transcript) -> str:
    """An agent's vote with its reason: the reply is JSON, and it is decided later which parts of it count."""
    turn = transcript.turns[-1]
    if turn.answer is None or turn.kind not in {TurnKind.ANALYSIS, TurnKind.REBUTTAL}:
        return ""
    try:
        if turn.kind is TurnKind.ANALYSIS:
            analysis = read_answer(turn.answer, replies.read_analysis).value
            return f"Says **{analysis.claimed}**. {literal(analysis.reasoning)}"
        rebuttal = read_answer(turn.answer, replies.read_rebuttal).value
    except UnusableReplyError:
        return "No usable answer."
    return f"Says **{rebuttal.verdict}**. {literal(rebuttal.reasoning)}"


def _result(fact_check: FinishedFactCheck) -> schema.LastFactCheck:
    return fact_check.record(schema.LastFactCheck, evidence=tuple(part.size for part in fact_check.request.evidence))


def _remaining(run: Run) -> tuple[str, ...]:
    """Return the agents that have not answered in the blind round; later rounds depend on their votes."""
    request = runs.request_of(run, schema.FactCheckRequest)
    if not request.agents:
        return ("the comparison by code",)
    pairs = zip(request.names, request.agents, strict=True)
    remaining = [
        f"round 1, {name} ({agent.tool})"
        for number, (name, agent) in enumerate(pairs, start=1)
        if run.transcript.turn(f"r1.a{number}") is None
    ]
    # In a round that has begun only agents with an unusable answer are asked again.
    begun = max((turn.round for turn in run.transcript.turns), default=1)
    left = range(begun + 1, request.max_rounds + 1)
    if left and request.escalation is not schema.Escalation.NEVER:
        rounds = f"round {left[0]}" if len(left) == 1 else f"rounds {left[0]} to {left[-1]}"
        remaining.append(f"{rounds}, if the agents are not agreed before")
    return (*remaining, "the count of the votes")


PRESENTATION = Presentation(
    FinishedFactCheck, conclusion, _report, _details, _result, _remaining, live=_live, pictures=page.pictures
)
