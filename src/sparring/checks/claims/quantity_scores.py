"""How much speaks for a quantity of the evidence being that of the claim: the words around both, and their size."""

import math

from sparring.checks.claims.alignment import ANOTHER, tell_apart
from sparring.checks.claims.context import likeness
from sparring.checks.claims.quantities import Quantity

# Found by trying on half of the development pages (bench/claims); half as much or twice as much changes little.
_PER_NOUN = 0.7
_OTHER_NOUN = 0.3
_PER_MAGNITUDE = 1.6
_CLOSE, _CLOSE_BONUS = 0.05, 1.2
_EQUAL_BONUS = 1.5

_SCOPES = frozenset({"#total", "#home", "#abroad"})


def quantity_score(claim: Quantity, evidence: Quantity) -> float:
    """How much speaks for both being of the same thing; from about 0.4 on, much does."""
    score = likeness(claim.about, evidence.about) + _PER_NOUN * len(claim.nouns & evidence.nouns)
    score -= orders_apart(claim, evidence) * _PER_MAGNITUDE
    if _is_other_noun(claim, evidence):
        score -= _OTHER_NOUN
    if tell_apart(claim, evidence, _SCOPES):
        score -= ANOTHER
    elif is_close(claim, evidence):
        score += _CLOSE_BONUS
    if claim.amount == evidence.amount and claim.bound in {"", "=", "~"} and evidence.bound not in {"<", ">"}:
        score += _EQUAL_BONUS
    return score


def orders_apart(one: Quantity, other: Quantity) -> float:
    """How many orders of magnitude lie between two quantities."""
    return abs(math.log10((abs(one.amount) + 1) / (abs(other.amount) + 1)))


def is_close(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are so near to each other that one may well be a change of the other."""
    return orders_apart(one, other) < _CLOSE


def _is_other_noun(claim: Quantity, evidence: Quantity) -> bool:
    return claim.is_counted and bool(claim.nouns and evidence.nouns) and claim.nouns.isdisjoint(evidence.nouns)
