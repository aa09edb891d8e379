"""The judge's verdict, checked against the two texts: the places of its differences, and the objections by code.

Every objection is sent to the judge once, and shown to people if it still applies. A single critical difference
changes the meaning (specification: the labels), so it contradicts both FAITHFUL and PARTIALLY_FAITHFUL.
"""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from sparring.formats.jury.case import Case, overlap
from sparring.formats.jury.statements import Contributions, mismatches
from sparring.schema import jury as schema
from sparring.schema.base import REASON_LIMIT
from sparring.schema.claims import Dimension, Finding, Severity, Status

_MAY_BE = {
    schema.ChecklistDimension.NUMBERS: (Dimension.QUANTITY,),
    schema.ChecklistDimension.DATES: (Dimension.TIME,),
    schema.ChecklistDimension.ENTITIES: (Dimension.ENTITY, Dimension.PLACE),
    schema.ChecklistDimension.QUANTIFIERS: (Dimension.QUALIFIER, Dimension.SCOPE),
    schema.ChecklistDimension.CAUSALITY: (Dimension.CAUSALITY,),
}
"""Dimensions that a mismatch of the Fact-Checker may have: that of the finding of code, else the first."""


class Objection(StrEnum):
    """Objections to a verdict.

    AGAINST_CODE: FAITHFUL, or partially so, although code found a critical mismatch. AGAINST_CHECKLIST: the same,
    although the Fact-Checker found one with words that code located in only one of the texts. WITH_DIFFERENCES:
    FAITHFUL, with critical differences. UNANCHORED: MUTATED, without a located difference. IN_BOTH: MUTATED, only
    with words that both texts have.
    """

    AGAINST_CODE = "against-code"
    AGAINST_CHECKLIST = "against-checklist"
    WITH_DIFFERENCES = "with-differences"
    UNANCHORED = "unanchored"
    IN_BOTH = "in-both"


_CONTESTED = {
    Objection.WITH_DIFFERENCES: "The verdict is FAITHFUL, but it lists critical differences.",
    Objection.UNANCHORED: (
        "The verdict is MUTATED, but no critical difference points at words of the truth or the claim."
    ),
    Objection.IN_BOTH: "The verdict is MUTATED, but all words that its critical differences quote are in both texts.",
}


class CheckedVerdict(Struct, frozen=True):
    """A verdict that is final.

    Attributes:
        objections: The objections of code that still apply.
        shown: The Fact-Checker's critical mismatches that code has located.
        unreconsidered: Why the judge gave no usable answer to an objection, if its first verdict stands for it.
        defaulted: Fields of the judge's answer that decide nothing and could not be read.
        tool: The tool that gave it, as ``Respondent.name`` has it.
    """

    verdict: schema.JudgeVerdict
    differences: tuple[schema.CriticalDifference, ...]
    objections: tuple[Objection, ...] = ()
    shown: tuple[schema.ChecklistEntry, ...] = ()
    unreconsidered: str = ""
    defaulted: tuple[str, ...] = ()
    tool: str = ""

    @property
    def mutations(self) -> tuple[Dimension, ...]:
        """Every kind of mutation among the differences, once, in the order of ``Dimension``."""
        return _in_order({type_ for difference in self.differences for type_ in difference.types})

    def contested(self, case: Case) -> Iterator[str]:
        """Yield reasons to doubt the verdict, in sentences for people."""
        if Objection.AGAINST_CODE in self.objections:
            for finding in case.check.critical_mismatches:
                yield f"The verdict is {self.verdict.verdict} against a critical mismatch found by code. {finding.why}"
        if Objection.AGAINST_CHECKLIST in self.objections:
            for entry in self.shown:
                quoted = " and ".join(f"“{phrase.text}”" for phrase in (*entry.truth, *entry.claim) if phrase.span)
                yield (
                    f"The verdict is {self.verdict.verdict} against the fact-checker's critical mismatch of "
                    f"{entry.dimension}; code found its words: {quoted}."
                )
        for objection in self.objections:
            if objection in _CONTESTED:
                yield _CONTESTED[objection]


def judgement_by_code(case: Case) -> CheckedVerdict | None:
    """Return the verdict by code alone, in the fields of a judge; None if it can show neither."""
    mismatches_by_code = case.check.critical_mismatches
    if mismatches_by_code:
        label, summary = schema.Faithfulness.MUTATED, "a number, a date or a word is another one"
    elif case.compared.says_the_same:
        label, summary = schema.Faithfulness.FAITHFUL, "each text accounts for every word of the other"
    else:
        return None
    reasons = tuple(finding.why[:REASON_LIMIT] for finding in mismatches_by_code[: schema.VERDICT_LIST_LIMIT])
    verdict = schema.JudgeVerdict(
        verdict=label,
        confidence=None,
        rationale=reasons or (f"{summary.capitalize()}.",),
        critical_differences=reasons,
        what_would_make_it_faithful=(),
        one_sentence_summary=f"By code alone: {label}, since {summary}.",
    )
    return CheckedVerdict(verdict, anchored(verdict, case, ()))


