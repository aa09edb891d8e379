"""Which quantity or date of the evidence speaks of the same thing as one of the claim, and what that means.

Nothing is a mismatch because some number differs: it has to be the number of the same thing. Where several could be
meant, one that agrees is enough for a match.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from sparring.checks.claims.comparison import date_holds, quantity_holds, significant_digits
from sparring.checks.claims.context import likeness
from sparring.checks.claims.dates import DateMention, period
from sparring.checks.claims.quantities import COUNT, ORDINAL, PERCENT, Quantity
from sparring.schema.claims import Status

# Found by trying on half of the development pages (bench/claims).
_PER_NOUN = 0.7
_OTHER_NOUN = 0.3
_PER_MAGNITUDE = 1.6
_FAR = 3.0
_CLOSE, _CLOSE_BONUS = 0.045, 1.2
_SAME_ORDER = 0.3
_EQUAL_BONUS = 1.5
_TIE = 0.35
_LEAST, _LEAST_FOR_COUNTS = 0.4, 0.8
_DATE_TIE, _LEAST_FOR_DATES = 0.3, 0.5
_SAME_SHAPE = 0.1
_CLEARLY = 0.6
_EXACT, _TELLING_DIGITS = 0.003, 3
_OTHER_SCOPE = 1.0
_SCOPE_NEAR = 0.5
_SCOPES = frozenset({"#total", "#home", "#abroad"})
_TIMES = frozenset({"#minutes", "#hours", "#days", "#weeks", "#months", "#years"})

Mention = TypeVar("Mention", Quantity, DateMention)


@dataclass(frozen=True)
class InEvidence(Generic[Mention]):
    """A mention and the source that it stands in."""

    index: int
    mention: Mention


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


def align_quantity(claim: Quantity, others: Sequence[Quantity], evidence: Sequence[InEvidence[Quantity]]) -> Aligned:
    """What the quantities of the evidence say about ``claim``; ``others`` are all quantities of the claim."""
    candidates = [
        each for each in _of_its_kind(claim, evidence) if not _is_told_by_another(each.mention, claim, others)
    ]
    if not candidates:
        return Aligned(Status.MISSING)
    if claim.kind == ORDINAL:
        return _align_ordinal(claim, candidates)
    if near_enough := next((each for each in candidates if _is_told(claim, each.mention)), None):
        return Aligned(Status.MATCH, near_enough)
    scored = [(_quantity_score(claim, each.mention), each) for each in candidates]
    best = max(score for score, _ in scored)
    near = [(score, each) for score, each in scored if score >= best - _TIE * max(0.5, abs(best))]
    if any(score == best and _is_close(claim, each.mention) for score, each in near):
        near = [(score, each) for score, each in near if orders_apart(claim, each.mention) < _SAME_ORDER]
    holds = [(quantity_holds(claim, each.mention), score, each) for score, each in near]
    for status, wanted in ((Status.MATCH, True), (Status.MISSING, None)):
        if found := next((each for hold, _, each in holds if hold is wanted), None):
            return Aligned(status, found)
    against = max(holds, key=lambda held: held[1])[2]
    least = _LEAST_FOR_COUNTS if claim.kind == COUNT and len(candidates) > 1 else _LEAST
    if claim.kind == COUNT and not _comparable(claim, against.mention):
        return Aligned(Status.MISSING, against)
    is_only_one = len(candidates) == 1 and claim.kind != COUNT
    return Aligned(Status.MISMATCH if best >= least or is_only_one else Status.MISSING, against)


def same_date(claim: DateMention, evidence: Sequence[InEvidence[DateMention]]) -> Aligned | None:
    """A match where the evidence has the very date of a claim about that day; None elsewhere."""
    same = next((each for each in evidence if _same_day(claim, each.mention)), None)
    return Aligned(Status.MATCH, date=same) if same and claim.window in {"", "="} else None


def align_date(claim: DateMention, evidence: Sequence[InEvidence[DateMention]]) -> Aligned:
    """What the dates of the evidence say about ``claim``."""
    if not evidence:
        return Aligned(Status.MISSING)
    scored = [(_date_score(claim, each.mention), each) for each in evidence]
    best = max(score for score, _ in scored)
    near = [(score, each) for score, each in scored if score >= best - _DATE_TIE * max(0.4, best)]
    holds = [(date_holds(claim, each.mention), score, each) for score, each in near]
    for status, wanted in ((Status.MATCH, True), (Status.MISSING, None)):
        if found := next((each for hold, _, each in holds if hold is wanted), None):
            return Aligned(status, date=found)
    against = max(holds, key=lambda held: held[1])[2]
    return Aligned(Status.MISMATCH if best >= _LEAST_FOR_DATES else Status.MISSING, date=against)


def _is_told_by_another(evidence: Quantity, claim: Quantity, others: Sequence[Quantity]) -> bool:
    """Whether the claim has this very number elsewhere, so that it does not tell of this one."""
    if evidence.value == claim.value:
        return False
    return any(each.kind == evidence.kind and each.value == evidence.value and not each.bound for each in others)


def _is_told(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence has so exactly this number, with so many digits, that it must be the one."""
    is_exact = orders_apart(claim, evidence) < _EXACT and significant_digits(claim.value) >= _TELLING_DIGITS
    return is_exact and quantity_holds(claim, evidence) is True


