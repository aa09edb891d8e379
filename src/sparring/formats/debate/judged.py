"""The judgement of a finished debate as Markdown: the verdict, who judged how and who dissents."""

from collections.abc import Iterable

from sparring.formats.debate.outcome import FinishedDebate
from sparring.reports.markdown import Section, after, bullets, table
from sparring.schema import base
from sparring.schema.judgement import Judgement, Order, Scores, SideScores, TieBreakStep, Verdict

_STEPS = {
    TieBreakStep.CITATIONS: "citations",
    TieBreakStep.UNANSWERED: "unanswered challenges",
    TieBreakStep.BURDEN: "the challenger's burden",
}
_DIMENSIONS = tuple(Scores.model_fields)


def verdict_sections(debate: FinishedDebate) -> tuple[Section, ...]:
    """Below the seed's sentence who judged how, then the arguments that it rests on, then who dissents."""
    verdict, judgement = debate.outcome.verdict, debate.outcome.judgement
    if verdict is None:
        return (Section("## Verdict", f"No verdict ({debate.outcome.status})."),)
    winner = after(f"{debate.name(verdict.winner)} had the stronger argument because:", verdict.reasoning)
    how = (Section("", bullets(_how(debate, judgement))), *_dissent(debate, judgement)) if judgement else ()
    rests_on = (Section("", _arguments(debate, verdict)),) if verdict.arguments else ()
    return (Section("## Verdict", winner), *how, *rests_on)


def scores_table(debate: FinishedDebate, given: SideScores) -> str:
    """What the judge of the verdict gave each side."""
    rows = (
        [debate.name(role), *(str(getattr(scores, dimension)) for dimension in _DIMENSIONS)]
        for role, scores in ((base.Role.PROPOSER, given.proposer), (base.Role.CHALLENGER, given.challenger))
    )
    return table(["Score, 1 to 5", *(dimension.capitalize() for dimension in _DIMENSIONS)], rows)


def _how(debate: FinishedDebate, judgement: Judgement) -> Iterable[str]:
    if judgement.tie_break:
        yield f"Tie-break ({_STEPS[judgement.tie_break.step]}): {judgement.tie_break.reason}"
    for number in range(1, len(debate.request.judges) + 1):
        yield f"{debate.judge_name(number).capitalize()}: {_vote(debate, judgement, number)}."
    for ballot in judgement.ballots:
        for words in ballot.struck:
            by = f"{debate.judge_name(ballot.judge)}, {ballot.order.spoken}"
            yield f"Struck, since nobody has said it ({by}): “{words}”"


def _vote(debate: FinishedDebate, judgement: Judgement, number: int) -> str:
    ballots = [ballot for ballot in judgement.ballots if ballot.judge == number]
    said = [f"for {debate.name(ballot.verdict.winner)} ({ballot.order.spoken})" for ballot in ballots]
    if len(ballots) == len(Order) and len({ballot.verdict.winner for ballot in ballots}) == 1:
        said = [f"for {debate.name(ballots[0].verdict.winner)} in both orders"]
    return "; ".join([*said, *_abstained(judgement, number)]) or "not heard"


def _abstained(judgement: Judgement, number: int) -> list[str]:
    found = [abstention for abstention in judgement.abstentions if abstention.judge == number]
    causes = {abstention.cause for abstention in found}
    if len(found) == len(Order) and len(causes) == 1:
        return [f"abstained in both orders: {causes.pop()}"]
    return [f"abstained ({abstention.order.spoken}): {abstention.cause}" for abstention in found]


def _dissent(debate: FinishedDebate, judgement: Judgement) -> Iterable[Section]:
    against = [each for each in judgement.ballots if each.verdict.winner is not judgement.winner]
    for number in judgement.dissent:
        ballot = next(each for each in against if each.judge == number)
        lead = f"{debate.judge_name(number).capitalize()} dissents, for {debate.name(ballot.verdict.winner)}:"
        yield Section("", after(lead, ballot.verdict.reasoning))


def _arguments(debate: FinishedDebate, verdict: Verdict) -> str:
    quotes = (
        f"{debate.name(argument.side)}, round {argument.round}: “{argument.quote}”" for argument in verdict.arguments
    )
    return f"It rests on:\n\n{bullets(quotes)}"
