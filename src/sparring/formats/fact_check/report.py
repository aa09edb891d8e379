"""Views of a fact-check: the label first, then its grounds, then the rounds; and the records."""

from collections.abc import Iterator, Sequence

from sparring.engine.course import UnusableReplyError, read_answer
from sparring.engine.format import Presentation
from sparring.formats.fact_check import page, readers, replies
from sparring.formats.fact_check.outcome import FinishedFactCheck, conclusion, counted, decided
from sparring.reports import progress, runs, verification, voices
from sparring.reports.markdown import HARD_BREAK, Section, Sections, literal, optional_section, quoted
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
    return [
        *_votes(fact_check, claim),
        *_votes_with_grounds(fact_check),
        Section("## Found by code", _by_code_line(fact_check)),
        *(_rounds(fact_check) if fact_check.outcome.agents else ()),
        Section("## Evidence", _sizes(fact_check.request.evidence)),
        Section("## Run", _about_the_run(fact_check)),
    ]


def _details(fact_check: FinishedFactCheck) -> Sections:
    return [
        *_votes(fact_check, f"Claim: {literal(one_line(fact_check.request.claim, _CLAIM_SHOWN))}"),
        Section("## Found by code", _by_code_line(fact_check, is_short=bool(fact_check.outcome.agents))),
        *_votes_with_grounds(fact_check),
    ]


def _votes(fact_check: FinishedFactCheck, claim: str) -> list[Section]:
    outcome = fact_check.outcome
    evidence = f"Evidence: {literal(runs.context_line(fact_check.request.evidence))}"
    separator = "\n\n" if "\n" in claim else HARD_BREAK
    return [
        Section("## Verdict", decided(outcome)),
        Section("", HARD_BREAK.join((f"{claim}{separator}{evidence}", _verified(fact_check)))),
        *optional_section("## Votes", counted(outcome) if outcome.agents else ""),
    ]


def _verified(fact_check: FinishedFactCheck) -> str:
    if not fact_check.outcome.agents:
        return "SUPPORTED needs a passage with every word of the claim, REFUTED a shown opposite; all else is NEI."
    verbatim = sum(finding.verdict is QuoteVerdict.VERBATIM for *_, finding in fact_check.quotes)
    quotes = f"{verbatim} of {len(fact_check.quotes)} quotes stand in the evidence word for word"
    parts = [part for agent in fact_check.outcome.agents for position in agent.positions for part in position.parts]
    read = sum(part.reading is not None for part in parts)
    second = f"; {read} of {len(parts)} parts were put to a second reader" if read else ""
    rules = "each vote follows from its parts by rule, and moves by a new quote or to NEI"
    return f"Verified by code: {quotes}{second}; {rules}."


def _by_code_line(fact_check: FinishedFactCheck, *, is_short: bool = False) -> str:
    """Return the finding of code alone, with the passage that supports it."""
    check, names = fact_check.outcome.check, fact_check.names
    if is_short and not check.passage:
        return verification.mismatches(check, names)
    passage = check.passage if is_short or not fact_check.outcome.agents else None
    shown = [_marked((passage,), passage, fact_check.request.evidence)] if passage else []
    return "\n\n".join(filter(None, (verification.compared(check, names), *shown)))


def _sizes(evidence: Sequence[ContextPart]) -> str:
    return "\n".join(f"- {literal(one_line(part.name, 200))}: {runs.byte_size(part.size_bytes)}" for part in evidence)


def _about_the_run(fact_check: FinishedFactCheck) -> str:
    request = fact_check.request
    facts = {"Escalation": request.escalation.value, "Language": request.language, "Effort": request.effort.value}
    return fact_check.about(facts)


# -- What a vote rests on -------------------------------------------------------------------------------------------


def _votes_with_grounds(fact_check: FinishedFactCheck) -> Iterator[Section]:
    """A section for each label that has votes, the winning one first; then the agents without a vote in the end."""
    won = fact_check.outcome.label
    for vote in (*sorted(Label, key=lambda label: label is not won), None):
        agents = [agent for agent in fact_check.outcome.agents if agent.debated is vote]
        if agents:
            yield Section(f"## {vote or 'No vote'}: {len(agents)}", _with_givers(agents, fact_check.request.evidence))


def _with_givers(agents: Sequence[schema.AgentPath], evidence: Sequence[ContextPart]) -> str:
    """The grounds of each agent; identical grounds of several appear once."""
    givers: dict[str, list[str]] = {}
    for agent in agents:
        givers.setdefault(_grounds(agent, evidence), []).append(f"{agent.name} ({agent.answerer.name})")
    return "\n\n".join(f"### {', '.join(names)}\n\n{grounds}" for grounds, names in givers.items())


def _grounds(agent: schema.AgentPath, evidence: Sequence[ContextPart]) -> str:
    lines = [_abstained(agent.abstention)] if agent.abstention else []
    # A rebuttal need not take the claim apart.
    parted = next((position for position in reversed(agent.positions) if position.parts), None)
    if parted:
        has_moved = agent.positions[-1].verdict is not parted.verdict
        lines += [f"From round {parted.round}, when its vote was {parted.verdict}:"] if has_moved else []
        lines += "\n\n".join(_shown_part(part, evidence) for part in parted.parts), _listed_faults(parted)
    if agent.positions:
        last = agent.positions[-1]
        if last is not parted:
            lines += "" if parted and _repeats(last, parted) else _shown_key_quote(last, evidence), _listed_faults(last)
        lines.append(_in_own_words(last))
    return "\n\n".join(part for part in lines if part)


