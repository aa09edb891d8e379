"""What counts of an analysis (specification: seed 000, Round 1): its parts, each by its quote, and their verdict.

A part that is called COVERED or CONFLICT is MISSING unless its quote stands in the evidence and has to do with it.
No part is ever raised, so no verdict rests on more than verified quotes carry.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.formats.fact_check.citing import Cited
from sparring.formats.fact_check.grounds import Grounds, shown
from sparring.formats.fact_check.reading import Analysis, SaidPart
from sparring.schema.fact_check import CheckedPart, Fault, FaultFound, Movement, PartStatus, Position, verdict_by_rule

MOST_QUOTES = 2
"""Quotes of an agent that others are shown (specification: Round 2+, Notes)."""


@dataclass(frozen=True)
class _Weighed:
    """A part, its quote as looked up, and what is wrong with it."""

    said: SaidPart
    cited: Cited | None
    faults: tuple[FaultFound, ...]

    @property
    def checked(self) -> CheckedPart:
        return CheckedPart(
            part=self.said.part,
            status=PartStatus.MISSING if self.faults else self.said.status,
            claimed=self.said.status,
            quote=self.said.quote,
            found=self.cited.found if self.cited else None,
        )


def weighed(analysis: Analysis, grounds: Grounds) -> Position:
    """Where an agent stands after its analysis."""
    parts = [_weighed_part(part, grounds) for part in analysis.parts]
    checked = tuple(part.checked for part in parts)
    faults = tuple(fault for part in parts for fault in part.faults)
    carrying = _carrying(parts)
    return Position(
        round=1,
        verdict=verdict_by_rule([part.status for part in checked]),
        claimed=analysis.verdict,
        movement=Movement.BLIND,
        parts=checked,
        key_quote=carrying[0].quote if carrying else None,
        key_quote_found=carrying[0].found if carrying else None,
        quotes=excerpts(carrying),
        faults=(*faults, *_rule_fault(analysis)),
        reason=analysis.reason,
    )


def excerpts(cited: Sequence[Cited]) -> tuple[str, ...]:
    """The first of ``cited``, each once, as others are shown them."""
    return tuple(dict.fromkeys(each.excerpt for each in cited))[:MOST_QUOTES]


def _weighed_part(said: SaidPart, grounds: Grounds) -> _Weighed:
    cited = grounds.look_up(said.quote, said.part) if said.quote else None
    return _Weighed(said, cited, tuple(_faults(said, cited, grounds)))


def _faults(said: SaidPart, cited: Cited | None, grounds: Grounds) -> Iterator[FaultFound]:
    if grounds.is_foreign(said.part):
        why = f"{shown(said.part)} has no word and no number in common with the claim."
        yield FaultFound(fault=Fault.FOREIGN_PART, why=why)
    if said.status is PartStatus.MISSING:
        return  # whatever stands beside it carries nothing
    if cited is None:
        why = f"{shown(said.part)} is called {said.status} without a quote."
        yield FaultFound(fault=Fault.MISSING_QUOTE, why=why)
    elif cited.fault:
        yield cited.fault
    elif said.status is PartStatus.COVERED and (misfit := grounds.misfit(cited, said.part)):
        yield misfit


def _carrying(parts: Sequence[_Weighed]) -> list[Cited]:
    """The quotes that count, those of a CONFLICT first: they decide."""
    counted = [(part.checked.status, part.cited) for part in parts if part.cited]
    return [
        cited for wanted in (PartStatus.CONFLICT, PartStatus.COVERED) for status, cited in counted if status is wanted
    ]


def _rule_fault(analysis: Analysis) -> Iterator[FaultFound]:
    by_rule = verdict_by_rule([part.status for part in analysis.parts])
    if analysis.verdict is not by_rule:
        why = f"It says {analysis.verdict}, where its own parts make {by_rule}."
        yield FaultFound(fault=Fault.VERDICT_NOT_BY_RULE, why=why)
