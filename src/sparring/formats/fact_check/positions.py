"""Position of an agent: after its analysis by the rules of the verdict, after a rebuttal by the rules of changes.

Code, or else a second reader, decides how a quote relates to its part (``Carrying``). Until a required reading is
known, the quote counts as open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.grounds import (
    Cited,
    Grounds,
    added,
    incomplete,
    key,
    quotes_of,
    shown,
    verdict_by_rule,
)
from sparring.formats.fact_check.readers import NEEDED, Carrying, Related
from sparring.formats.fact_check.replies import Analysis, PartForm, Rebuttal, RebuttalForm
from sparring.schema import fact_check as schema
from sparring.schema.claims import Label
from sparring.schema.lookups import QuoteFinding, Span
from sparring.text.words import WORD

MOST_QUOTES = 2
"""Quotes of an agent that others are shown (specification: Round 2+, Notes)."""


class _Weighed(Struct, frozen=True):
    """A part, its quote as looked up, the relation between them, and the faults."""

    stated: PartForm
    cited: Cited | None
    related: Related | None
    faults: tuple[schema.FaultFinding, ...]

    @property
    def checked(self) -> schema.CheckedPart:
        return schema.CheckedPart(
            part=self.stated.part,
            status=schema.PartStatus.MISSING if self.faults else self.stated.status,
            claimed=self.stated.status,
            quote=self.stated.quote,
            found=self.cited.finding if self.cited else None,
            relation=self.related.by_code if self.related else None,
            reading=self.related.reading if self.related else None,
        )


def weighed(analysis: Analysis, carrying: Carrying) -> schema.Position:
    """Return the position of an agent after its analysis."""
    grounds = carrying.grounds
    parts = [_weighed_part(part, carrying) for part in _each_once(analysis.parts)]
    parts = _without_what_speaks_against(parts, carrying)
    left_out = grounds.whole.left_out([part.stated.part for part in parts])
    checked = (*(part.checked for part in parts), *([added(left_out)] if left_out else []))
    faults = (*(fault for part in parts for fault in part.faults), *([incomplete(left_out)] if left_out else []))
    counted = _carrying(parts)
    return schema.Position(
        round=1,
        verdict=verdict_by_rule([part.status for part in checked]),
        claimed=analysis.claimed,
        movement=schema.Movement.BLIND,
        parts=checked,
        key_quote=counted[0].quote if counted else None,
        key_quote_found=counted[0].finding if counted else None,
        quotes=excerpts(counted),
        faults=(*faults, *_rule_fault(analysis)),
        reasoning_vi=analysis.reasoning,
    )


def _each_once(parts: Sequence[PartForm]) -> Sequence[PartForm]:
    """``parts`` without rewordings of earlier ones with the same status, in their order."""
    first: dict[tuple[tuple[str, ...], schema.PartStatus], PartForm] = {}
    for part in parts:
        first.setdefault((key(part.part), part.status), part)
    return tuple(first.values())


def excerpts(cited: Sequence[Cited]) -> tuple[str, ...]:
    """The first of ``cited``, each once, as others are shown them."""
    return tuple(dict.fromkeys(each.excerpt for each in cited))[:MOST_QUOTES]


def _weighed_part(stated: PartForm, carrying: Carrying) -> _Weighed:
    grounds = carrying.grounds
    cited = grounds.look_up(stated.quote) if stated.quote else None
    faults = tuple(_faults(stated, cited, grounds))
    if cited is None or faults or stated.status is schema.PartStatus.MISSING:
        return _Weighed(stated, cited, None, faults)
    related = carrying.of(stated.part, cited, stated.status)
    fault = carrying.fault(stated, cited, related)
    return _Weighed(stated, cited, related, (fault,) if fault else ())


def _without_what_speaks_against(parts: Sequence[_Weighed], carrying: Carrying) -> list[_Weighed]:
    """``parts``; if they support the claim, a quote that contradicts the whole of it covers none of them."""
    if any(part.checked.status is not schema.PartStatus.COVERED for part in parts):
        return [*parts]
    against = [carrying.contradiction(part.cited) if part.cited else "" for part in parts]
    kept = list[_Weighed]()
    for part, why in zip(parts, against, strict=True):
        reason = f"{shown(part.stated.part)} is covered by a quote that speaks against the whole claim. {why}"
        fault = schema.FaultFinding(fault=schema.Fault.CONTRADICTED_PART, why=reason, quote=part.stated.quote)
        kept.append(replace(part, faults=(fault,)) if why else part)
    return kept


def _faults(stated: PartForm, cited: Cited | None, grounds: Grounds) -> Iterator[schema.FaultFinding]:
    if why := grounds.foreignness(stated.part):
        yield schema.FaultFinding(fault=schema.Fault.FOREIGN_PART, why=f"{shown(stated.part)} {why}")
    if stated.status is schema.PartStatus.MISSING:
        return  # a quote given for a missing part supports nothing
    if cited is None:
        why = f"{shown(stated.part)} is called {stated.status} without a quote."
        yield schema.FaultFinding(fault=schema.Fault.MISSING_QUOTE, why=why)
    elif cited.fault:
        yield cited.fault


def _carrying(parts: Sequence[_Weighed]) -> list[Cited]:
    """The quotes that count, first those of a CONFLICT, which decide."""
    counted = [(part.checked.status, part.cited) for part in parts if part.cited]
    return [
        cited
        for wanted in (schema.PartStatus.CONFLICT, schema.PartStatus.COVERED)
        for status, cited in counted
        if status is wanted
    ]


def _rule_fault(analysis: Analysis) -> Iterator[schema.FaultFinding]:
    if (by_rule := analysis.by_rule) is not analysis.claimed:
        why = f"It says {analysis.verdict}, where its own parts make {by_rule}."
        yield schema.FaultFinding(fault=schema.Fault.VERDICT_NOT_BY_RULE, why=why)


def heard_by(
    name: str, positions: Mapping[str, schema.Position], request: schema.FactCheckRequest
) -> Mapping[str, schema.Position]:
    """Return the positions that the agent ``name`` is shown; ``positions`` has those of all agents."""
    match request.heard:
        case schema.Heard.OTHERS:
            shown_to = positions
        case schema.Heard.NOBODY:
            shown_to = {}
        case schema.Heard.ANOTHER_ROW:
            shown_to = {other: each for other, each in zip(request.names, request.elsewhere, strict=False) if each}
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
            fault=schema.Fault.MISQUOTED_AGENT, why=f"It answers {shown(rebuttal.agent)}, who is none of the others."
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
    rest = f" {'  '.join(WORD.findall(text))} "  # spaces on both sides of each word, so that none is removed in part
    for quote in sorted(quotes, key=len, reverse=True):  # one may be a piece of another
        if words := WORD.findall(quote):
            rest = rest.replace(f" {'  '.join(words)} ", _TAKEN_OUT)  # so that its neighbours do not join to a quote
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
        key: Cited | None,
        cited: Sequence[Cited],
        new: Sequence[Cited],
        blind: schema.Position,
        carrying: Carrying,
    ) -> None:
        self._verdict = verdict
        self._key = key
        sound = [each for each in cited if each.fault is None]
        # What speaks against the claim cannot be what supports it.
        against = [carrying.contradiction(each) if verdict is Label.SUPPORTED else "" for each in new]
        self.carried_by = tuple(each for each, why in zip(new, against, strict=True) if not why)
        self._refuted = [(each, why) for each, why in zip(new, against, strict=True) if why]
        self.parts: tuple[schema.CheckedPart, ...] = ()
        self._left_open = ""
        if verdict is not Label.NEI:
            refuted = [each for each, _ in self._refuted]
            self._rest_on([*self.carried_by, *(each for each in sound if each not in refuted)], blind, carrying)

    def _rest_on(self, sound: Sequence[Cited], blind: schema.Position, carrying: Carrying) -> None:
        """Let the change rest on what ``sound`` quotes, the new ones first, are to the parts of the claim."""
        wanted = schema.PartStatus.COVERED if self._verdict is Label.SUPPORTED else schema.PartStatus.CONFLICT
        ours = [part for part in blind.parts if part.is_added or not carrying.grounds.foreignness(part.part)]
        shown_by = [_shown_by(part, wanted, tuple(dict.fromkeys(sound)), carrying) for part in ours]
        pairs = list(zip(ours, shown_by, strict=True))
        self.parts = tuple(_as_shown(part, wanted, shown) if shown else part for part, shown in pairs)
        self.carried_by = tuple(
            each for each in self.carried_by if any(shown and shown[0] is each for shown in shown_by)
        )
        if self._verdict is Label.SUPPORTED:
            still = (part.part for part in self.parts if part.status is not schema.PartStatus.COVERED)
            self._left_open = next(still, "")

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
            why = f"It goes to what {len(agreeing)} of {len(others)} others said: {self._verdict}."
            yield schema.FaultFinding(fault=schema.Fault.CONFORMED, why=why)


_MOST_TRIED = 6
"""Quotes of a rebuttal that are tried on each part of the claim."""


def _shown_by(
    part: schema.CheckedPart, wanted: schema.PartStatus, cited: Sequence[Cited], carrying: Carrying
) -> tuple[Cited, Related] | None:
    """Return the quote that gives ``part`` the ``wanted`` status; a second reader is asked only about a new status."""
    tried = cited[:_MOST_TRIED]
    for each in tried:
        if (by_code := carrying.grounds.relation(each, part.part)) is NEEDED[wanted]:
            return each, Related(by_code)
    if part.status is wanted:
        return None
    related = [(each, carrying.of(part.part, each, wanted)) for each in tried]
    return next((each for each in related if each[1].relation is NEEDED[wanted]), None)


def _as_shown(part: schema.CheckedPart, status: schema.PartStatus, shown: tuple[Cited, Related]) -> schema.CheckedPart:
    cited, related = shown
    shown_by = {"quote": cited.quote, "found": cited.finding, "relation": related.by_code, "reading": related.reading}
    return part.model_copy(update={"status": status, "claimed": status, **shown_by})


def _new(cited: Iterable[Cited], own: Sequence[schema.Position]) -> list[Cited]:
    """Those of ``cited`` that are in the evidence, at a place that the agent has not quoted before."""
    quoted = [span for position in own for _, finding in quotes_of(position) for span in finding.parts]
    return [each for each in cited if each.fault is None and _is_new(each.finding, quoted)]


def _is_new(finding: QuoteFinding, quoted: Sequence[Span]) -> bool:
    return any(not any(_is_within(part, span) for span in quoted) for part in finding.parts)


def _is_within(one: Span, other: Span) -> bool:
    return one.index == other.index and other.start <= one.start and one.end <= other.end


def moved(
    rebuttal: Rebuttal, own: Sequence[schema.Position], others: Mapping[str, schema.Position], carrying: Carrying
) -> schema.Position:
    """Return the position of an agent after its rebuttal.

    Args:
        rebuttal: Its rebuttal.
        own: Its positions after the earlier rounds, oldest first.
        others: The positions of the others after the last round, by name, as it was shown them.
        carrying: The relations of its quotes to the parts.
    """
    before, grounds = own[-1], carrying.grounds
    key = grounds.look_up(rebuttal.key_quote) if rebuttal.key_quote else None
    answered = _answered(rebuttal, others, grounds)
    cited = [each for each in (key, *(answer.cited for answer in answered)) if each]
    new = _new(cited, own)
    has_moved = rebuttal.verdict is not before.verdict
    change = VerdictChange(rebuttal.verdict, key, cited, new, own[0], carrying) if has_moved else None
    movement, brings_new = _movement(change), bool(new)
    return schema.Position(
        round=before.round + 1,
        verdict=before.verdict if movement is schema.Movement.CHANGE_REJECTED else rebuttal.verdict,
        claimed=rebuttal.verdict,
        movement=movement,
        parts=change.parts if change and movement is schema.Movement.CHANGED else (),
        key_parts_checked=rebuttal.key_parts_checked,
        key_quote=rebuttal.key_quote,
        key_quote_found=key.finding if key else None,
        quotes=_quotes(movement, change, key, before),
        rebuttals=tuple(answer.checked for answer in answered),
        decision_change=rebuttal.decision_change or (_CHANGES if has_moved else _MAINTAINS),
        change_trigger=rebuttal.change_trigger,
        has_new_evidence=brings_new if rebuttal.has_new_evidence is None else rebuttal.has_new_evidence,
        brings_new_quote=brings_new,
        has_strong_counterevidence=rebuttal.has_strong_counterevidence,
        changed_from=rebuttal.former or (before.verdict if has_moved else None),
        faults=(
            *dict.fromkeys(each.fault for each in cited if each.fault),  # one quote may be given several times
            *(change.faults(others) if change else ()),
            *_confusion(rebuttal, before),
            *_misstatements(rebuttal, before, brings_new=brings_new),
            *(fault for each in rebuttal.rebuttals if (fault := misquotation(each, others))),
        ),
        reasoning_vi=rebuttal.reasoning,
    )


_MAINTAINS, _CHANGES = schema.DecisionChange.MAINTAIN, schema.DecisionChange.CHANGE


class _Answer(Struct, frozen=True):
    """Rebuttal of one agent's position by name, with the counter-quote."""

    name: str
    rebuttal: RebuttalForm
    cited: Cited | None

    @property
    def checked(self) -> schema.CheckedRebuttal:
        finding = self.cited.finding if self.cited else None
        return schema.CheckedRebuttal.model_validate({**dict(self.rebuttal), "agent": self.name, "found": finding})


def _answered(rebuttal: Rebuttal, others: Mapping[str, schema.Position], grounds: Grounds) -> list[_Answer]:
    """The rebuttals of agents that have a position; one of any other name is only a fault."""
    return [
        _Answer(name, each, grounds.look_up(each.counter_quote) if each.counter_quote else None)
        for each in rebuttal.rebuttals
        if (name := agent_named(each.agent, others))
    ]


def _movement(change: VerdictChange | None) -> schema.Movement:
    if change is None:
        return schema.Movement.MAINTAINED
    return schema.Movement.CHANGE_REJECTED if change.refusal else schema.Movement.CHANGED


def _quotes(
    movement: schema.Movement, change: VerdictChange | None, key: Cited | None, before: schema.Position
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
        stood = f"{'stays' if rebuttal.verdict is before.verdict else 'stood'} at {before.verdict}"
        why = f"It says that it changes from {rebuttal.former}, and {stood}."
        yield schema.FaultFinding(fault=schema.Fault.MISSTATED_ITSELF, why=why)
    if rebuttal.has_new_evidence and not brings_new:
        why = "It says that it has new evidence, and quotes nothing that it has not quoted before."
        yield schema.FaultFinding(fault=schema.Fault.MISSTATED_ITSELF, why=why)
