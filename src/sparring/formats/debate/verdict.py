"""How a winner comes of the ballots, and the written tie-break, which always picks a side (design: Debate).

Whoever judges alike in both orders has a vote. Without a majority: more verified and fewer not-found citations; then
fewer challenges left unanswered; then the challenger's burden: who attacks must have shown a flaw, else the proposer's
position stands.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.formats.debate.said import other_side
from sparring.schema.base import Role
from sparring.schema.citations import CitationKind, CitationStatus
from sparring.schema.debate import (
    Abstention,
    Ballot,
    CitedArgument,
    Concession,
    Firmness,
    Judgement,
    Side,
    SpeechLedger,
    TieBreak,
    TieBreakStep,
)


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


_Citation = tuple[CitationKind, str]


@dataclass(frozen=True)
class Case:
    """What the tie-break looks at.

    Attributes:
        ledgers: Those of the judged rounds, in the order of speaking.
        concessions: Those of the same rounds.
        unanswered: Challenges that a judge says were left unanswered, by whoever has put them.
        blind_openings: Neither side could have a place of round 1 from the other.
    """

    ledgers: tuple[SpeechLedger, ...]
    concessions: tuple[Concession, ...]
    unanswered: tuple[CitedArgument, ...]
    blind_openings: bool = False


@dataclass(frozen=True)
class Count:
    """One side's citations: those that hold and that it was the first to bring, and those that were not found."""

    verified: int
    not_found: int

    @property
    def net(self) -> int:
        """By how much more hold than do not."""
        return self.verified - self.not_found


def tie_break(case: Case) -> TieBreak:
    """The first step that tells the sides apart."""
    return _by_citations(case) or _by_unanswered(case) or _by_burden(case)


def count_of(side: Side, case: Case) -> Count:
    """What ``side`` has cited. What is cited twice counts once."""
    return Count(len(_first_brought(side, case)), len(_not_found(side, case)))


def left_unanswered(side: Side, case: Case) -> int:
    """How many different challenges ``side`` has left unanswered.

    Judges quote the same challenge at different lengths: words within longer ones are the same challenge.
    """
    put = {(challenge.round, challenge.quote) for challenge in case.unanswered if challenge.side is not side}
    return sum(not _is_within_another(challenge, put) for challenge in put)


def _by_citations(case: Case) -> TieBreak | None:
    if any(found.ledger is None for found in case.ledgers):
        return None  # a side must not lose because its citations could not be looked up
    proposer, challenger = count_of(Role.PROPOSER, case), count_of(Role.CHALLENGER, case)
    if proposer.net == challenger.net:
        return None
    reason = (
        f"Of the proposer's citations {proposer.verified} hold and {proposer.not_found} were not found, "
        f"of the challenger's {challenger.verified} hold and {challenger.not_found} were not found."
    )
    return TieBreak(step=TieBreakStep.CITATIONS, winner=_more(proposer.net, challenger.net), reason=reason)


def _by_unanswered(case: Case) -> TieBreak | None:
    proposer, challenger = left_unanswered(Role.PROPOSER, case), left_unanswered(Role.CHALLENGER, case)
    if proposer == challenger:
        return None
    reason = f"The proposer left {_challenges(proposer)} unanswered, the challenger {challenger}."
    return TieBreak(step=TieBreakStep.UNANSWERED, winner=_more(challenger, proposer), reason=reason)


def _by_burden(case: Case) -> TieBreak:
    conceded = [found for found in case.concessions if found.role is Role.PROPOSER and found.withdrawn is None]
    not_found = len(_not_found(Role.PROPOSER, case))
    if conceded or not_found:
        reason = f"The challenger has shown a flaw: {_of_the_proposer(len(conceded), not_found)}."
    else:
        reason = "The challenger has shown no flaw: no concession stands, and no citation of the proposer is missing."
    winner: Side = Role.CHALLENGER if conceded or not_found else Role.PROPOSER
    return TieBreak(step=TieBreakStep.BURDEN, winner=winner, reason=reason)


def _more(proposer: int, challenger: int) -> Side:
    return Role.PROPOSER if proposer > challenger else Role.CHALLENGER


def _first_brought(side: Side, case: Case) -> set[_Citation]:
    """What stands as cited, and ``side`` did not have from the other."""
    first: dict[_Citation, tuple[int, int]] = {}
    own: dict[_Citation, tuple[int, int]] = {}
    for found in case.ledgers:
        moment = _moment(found, case)
        for citation in _with(CitationStatus.VERIFIED, found):
            first.setdefault(citation, moment)
            if found.role is side:
                own.setdefault(citation, moment)
    return {citation for citation, moment in own.items() if moment == first[citation]}


def _moment(found: SpeechLedger, case: Case) -> tuple[int, int]:
    is_blind = case.blind_openings and found.round == 1
    return found.round, 1 if found.role is Role.CHALLENGER and not is_blind else 0


def _not_found(side: Side, case: Case) -> set[_Citation]:
    return {
        citation for found in case.ledgers if found.role is side for citation in _with(CitationStatus.NOT_FOUND, found)
    }


def _with(status: CitationStatus, found: SpeechLedger) -> Iterable[_Citation]:
    entries = found.ledger.entries if found.ledger else ()
    return ((entry.kind, entry.text) for entry in entries if entry.status is status)


def _is_within_another(challenge: tuple[int, str], put: set[tuple[int, str]]) -> bool:
    round_, quote = challenge
    return any(other != quote and quote in other for other_round, other in put if other_round == round_)


def _challenges(count: int) -> str:
    return "1 challenge" if count == 1 else f"{count} challenges"


def _of_the_proposer(conceded: int, not_found: int) -> str:
    stand = "1 concession of the proposer stands" if conceded == 1 else f"{conceded} concessions of the proposer stand"
    missing = "1 of its citations was not found" if not_found == 1 else f"{not_found} of its citations were not found"
    return f"{stand}, and {missing}"
