"""Which judge of a debate is asked in which order, read off the id of an ask."""

import re
from dataclasses import dataclass

from sparring.schema.debate import Order

_BALLOT = re.compile(r"judge(\d+)\.(ab|ba)\.(\d+)")
_ORDERS = {"ab": Order.PROPOSER_FIRST, "ba": Order.CHALLENGER_FIRST}


@dataclass(frozen=True)
class BallotPlace:
    """What a judge is asked for: number of the judge, order in which the sides are shown, for which time."""

    judge: int
    order: Order
    attempt: int

    @property
    def is_again(self) -> bool:
        """Whether the judge had been asked before in that order."""
        return self.attempt > 1


def ballot_place(ask_id: str) -> BallotPlace | None:
    """The place of a ballot, None for the id of anything else."""
    found = _BALLOT.fullmatch(ask_id)
    return BallotPlace(int(found[1]), _ORDERS[found[2]], int(found[3])) if found else None
