"""The judges of a debate: their ballots, in both orders, and the winner that follows from them, if one does."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import product

from msgspec import Struct

from sparring.engine.course import (
    Attempt,
    Course,
    DeferredAsk,
    ReadReply,
    ask_until_usable,
    failure_cause,
    run_together,
)
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

    @property
    def is_void(self) -> bool:
        """Return whether it is known to be no vote."""
        return not self.possible - {None}


def votes_of(ballots: Sequence[Ballot], abstentions: Sequence[JudgeAbstention]) -> tuple[JudgeVote, ...]:
    """Return the vote of each judge that was asked.

    A ballot states its pick even if its quotes were struck. Picks that differ between the orders void the vote. If the
    other ballot was lost, a pick might be void. Ballots of two tools, one the substitute of the other, are no pair of
    orders. A judge without a readable ballot has no vote.
    """
    judges = sorted({reply.judge for reply in (*ballots, *abstentions)})
    return tuple(_vote_of(judge, [ballot for ballot in ballots if ballot.judge == judge]) for judge in judges)


def _vote_of(judge: int, own: Sequence[Ballot]) -> JudgeVote:
    picked: set[Side | None] = {ballot.verdict.winner for ballot in own}
    if len(picked) != 1:
        return JudgeVote(judge, frozenset({None}))
    supported = [ballot for ballot in own if ballot.is_supported]
    tools = {ballot.tool for ballot in own}
    is_pair = len(own) == len(Order) and len(tools) == 1
    if is_pair and supported:
        return JudgeVote(judge, frozenset(picked), is_firm=len(supported) == len(own))
    # The lost ballot might have picked the other side, which voids the vote; so might a pick that nothing supports.
    return JudgeVote(judge, frozenset({None, *picked}))


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
    # Every combination of votes that lost or struck ballots leave possible, and every winner that follows from one.
    combinations = tuple(product(*(vote.possible for vote in last.votes)))
    winners: set[Side | None] = set()
    for votes in combinations:
        winners |= _winners(votes, stages)
    winner = winners.pop() if len(winners) == 1 else None
    firmness = Firmness.UNDECIDED
    tie_break: TieBreak | None = None
    dissent: tuple[int, ...] = ()
    if winner:
        needs_tie_break = any(_majority(votes) is None for votes in combinations)
        firmness = _firmness(winner, last.votes, needs_tie_break)
        if needs_tie_break:
            tie_break = next((each for each in last.tie_breaks if each and each.winner is winner), None)
        loser = speeches.other_side(winner)
        dissent = tuple(vote.judge for vote in last.votes if vote.is_for(loser))
    return Judgement(
        winner=winner,
        firmness=firmness,
        order_sensitive=bool(changed_with_the_order(last.ballots)),
        tie_break=tie_break,
        ballots=last.ballots,
        abstentions=last.abstentions,
        dissent=dissent,
    )


def _winners(votes: Sequence[Side | None], stages: Iterable[JudgingStage]) -> set[Side | None]:
    """Return the winners that may follow from ``votes``; a later stage counts only if an earlier one may be tied."""
    winners: set[Side | None] = set()
    for stage in stages:
        if not stage.ballots:
            continue  # a tie-break without any ballot would be a verdict without a judge
        majority = _majority(votes[: len(stage.votes)])
        if majority:
            winners.add(majority)
            return winners
        winners.update(tie_break.winner for tie_break in stage.tie_breaks if tie_break)
        if None not in stage.tie_breaks:
            return winners
    winners.add(None)
    return winners


def deciding(judgement: Judgement) -> Ballot:
    """The ballot whose verdict is shown: the first for the winner by a judge with a vote, if possible without a hedge.

    A ballot of the second order, which does not ask for ratings and agreements, takes them from one that has them, if
    possible of the same judge. ``judgement`` must have a winner.
    """
    for_winner = [ballot for ballot in judgement.ballots if ballot.verdict.winner is judgement.winner]
    void = changed_with_the_order(judgement.ballots)
    shown = min(for_winner, key=lambda ballot: (ballot.judge in void, not ballot.is_supported, bool(ballot.hedges)))
    rated = [ballot for ballot in judgement.ballots if ballot.order is Order.PROPOSER_FIRST]
    if shown.order is Order.PROPOSER_FIRST or not rated:
        return shown
    other = min(rated, key=lambda ballot: ballot.judge != shown.judge)
    verdict = shown.verdict.model_copy(update={name: getattr(other.verdict, name) for name in _OBSERVED})
    # What was looked up of the agreements moves with them.
    quotes = {"unsaid": other.unsaid, "contrary": other.contrary, "uncompared": other.uncompared}
    return shown.model_copy(update={"verdict": verdict, **quotes})


_OBSERVED = ("scores", "quality", "agreements", "disagreements", "unresolved_questions")
"""Parts of a verdict that do not depend on its winner, and are requested once."""


def _majority(votes: Sequence[Side | None]) -> Side | None:
    return _side_with_more(proposer=votes.count(base.Role.PROPOSER), challenger=votes.count(base.Role.CHALLENGER))


def _firmness(winner: Side, votes: Sequence[JudgeVote], needs_tie_break: bool) -> Firmness:  # noqa: FBT001
    loser = speeches.other_side(winner)
    firm = sum(vote.is_firm and vote.is_for(winner) for vote in votes)
    against = sum(loser in vote.possible for vote in votes)
    if not needs_tie_break and firm > against:
        if firm == 1:
            return Firmness.BOTH_ORDERS
        return Firmness.UNANIMOUS if firm == len(votes) else Firmness.MAJORITY
    # A majority that includes votes of one order only, or a tie that lost ballots may have caused.
    if not needs_tie_break or any(len(vote.possible) > 1 for vote in votes):
        return Firmness.ONE_ORDER
    is_split = any(not vote.is_void for vote in votes)
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
    quotes_by_round: dict[int, set[str]] = {}
    for challenge in challenges:
        if challenge.side is not side:
            quotes_by_round.setdefault(challenge.round, set()).add(challenge.quote)
    return sum(
        not any(quote in other for other in quotes if other != quote)
        for quotes in quotes_by_round.values()
        for quote in quotes
    )


def _by_citations(case: TieBreakCase) -> TieBreak | None:
    if any(ledger.ledger is None for ledger in case.ledgers):
        return None  # a side must not lose because its citations could not be looked up
    balance: dict[Side, int] = {}
    counts: dict[Side, str] = {}
    for side in debate.SPEAKING_ORDER:
        hold = len(_introduced(side, case))
        own = [ledger for ledger in case.ledgers if ledger.role is side]
        missing = {citation for ledger in own for citation in _citations(ledger, lookups.CitationStatus.NOT_FOUND)}
        balance[side] = hold - len(missing)
        counts[side] = f"{hold} hold and {len(missing)} were not found"
    proposer, challenger = debate.SPEAKING_ORDER
    winner = _side_with_more(proposer=balance[proposer], challenger=balance[challenger])
    if winner is None:
        return None
    reason = f"Of the proposer's citations {counts[proposer]}, of the challenger's {counts[challenger]}."
    return TieBreak(step=TieBreakStep.CITATIONS, winner=winner, reason=reason)


def _by_unanswered(case: TieBreakCase) -> tuple[TieBreak | None, ...]:
    """Compare the unanswered challenges; all ballots must agree, so that no single one decides."""
    if not case.unanswered:
        return (None,)
    known = [challenges for challenges in case.unanswered if challenges is not None]
    sides: set[Side | None] = set()
    for challenges in known:
        by_proposer = left_unanswered(base.Role.PROPOSER, challenges)
        by_challenger = left_unanswered(base.Role.CHALLENGER, challenges)
        # The side that left fewer unanswered is the one whose opponent left more.
        sides.add(_side_with_more(proposer=by_challenger, challenger=by_proposer))
    if None in sides or len(sides) > 1:
        return (None,)
    results: list[TieBreak | None] = []
    for side in debate.SPEAKING_ORDER:
        if side in sides or not known:  # if every ballot was lost, either side may be ahead
            reason = f"Every ballot says that the {speeches.other_side(side)} left more challenges unanswered."
            results.append(TieBreak(step=TieBreakStep.UNANSWERED, winner=side, reason=reason))
    if len(known) < len(case.unanswered):
        results.insert(0, None)  # a lost ballot may disagree
    return tuple(results)


def _side_with_more(*, proposer: int, challenger: int) -> Side | None:
    if proposer == challenger:
        return None
    return base.Role.PROPOSER if proposer > challenger else base.Role.CHALLENGER


def _introduced(side: Side, case: TieBreakCase) -> set[_Citation]:
    """Return the verified citations that ``side`` gave first, or at the same time as the other side."""
    first: dict[_Citation, tuple[int, int]] = {}
    own: dict[_Citation, tuple[int, int]] = {}
    for ledger in case.ledgers:
        moment = _moment(ledger, case)
        for citation in _citations(ledger, lookups.CitationStatus.VERIFIED):
            first.setdefault(citation, moment)
            if ledger.role is side:
                own.setdefault(citation, moment)
    return {citation for citation, moment in own.items() if moment == first[citation]}


def _moment(ledger: debate.SpeechLedger, case: TieBreakCase) -> tuple[int, int]:
    """Return the round, and the place in it: blind openings are simultaneous."""
    is_blind = case.blind_openings and ledger.round == 1
    return ledger.round, 1 if ledger.role is base.Role.CHALLENGER and not is_blind else 0


def _citations(ledger: debate.SpeechLedger, status: lookups.CitationStatus) -> list[_Citation]:
    entries = ledger.ledger.entries if ledger.ledger else ()
    return [(entry.kind, entry.text) for entry in entries if entry.status is status]


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


class JudgePanel:
    """Judges of one debate, on the ``state`` after its completed rounds."""

    def __init__(self, request: debate.DebateRequest, prompts: DebatePrompts, state: speeches.DebateState) -> None:
        self._request = request
        self._prompts = prompts
        self._state = state
        self._sides = {order: judging.Sides(request, prompts, state, order) for order in Order}

    def judge(self, completed: int) -> Course[DeferredAsk, Judgement | Unjudged]:
        """Ask for all ballots on ``completed`` rounds at once and return what follows from them.

        If the result is undecided, the further judge of the request is asked as well, if there is one.
        """
        replies_of_judges = yield from self._ask_judges(self._request.judges, 1, completed)
        stages = [self._stage(replies_of_judges)]
        judgement = self._counted(stages)
        further = self._request.further_judge
        if judgement.winner is None and further:
            further_replies = yield from self._ask_judges((further,), len(self._request.judges) + 1, completed)
            stages.append(self._stage((*replies_of_judges, *further_replies)))
            judgement = self._counted(stages)
        return judgement if judgement.ballots else Unjudged(judgement.abstentions)

    def _ask_judges(
        self, judges: Sequence[base.Participant], first: int, completed: int
    ) -> Course[DeferredAsk, tuple[Ballot | JudgeAbstention, ...]]:
        """Ask ``judges``, the numbers of which begin with ``first``, in both orders."""
        seats = [
            _Seat(number, participant, letters)
            for number, participant in enumerate(judges, start=first)
            for letters in speeches.ORDERS
        ]
        return (yield from run_together(*(self._ballot(seat, completed) for seat in seats)))

    def _stage(self, results: Sequence[Ballot | JudgeAbstention]) -> JudgingStage:
        ballots = tuple(result for result in results if isinstance(result, Ballot))
        abstentions = tuple(result for result in results if isinstance(result, JudgeAbstention))
        unanswered = [None if ballot.has_lost_challenges else ballot.unanswered for ballot in ballots]
        # A judge with one ballot has lost the other. A judge without any has no vote, and nothing to compare.
        judges_with_ballot = {ballot.judge for ballot in ballots}
        unanswered += [None for abstention in abstentions if abstention.judge in judges_with_ballot]
        case = TieBreakCase(
            ledgers=self._state.ledgers,
            unanswered=tuple(unanswered),
            blind_openings=self._request.blind_openings,
        )
        return JudgingStage(ballots, abstentions, tie_breaks(case))

    def _counted(self, stages: Sequence[JudgingStage]) -> Judgement:
        """Return the judgement, no firmer than the debate and its judges allow."""
        judgement = counted(*stages)
        if judgement.firmness not in _OF_VOTES:
            return judgement
        if rulebook.attacked_nothing(self._state) or rulebook.gave_up_without_evidence(self._state):
            return judgement.model_copy(update={"firmness": Firmness.UNOPPOSED})
        # A substitute that another tool gave is a second reader.
        if self._request.is_one_reader and all(ballot.tool == base.HOST_TOOL for ballot in judgement.ballots):
            return judgement.model_copy(update={"firmness": Firmness.ONE_READER})
        return judgement

    def _ballot(self, seat: _Seat, completed: int) -> Course[DeferredAsk, Ballot | JudgeAbstention]:
        """Ask for one ballot, and once more with what was wrong with it; then settle for what can be read."""

        def want(first: Attempt[judging.CheckedReply] | None) -> DeferredAsk:
            id_ = f"{seat.name}.{2 if first else 1}"
            problem = first.problem if first else ""
            return DeferredAsk(id_, partial(self._ask, id_, seat, completed, problem))

        attempts = yield from ask_until_usable(want, partial(self._read, seat))
        for attempt in reversed(attempts):
            if attempt.value:  # a reply that cites words which no side used counts without them
                return _ballot(seat, attempt.value, attempt.defaulted, _answered_by(seat, attempt.turn))
        last = attempts[-1]
        failure = failure_cause(last.turn)
        if failure:
            cause = f"failed: {failure}"
        else:
            cause = NO_USABLE_VERDICT.format(why=one_line(last.problem, _PROBLEM_LENGTH).rstrip("."))
        respondent = _answered_by(seat, last.turn)
        return JudgeAbstention(
            judge=seat.judge,
            tool=respondent.tool,
            stands_in_for=respondent.stands_in_for,
            order=seat.order,
            cause=cause,
        )

    def _read(self, seat: _Seat, reply: str) -> ReadReply[judging.CheckedReply]:
        filled = replies.read_ballot(reply, seat.order)
        checked = judging.check(filled.value, self._sides[seat.order])
        return ReadReply(checked, tuple(self._objections(checked)), filled.defaulted)

    def _objections(self, checked: judging.CheckedReply) -> Iterator[str]:
        if checked.invented:
            quotes = (f"- Side {cited.side}: {one_line(cited.quote, _QUOTE_LENGTH)}" for cited in checked.invented)
            yield self._prompts.phrase("objections#invented", quotes="\n".join(quotes))
        elif not checked.supports_winner:
            yield self._prompts.phrase("objections#rests-on-nothing", winner=f"Side {checked.reply.winner}")
        for hedge in checked.reply.hedges:
            if hedge in _HEDGED:
                yield self._prompts.phrase(f"objections#{_HEDGED[hedge]}", winner=f"Side {checked.reply.winner}")

    def _ask(self, id_: str, seat: _Seat, completed: int, problem: str) -> transcript.Ask:
        sides = self._sides[seat.order]
        prompt = self._prompts.judging(sides.shown, completed, seat.order).followed_by(self._prompts.again(problem))
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
"""Firmness that the votes alone give."""


def _answered_by(seat: _Seat, turn: transcript.Turn) -> transcript.Respondent:
    return turn.respondent or transcript.Respondent(tool=seat.participant.tool)


def _ballot(
    seat: _Seat, checked: judging.CheckedReply, defaulted: tuple[str, ...], respondent: transcript.Respondent
) -> Ballot:
    return Ballot(
        judge=seat.judge,
        tool=respondent.tool,
        stands_in_for=respondent.stands_in_for,
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
