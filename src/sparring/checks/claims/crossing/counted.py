"""Whether two numbers count the same, as far as the words behind them tell."""

from collections.abc import Iterator, Sequence

from sparring.checks.claims.crossing.figures import Sort
from sparring.checks.claims.crossing.pairing import Pair
from sparring.checks.claims.crossing.terms import Term
from sparring.checks.claims.tokens import Language

_REACH = 3


def count_other_things(pair: Pair, claim: Sequence[Term], evidence: Sequence[Term], language: Language) -> bool:
    """Whether neither sentence speaks of what the other one counts: 20 schools, and 30 hospitals.

    The claim is in ``language``. Words that we do not know in both languages tell nothing.
    """
    if {pair.claim.sort, pair.evidence.sort} != {Sort.COUNT}:
        return False
    is_english = language is Language.ENGLISH
    ours = _counted(pair.claim.end, claim, is_english=is_english)
    theirs = _counted(pair.evidence.end, evidence, is_english=not is_english)
    if ours is None or theirs is None:
        return False
    return _is_missing(ours, evidence) and _is_missing(theirs, claim)


def _counted(place: int, terms: Sequence[Term], *, is_english: bool) -> Term | None:
    """What stands behind a number: "20 old schools", "20 trường học cổ"."""
    behind = list(_behind(place, terms))
    return (behind[-1] if is_english else behind[0]) if behind else None


def _behind(place: int, terms: Sequence[Term]) -> Iterator[Term]:
    """The known words that stand there without a gap."""
    last = place + _REACH
    for term in terms:
        if term.loss and place <= term.place <= place + 1 and term.place < last:
            place = term.place
            yield term


def _is_missing(term: Term, other: Sequence[Term]) -> bool:
    return all(term.keys.isdisjoint(each.keys) for each in other)
