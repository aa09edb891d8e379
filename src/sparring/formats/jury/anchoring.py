"""Where in the texts the judge's critical differences are, and what kinds of mutation stand there."""

from sparring.formats.jury.case import Case, overlap
from sparring.formats.jury.checklist import mismatches
from sparring.schema.claims import Dimension, Finding, Status
from sparring.schema.jury import ChecklistDimension, ChecklistEntry, CriticalDifference, JudgeVerdict, Phrase, TextName

_MAY_BE = {
    ChecklistDimension.NUMBERS: (Dimension.QUANTITY,),
    ChecklistDimension.DATES: (Dimension.TIME,),
    ChecklistDimension.ENTITIES: (Dimension.ENTITY, Dimension.PLACE),
    ChecklistDimension.QUANTIFIERS: (Dimension.QUALIFIER, Dimension.SCOPE),
    ChecklistDimension.CAUSALITY: (Dimension.CAUSALITY,),
}
"""What a mismatch of the Fact-Checker is: of several the one that code says, and the first where code says none."""


def anchored(
    verdict: JudgeVerdict, case: Case, checklist: tuple[ChecklistEntry, ...]
) -> tuple[CriticalDifference, ...]:
    """The critical differences of ``verdict``, each with the places that it quotes and what is found at them."""
    return tuple(_difference(text, case, checklist) for text in verdict.critical_differences)


def mutations(differences: tuple[CriticalDifference, ...]) -> tuple[Dimension, ...]:
    """Every kind of mutation among ``differences``, once, in the order of ``Dimension``."""
    return _in_order({type_ for difference in differences for type_ in difference.types})


def _difference(text: str, case: Case, checklist: tuple[ChecklistEntry, ...]) -> CriticalDifference:
    anchors = case.anchors(text)
    by_code = {
        finding.dimension
        for finding in case.check.findings
        if finding.status is Status.MISMATCH and overlap(_places(finding), anchors)
    }
    by_checklist = {
        dimension
        for entry in mismatches(checklist)
        if overlap((*entry.truth, *entry.claim), anchors)
        for dimension in _dimensions(entry, by_code)
    }
    return CriticalDifference(text=text, anchors=anchors, types=_in_order(by_code | by_checklist))


def _places(finding: Finding) -> tuple[Phrase, ...]:
    there = [Phrase(text=finding.claim.text, source=TextName.CLAIM, span=finding.claim)]
    if finding.evidence:
        there.append(Phrase(text=finding.evidence.text, source=TextName.TRUTH, span=finding.evidence))
    return tuple(there)


def _dimensions(entry: ChecklistEntry, by_code: set[Dimension]) -> set[Dimension]:
    possible = _MAY_BE[entry.dimension]
    return by_code.intersection(possible) or {possible[0]}


def _in_order(dimensions: set[Dimension]) -> tuple[Dimension, ...]:
    return tuple(dimension for dimension in Dimension if dimension in dimensions)
