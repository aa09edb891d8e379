"""Which quantity of the evidence speaks of the same thing as one of the claim, and what that means."""

from collections.abc import Sequence
from dataclasses import replace

from sparring.checks.claims.alignment import NEAR, Aligned, Candidate, InEvidence, weigh
from sparring.checks.claims.comparison import quantity_holds, significant_digits
from sparring.checks.claims.context import likeness
from sparring.checks.claims.quantities import AGE, COUNT, OLD, ORDINAL, PERCENT, Quantity
from sparring.checks.claims.quantity_scores import is_close, orders_apart, quantity_score
from sparring.schema.claims import Status

# Found by trying on half of the development pages (bench/claims).
_TIE = 0.35
_SAME_ORDER = 0.3
_LEAST = 0.4
_EXACT, _TELLING_DIGITS = 0.003, 3
_RATING = "#rating"
_CLEARLY, _PER_WORD = 0.6, 0.3

_Evidence = Sequence[InEvidence[Quantity]]


def align_quantity(claim: Quantity, others: Sequence[Quantity], evidence: _Evidence) -> Aligned:
    """What the quantities of the evidence say about ``claim``; ``others`` are all quantities of the claim."""
    # A number that the claim has elsewhere tells of that.
    taken = {(each.kind, each.amount) for each in others if not each.bound and each.amount != claim.amount}
    found = [each for each in _of_its_kind(claim, evidence) if (each.mention.kind, each.mention.amount) not in taken]
    found = _of_the_named(claim, found)
    if not found:
        return Aligned(Status.MISSING)
    if claim.kind == ORDINAL:
        return _align_ordinal(claim, found)
    if same := next((each for each in found if _is_told(claim, each.mention)), None):
        return Aligned(Status.MATCH, same)
    candidates = [Candidate(quantity_score(claim, each.mention), each) for each in found]
    verdict = weigh(_nearest(claim, candidates), lambda mention: quantity_holds(claim, mention))
    if verdict.status is Status.MISMATCH and not _is_of_the_same(claim, verdict.by, is_only_one=len(found) == 1):
        return Aligned(Status.MISSING, verdict.by.found)
    return Aligned(verdict.status, verdict.by.found)


def _of_its_kind(claim: Quantity, evidence: _Evidence) -> list[InEvidence[Quantity]]:
    found = [each for each in evidence if each.mention.kind == claim.kind]
    if claim.kind == COUNT:  # "a score of 34" is 34 out of 100
        is_rating = claim.bound and claim.about.get(_RATING, 0.0) >= NEAR
        ratings = [each for each in evidence if each.mention.kind[0] == "/"]
        found += [each for each in ratings if is_rating or each.mention.value == claim.value]
    if claim.kind == PERCENT:
        found += [InEvidence(each.index, _as_percent(each.mention)) for each in evidence if each.mention.kind[0] == "/"]
    if OLD in claim.nouns and claim.kind != COUNT:  # a 40-year-old man is 40 years old
        others = [each for each in evidence if OLD in each.mention.nouns and each.mention.kind != claim.kind]
        found += [each for each in others if each.mention.value == claim.value or claim.kind != AGE]
    return found


def _as_percent(rating: Quantity) -> Quantity:
    factor = 100 / float(rating.kind[1:])
    return replace(rating, value=rating.value * factor, low=rating.low * factor, high=rating.high * factor)


def _of_the_named(claim: Quantity, found: _Evidence) -> _Evidence:
    """Those that are told of names and places that stand around the number of the claim, where there are such."""
    near = claim.about.keys()
    found = [each for each in found if not each.mention.places or each.mention.places & near] or found
    if any(each.mention.names and each.mention.names <= near for each in found):
        return [each for each in found if each.mention.names <= near]
    return found


def _is_told(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence has so exactly this number, with so many digits, that it must be the one."""
    is_exact = orders_apart(claim, evidence) < _EXACT and significant_digits(claim.value) >= _TELLING_DIGITS
    return is_exact and quantity_holds(claim, evidence) is True


def _nearest(claim: Quantity, candidates: Sequence[Candidate[Quantity]]) -> Sequence[Candidate[Quantity]]:
    """The best candidate, and those for which nearly as much speaks."""
    best = max(candidates, key=lambda each: each.score)
    near = [each for each in candidates if each.score >= best.score - _TIE * max(0.5, abs(best.score))]
    if is_close(claim, best.found.mention):
        near = [each for each in near if orders_apart(claim, each.found.mention) < _SAME_ORDER]
    return near


def _is_of_the_same(claim: Quantity, against: Candidate[Quantity], *, is_only_one: bool) -> bool:
    """Whether enough speaks for it that a quantity that differs is of the same thing."""
    if claim.kind == AGE:
        return False  # the 49-year-old man is another one than the 31-year-old woman
    if not claim.is_counted:
        return is_only_one or against.score >= _LEAST
    is_of_the_same_noun = not claim.nouns.isdisjoint(against.found.mention.nouns)
    return against.score >= _LEAST and (bool(claim.bound) or is_of_the_same_noun)


def _align_ordinal(claim: Quantity, found: _Evidence) -> Aligned:
    if same := [each for each in found if each.mention.value == claim.value]:
        is_beside_it = claim.bound and not any(each.mention.bound for each in same)  # above the fifth is not the fifth
        is_of_the_same = not claim.nouns.isdisjoint(same[0].mention.nouns)
        return Aligned(Status.MISMATCH if is_beside_it and is_of_the_same else Status.MATCH, same[0])
    if claim.bound:
        return Aligned(Status.MISSING)
    candidates = [Candidate(_ordinal_score(claim, each.mention), each) for each in found]
    best = max(candidates, key=lambda each: each.score)
    is_the_one = sum(each.score >= best.score * _CLEARLY for each in candidates) == 1
    of_the_same = bool(claim.nouns & best.found.mention.nouns)
    return Aligned(Status.MISMATCH if is_the_one and of_the_same else Status.MISSING, best.found)


def _ordinal_score(claim: Quantity, evidence: Quantity) -> float:
    return len(claim.nouns & evidence.nouns) + _PER_WORD * likeness(claim.about, evidence.about)
