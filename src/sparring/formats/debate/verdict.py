"""The judges of a debate: their ballots, in both orders, and the winner that follows from them, if one does."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import product

from msgspec import Struct

from sparring.engine.course import Attempt, Course, Reading, Wanted, together, until_usable, why_unanswered
from sparring.formats.debate import judging, replies, rulebook, speeches
from sparring.formats.debate.prompts import DebatePrompts, ask_of
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


class JudgeVote(Struct, frozen=True):
    """One judge's vote, or the votes that are possible if ballots were lost.

    Attributes:
        possible: The possible votes; None means no vote. With one element the vote is known.
        is_firm: It picked one side in both orders, each time with an argument that this side has made.
    """

    judge: int
    possible: frozenset[Side | None]
    is_firm: bool = False

    def is_for(self, side: Side) -> bool:
        """Return whether it is known to vote for ``side``."""
        return side in self.possible and len(self.possible) == 1


def votes_of(ballots: Sequence[Ballot], abstentions: Sequence[JudgeAbstention]) -> tuple[JudgeVote, ...]:
    """Return the vote of each judge that was asked.

    A ballot states its pick even if its quotes were struck. Picks that differ between the orders void the vote. If the
    other ballot was lost, a pick might be void. Ballots of two tools, one the substitute of the other, are no pair of
    orders. A judge without a readable ballot has no vote.
    """
    judges = sorted({each.judge for each in (*ballots, *abstentions)})
    return tuple(_vote_of(judge, [each for each in ballots if each.judge == judge]) for judge in judges)


def _vote_of(judge: int, own: Sequence[Ballot]) -> JudgeVote:
    picked: set[Side | None] = {ballot.verdict.winner for ballot in own}
    if len(picked) != 1:
        return JudgeVote(judge, frozenset({None}))
    supported = [ballot for ballot in own if ballot.is_supported]
    is_pair = len(own) == len(Order) and len({ballot.tool for ballot in own}) == 1
    is_known = is_pair and bool(supported)
    return JudgeVote(judge, frozenset(picked if is_known else {None, *picked}), is_pair and len(supported) == len(own))


def changed_with_the_order(ballots: Iterable[Ballot]) -> tuple[int, ...]:
    """Return the judges who picked different sides in the two orders."""
    picked: dict[int, set[Side]] = {}
    for ballot in ballots:
        picked.setdefault(ballot.judge, set()).add(ballot.verdict.winner)
    return tuple(sorted(judge for judge, sides in picked.items() if len(sides) > 1))


class JudgingStage(Struct, frozen=True, dict=True):
    """All ballots and abstentions of the judges asked so far.

    Attributes:
        tie_breaks: The results of the tie-break, or its possible results if ballots were lost; None if it does not
            separate the sides.
    """

    ballots: tuple[Ballot, ...]
    abstentions: tuple[JudgeAbstention, ...]
    tie_breaks: tuple[TieBreak | None, ...]

    @cached_property
    def votes(self) -> tuple[JudgeVote, ...]:
        """The judges in their order."""
        return votes_of(self.ballots, self.abstentions)


def counted(*stages: JudgingStage) -> Judgement:
    """Return the judgement; its winner is None if the debate is undecided.

    A side wins only if it would win with any content of the ballots that were lost or whose quotes were struck. So a
    damaged ballot can remove a winner, and never makes or changes one. Without any ballot there is no winner.

    Args:
        *stages: The judges of the request, then, if one was asked, the same and the further judge.
    """
    last = stages[-1]
    possible = tuple(product(*(each.possible for each in last.votes)))
    winners: set[Side | None] = set()
    winners.update(*(_winners(votes, stages) for votes in possible))
    winner = winners.pop() if len(winners) == 1 else None
    needs_tie_break = any(_majority(votes) is None for votes in possible)
    breaking = (each for each in last.tie_breaks if each and each.winner is winner)
    return Judgement(
        winner=winner,
        firmness=_firmness(winner, last.votes, needs_tie_break) if winner else Firmness.UNDECIDED,
        order_sensitive=bool(changed_with_the_order(last.ballots)),
        tie_break=next(breaking, None) if winner and needs_tie_break else None,
        ballots=last.ballots,
        abstentions=last.abstentions,
        dissent=tuple(each.judge for each in last.votes if winner and each.is_for(speeches.other_side(winner))),
    )


def _winners(votes: Sequence[Side | None], stages: Iterable[JudgingStage]) -> set[Side | None]:
    """Return the winners that may follow from ``votes``; a later stage counts only if an earlier one may be tied."""
    winners: set[Side | None] = set()
    for stage in (each for each in stages if each.ballots):
        if majority := _majority(votes[: len(stage.votes)]):
            winners.add(majority)
            return winners
        winners.update(each.winner for each in stage.tie_breaks if each)
        if None not in stage.tie_breaks:
            return winners
    winners.add(None)
    return winners


def deciding(judgement: Judgement) -> Ballot:
    """The ballot whose verdict is shown: the first for the winner by a judge with a vote, if possible without a hedge.

    A ballot of the second order, which does not ask for ratings and agreements, takes them from one that has them, if
    possible of the same judge. ``judgement`` must have a winner.
    """
    ballots = (ballot for ballot in judgement.ballots if ballot.verdict.winner is judgement.winner)
    changed = changed_with_the_order(judgement.ballots)
    shown = min(ballots, key=lambda ballot: (ballot.judge in changed, not ballot.is_supported, bool(ballot.hedges)))
    rated = [ballot for ballot in judgement.ballots if ballot.order is Order.PROPOSER_FIRST]
    if shown.order is Order.PROPOSER_FIRST or not rated:
        return shown
    other = min(rated, key=lambda ballot: ballot.judge != shown.judge)
    observed = {name: getattr(other.verdict, name) for name in _OBSERVED}
    lookups = {"unsaid": other.unsaid, "contrary": other.contrary, "uncompared": other.uncompared}
    return shown.model_copy(update={"verdict": shown.verdict.model_copy(update=observed), **lookups})


_OBSERVED = ("scores", "quality", "agreements", "disagreements", "unresolved_questions")
"""Parts of a verdict that do not depend on its winner, and are requested once."""


def _majority(votes: Sequence[Side | None]) -> Side | None:
    proposer, challenger = (votes.count(side) for side in debate.SPEAKING_ORDER)
    return None if proposer == challenger else _more(proposer, challenger)


def _firmness(winner: Side, votes: Sequence[JudgeVote], needs_tie_break: bool) -> Firmness:  # noqa: FBT001
    firm = sum(each.is_firm and each.is_for(winner) for each in votes)
    against = sum(speeches.other_side(winner) in each.possible for each in votes)
    if not needs_tie_break and firm > against:
        if firm == 1:
            return Firmness.BOTH_ORDERS
        return Firmness.UNANIMOUS if firm == len(votes) else Firmness.MAJORITY
    if not needs_tie_break or any(len(each.possible) > 1 for each in votes):
        return Firmness.ONE_ORDER
    is_split = any(each.possible - {None} for each in votes)
    return Firmness.TIE_BREAK if is_split else Firmness.ORDER_SENSITIVE


_Citation = tuple[lookups.CitationKind, str]


class TieBreakCase(Struct, frozen=True):
    """Facts for the tie-break.

    Attributes:
        ledgers: The ledgers of the judged rounds, in the order of speaking.
        unanswered: For each ballot the challenges that it reports as unanswered, by the side that made them;
            None for a ballot that was lost, or if some of them could not be read or found.
        blind_openings: Neither side could copy a citation of round 1 from the other.
    """

    ledgers: tuple[debate.SpeechLedger, ...]
    unanswered: tuple[tuple[CitedArgument, ...] | None, ...] = ()
    blind_openings: bool = False


def tie_breaks(case: TieBreakCase) -> tuple[TieBreak | None, ...]:
    """Return the result of the first step that separates the sides, or its possible results if ballots were lost."""
    by_citations = _by_citations(case)
    return (by_citations,) if by_citations else _by_unanswered(case)


def left_unanswered(side: Side, challenges: Iterable[CitedArgument]) -> int:
    """Return how many different ones of ``challenges`` ``side`` has left unanswered.

    Judges quote the same challenge at different lengths: words within longer ones are the same challenge.
    """
    put = {(challenge.round, challenge.quote) for challenge in challenges if challenge.side is not side}
    return sum(not _is_part_of_other(challenge, put) for challenge in put)


def _by_citations(case: TieBreakCase) -> TieBreak | None:
    if any(ledger.ledger is None for ledger in case.ledgers):
        return None  # a side must not lose because its citations could not be looked up
    hold = {side: len(_first_brought(side, case)) for side in debate.SPEAKING_ORDER}
    missing = {side: len(_missing_citations(side, case)) for side in debate.SPEAKING_ORDER}
    proposer, challenger = (hold[side] - missing[side] for side in debate.SPEAKING_ORDER)
    if proposer == challenger:
        return None
    counts = [f"{hold[side]} hold and {missing[side]} were not found" for side in debate.SPEAKING_ORDER]
    reason = f"Of the proposer's citations {counts[0]}, of the challenger's {counts[1]}."
    return TieBreak(step=TieBreakStep.CITATIONS, winner=_more(proposer, challenger), reason=reason)


def _by_unanswered(case: TieBreakCase) -> tuple[TieBreak | None, ...]:
    """Compare the unanswered challenges; all ballots must agree, so that no single one decides."""
    known = [each for each in case.unanswered if each is not None]
    counts = [tuple(left_unanswered(side, each) for side in debate.SPEAKING_ORDER) for each in known]
    sides = {None if proposer == challenger else _more(challenger, proposer) for proposer, challenger in counts}
    if None in sides or len(sides) > 1 or not case.unanswered:
        return (None,)
    answered = tuple(_most_answered(side) for side in debate.SPEAKING_ORDER if side in sides or not sides)
    return answered if len(known) == len(case.unanswered) else (None, *answered)


def _most_answered(winner: Side) -> TieBreak:
    reason = f"Every ballot says that the {speeches.other_side(winner)} left more challenges unanswered."
    return TieBreak(step=TieBreakStep.UNANSWERED, winner=winner, reason=reason)


def _more(proposer: int, challenger: int) -> Side:
    return base.Role.PROPOSER if proposer > challenger else base.Role.CHALLENGER


def _first_brought(side: Side, case: TieBreakCase) -> set[_Citation]:
    """Return the verified citations that ``side`` was the first to give."""
    first: dict[_Citation, tuple[int, int]] = {}
    own: dict[_Citation, tuple[int, int]] = {}
    for ledger in case.ledgers:
        moment = _moment(ledger, case)
        for citation in _with(lookups.CitationStatus.VERIFIED, ledger):
            first.setdefault(citation, moment)
            if ledger.role is side:
                own.setdefault(citation, moment)
    return {citation for citation, moment in own.items() if moment == first[citation]}


def _moment(ledger: debate.SpeechLedger, case: TieBreakCase) -> tuple[int, int]:
    is_blind = case.blind_openings and ledger.round == 1
    return ledger.round, 1 if ledger.role is base.Role.CHALLENGER and not is_blind else 0


def _missing_citations(side: Side, case: TieBreakCase) -> set[_Citation]:
    return {
        citation
        for ledger in case.ledgers
        if ledger.role is side
        for citation in _with(lookups.CitationStatus.NOT_FOUND, ledger)
    }


def _with(status: lookups.CitationStatus, ledger: debate.SpeechLedger) -> Iterable[_Citation]:
    entries = ledger.ledger.entries if ledger.ledger else ()
    return ((entry.kind, entry.text) for entry in entries if entry.status is status)


def _is_part_of_other(challenge: tuple[int, str], put: set[tuple[int, str]]) -> bool:
    round_, quote = challenge
    return any(other != quote and quote in other for other_round, other in put if other_round == round_)


NO_USABLE_VERDICT = "was asked twice and gave no usable verdict: {why}"

_HEDGED = {Hedge.BOTH: "both-merit", Hedge.OTHER_SIDE: "other-side"}
"""Hedges after which a judge is asked again, since it contradicts itself. A missing part is only reported."""

_QUOTE_LENGTH = 300
_PROBLEM_LENGTH = 200


class Unjudged(Struct, frozen=True):
    """No judge gave a usable verdict in any order."""

    abstentions: tuple[JudgeAbstention, ...]


class _Seat(Struct, frozen=True):
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


class Bench:
    """Judges of one debate, on the ``state`` after its completed rounds."""

    def __init__(self, request: debate.DebateRequest, prompts: DebatePrompts, state: speeches.DebateState) -> None:
        self._request = request
        self._prompts = prompts
        self._state = state
        self._sides = {order: judging.Sides(request, prompts, state, order) for order in Order}

    def judge(self, completed: int) -> Course[Wanted, Judgement | Unjudged]:
        """Ask for all ballots on ``completed`` rounds at once and return what follows from them.

        If the result is undecided, the further judge of the request is asked as well, if there is one.
        """
        stages = (self._stage((yield from self._heard(self._request.judges, 1, completed))),)
        judgement = self._counted(stages)
        further = self._request.further_judge
        if judgement.winner is None and further:
            more = yield from self._heard((further,), len(self._request.judges) + 1, completed)
            stages += (self._stage((*stages[0].ballots, *stages[0].abstentions, *more)),)
            judgement = self._counted(stages)
        return judgement if judgement.ballots else Unjudged(judgement.abstentions)

    def _heard(
        self, judges: Sequence[base.Participant], first: int, completed: int
    ) -> Course[Wanted, tuple[Ballot | JudgeAbstention, ...]]:
        """Ask ``judges``, the numbers of which begin with ``first``, in both orders."""
        numbered = enumerate(judges, start=first)
        seats = [_Seat(number, participant, letters) for number, participant in numbered for letters in speeches.ORDERS]
        return (yield from together(*(self._ballot(seat, completed) for seat in seats)))

    def _stage(self, results: Sequence[Ballot | JudgeAbstention]) -> JudgingStage:
        ballots = tuple(each for each in results if isinstance(each, Ballot))
        abstentions = tuple(each for each in results if isinstance(each, JudgeAbstention))
        heard = {each.judge for each in ballots}
        lost = sum(each.judge in heard for each in abstentions)
        case = TieBreakCase(
            ledgers=self._state.ledgers,
            unanswered=(*(None if each.has_lost_challenges else each.unanswered for each in ballots), *[None] * lost),
            blind_openings=self._request.blind_openings,
        )
        return JudgingStage(ballots, abstentions, tie_breaks(case))

    def _counted(self, stages: Sequence[JudgingStage]) -> Judgement:
        judgement = counted(*stages)
        if judgement.firmness in _OF_VOTES and self._is_unopposed:
            return judgement.model_copy(update={"firmness": Firmness.UNOPPOSED})
        is_one_reader = self._request.is_one_reader and {each.tool for each in judgement.ballots} == {base.HOST_TOOL}
        is_capped = is_one_reader and judgement.firmness in _OF_VOTES
        return judgement.model_copy(update={"firmness": Firmness.ONE_READER}) if is_capped else judgement

    @property
    def _is_unopposed(self) -> bool:
        return rulebook.attacked_nothing(self._state) or bool(rulebook.gave_up_without_evidence(self._state))

    def _ballot(self, seat: _Seat, completed: int) -> Course[Wanted, Ballot | JudgeAbstention]:
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
        # The name tells a script the order.
        return ask_of(
            self._request, id_, "debate/synthesis", placed, prompt, sides.speeches, model=judge.model, name=seat.name
        )


_OF_VOTES = frozenset({Firmness.UNANIMOUS, Firmness.MAJORITY, Firmness.BOTH_ORDERS})


def _decided(seat: _Seat, attempts: Sequence[Attempt[judging.Checked]]) -> Ballot | JudgeAbstention:
    for attempt in reversed(attempts):
        if attempt.value:  # a reply that cites words which no side used counts without them
            return _ballot(seat, attempt.value, attempt.defaulted, _answered_by(seat, attempt.turn))
    return _abstention(seat, _why_unread(attempts[-1]), attempts[-1].turn)


def _why_unread(last: Attempt[judging.Checked]) -> str:
    if why := why_unanswered(last.turn):
        return f"failed: {why}"
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
        has_lost_challenges="unanswered" in defaulted or checked.lost_challenges,
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
