"""What became of a number or date of the claim, and how several that could be meant are weighed.

Nothing is a mismatch because some number differs: it has to be the number of the same thing. Where several could be
meant, one that agrees is enough for a match.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from sparring.checks.claims.comparison import date_holds, quantity_holds
from sparring.checks.claims.context import NEAR, are_apart, likeness
from sparring.checks.claims.dates import DateMention, period
from sparring.checks.claims.lexicon import Window
from sparring.checks.claims.quantities import AGE, COUNT, EXACT, OLD, ORDINAL, PERCENT, Quantity
from sparring.schema.claims import Status

Mention = TypeVar("Mention", Quantity, DateMention)

_ANOTHER = 1.0
"""What a candidate loses that plainly tells of another thing."""

# Found by trying on half of the development pages (bench/claims).
_QUANTITY_TIE = 0.35
_SAME_ORDER = 0.3
_QUANTITY_LEAST = 0.4
_RATING = "#rating"
_CLEARLY, _PER_WORD = 0.6, 0.3

# Found by trying on half of the development pages (bench/claims); half as much or twice as much changes little.
_PER_NOUN = 0.7
_OTHER_NOUN = 0.3
_PER_MAGNITUDE = 1.6
_CLOSE, _CLOSE_BONUS = 0.05, 1.2
_EQUAL_BONUS = 1.5

# Found by trying on half of the development pages (bench/claims).
_DATE_TIE = 0.2
_DATE_LEAST = 0.5
_SAME_SHAPE = 0.1


@dataclass(frozen=True)
class InEvidence(Generic[Mention]):
    """A mention and the source that it stands in."""

    index: int
    mention: Mention


Quantities = Sequence[InEvidence[Quantity]]
Dates = Sequence[InEvidence[DateMention]]


@dataclass(frozen=True)
class Aligned:
    """What became of a mention of the claim, by a quantity or date of the evidence; without one, nothing tells."""

    status: Status
    quantity: InEvidence[Quantity] | None = None
    date: InEvidence[DateMention] | None = None

    @property
    def evidence(self) -> InEvidence[Quantity] | InEvidence[DateMention] | None:
        """What speaks of it."""
        return self.quantity or self.date


class _Candidate(NamedTuple, Generic[Mention]):
    """What may speak of a mention of the claim, and how much speaks for that."""

    score: float
    found: InEvidence[Mention]


class _Verdict(NamedTuple, Generic[Mention]):
    """What candidates tell: one that agrees goes before one that leaves it open, and that before all others."""

    status: Status
    by: _Candidate[Mention]


def _weigh(candidates: Sequence[_Candidate[Mention]], holds: Callable[[Mention], bool | None]) -> _Verdict[Mention]:
    """What ``candidates``, of which there is at least one, tell by what each of them ``holds``."""
    open_by: _Candidate[Mention] | None = None
    for each in candidates:
        if hold := holds(each.found.mention):
            return _Verdict(Status.MATCH, each)
        open_by = each if hold is None and open_by is None else open_by
    if open_by:
        return _Verdict(Status.MISSING, open_by)
    return _Verdict(Status.MISMATCH, max(candidates, key=lambda each: each.score))


def align_quantity(claim: Quantity, own: Set[tuple[str, float]], evidence: Quantities) -> Aligned:
    """What the quantities of the evidence say about ``claim``.

    ``own`` are the kinds and amounts that the whole claim has and nothing bounds.
    """
    # A number that the claim has elsewhere tells of that.
    found = [
        each
        for each in _of_its_kind(claim, evidence)
        if each.mention.amount == claim.amount or (each.mention.kind, each.mention.amount) not in own
    ]
    found = _of_the_named(claim, found)
    if not found:
        return Aligned(Status.MISSING)
    if claim.kind == ORDINAL:
        return _align_ordinal(claim, found)
    candidates = [_Candidate(_quantity_score(claim, each.mention), each) for each in found]
    verdict = _weigh(_nearest(claim, candidates), lambda mention: quantity_holds(claim, mention))
    if verdict.status is Status.MISMATCH and (
        _may_add_up(claim, found)
        or _is_listed(claim, evidence)
        or not _is_of_the_same(claim, verdict.by, is_only_one=len(found) == 1)
    ):
        return Aligned(Status.MISSING, verdict.by.found)
    return Aligned(verdict.status, verdict.by.found)


def _of_its_kind(claim: Quantity, evidence: Quantities) -> list[InEvidence[Quantity]]:
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


def _of_the_named(claim: Quantity, found: Quantities) -> Quantities:
    """Those that are told of names and places that stand around the number of the claim, where there are such."""
    near = claim.about.keys()
    found = [each for each in found if not each.mention.places or each.mention.places & near] or found
    if any(each.mention.names and each.mention.names <= near for each in found):
        return [each for each in found if each.mention.names <= near]
    return found


def _nearest(claim: Quantity, candidates: Sequence[_Candidate[Quantity]]) -> Sequence[_Candidate[Quantity]]:
    """The best candidate, and those for which nearly as much speaks."""
    best = max(candidates, key=lambda each: each.score)
    near = [each for each in candidates if each.score >= best.score - _QUANTITY_TIE * max(0.5, abs(best.score))]
    if is_close(claim, best.found.mention):
        near = [each for each in near if _orders_apart(claim, each.found.mention) < _SAME_ORDER]
    return near


def _is_of_the_same(claim: Quantity, against: _Candidate[Quantity], *, is_only_one: bool) -> bool:
    """Whether enough speaks for it that a quantity that differs is of the same thing."""
    if claim.kind == AGE or claim.kind in EXACT:
        return False  # the 49-year-old man is another one than the 31-year-old woman
    if not claim.is_counted:
        return is_only_one or against.score >= _QUANTITY_LEAST
    is_of_the_same_noun = not claim.nouns.isdisjoint(against.found.mention.nouns)
    return against.score >= _QUANTITY_LEAST and (bool(claim.bound) or is_of_the_same_noun)


def _is_listed(claim: Quantity, evidence: Quantities) -> bool:
    """Whether the evidence has the number itself, and says nothing of what it counts: "5 seconds, then 10, then 20"."""
    bare = (each.mention for each in evidence if each.mention.kind == COUNT and not each.mention.nouns)
    return not claim.bound and any(each.value == claim.value for each in bare)


def _may_add_up(claim: Quantity, found: Quantities) -> bool:
    """Whether the claim may tell what two numbers make together, or the one without the other.

    Where there are 3 build stages and 2 test stages, there may be 5 stages, and 1 more of the first.
    """
    if claim.bound or not claim.is_counted:
        return False
    same = [each for each in found if not each.mention.bound and not claim.nouns.isdisjoint(each.mention.nouns)]
    amounts = {(each.index, each.mention.amount) for each in same}
    rests = (
        (index, amount, rest) for index, amount in amounts for rest in (claim.amount - amount, claim.amount + amount)
    )
    return any((index, rest) in amounts and rest != amount for index, amount, rest in rests)


def _align_ordinal(claim: Quantity, found: Quantities) -> Aligned:
    if same := [each for each in found if each.mention.value == claim.value]:
        is_beside_it = claim.bound and not any(each.mention.bound for each in same)  # above the fifth is not the fifth
        is_of_the_same = not claim.nouns.isdisjoint(same[0].mention.nouns)
        return Aligned(Status.MISMATCH if is_beside_it and is_of_the_same else Status.MATCH, same[0])
    if claim.bound:
        return Aligned(Status.MISSING)
    candidates = [_Candidate(_ordinal_score(claim, each.mention), each) for each in found]
    best = max(candidates, key=lambda each: each.score)
    is_the_one = sum(each.score >= best.score * _CLEARLY for each in candidates) == 1
    of_the_same = bool(claim.nouns & best.found.mention.nouns)
    return Aligned(Status.MISMATCH if is_the_one and of_the_same else Status.MISSING, best.found)


def _ordinal_score(claim: Quantity, evidence: Quantity) -> float:
    return len(claim.nouns & evidence.nouns) + _PER_WORD * likeness(claim.about, evidence.about)


def _quantity_score(claim: Quantity, evidence: Quantity) -> float:
    """How much speaks for both being of the same thing; from about 0.4 on, much does."""
    score = likeness(claim.about, evidence.about) + _PER_NOUN * len(claim.nouns & evidence.nouns)
    score -= _orders_apart(claim, evidence) * _PER_MAGNITUDE
    if _is_other_noun(claim, evidence):
        score -= _OTHER_NOUN
    if are_apart(claim.scope, evidence.scope):
        score -= _ANOTHER
    elif is_close(claim, evidence):
        score += _CLOSE_BONUS
    if claim.amount == evidence.amount and claim.bound in {"", "=", "~"} and evidence.bound not in {"<", ">"}:
        score += _EQUAL_BONUS
    return score


def _orders_apart(one: Quantity, other: Quantity) -> float:
    """How many orders of magnitude lie between two quantities."""
    return abs(one.magnitude - other.magnitude)


def is_close(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are so near to each other that one may well be a change of the other."""
    return _orders_apart(one, other) < _CLOSE


