"""The judgement of a finished debate as Markdown: the verdict, who judged how and who dissents."""

from collections.abc import Iterable
from itertools import chain

from sparring.formats.debate.outcome import FinishedDebate
from sparring.reports.markdown import Section, after, bullets, table
from sparring.schema import base
from sparring.schema.debate import SPEAKING_ORDER
from sparring.schema.judgement import Judgement, Order, Scores, SideScores, TieBreakStep, Verdict
from sparring.text.tidying import one_line

_STEPS = {
    TieBreakStep.CITATIONS: "citations",
    TieBreakStep.UNANSWERED: "unanswered challenges",
}
_DIMENSIONS = tuple(Scores.model_fields)


def verdict_sections(debate: FinishedDebate) -> tuple[Section, ...]:
    """Below the seed's sentence who judged how, then the arguments that it rests on, then who dissents."""
    verdict, judgement = debate.outcome.verdict, debate.outcome.judgement
    if verdict is None and judgement:
        return (
            Section("## Verdict", "Undecided: neither side wins."),
            Section("", bullets(_how(debate, judgement))),
            Section("", bullets((*positions(debate, judgement), what_would_decide(judgement)))),
        )
    if verdict is None:
        return (Section("## Verdict", f"No verdict ({debate.outcome.status})."),)
    winner = after(f"{debate.name(verdict.winner)} had the stronger argument because:", verdict.reasoning)
    how = (Section("", bullets(_how(debate, judgement))), *_dissent(debate, judgement)) if judgement else ()
    rests_on = (Section("", _arguments(debate, verdict)),) if verdict.arguments else ()
    return (Section("## Verdict", winner), *how, *rests_on)


_POSITION_SHOWN, _QUESTION_SHOWN, _MOST_QUESTIONS = 600, 150, 2
"""Characters of a position and of an open question of an undecided debate, and how many of these are named."""


def positions(debate: FinishedDebate, judgement: Judgement) -> Iterable[str]:
    """Yield why each side might be right: in the words of a judge that picked it, else in its own last ones."""
    own = {exchange.role: exchange.response for exchange in debate.exchanges}
    for side in SPEAKING_ORDER:
        reasons = (ballot.verdict.reasoning for ballot in judgement.ballots if ballot.verdict.winner is side)
        yield one_line(f"For {debate.seated(side)}: {next(filter(None, reasons), own.get(side, ''))}", _POSITION_SHOWN)


def what_would_decide(judgement: Judgement) -> str:
    """Return what an undecided debate lacks: questions that its judges leave open, a lost ballot, a further judge."""
    verdicts = [ballot.verdict for ballot in judgement.ballots]
    conditions = [each.unless for each in verdicts if each.unless]
    asked = dict.fromkeys((*chain.from_iterable(each.unresolved_questions for each in verdicts), *conditions))
    questions = [f"“{one_line(each, _QUESTION_SHOWN)}”" for each in list(asked)[:_MOST_QUESTIONS]]
    ways = (
        *((f"an answer to {' and '.join(questions)}",) if questions else ()),
        *(("the ballot that is missing",) if judgement.abstentions else ()),
        "a further judge of another family",
    )
    return f"What would decide it: {', or '.join(ways)}."


def scores_table(debate: FinishedDebate, given: SideScores) -> str:
    """Return the table of the scores that the judge of the verdict gave each side."""
    rows = (
        [debate.name(role), *(str(getattr(scores, dimension)) for dimension in _DIMENSIONS)]
        for role, scores in ((base.Role.PROPOSER, given.proposer), (base.Role.CHALLENGER, given.challenger))
    )
    return table(["Score, 1 to 5", *(dimension.capitalize() for dimension in _DIMENSIONS)], rows)


def _how(debate: FinishedDebate, judgement: Judgement) -> Iterable[str]:
    if judgement.tie_break:
        yield f"Tie-break ({_STEPS[judgement.tie_break.step]}): {judgement.tie_break.reason}"
    for number in range(1, debate.judges_asked + 1):
        yield f"{debate.judge_name(number).capitalize()}: {_vote(debate, judgement, number)}."
    for ballot in judgement.ballots:
        for words in ballot.struck:
            by = f"{debate.judge_name(ballot.judge)}, {ballot.order.spoken}"
            yield f"Struck, since no side said it ({by}): “{words}”"


def _vote(debate: FinishedDebate, judgement: Judgement, number: int) -> str:
    ballots = [ballot for ballot in judgement.ballots if ballot.judge == number]
    parts = [
        f"for {debate.name(ballot.verdict.winner)} ({ballot.order.spoken}"
        f"{'' if ballot.is_supported else ', citing no argument that it has made'})"
        for ballot in ballots
    ]
    is_same = len({(ballot.verdict.winner, ballot.is_supported) for ballot in ballots}) == 1
    if len(ballots) == len(Order) and is_same and ballots[0].is_supported:
        parts = [f"for {debate.name(ballots[0].verdict.winner)} in both orders"]
    return "; ".join([*parts, *_abstained(judgement, number)]) or "not heard"


def _abstained(judgement: Judgement, number: int) -> list[str]:
    abstentions = [abstention for abstention in judgement.abstentions if abstention.judge == number]
    causes = {abstention.cause for abstention in abstentions}
    if len(abstentions) == len(Order) and len(causes) == 1:
        return [f"abstained in both orders: {causes.pop()}"]
    return [f"abstained ({abstention.order.spoken}): {abstention.cause}" for abstention in abstentions]


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
