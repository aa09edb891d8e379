"""The judges of a debate: their ballots, in both orders, and what these come to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from sparring.engine.course import Attempt, Course, Reading, Wanted, together, until_usable
from sparring.formats.debate import asks, judging, replies, speeches
from sparring.schema import base, claims, debate, lookups, transcript
from sparring.schema.judgement import (
    Ballot,
    CitedArgument,
    Firmness,
    Hedge,
    JudgeAbstention,
    Judgement,
    Order,
    Side,
    TieBreak,
    TieBreakStep,
)
from sparring.text.tidying import one_line


@dataclass(frozen=True)
class Vote:
    """One judge's vote. One from a single order may be what would change with the order."""

    judge: int
    winner: Side
    is_in_both_orders: bool


def votes(ballots: Iterable[Ballot]) -> tuple[Vote, ...]:
    """The votes, by judge. Whose ballots differ has none.

    Two orders that different tools have judged, one in the place of the other, are no pair of orders.
    """
    cast: dict[int, list[Ballot]] = {}
    for ballot in ballots:
        cast.setdefault(ballot.judge, []).append(ballot)
    return tuple(
        Vote(judge, own[0].verdict.winner, len(own) > 1 and len({ballot.tool for ballot in own}) == 1)
        for judge, own in sorted(cast.items())
        if len({ballot.verdict.winner for ballot in own}) == 1
    )


def changed_with_the_order(ballots: Sequence[Ballot]) -> tuple[int, ...]:
    """The judges who picked one side in one order and the other in the other."""
    return tuple(sorted({ballot.judge for ballot in ballots} - {vote.judge for vote in votes(ballots)}))


