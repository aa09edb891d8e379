"""What became of a number or date of the claim, and how several that could be meant are weighed.

Nothing is a mismatch because some number differs: it has to be the number of the same thing. Where several could be
meant, one that agrees is enough for a match.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.quantities import Quantity
from sparring.schema.claims import Status

Mention = TypeVar("Mention", Quantity, DateMention)

ANOTHER = 1.0
"""What a candidate loses that plainly tells of another thing."""

NEAR = 0.5
"""The weight from which on a word stands so near to a mention that it tells of it."""


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


class Candidate(NamedTuple, Generic[Mention]):
    """What may speak of a mention of the claim, and how much speaks for that."""

    score: float
    found: InEvidence[Mention]


class Verdict(NamedTuple, Generic[Mention]):
    """What candidates tell: one that agrees goes before one that leaves it open, and that before all others."""

    status: Status
    by: Candidate[Mention]


def weigh(candidates: Sequence[Candidate[Mention]], holds: Callable[[Mention], bool | None]) -> Verdict[Mention]:
    """What ``candidates``, of which there is at least one, tell by what each of them ``holds``."""
    told = [(holds(each.found.mention), each) for each in candidates]
    for status, wanted in ((Status.MATCH, True), (Status.MISSING, None)):
        if agreeing := next((each for hold, each in told if hold is wanted), None):
            return Verdict(status, agreeing)
    return Verdict(Status.MISMATCH, max(candidates, key=lambda each: each.score))


def tell_apart(claim: Quantity | DateMention, evidence: Quantity | DateMention, names: frozenset[str]) -> bool:
    """Whether each has one of some concepts beside it, and not the same: one is told of a birth, one of a death."""
    one, other = nearest_of(claim, names), nearest_of(evidence, names)
    return bool(one and other) and one != other


def nearest_of(mention: Quantity | DateMention, names: frozenset[str]) -> str:
    """Which of some concepts stands nearest to the mention; nothing where none is near."""
    near = {name: weight for name in names if (weight := mention.about.get(name, 0.0)) >= NEAR}
    return max(near, key=lambda name: near[name], default="")
