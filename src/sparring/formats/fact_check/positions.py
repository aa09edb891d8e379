"""Position of an agent: after its analysis by the rules of the verdict, after a rebuttal by the rules of changes.

Code, or else a second reader, decides how a quote relates to its part (``SupportCheck``). Until a required reading is
known, the quote counts as open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.grounds import (
    CitedQuote,
    EvidenceCheck,
    added,
    incomplete,
    key,
    quotes_of,
    shown,
    verdict_by_rule,
)
from sparring.formats.fact_check.readers import NEEDED, QuoteRelation, SupportCheck
from sparring.formats.fact_check.replies import Analysis, PartForm, Rebuttal, RebuttalForm
from sparring.schema import fact_check as schema
from sparring.schema.claims import Label
from sparring.schema.lookups import Span
from sparring.text.words import WORD

MOST_QUOTES = 2
"""Quotes of an agent that others are shown (specification: Round 2+, Notes)."""


class _Weighed(Struct, frozen=True):
    """A part, its quote as looked up, the relation between them, and the faults."""

    stated: PartForm
    cited: CitedQuote | None
    related: QuoteRelation | None
    faults: tuple[schema.FaultFinding, ...]

    @property
    def checked(self) -> schema.CheckedPart:
        return schema.CheckedPart(
            part=self.stated.part,
            status=schema.PartStatus.MISSING if self.faults else self.stated.status,
            claimed=self.stated.status,
            quote=self.stated.quote,
            quote_finding=self.cited.finding if self.cited else None,
            relation=self.related.by_code if self.related else None,
            reading=self.related.reading if self.related else None,
        )


def weighed(analysis: Analysis, carrying: SupportCheck) -> schema.Position:
    """Return the position of an agent after its analysis."""
    parts = [_weighed_part(part, carrying) for part in _each_once(analysis.parts)]
    parts = _without_contradicted(parts, carrying)
    checked = [part.checked for part in parts]
    faults = [fault for part in parts for fault in part.faults]
    # Words of the claim that no part covers become a part that is MISSING.
    left_out = carrying.grounds.whole.left_out([part.stated.part for part in parts])
    if left_out:
        checked.append(added(left_out))
        faults.append(incomplete(left_out))
    if analysis.by_rule is not analysis.claimed:
        why = f"It says {analysis.verdict}, where its own parts make {analysis.by_rule}."
        faults.append(schema.FaultFinding(fault=schema.Fault.VERDICT_NOT_BY_RULE, why=why))
    counted = _carrying(parts)
    key_quote = counted[0] if counted else None
    return schema.Position(
        round=1,
        verdict=verdict_by_rule([part.status for part in checked]),
        claimed=analysis.claimed,
        movement=schema.Movement.BLIND,
        parts=tuple(checked),
        key_quote=key_quote.quote if key_quote else None,
        key_quote_finding=key_quote.finding if key_quote else None,
        quotes=excerpts(counted),
        faults=tuple(faults),
        reasoning_vi=analysis.reasoning,
    )


def _each_once(parts: Sequence[PartForm]) -> Sequence[PartForm]:
    """``parts`` without rewordings of earlier ones with the same status, in their order."""
    first: dict[tuple[tuple[str, ...], schema.PartStatus], PartForm] = {}
    for part in parts:
        first.setdefault((key(part.part), part.status), part)
    return tuple(first.values())


def excerpts(cited: Sequence[CitedQuote]) -> tuple[str, ...]:
    """The first of ``cited``, each once, as others are shown them."""
    return tuple(dict.fromkeys(each.excerpt for each in cited))[:MOST_QUOTES]


def _weighed_part(stated: PartForm, carrying: SupportCheck) -> _Weighed:
    grounds = carrying.grounds
    cited = grounds.look_up(stated.quote) if stated.quote else None
    faults = tuple(_faults(stated, cited, grounds))
    if cited is None or faults or stated.status is schema.PartStatus.MISSING:
        return _Weighed(stated, cited, None, faults)
    related = carrying.of(stated.part, cited, stated.status)
    fault = carrying.fault(stated, cited, related)
    return _Weighed(stated, cited, related, (fault,) if fault else ())


def _without_contradicted(parts: Sequence[_Weighed], carrying: SupportCheck) -> list[_Weighed]:
    """``parts``; if they support the claim, a quote that contradicts the whole of it covers none of them."""
    if any(part.checked.status is not schema.PartStatus.COVERED for part in parts):
        return [*parts]
    checked: list[_Weighed] = []
    for part in parts:
        contradiction = carrying.contradiction(part.cited) if part.cited else ""
        if contradiction:
            lead = f"{shown(part.stated.part)} is covered by a quote that speaks against the whole claim."
            why = f"{lead} {contradiction}"
            fault = schema.FaultFinding(fault=schema.Fault.CONTRADICTED_PART, why=why, quote=part.stated.quote)
            checked.append(replace(part, faults=(fault,)))
        else:
            checked.append(part)
    return checked


def _faults(stated: PartForm, cited: CitedQuote | None, grounds: EvidenceCheck) -> Iterator[schema.FaultFinding]:
    foreignness = grounds.foreignness(stated.part)
    if foreignness:
        yield schema.FaultFinding(fault=schema.Fault.FOREIGN_PART, why=f"{shown(stated.part)} {foreignness}")
    if stated.status is schema.PartStatus.MISSING:
        return  # a quote given for a missing part supports nothing
    if cited is None:
        why = f"{shown(stated.part)} is called {stated.status} without a quote."
        yield schema.FaultFinding(fault=schema.Fault.MISSING_QUOTE, why=why)
    elif cited.fault:
        yield cited.fault


def _carrying(parts: Sequence[_Weighed]) -> list[CitedQuote]:
    """The quotes that count, first those of a CONFLICT, which decide."""
    conflicts = [part.cited for part in parts if part.cited and part.checked.status is schema.PartStatus.CONFLICT]
    covering = [part.cited for part in parts if part.cited and part.checked.status is schema.PartStatus.COVERED]
    return conflicts + covering


def positions_shown_to(
    name: str, positions: Mapping[str, schema.Position], request: schema.FactCheckRequest
) -> Mapping[str, schema.Position]:
    """Return the positions that the agent ``name`` is shown; ``positions`` has those of all agents."""
    match request.shown_positions:
        case schema.ShownPositions.OTHERS:
            shown_to = positions
        case schema.ShownPositions.NONE:
            shown_to = {}
        case schema.ShownPositions.OTHER_ROW:
            pairs = zip(request.names, request.other_row_positions, strict=False)
            shown_to = {other: position for other, position in pairs if position}
    return {other: position for other, position in shown_to.items() if other != name}


_TAKEN_OUT = "|"


def agent_named(name: str, others: Iterable[str]) -> str | None:
    """Return the one of ``others`` that ``name`` refers to, ignoring letter case and surrounding punctuation."""
    words = _words(name)
    return next((other for other in others if _words(other) == words), None)


def misquotation(rebuttal: RebuttalForm, others: Mapping[str, schema.Position]) -> schema.FaultFinding | None:
    """Return the fault that ``rebuttal`` misquotes another agent or answers no one; None if it does neither."""
    name = agent_named(rebuttal.agent, others)
    if name is None:
        return schema.FaultFinding(
            fault=schema.Fault.MISQUOTED_AGENT,
            why=f"It answers {shown(rebuttal.agent)}, which is not one of the others.",
        )
    position = others[name]
    if rebuttal.their_verdict and rebuttal.their_verdict is not position.verdict:
        why = f"It has {name} say {rebuttal.their_verdict}, who said {position.verdict}."
        return schema.FaultFinding(fault=schema.Fault.MISQUOTED_AGENT, why=why)
    if rebuttal.their_quote and not _is_made_of(rebuttal.their_quote, position.quotes):
        why = f"It has {name} quote what {name} has not quoted."
        return schema.FaultFinding(fault=schema.Fault.MISQUOTED_AGENT, why=why, quote=rebuttal.their_quote)
    return None


def _is_made_of(text: str, quotes: tuple[str, ...]) -> bool:
    """Return whether ``text`` is one of ``quotes``, a piece of one, or several of them with punctuation between."""
    if Evidence(quotes).locate(text):
        return True
    # Spaces on both sides of each word, so that none is removed in part.
    rest = f" {'  '.join(WORD.findall(text))} "
    for quote in sorted(quotes, key=len, reverse=True):  # one may be a piece of another
        words = WORD.findall(quote)
        if words:
            # The mark keeps the neighbours of a removed quote from joining to another one.
            rest = rest.replace(f" {'  '.join(words)} ", _TAKEN_OUT)
    return not rest.replace(_TAKEN_OUT, "").strip()


def _words(name: str) -> list[str]:
    return WORD.findall(name.casefold().replace("_", " "))


class VerdictChange:
    """A verdict that differs from the previous one.

    Args:
        verdict: The new one.
        key: The quote that the agent names as the main reason.
        cited: All quotes of the rebuttal, including ``key``.
        new: Those of them that are in the evidence, in places that the agent has not quoted before.
        blind: The position of the agent after its analysis.

    Attributes:
        carried_by: The new quotes that justify the change.
        parts: The parts of the claim after the change.
    """

    def __init__(
        self,
        verdict: Label,
        key: CitedQuote | None,
        cited: Sequence[CitedQuote],
        new: Sequence[CitedQuote],
        blind: schema.Position,
        carrying: SupportCheck,
    ) -> None:
        self._verdict = verdict
        self._key = key
        self.carried_by: tuple[CitedQuote, ...] = ()
        self.parts: tuple[schema.CheckedPart, ...] = ()
        self._refuted: list[tuple[CitedQuote, str]] = []
        self._left_open = ""
        for quote in new:
            # What speaks against the claim cannot be what supports it.
            contradiction = carrying.contradiction(quote) if verdict is Label.SUPPORTED else ""
            if contradiction:
                self._refuted.append((quote, contradiction))
            else:
                self.carried_by += (quote,)
        if verdict is not Label.NEI:
            refuted = [quote for quote, _ in self._refuted]
            sound = [quote for quote in cited if quote.fault is None and quote not in refuted]
            self._rest_on(tuple(dict.fromkeys((*self.carried_by, *sound))), blind, carrying)

    def _rest_on(self, sound: Sequence[CitedQuote], blind: schema.Position, carrying: SupportCheck) -> None:
        """Let the change rest on what ``sound`` quotes, the new ones first, are to the parts of the claim."""
        wanted = schema.PartStatus.COVERED if self._verdict is Label.SUPPORTED else schema.PartStatus.CONFLICT
        parts: list[schema.CheckedPart] = []
        used: list[CitedQuote] = []
        for part in blind.parts:
            if not part.is_added and carrying.grounds.foreignness(part.part):
                continue  # it is no part of the claim
            shown_by = _shown_by(part, wanted, sound, carrying)
            if shown_by:
                used.append(shown_by[0])
                parts.append(_as_shown(part, wanted, shown_by))
            else:
                parts.append(part)
        self.parts = tuple(parts)
        self.carried_by = tuple(quote for quote in self.carried_by if any(quote is each for each in used))
        if self._verdict is Label.SUPPORTED:
            # One conflict is enough to refute a claim. Support needs every part.
            uncovered = [part.part for part in parts if part.status is not schema.PartStatus.COVERED]
            self._left_open = uncovered[0] if uncovered else ""

    @property
    def refusal(self) -> str:
        """Reason why the change does not count; empty if it does. To find that one does not know needs no quote."""
        if self._verdict is Label.NEI:
            return ""
        if self._key and not self._key.is_verbatim:
            return f"Its change to {self._verdict} rests on a quote that is not in the evidence."
        if not self.carried_by:
            return f"Its change to {self._verdict} brings no new quote that carries it."
        if self._left_open:
            return f"Its change to {self._verdict} still has no quote for {shown(self._left_open)}."
        return ""

    def faults(self, others: Mapping[str, schema.Position]) -> Iterator[schema.FaultFinding]:
        """Yield the faults of the change; ``others`` are the positions that the agent was shown."""
        for cited, against in self._refuted:
            why = f"The claim is called SUPPORTED by a quote that says otherwise. {against}"
            yield schema.FaultFinding(fault=schema.Fault.CONTRADICTED_PART, why=why, quote=cited.quote)
        if not self.refusal:
            return
        yield schema.FaultFinding(fault=schema.Fault.CHANGE_WITHOUT_NEW_QUOTE, why=self.refusal)
        agreeing = [position for position in others.values() if position.verdict is self._verdict]
        if 2 * len(agreeing) > len(others):
            why = f"It adopts what {len(agreeing)} of {len(others)} others said: {self._verdict}."
            yield schema.FaultFinding(fault=schema.Fault.CONFORMED, why=why)


_MOST_TRIED = 6
"""Quotes of a rebuttal that are tried on each part of the claim."""


def _shown_by(
    part: schema.CheckedPart, wanted: schema.PartStatus, cited: Sequence[CitedQuote], carrying: SupportCheck
) -> tuple[CitedQuote, QuoteRelation] | None:
    """Return the quote that gives ``part`` the ``wanted`` status; a second reader is asked only about a new status."""
    tried = cited[:_MOST_TRIED]
    for quote in tried:
        by_code = carrying.grounds.relation(quote, part.part)
        if by_code is NEEDED[wanted]:
            return quote, QuoteRelation(by_code)
    if part.status is wanted:
        return None
    # All are asked about before one is chosen: what is noted as wanted must not depend on the readings so far.
    related = [(quote, carrying.of(part.part, quote, wanted)) for quote in tried]
    for quote, relation in related:
        if relation.relation is NEEDED[wanted]:
            return quote, relation
    return None


def _as_shown(
    part: schema.CheckedPart, status: schema.PartStatus, shown: tuple[CitedQuote, QuoteRelation]
) -> schema.CheckedPart:
    cited, related = shown
    update = {
        "status": status,
        "claimed": status,
        "quote": cited.quote,
        "quote_finding": cited.finding,
        "relation": related.by_code,
        "reading": related.reading,
    }
    return part.model_copy(update=update)


def _new(cited: Iterable[CitedQuote], own: Sequence[schema.Position]) -> list[CitedQuote]:
    """Those of ``cited`` that are in the evidence, at a place that the agent has not quoted before."""
    quoted = [span for position in own for _, finding in quotes_of(position) for span in finding.parts]
    new: list[CitedQuote] = []
    for quote in cited:
        places = quote.finding.parts
        if quote.fault is None and any(not any(_is_within(place, span) for span in quoted) for place in places):
            new.append(quote)
    return new


def _is_within(one: Span, other: Span) -> bool:
    return one.index == other.index and other.start <= one.start and one.end <= other.end


def moved(
    rebuttal: Rebuttal, own: Sequence[schema.Position], others: Mapping[str, schema.Position], carrying: SupportCheck
) -> schema.Position:
    """Return the position of an agent after its rebuttal.

    Args:
        rebuttal: Its rebuttal.
        own: Its positions after the earlier rounds, oldest first.
        others: The positions of the others after the last round, by name, as it was shown them.
        carrying: The relations of its quotes to the parts.
    """
    before = own[-1]
    grounds = carrying.grounds
    key = grounds.look_up(rebuttal.key_quote) if rebuttal.key_quote else None
    answered = _answered(rebuttal, others, grounds)
    cited = [quote for quote in (key, *(answer.cited for answer in answered)) if quote]
    new = _new(cited, own)
    brings_new = bool(new)
    has_moved = rebuttal.verdict is not before.verdict
    change = None
    verdict, movement = rebuttal.verdict, schema.Movement.MAINTAINED
    if has_moved:
        change = VerdictChange(rebuttal.verdict, key, cited, new, own[0], carrying)
        if change.refusal:
            verdict, movement = before.verdict, schema.Movement.CHANGE_REJECTED
        else:
            movement = schema.Movement.CHANGED
    decision_change = rebuttal.decision_change
    if decision_change is None:
        decision_change = schema.DecisionChange.CHANGE if has_moved else schema.DecisionChange.MAINTAIN
    faults = list(dict.fromkeys(quote.fault for quote in cited if quote.fault))  # one quote may be given several times
    if change:
        faults += change.faults(others)
    faults += _confusion(rebuttal, before)
    faults += _misstatements(rebuttal, before, brings_new=brings_new)
    for answer in rebuttal.rebuttals:
        misquoted = misquotation(answer, others)
        if misquoted:
            faults.append(misquoted)
    return schema.Position(
        round=before.round + 1,
        verdict=verdict,
        claimed=rebuttal.verdict,
        movement=movement,
        parts=change.parts if change and movement is schema.Movement.CHANGED else (),
        key_parts_checked=rebuttal.key_parts_checked,
        key_quote=rebuttal.key_quote,
        key_quote_finding=key.finding if key else None,
        quotes=_quotes(movement, change, key, before),
        rebuttals=tuple(answer.checked for answer in answered),
        decision_change=decision_change,
        change_trigger=rebuttal.change_trigger,
        has_new_evidence=brings_new if rebuttal.has_new_evidence is None else rebuttal.has_new_evidence,
        brings_new_quote=brings_new,
        has_strong_counterevidence=rebuttal.has_strong_counterevidence,
        changed_from=rebuttal.former or (before.verdict if has_moved else None),
        faults=tuple(faults),
        reasoning_vi=rebuttal.reasoning,
    )


class _Answer(Struct, frozen=True):
    """Rebuttal of one agent's position by name, with the counter-quote."""

    name: str
    rebuttal: RebuttalForm
    cited: CitedQuote | None

    @property
    def checked(self) -> schema.CheckedRebuttal:
        finding = self.cited.finding if self.cited else None
        fields = {**dict(self.rebuttal), "agent": self.name, "quote_finding": finding}
        return schema.CheckedRebuttal.model_validate(fields)