def counted(
    ballots: tuple[Ballot, ...], abstentions: tuple[JudgeAbstention, ...], judges: int, tie_break: TieBreak
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


def counted_without_arguments(bare: tuple[Ballot, ...], abstentions: tuple[JudgeAbstention, ...]) -> Judgement | None:
    """What comes of ballots that cite nothing which their winner has said; None unless both orders agree on one."""
    cast = tuple(vote for vote in votes(bare) if vote.is_in_both_orders)
    winner = _majority(cast)
    if winner is None:
        return None
    heard = {vote.judge for vote in cast}
    return Judgement(
        winner=winner,
        firmness=Firmness.UNSUPPORTED,
        order_sensitive=bool(changed_with_the_order(bare)),
        ballots=tuple(ballot for ballot in bare if ballot.judge in heard),
        abstentions=tuple(each for each in abstentions if each.judge not in heard),
        dissent=tuple(vote.judge for vote in cast if vote.winner is not winner),
    )


def deciding(judgement: Judgement) -> Ballot:
    """The ballot whose verdict is shown: the first for the winner, of a judge with a vote, without a hedge, if any.

    One of the second order, which is not asked for ratings and agreements, has those of a ballot that was: of the same
    judge if there is one.
    """
    found = (ballot for ballot in judgement.ballots if ballot.verdict.winner is judgement.winner)
    changed = changed_with_the_order(judgement.ballots)
    shown = min(found, key=lambda ballot: (ballot.judge in changed, bool(ballot.hedges)))
    rated = [ballot for ballot in judgement.ballots if ballot.order is Order.PROPOSER_FIRST]
    if shown.order is Order.PROPOSER_FIRST or not rated:
        return shown
    other = min(rated, key=lambda ballot: ballot.judge != shown.judge)
    observed = {name: getattr(other.verdict, name) for name in _OBSERVED}
    lookups = {"unsaid": other.unsaid, "contrary": other.contrary, "uncompared": other.uncompared}
    return shown.model_copy(update={"verdict": shown.verdict.model_copy(update=observed), **lookups})


_OBSERVED = ("scores", "quality", "agreements", "disagreements", "unresolved_questions")
"""Parts of a verdict that do not depend on its winner, and are asked for once."""


def _majority(cast: tuple[Vote, ...]) -> Side | None:
    for vote in cast:
        if _for(vote.winner, cast) > _for(speeches.other_side(vote.winner), cast):
            return vote.winner
    return None


def _for(side: Side, cast: Iterable[Vote]) -> int:
    return sum(vote.winner is side for vote in cast)


def _firmness(cast: tuple[Vote, ...], winner: Side, judges: int) -> Firmness:
    firm = [vote for vote in cast if vote.is_in_both_orders]
    if _for(winner, firm) == judges:
        return Firmness.UNANIMOUS
    # Without the votes from a single order it must still be a majority.
    return Firmness.MAJORITY if _for(winner, firm) > _for(speeches.other_side(winner), cast) else Firmness.ONE_ORDER


def _firmness_of_a_tie(cast: tuple[Vote, ...], changed: tuple[int, ...]) -> Firmness:
    is_split = any(vote.is_in_both_orders for vote in cast) or not changed
    return Firmness.TIE_BREAK if is_split else Firmness.ORDER_SENSITIVE


_Citation = tuple[lookups.CitationKind, str]


@dataclass(frozen=True)
class TieBreakCase:
    """What the tie-break looks at.

    Attributes:
        ledgers: Those of the judged rounds, in the order of speaking.
        concessions: Those of the same rounds.
        unanswered: Challenges that a judge says were left unanswered, by whoever has put them.
        blind_openings: Neither side could have a place of round 1 from the other.
    """

    ledgers: tuple[debate.SpeechLedger, ...]
    concessions: tuple[debate.Concession, ...]
    unanswered: tuple[CitedArgument, ...]
    blind_openings: bool = False


def tie_break(case: TieBreakCase) -> TieBreak:
    """The first step that tells the sides apart."""
    return _by_citations(case) or _by_unanswered(case) or _by_burden(case)


def left_unanswered(side: Side, case: TieBreakCase) -> int:
    """How many different challenges ``side`` has left unanswered.

    Judges quote the same challenge at different lengths: words within longer ones are the same challenge.
    """
    put = {(challenge.round, challenge.quote) for challenge in case.unanswered if challenge.side is not side}
    return sum(not _is_within_another(challenge, put) for challenge in put)


def _by_citations(case: TieBreakCase) -> TieBreak | None:
    if any(found.ledger is None for found in case.ledgers):
        return None  # a side must not lose because its citations could not be looked up
    hold = {side: len(_first_brought(side, case)) for side in debate.SPEAKING_ORDER}
    missing = {side: len(_not_found(side, case)) for side in debate.SPEAKING_ORDER}
    proposer, challenger = (hold[side] - missing[side] for side in debate.SPEAKING_ORDER)
    if proposer == challenger:
        return None
    found = [f"{hold[side]} hold and {missing[side]} were not found" for side in debate.SPEAKING_ORDER]
    reason = f"Of the proposer's citations {found[0]}, of the challenger's {found[1]}."
    return TieBreak(step=TieBreakStep.CITATIONS, winner=_more(proposer, challenger), reason=reason)


def _by_unanswered(case: TieBreakCase) -> TieBreak | None:
    proposer, challenger = left_unanswered(base.Role.PROPOSER, case), left_unanswered(base.Role.CHALLENGER, case)
    if proposer == challenger:
        return None
    reason = f"The proposer left {_challenges(proposer)} unanswered, the challenger {challenger}."
    return TieBreak(step=TieBreakStep.UNANSWERED, winner=_more(challenger, proposer), reason=reason)


def _by_burden(case: TieBreakCase) -> TieBreak:
    conceded = [found for found in case.concessions if found.role is base.Role.PROPOSER and found.withdrawn is None]
    not_found = len(_not_found(base.Role.PROPOSER, case))
    if conceded or not_found:
        reason = f"The challenger has shown a flaw: {_of_the_proposer(len(conceded), not_found)}."
    else:
        reason = "The challenger has shown no flaw: no concession stands, and no citation of the proposer is missing."
    winner: Side = base.Role.CHALLENGER if conceded or not_found else base.Role.PROPOSER
    return TieBreak(step=TieBreakStep.BURDEN, winner=winner, reason=reason)


def _more(proposer: int, challenger: int) -> Side:
    return base.Role.PROPOSER if proposer > challenger else base.Role.CHALLENGER


def _first_brought(side: Side, case: TieBreakCase) -> set[_Citation]:
    """What stands as cited, and ``side`` did not have from the other."""
    first: dict[_Citation, tuple[int, int]] = {}
    own: dict[_Citation, tuple[int, int]] = {}
    for found in case.ledgers:
        moment = _moment(found, case)
        for citation in _with(lookups.CitationStatus.VERIFIED, found):
            first.setdefault(citation, moment)
            if found.role is side:
                own.setdefault(citation, moment)
    return {citation for citation, moment in own.items() if moment == first[citation]}


def _moment(found: debate.SpeechLedger, case: TieBreakCase) -> tuple[int, int]:
    is_blind = case.blind_openings and found.round == 1
    return found.round, 1 if found.role is base.Role.CHALLENGER and not is_blind else 0


def _not_found(side: Side, case: TieBreakCase) -> set[_Citation]:
    return {
        citation
        for found in case.ledgers
        if found.role is side
        for citation in _with(lookups.CitationStatus.NOT_FOUND, found)
    }


def _with(status: lookups.CitationStatus, found: debate.SpeechLedger) -> Iterable[_Citation]:
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


NO_USABLE_VERDICT = "was asked twice and gave no usable verdict: {why}"
RESTS_ON_NOTHING = "was asked twice and cites no argument that the side it picked has made"

_HEDGED = {Hedge.BOTH: "both-merit", Hedge.OTHER_SIDE: "other-side"}
"""Hedges for which a judge is asked again: it contradicts itself. What is only missing is reported."""

_QUOTE_LENGTH = 300
_PROBLEM_LENGTH = 200


@dataclass(frozen=True)
class Unjudged:
    """No judge gave a usable verdict in any order."""

    abstentions: tuple[JudgeAbstention, ...]


@dataclass(frozen=True)
class _Seat:
    """One judge in one order; ``letters`` is how ids spell the order."""

    judge: int
    participant: base.Participant
    letters: str

    @property
    def name(self) -> str:
        return f"judge{self.judge}.{self.letters}"

    @property
    def order(self) -> Order:
        return speeches.ORDERS[self.letters]


@dataclass(frozen=True)
class _Bare:
    """A ballot that cites nothing which its winner has said: beside one that does it counts as an abstention."""

    ballot: Ballot
    abstention: JudgeAbstention


class Bench:
    """The judges of one debate, on what was ``said`` in its completed rounds."""

    def __init__(self, request: debate.DebateRequest, prompts: asks.DebatePrompts, said: speeches.Said) -> None:
        self._request = request
        self._prompts = prompts
        self._said = said
        self._sides = {order: judging.Sides(request, prompts, said, order) for order in Order}

    def judge(self, completed: int) -> Course[Wanted, Judgement | Unjudged]:
        """The ballots on ``completed`` rounds, all asked for at once; then what comes of them."""
        judges = enumerate(self._request.judges, start=1)
        seats = [_Seat(number, participant, letters) for number, participant in judges for letters in speeches.ORDERS]
        found = yield from together(*(self._ballot(seat, completed) for seat in seats))
        ballots = tuple(each for each in found if isinstance(each, Ballot))
        bare = tuple(each.ballot for each in found if isinstance(each, _Bare))
        abstentions = tuple(
            each.abstention if isinstance(each, _Bare) else each for each in found if not isinstance(each, Ballot)
        )
        if not ballots:
            agreed = counted_without_arguments(bare, abstentions) if self._request.edition > 1 else None
            return agreed or Unjudged(abstentions)
        judgement = counted(ballots, abstentions, len(self._request.judges), tie_break(self._case(ballots)))
        is_capped = self._request.is_one_reader and judgement.firmness in {Firmness.UNANIMOUS, Firmness.MAJORITY}
        return judgement.model_copy(update={"firmness": Firmness.ONE_READER}) if is_capped else judgement

    def _case(self, ballots: tuple[Ballot, ...]) -> TieBreakCase:
        return TieBreakCase(
            ledgers=self._said.ledgers,
            concessions=self._said.conduct.concessions,
            unanswered=tuple(challenge for ballot in ballots for challenge in ballot.unanswered),
            blind_openings=self._request.blind_openings,
        )

    def _ballot(self, seat: _Seat, completed: int) -> Course[Wanted, Ballot | _Bare | JudgeAbstention]:
        def want(first: Attempt[judging.Checked] | None) -> Wanted:
            id_, problem = f"{seat.name}.{2 if first else 1}", first.problem if first else ""
            return Wanted(id_, partial(self._ask, id_, seat, completed, problem))

        return _decided(seat, (yield from until_usable(want, partial(self._read, seat))))

    def _read(self, seat: _Seat, reply: str) -> Reading[judging.Checked]:
        filled = replies.read_ballot(reply, seat.order)
        checked = judging.check(filled.value, self._sides[seat.order])
        return Reading(checked, tuple(self._objections(checked)), filled.defaulted)

    def _objections(self, checked: judging.Checked) -> Iterator[str]:
        if checked.invented:
            quotes = (f"- Side {cited.side}: {one_line(cited.quote, _QUOTE_LENGTH)}" for cited in checked.invented)
            yield self._prompts.say("objections#invented", quotes="\n".join(quotes))
        elif not checked.supports_winner:
            yield self._prompts.say("objections#rests-on-nothing", winner=f"Side {checked.reply.winner}")
        if self._request.edition > 1:
            for hedge in (each for each in checked.reply.hedges if each in _HEDGED):
                yield self._prompts.say(f"objections#{_HEDGED[hedge]}", winner=f"Side {checked.reply.winner}")

    def _ask(self, id_: str, seat: _Seat, completed: int, problem: str) -> transcript.Ask:
        sides = self._sides[seat.order]
        prompt = self._prompts.judging(sides.heard, completed, seat.order).followed_by(self._prompts.again(problem))
        judge = seat.participant
        placed = transcript.Placed(
            kind=transcript.TurnKind.SYNTHESIS,
            role=base.Role.JUDGE,
            round=completed,
            tool=judge.tool,
            attempt=2 if problem else 1,
            number=seat.judge,
            order=1 if seat.order is Order.PROPOSER_FIRST else 2,
            label="verdict",
        )
        # The name tells a script which of the two orders it is asked in.
        return asks.ask_of(
            self._request, id_, "debate/synthesis", placed, prompt, sides.speeches, model=judge.model, name=seat.name
        )


def _decided(seat: _Seat, attempts: Sequence[Attempt[judging.Checked]]) -> Ballot | _Bare | JudgeAbstention:
    read = [(attempt.said, attempt.defaulted) for attempt in attempts if attempt.said]
    if not read:
        return _abstention(seat, _why_unread(attempts[-1]), attempts[-1].turn)
    said, defaulted = read[-1]
    # What cites words that nobody has said stands without them, unless nothing is left that carries it.
    turn = next(attempt.turn for attempt in reversed(attempts) if attempt.said)
    ballot = _ballot(seat, said, defaulted, _answered_by(seat, turn))
    return ballot if said.supports_winner else _Bare(ballot, _abstention(seat, RESTS_ON_NOTHING, turn))


def _why_unread(last: Attempt[judging.Checked]) -> str:
    if last.turn.failure or last.is_cut_off:
        return f"failed: {last.cause}"
    return NO_USABLE_VERDICT.format(why=one_line(last.problem, _PROBLEM_LENGTH).rstrip("."))


def _answered_by(seat: _Seat, turn: transcript.Turn) -> transcript.Answerer:
    return turn.answerer or transcript.Answerer(tool=seat.participant.tool)


def _ballot(seat: _Seat, checked: judging.Checked, defaulted: tuple[str, ...], answerer: transcript.Answerer) -> Ballot:
    return Ballot(
        judge=seat.judge,
        tool=answerer.tool,
        stands_in_for=answerer.stands_in_for,
        order=seat.order,
        verdict=checked.reply.verdict(seat.order, checked.arguments),
        struck=tuple(dict.fromkeys(cited.quote for cited in checked.invented)),
        unanswered=checked.unanswered,
        concessions=checked.concessions,
        unsaid=checked.agreed[None],
        contrary=checked.agreed[claims.Relation.CONFLICTS],
        uncompared=checked.agreed[claims.Relation.OPEN],
        hedges=checked.reply.hedges,
        defaulted=defaulted,
    )


def _abstention(seat: _Seat, cause: str, turn: transcript.Turn) -> JudgeAbstention:
    answerer = _answered_by(seat, turn)
    return JudgeAbstention(
        judge=seat.judge, tool=answerer.tool, stands_in_for=answerer.stands_in_for, order=seat.order, cause=cause
    )
