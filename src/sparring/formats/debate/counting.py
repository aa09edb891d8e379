"""How a winner comes of the ballots (design: Debate): whoever judges alike in both orders has a vote.

Pure: the tie-break is handed in, and stands in the judgement only where it has decided.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.formats.debate.hearing import other_side
from sparring.schema.debate import Abstention, Ballot, Firmness, Judgement, Side, TieBreak


@dataclass(frozen=True)
class Vote:
    """One judge's vote. One from a single order may be what would change with the order."""

    judge: int
    winner: Side
    is_in_both_orders: bool


def votes(ballots: Iterable[Ballot]) -> tuple[Vote, ...]:
    """The votes, by judge. Whose ballots differ has none."""
    winners: dict[int, list[Side]] = {}
    for ballot in ballots:
        winners.setdefault(ballot.judge, []).append(ballot.verdict.winner)
    return tuple(
        Vote(judge, picked[0], len(picked) > 1) for judge, picked in sorted(winners.items()) if len(set(picked)) == 1
    )


def changed_with_the_order(ballots: Sequence[Ballot]) -> tuple[int, ...]:
    """The judges who picked one side in one order and the other in the other."""
    return tuple(sorted({ballot.judge for ballot in ballots} - {vote.judge for vote in votes(ballots)}))


def counted(
    ballots: tuple[Ballot, ...], abstentions: tuple[Abstention, ...], judges: int, tie_break: TieBreak
) -> Judgement:
    """The judgement; there must be a ballot at least. ``judges`` is how many were asked."""
    cast, changed = votes(ballots), changed_with_the_order(ballots)
    majority = _majority(cast)
    winner = majority or tie_break.winner
    return Judgement(
        winner=winner,
        firmness=_firmness(cast, majority, judges) if majority else _firmness_of_a_tie(cast, changed),
        order_sensitive=bool(changed),
        tie_break=None if majority else tie_break,
        ballots=ballots,
        abstentions=abstentions,
        dissent=tuple(vote.judge for vote in cast if vote.winner is not winner),
    )


def deciding(judgement: Judgement) -> Ballot:
    """The ballot whose verdict is shown: the first one for the winner."""
    return next(ballot for ballot in judgement.ballots if ballot.verdict.winner is judgement.winner)


def _majority(cast: tuple[Vote, ...]) -> Side | None:
    for vote in cast:
        if _for(vote.winner, cast) > _for(other_side(vote.winner), cast):
            return vote.winner
    return None


def _for(side: Side, cast: Iterable[Vote]) -> int:
    return sum(vote.winner is side for vote in cast)


def _firmness(cast: tuple[Vote, ...], winner: Side, judges: int) -> Firmness:
    firm = [vote for vote in cast if vote.is_in_both_orders]
    if _for(winner, firm) == judges:
        return Firmness.UNANIMOUS
    # Without the votes from a single order it must still be a majority.
    return Firmness.MAJORITY if _for(winner, firm) > _for(other_side(winner), cast) else Firmness.ONE_ORDER


def _firmness_of_a_tie(cast: tuple[Vote, ...], changed: tuple[int, ...]) -> Firmness:
    is_split = any(vote.is_in_both_orders for vote in cast) or not changed
    return Firmness.TIE_BREAK if is_split else Firmness.ORDER_SENSITIVE