def judgement_of(verdict: schema.JudgeVerdict, case: Case, contributions: Contributions) -> CheckedVerdict:
    """``verdict``, with its differences located and what code has against it."""
    differences = anchored(verdict, case, contributions.checklist)
    shown = tuple(entry for entry in mismatches(contributions.checklist) if _is_shown(entry, case))
    return CheckedVerdict(verdict, differences, tuple(_objections_to(verdict, differences, shown, case)), shown)


def _is_shown(entry: schema.ChecklistEntry, case: Case) -> bool:
    """Return whether it is critical, some quote occurs in each text that it quotes, and one in one text alone.

    Critical mismatches that code itself found at the same place are not counted again.
    """
    if entry.severity is not Severity.CRITICAL:
        return False
    if any(overlap(_places(finding), (*entry.truth, *entry.claim)) for finding in case.check.critical_mismatches):
        return False
    in_truth = [phrase for phrase in entry.truth if phrase.span]
    in_claim = [phrase for phrase in entry.claim if phrase.span]
    if (entry.truth and not in_truth) or (entry.claim and not in_claim):
        return False
    return any(case.phrase(phrase.text, schema.TextName.CLAIM).span is None for phrase in in_truth) or any(
        case.phrase(phrase.text, schema.TextName.TRUTH).span is None for phrase in in_claim
    )


def _objections_to(
    verdict: schema.JudgeVerdict,
    differences: tuple[schema.CriticalDifference, ...],
    shown: tuple[schema.ChecklistEntry, ...],
    case: Case,
) -> Iterator[Objection]:
    """Yield the objections to ``verdict``, whose critical differences are ``differences``."""
    by_code = case.check.critical_mismatches
    match verdict.verdict:
        case schema.Faithfulness.FAITHFUL | schema.Faithfulness.PARTIALLY_FAITHFUL:
            if by_code:
                yield Objection.AGAINST_CODE
            if shown:
                yield Objection.AGAINST_CHECKLIST
            if differences and verdict.verdict is schema.Faithfulness.FAITHFUL:
                yield Objection.WITH_DIFFERENCES
        case schema.Faithfulness.MUTATED if not any(difference.anchors for difference in differences):
            yield Objection.UNANCHORED
        case schema.Faithfulness.MUTATED if not by_code and not any(map(_has_own_words, differences)):
            yield Objection.IN_BOTH
        case _:
            return


def _has_own_words(difference: schema.CriticalDifference) -> bool:
    """Return whether any of its quotes occurs in only one of the texts: of the others, each text is an anchor."""
    return 1 in Counter(anchor.text for anchor in difference.anchors).values()


def anchored(
    verdict: schema.JudgeVerdict, case: Case, checklist: tuple[schema.ChecklistEntry, ...]
) -> tuple[schema.CriticalDifference, ...]:
    """The critical differences of ``verdict``, each with the places of its quotes and the findings there."""
    return tuple(_difference(text, case, checklist) for text in verdict.critical_differences)


def _difference(text: str, case: Case, checklist: tuple[schema.ChecklistEntry, ...]) -> schema.CriticalDifference:
    anchors = case.anchors(text)
    by_code = {
        finding.dimension
        for finding in case.check.findings
        if finding.status is Status.MISMATCH and overlap(_places(finding), anchors)
    }
    by_checklist: set[Dimension] = set()
    for entry in mismatches(checklist):
        if overlap((*entry.truth, *entry.claim), anchors):
            possible = _MAY_BE[entry.dimension]
            by_checklist |= by_code.intersection(possible) or {possible[0]}
    return schema.CriticalDifference(text=text, anchors=anchors, types=_in_order(by_code | by_checklist))


def _places(finding: Finding) -> tuple[schema.Phrase, ...]:
    places = [schema.Phrase(text=finding.claim.text, source=schema.TextName.CLAIM, span=finding.claim)]
    if finding.evidence:
        places.append(schema.Phrase(text=finding.evidence.text, source=schema.TextName.TRUTH, span=finding.evidence))
    return tuple(places)


def _in_order(dimensions: set[Dimension]) -> tuple[Dimension, ...]:
    return tuple(dimension for dimension in Dimension if dimension in dimensions)
