"""Which date of the evidence speaks of the same thing as one of the claim, and what that means."""

from collections.abc import Sequence
from dataclasses import replace

from sparring.checks.claims.alignment import ANOTHER, Aligned, Candidate, InEvidence, nearest_of, tell_apart, weigh
from sparring.checks.claims.comparison import date_holds
from sparring.checks.claims.context import likeness
from sparring.checks.claims.dates import DateMention, period
from sparring.schema.claims import Status

# Found by trying on half of the development pages (bench/claims).
_TIE = 0.2
_LEAST = 0.5
_SAME_SHAPE = 0.1
_STAGES = frozenset({"#born", "#died", "#deaths", "#began", "#ended"})

_Evidence = Sequence[InEvidence[DateMention]]


def dates_of_names(claim: DateMention, evidence: _Evidence) -> _Evidence:
    """The dates in brackets behind a name that the claim has too: "The Ring (1990)" tells of nothing else."""
    return [each for each in evidence if each.mention.owner and each.mention.owner <= claim.about.keys()]


def same_date(claim: DateMention, evidence: _Evidence) -> Aligned | None:
    """A match where the evidence has the very date of the claim, meant in the same way; None elsewhere."""
    is_on_the_day = claim.window in {"", "="}
    same = (each for each in evidence if is_on_the_day or each.mention.window == claim.window)
    found = next((each for each in same if _is_same(claim, each.mention)), None)
    return Aligned(Status.MATCH, date=found) if found else None


def align_date(claim: DateMention, evidence: _Evidence) -> Aligned:
    """What the dates of the evidence say about ``claim``."""
    if not evidence:
        return Aligned(Status.MISSING)
    candidates = [Candidate(_score(claim, each.mention), each) for each in evidence]
    best = max(candidates, key=lambda each: each.score)
    near = [each for each in candidates if each.score >= best.score - _TIE * abs(best.score)]
    verdict = weigh(near, lambda mention: _holds(claim, mention))
    if verdict.status is Status.MISMATCH and best.score < _least(claim, evidence):
        return Aligned(Status.MISSING, date=verdict.by.found)
    return Aligned(verdict.status, date=verdict.by.found)


def _least(claim: DateMention, evidence: _Evidence) -> float:
    """The score from which on a date is of the same thing.

    Where no date at all lies in a wide window ("before 1990", "in the 1980s"), it does not matter which one it is.
    """
    is_wide = claim.window in {"<", ">"} or claim.last_year is not None
    return 0.0 if is_wide and all(_holds(claim, each.mention) is False for each in evidence) else _LEAST


def _holds(claim: DateMention, evidence: DateMention) -> bool | None:
    """Whether ``claim`` holds; what began or ended is held against that end of a period."""
    if evidence.through and not claim.through:
        ends = {"#began": replace(evidence, through=None), "#ended": evidence.through}
        evidence = ends.get(nearest_of(claim, _STAGES), evidence)
    return date_holds(claim, evidence)


def _score(claim: DateMention, evidence: DateMention) -> float:
    score = likeness(claim.about, evidence.about)
    if (claim.month is None) == (evidence.month is None):
        score += _SAME_SHAPE
    return score - ANOTHER if tell_apart(claim, evidence, _STAGES) else score


def _is_same(claim: DateMention, evidence: DateMention) -> bool:
    if claim.year and evidence.year:
        return period(claim, 0) == period(evidence, 0)
    if _parts(claim) == _parts(evidence):
        return True
    is_day = bool(claim.day) and not claim.through and not evidence.through
    return is_day and (claim.month, claim.day) == (evidence.month, evidence.day)


def _parts(date: DateMention) -> tuple[object, ...]:
    return date.year, date.month, date.day, _parts(date.through) if date.through else None