def _is_other_noun(claim: Quantity, evidence: Quantity) -> bool:
    return claim.is_counted and bool(claim.nouns and evidence.nouns) and claim.nouns.isdisjoint(evidence.nouns)


def dates_of_names(claim: DateMention, evidence: Dates) -> Dates:
    """The dates in brackets behind a name that the claim has too: "The Ring (1990)" tells of nothing else."""
    return [each for each in evidence if each.mention.owner and each.mention.owner <= claim.about.keys()]


def same_date(claim: DateMention, evidence: Dates) -> Aligned | None:
    """A match where the evidence has the very date of the claim, meant in the same way; None elsewhere."""
    plain: Set[Window] = {"", "=", "since", "to"} if claim.window in {"", "="} else {claim.window}
    same = (each for each in evidence if each.mention.window in plain and each.mention.distance == claim.distance)
    found = next((each for each in same if _is_same_date(claim, each.mention)), None)
    return Aligned(Status.MATCH, date=found) if found else None


def align_date(claim: DateMention, evidence: Dates) -> Aligned:
    """What the dates of the evidence say about ``claim``."""
    if not evidence:
        return Aligned(Status.MISSING)
    candidates = [_Candidate(_date_score(claim, each.mention), each) for each in evidence]
    best = max(candidates, key=lambda each: each.score)
    near = [each for each in candidates if each.score >= best.score - _DATE_TIE * abs(best.score)]
    verdict = _weigh(near, lambda mention: _date_still_holds(claim, mention))
    if verdict.status is Status.MISMATCH and best.score < _least_score(claim, evidence):
        return Aligned(Status.MISSING, date=verdict.by.found)
    return Aligned(verdict.status, date=verdict.by.found)


