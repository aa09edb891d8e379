"""The claim and its evidence, as everything that an agent says is held against them."""

from collections.abc import Sequence
from functools import cached_property

from sparring.checks.claims import check_claim
from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.citing import Cited, context_of, words_of
from sparring.formats.fact_check.relating import has_no_number, says_nothing_of
from sparring.schema.claims import Dimension, Status
from sparring.schema.fact_check import Fault, FaultFound
from sparring.schema.quotes import QuoteFinding, QuoteVerdict
from sparring.text.tidying import one_line

_SHOWN = 120
"""Characters of a part that a sentence about it repeats."""

_NUMBERS = frozenset({Dimension.QUANTITY, Dimension.TIME})


class Grounds:
    """What there is to rest a verdict on."""

    def __init__(self, claim: str, sources: Sequence[str]) -> None:
        self._claim = claim
        self._sources = sources

    def look_up(self, quote: str, part: str = "") -> Cited:
        """``quote`` in the evidence, given for or against ``part`` of the claim, or the whole of it."""
        found = self._evidence.find(quote)
        context = context_of(found, self._sources)
        return Cited(quote, found, context, self._fault(quote, found, context, part))

    def contradiction(self, cited: Cited, part: str = "") -> str:
        """Why the words of ``cited`` cannot be true together with ``part``, or the whole claim; else empty.

        Only what code sees for sure: a number, a date or a changed word.
        """
        refuting = check_claim(part or self._claim, [cited.context]).critical_mismatches
        return refuting[0].why if refuting else ""

    def misfit(self, cited: Cited, part: str) -> FaultFound | None:
        """Why ``cited``, which has no fault of its own, cannot cover ``part``; None when it may."""
        if against := self.contradiction(cited, part):
            why = f"{shown(part)} is called COVERED by a quote that says otherwise. {against}"
            return FaultFound(fault=Fault.CONTRADICTED_PART, why=why, quote=cited.quote)
        if self._is_without_number(cited, part):
            why = f"{shown(part)} has a number, and the quote that it is called COVERED by has none."
            return FaultFound(fault=Fault.UNRELATED_QUOTE, why=why, quote=cited.quote)
        return None

    def is_foreign(self, part: str) -> bool:
        """Whether ``part`` is none of the claim."""
        return says_nothing_of(part, self._claim) and not _stands(part, self._claim_itself)

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence(self._sources)

    @cached_property
    def _claim_itself(self) -> Evidence:
        return Evidence([self._claim])

    def _is_without_number(self, cited: Cited, part: str) -> bool:
        findings = check_claim(part, [cited.context]).findings
        is_asked = any(each.dimension in _NUMBERS and each.evidence is None for each in findings)
        return is_asked and has_no_number(cited.context)

    def _fault(self, quote: str, found: QuoteFinding, context: str, part: str) -> FaultFound | None:
        if found.nearest:
            why = f"The evidence has something else there: {found.nearest.difference}"
            return FaultFound(fault=Fault.ALTERED_QUOTE, why=why, quote=quote)
        if found.verdict is not QuoteVerdict.VERBATIM:
            return FaultFound(fault=Fault.FABRICATED_QUOTE, why="The evidence has nothing like it.", quote=quote)
        if says_nothing_of(words_of(found), part or self._claim, self._claim) and not self._is_told(part, context):
            subjects = f"{shown(part)} or with the claim" if part else "the claim"
            why = f"It has no word and no number in common with {subjects}."
            return FaultFound(fault=Fault.UNRELATED_QUOTE, why=why, quote=quote)
        return None

    def _is_told(self, part: str, context: str) -> bool:
        """Whether a number or date of ``part`` can be held against one in ``context``: 1922 against "after 1921"."""
        findings = check_claim(part or self._claim, [context]).findings
        return any(each.evidence and each.status is not Status.MISSING for each in findings)


def shown(part: str) -> str:
    """``part`` between quotation marks, as a sentence about it repeats it."""
    return f'"{one_line(part, _SHOWN)}"'


def _stands(quote: str, evidence: Evidence) -> bool:
    return evidence.find(quote).verdict is QuoteVerdict.VERBATIM