def _of_its_kind(claim: Quantity, evidence: Sequence[InEvidence[Quantity]]) -> list[InEvidence[Quantity]]:
    candidates = [each for each in evidence if each.mention.kind == claim.kind]
    if claim.kind == COUNT:  # "a score of 34" is 34 out of 100
        candidates += [each for each in evidence if each.mention.kind[0] == "/" and each.mention.value == claim.value]
    if claim.kind == PERCENT:
        candidates += [
            InEvidence(each.index, _as_percent(each.mention)) for each in evidence if each.mention.kind[0] == "/"
        ]
    return candidates


def _as_percent(rating: Quantity) -> Quantity:
    factor = 100 / float(rating.kind[1:])
    return replace(rating, value=rating.value * factor, low=rating.low * factor, high=rating.high * factor)


def _align_ordinal(claim: Quantity, candidates: Sequence[InEvidence[Quantity]]) -> Aligned:
    if same := next((each for each in candidates if each.mention.value == claim.value), None):
        return Aligned(Status.MATCH, same)
    if claim.bound:
        return Aligned(Status.MISSING)
    scored = [
        (len(claim.nouns & each.mention.nouns) + 0.3 * likeness(claim.about, each.mention.about), each)
        for each in candidates
    ]
    best, against = max(scored, key=lambda score: score[0])
    is_the_one = sum(score >= best * _CLEARLY for score, _ in scored) == 1
    of_the_same = bool(claim.nouns & against.mention.nouns)
    return Aligned(Status.MISMATCH if is_the_one and of_the_same else Status.MISSING, against)


def _quantity_score(claim: Quantity, evidence: Quantity) -> float:
    score = likeness(claim.about, evidence.about) + _PER_NOUN * len(claim.nouns & evidence.nouns)
    if claim.kind == COUNT and claim.nouns and evidence.nouns and not claim.nouns & evidence.nouns:
        score -= _OTHER_NOUN
    scopes = _scope(claim), _scope(evidence)
    if all(scopes) and scopes[0] != scopes[1]:
        score -= _OTHER_SCOPE
    score -= min(orders_apart(claim, evidence), _FAR) * _PER_MAGNITUDE
    if _is_close(claim, evidence):
        score += _CLOSE_BONUS
    if claim.value == evidence.value and claim.bound in {"", "=", "~"} and evidence.bound not in {"<", ">"}:
        score += _EQUAL_BONUS
    return score


def _scope(quantity: Quantity) -> str:
    """Whether it is said to be a total, or one of its parts, as its nearest word for that says; else nothing."""
    near = {name: weight for name in _SCOPES if (weight := quantity.about.get(name, 0.0)) >= _SCOPE_NEAR}
    return max(near, key=lambda name: near[name], default="")


def orders_apart(one: Quantity, other: Quantity) -> float:
    """How many orders of magnitude lie between two quantities."""
    return abs(math.log10((abs(one.value) + 1) / (abs(other.value) + 1)))


def _is_close(one: Quantity, other: Quantity) -> bool:
    return orders_apart(one, other) < _CLOSE


def _date_score(claim: DateMention, evidence: DateMention) -> float:
    same_shape = (claim.month is None) == (evidence.month is None)
    return likeness(claim.about, evidence.about) + (_SAME_SHAPE if same_shape else 0.0)


def _same_day(claim: DateMention, evidence: DateMention) -> bool:
    if claim.year and evidence.year:
        return period(claim, 0) == period(evidence, 0)
    return bool(claim.day) and (claim.month, claim.day) == (evidence.month, evidence.day)


def _comparable(claim: Quantity, evidence: Quantity) -> bool:
    """Whether counts without a noun in common are at least of one order."""
    if claim.nouns & _TIMES and evidence.nouns & _TIMES and not claim.nouns & evidence.nouns & _TIMES:
        return False  # six months are not one year, and need not be less
    if claim.nouns & evidence.nouns:
        return True
    return 0.2 < (claim.value + 1e-9) / (evidence.value + 1e-9) < 5