def _least_score(claim: DateMention, evidence: Dates) -> float:
    """The score from which on a date is of the same thing.

    Where no date at all lies in a wide window ("before 1990", "in the 1980s"), it does not matter which one it is.
    """
    is_wide = claim.window in {"<", ">"} or claim.last_year is not None
    return 0.0 if is_wide and all(_date_still_holds(claim, each.mention) is False for each in evidence) else _DATE_LEAST


def _date_still_holds(claim: DateMention, evidence: DateMention) -> bool | None:
    """Whether ``claim`` holds; what began or ended is held against that end of a period."""
    if evidence.through and not claim.through and not evidence.is_within:
        ends = {"#began": replace(evidence, through=None), "#ended": evidence.through}
        evidence = ends.get(claim.stage, evidence)
    return date_holds(claim, evidence)


def _date_score(claim: DateMention, evidence: DateMention) -> float:
    score = likeness(claim.about, evidence.about)
    if (claim.month is None) == (evidence.month is None):
        score += _SAME_SHAPE
    return score - _ANOTHER if are_apart(claim.stage, evidence.stage) else score


def _is_same_date(claim: DateMention, evidence: DateMention) -> bool:
    if claim.year and evidence.year:
        return period(claim, 0) == period(evidence, 0)
    if _parts(claim) == _parts(evidence):
        return True
    is_day = bool(claim.day) and not claim.through and not evidence.through
    return is_day and (claim.month, claim.day) == (evidence.month, evidence.day)


def _parts(date: DateMention) -> tuple[object, ...]:
    return date.year, date.month, date.day, _parts(date.through) if date.through else None
