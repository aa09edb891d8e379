"""A number or date that a claim has put in the place of another, in a sentence that it otherwise repeats.

Where it stands tells what it is compared with, so that nothing needs to be aligned by its surroundings.
"""

from collections.abc import Sequence

from sparring.checks.claims.alignment import Aligned, InEvidence, Mention
from sparring.checks.claims.comparison import date_holds, quantity_holds
from sparring.checks.claims.date_alignment import same_date
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.quantities import Quantity
from sparring.checks.claims.quantity_scores import is_close
from sparring.checks.claims.rewriting import Change
from sparring.schema.claims import Status

_NOTHING_ELSE = 0.9
"""Share of kept words from which on a number is meant as exactly as the one that it replaces."""

_LITTLE_ELSE = 0.8
"""Share from which on it is surely another number for the same: "$40 million in Ohio", "$90 million outside Ohio"."""

_STATUS = {True: Status.MATCH, False: Status.MISMATCH, None: Status.MISSING}


def replaced_quantity(
    claim: Quantity,
    changes: Sequence[Change],
    quantities: Sequence[InEvidence[Quantity]],
    dates: Sequence[InEvidence[DateMention]],
) -> Aligned | None:
    """What ``claim`` is worth against the quantity or date that it replaces; None where it replaces none."""
    for change in _numbers_in(claim, changes):
        if found := _standing_at(change, quantities):
            other = found.mention
            holds = quantity_holds(claim, other) if claim.kind == other.kind else False
            is_exact = change.kept >= _NOTHING_ELSE and claim.bound == other.bound
            # "Over 1 billion" may stand for "over 1.1 billion", but not for "over 2 billion".
            if is_exact and not (claim.bound and holds and is_close(claim, other)):
                return Aligned(Status.MISMATCH, found)
            return Aligned(_STATUS[holds], found)
        if claim.bound in {"", "range"} and (date := _standing_at(change, dates)):
            return Aligned(Status.MISMATCH, date=date)
    return None


def replaced_date(
    claim: DateMention,
    changes: Sequence[Change],
    dates: Sequence[InEvidence[DateMention]],
    quantities: Sequence[InEvidence[Quantity]],
) -> Aligned | None:
    """What ``claim`` is worth against the date or quantity that it replaces; None where it replaces none."""
    for change in _numbers_in(claim, changes):
        if found := _standing_at(change, dates):
            if same := same_date(claim, [found]):
                return same  # "May 9th" for "May 9"
            if change.kept >= _NOTHING_ELSE and claim.window == found.mention.window:
                return Aligned(Status.MISMATCH, date=found)
            return Aligned(_STATUS[date_holds(claim, found.mention)], date=found)
        if not claim.window and (quantity := _standing_at(change, quantities)):
            return Aligned(Status.MISMATCH, quantity)
    return None


def _numbers_in(mention: Quantity | DateMention, changes: Sequence[Change]) -> list[Change]:
    there = (each for each in changes if each.kind == "number" and mention.begin <= each.claim[0] < mention.end)
    return [each for each in there if each.kept >= _LITTLE_ELSE]


def _standing_at(change: Change, evidence: Sequence[InEvidence[Mention]]) -> InEvidence[Mention] | None:
    place = change.evidence[0]
    there = (each for each in evidence if each.index == change.source)
    return next((each for each in there if each.mention.begin <= place < each.mention.end), None)