def _answered(rebuttal: Rebuttal, others: Mapping[str, schema.Position], grounds: EvidenceCheck) -> list[_Answer]:
    """The rebuttals of agents that have a position; one of any other name is only a fault."""
    answers: list[_Answer] = []
    for each in rebuttal.rebuttals:
        name = agent_named(each.agent, others)
        if name:
            counter_quote = grounds.look_up(each.counter_quote) if each.counter_quote else None
            answers.append(_Answer(name, each, counter_quote))
    return answers


def _quotes(
    movement: schema.Movement, change: VerdictChange | None, key: CitedQuote | None, before: schema.Position
) -> tuple[str, ...]:
    if change and movement is schema.Movement.CHANGED:
        return excerpts(change.carried_by)
    if movement is schema.Movement.MAINTAINED and key and key.fault is None:
        return tuple(dict.fromkeys((key.excerpt, *before.quotes)))[:MOST_QUOTES]
    return before.quotes


def _confusion(rebuttal: Rebuttal, before: schema.Position) -> Iterator[schema.FaultFinding]:
    """Yield faults where the declared decision does not match the verdict; the verdict decides."""
    stands_by = {before.verdict, before.claimed}
    if rebuttal.decision_change is schema.DecisionChange.MAINTAIN and rebuttal.verdict not in stands_by:
        why = f"It says MAINTAIN, and gives {rebuttal.verdict} after {before.verdict}."
        yield schema.FaultFinding(fault=schema.Fault.VERDICT_NOT_BY_RULE, why=why)
    if rebuttal.decision_change is schema.DecisionChange.CHANGE and stands_by == {rebuttal.verdict}:
        why = f"It says CHANGE, and gives {rebuttal.verdict} as before."
        yield schema.FaultFinding(fault=schema.Fault.VERDICT_NOT_BY_RULE, why=why)


def _misstatements(rebuttal: Rebuttal, before: schema.Position, *, brings_new: bool) -> Iterator[schema.FaultFinding]:
    """Yield an agent's false statements about itself; omissions do not count."""
    stood_by = {before.verdict, before.claimed} - {rebuttal.verdict}
    if rebuttal.former and rebuttal.former not in stood_by:
        verb = "stays" if rebuttal.verdict is before.verdict else "stood"
        why = f"It says that it changes from {rebuttal.former}, and {verb} at {before.verdict}."
        yield schema.FaultFinding(fault=schema.Fault.MISSTATED_ITSELF, why=why)
    if rebuttal.has_new_evidence and not brings_new:
        why = "It says that it has new evidence, and quotes nothing that it has not quoted before."
        yield schema.FaultFinding(fault=schema.Fault.MISSTATED_ITSELF, why=why)
