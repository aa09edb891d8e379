"""The verdict of a debate: who won, how firmly, what it rests on, and how each judge came to it."""

from collections.abc import Iterable

from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.fitting import Section
from sparring.reports.foreign import after, inline, table
from sparring.schema.base import Role
from sparring.schema.debate import (
    Ballot,
    Firmness,
    Judgement,
    Order,
    Scores,
    SideScores,
    TieBreakStep,
    Verdict,
)

ORDERS = {Order.PROPOSER_FIRST: "proposer first", Order.CHALLENGER_FIRST: "challenger first"}

_FIRMNESS = {
    Firmness.UNANIMOUS: "unanimous: every judge said so, whichever side was shown first",
    Firmness.MAJORITY: "majority: most judges with a vote said so, whichever side was shown first",
    Firmness.ONE_ORDER: "one order: it rests on judges who could not all be heard in both orders",
    Firmness.ORDER_SENSITIVE: "order-sensitive: the winner changed with the order of the sides; the tie-break decided",
    Firmness.TIE_BREAK: "tie-break: the judges were evenly split",
}
_UNANIMOUS_JUDGE = "unanimous: the judge said so, whichever side was shown first"

_STEPS = {
    TieBreakStep.CITATIONS: "citations",
    TieBreakStep.UNANSWERED: "unanswered challenges",
    TieBreakStep.BURDEN: "the challenger's burden",
}
_DIMENSIONS = tuple(Scores.model_fields)


def verdict_sections(debate: FinishedDebate) -> tuple[Section, ...]:
    """Below the seed's sentence how firm it is, then the arguments that it rests on, then who dissents."""
    verdict, judgement = debate.outcome.verdict, debate.outcome.judgement
    if verdict is None:
        return (Section("## Verdict", f"No verdict ({debate.outcome.status})."),)
    winner = after(f"{debate.name(verdict.winner)} had the stronger argument because:", verdict.reasoning)
    how = (Section("", _bullets(_how(debate, judgement))), *_dissent(debate, judgement)) if judgement else ()
    rests_on = (Section("", _arguments(debate, verdict)),) if verdict.arguments else ()
    return (Section("## Verdict", winner), *how, *rests_on)


def scores_table(debate: FinishedDebate, given: SideScores) -> str:
    """What the judge of the verdict gave each side."""
    rows = (
        [debate.name(role), *(str(getattr(scores, dimension)) for dimension in _DIMENSIONS)]
        for role, scores in ((Role.PROPOSER, given.proposer), (Role.CHALLENGER, given.challenger))
    )
    return table(["Score, 1 to 5", *(dimension.capitalize() for dimension in _DIMENSIONS)], rows)


def _how(debate: FinishedDebate, judgement: Judgement) -> Iterable[str]:
    is_one = not debate.request.panel
    firm = judgement.firmness
    yield f"Firmness: {_UNANIMOUS_JUDGE if is_one and firm is Firmness.UNANIMOUS else _FIRMNESS[firm]}."
    if judgement.tie_break:
        yield f"Tie-break ({_STEPS[judgement.tie_break.step]}): {judgement.tie_break.reason}"
    for number in range(1, len(debate.request.judges) + 1):
        yield f"{debate.judge_name(number).capitalize()}: {_vote(debate, judgement, number)}."
    for ballot in judgement.ballots:
        for words in ballot.struck:
            by = f"{debate.judge_name(ballot.judge)}, {ORDERS[ballot.order]}"
            yield f"Struck, since nobody has said it ({by}): “{words}”"


def _vote(debate: FinishedDebate, judgement: Judgement, number: int) -> str:
    ballots = [ballot for ballot in judgement.ballots if ballot.judge == number]
    said = [f"for {debate.name(ballot.verdict.winner)} ({ORDERS[ballot.order]})" for ballot in ballots]
    if len(ballots) == len(Order) and len({ballot.verdict.winner for ballot in ballots}) == 1:
        said = [f"for {debate.name(ballots[0].verdict.winner)} in both orders"]
    return "; ".join([*said, *_abstained(judgement, number)]) or "not heard"


def _abstained(judgement: Judgement, number: int) -> list[str]:
    found = [abstention for abstention in judgement.abstentions if abstention.judge == number]
    causes = {abstention.cause for abstention in found}
    if len(found) == len(Order) and len(causes) == 1:
        return [f"abstained in both orders: {causes.pop()}"]
    return [f"abstained ({ORDERS[abstention.order]}): {abstention.cause}" for abstention in found]


def _dissent(debate: FinishedDebate, judgement: Judgement) -> Iterable[Section]:
    for number in judgement.dissent:
        ballot = _first_against(judgement, number)
        lead = f"{debate.judge_name(number).capitalize()} dissents, for {debate.name(ballot.verdict.winner)}:"
        yield Section("", after(lead, ballot.verdict.reasoning))


def _first_against(judgement: Judgement, number: int) -> Ballot:
    return next(
        ballot
        for ballot in judgement.ballots
        if ballot.judge == number and ballot.verdict.winner is not judgement.winner
    )


def _arguments(debate: FinishedDebate, verdict: Verdict) -> str:
    quotes = (
        f"{debate.name(argument.side)}, round {argument.round}: “{argument.quote}”" for argument in verdict.arguments
    )
    return f"It rests on:\n\n{_bullets(quotes)}"


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {inline(point)}" for point in points)