def _repeats(last: schema.Position, parted: schema.Position) -> bool:
    """Return whether the key quote is marked already, with the parts of the claim."""
    return any(part.found == last.key_quote_found for part in parted.parts)


def _shown_part(part: schema.CheckedPart, evidence: Sequence[ContextPart]) -> str:
    head = f"- **{part.status}**{_claimed(part)}: {literal(part.part)}"
    if not part.quote:
        return head
    below = "\n\n".join((_shown_quote(part.quote, part.found, evidence), *_second_read(part))).replace("\n", "\n  ")
    return f"{head}\n\n  {below}".replace("\n  \n", "\n\n")


def _shown_key_quote(position: schema.Position, evidence: Sequence[ContextPart]) -> str:
    if not position.key_quote:
        return ""
    shown = _shown_quote(position.key_quote, position.key_quote_found, evidence)
    return f"Key quote of round {position.round}:\n\n{shown}"


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
    yield Section("## Rounds", "What each agent said in each round, and what of it counts.")
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
        is_its_own = voices.voice(turn) == agent.name and turn.kind is not TurnKind.READING
        if turn.answer and is_its_own and turn.round == abstention.round:
            yield Section(f"### {agent.name}, {progress.stage(turn)}: could not be read", quoted(turn.answer.response))


def _abstained(abstention: schema.Abstention) -> str:
    """E.g. ``Abstained in round 2: timeout (no answer in time)``."""
    return literal(f"Abstained in round {abstention.round}: {runs.cause(abstention.code, abstention.detail, 0)}")


def _position_text(position: schema.Position, evidence: Sequence[ContextPart]) -> str:
    movement = position.movement.replace("_", " ")
    stands = f"Claimed {position.claimed}, counted {position.verdict}: {movement}."
    lines = "\n".join(_position_lines(position, evidence))
    return "\n\n".join(part for part in (stands, lines, _in_own_words(position)) if part)


def _in_own_words(position: schema.Position) -> str:
    reasoning = position.reasoning_vi
    return f"In its own words:\n\n{quoted(reasoning)}" if reasoning.strip() else ""


def _position_lines(position: schema.Position, evidence: Sequence[ContextPart]) -> Iterator[str]:
    for part in position.parts:
        quote = _listed_quote(part.quote, part.found, evidence)
        read = "".join(f" {each}" for each in _second_read(part))
        yield f"- {part.status}{_claimed(part)}: {literal(part.part)}{quote}{read}"
    if position.key_quote:
        yield f"- Key quote{_listed_quote(position.key_quote, position.key_quote_found, evidence)}"
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


def _second_read(part: schema.CheckedPart) -> list[str]:
    """Return the second reader's finding on the quote, if one was asked."""
    if part.reading is None:
        return []
    words = f": “{literal(part.reading.words)}”" if part.reading.words else ""
    finding = (
        literal(part.reading.problem)
        if part.reading.problem
        else f"the quote {readers.FINDS[part.reading.says]}{words}"
    )
    code = (
        f"Code finds that the quote {readers.FINDS[part.relation]}"
        if part.is_against_code and part.relation
        else "Code leaves it open"
    )
    return [f"{code}; {part.reading.by}, shown both alone: {finding}."]


def _listed_rebuttal(rebuttal: schema.CheckedRebuttal, evidence: Sequence[ContextPart]) -> str:
    issue = f": {rebuttal.issue.replace('_', ' ')}" if rebuttal.issue else ""
    theirs = f" (“{literal(rebuttal.their_quote)}”)" if rebuttal.their_quote else ""
    verdict = f", {rebuttal.their_verdict}" if rebuttal.their_verdict else ""
    against = f"- Against {literal(rebuttal.agent)}{verdict}{theirs}{issue}"
    return against + _listed_quote(rebuttal.counter_quote, rebuttal.found, evidence)


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
    unheard = [
        f"round 1, {name} ({agent.tool})"
        for number, (name, agent) in enumerate(pairs, start=1)
        if run.transcript.turn(f"r1.a{number}") is None
    ]
    return (*unheard, *_debate(run, request), "the count of the votes")


def _debate(run: Run, request: schema.FactCheckRequest) -> tuple[str, ...]:
    """The debate rounds; in a round that has begun only agents with an unusable answer are asked again."""
    begun = max((turn.round for turn in run.transcript.turns), default=1)
    left = range(begun + 1, request.max_rounds + 1)
    if request.escalation is schema.Escalation.NEVER or not left:
        return ()
    rounds = f"round {left[0]}" if len(left) == 1 else f"rounds {left[0]} to {left[-1]}"
    return (f"{rounds}, if the agents are not agreed before",)


PRESENTATION = Presentation(
    FinishedFactCheck, conclusion, _report, _details, _result, _remaining, live=_live, pictures=page.pictures
)
