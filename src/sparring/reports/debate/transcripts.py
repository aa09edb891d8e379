"""A transcript as Markdown sections: who said what in which round, how long it took and what it used."""

from itertools import groupby

from sparring.reports.debate.citations import ledger_line
from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.debate.verdicts import ORDERS
from sparring.reports.fitting import Section
from sparring.reports.foreign import after, inline, quoted
from sparring.reports.phrases import cause, seconds, usage
from sparring.schema.base import Role
from sparring.schema.consultation import Answer
from sparring.schema.debate import Ballot, Order
from sparring.schema.transcript import SPEECH_KINDS, Turn, TurnKind

_FIRST = {Order.PROPOSER_FIRST: Role.PROPOSER, Order.CHALLENGER_FIRST: Role.CHALLENGER}
_SAID_ABOVE = "The verdict above."


def transcript_sections(debate: FinishedDebate) -> list[Section]:
    """The turns by round, a summary in the round that it was made for, the judges at the end.

    What code found about a speech is a line below it. A reply that became a ballot is told in words: it is JSON, and
    the synthesis says the verdict already. One that could not be used is shown as it is, before what took its place.
    """
    sections: list[Section] = []
    turns = (turn for turn in debate.run.transcript.turns if turn.role is not Role.VERIFIER)
    for stage, spoken in groupby(sorted(turns, key=_position), key=_stage):
        sections += [Section(f"### {stage}", ""), *(_spoken(debate, turn) for turn in spoken)]
    return sections


def _position(turn: Turn) -> tuple[int, ...]:
    # A summary is asked for beside a speech of the round before the one that it belongs to.
    if turn.kind is TurnKind.SYNTHESIS:
        return (1, turn.number, turn.order, turn.attempt)
    return (0, turn.round)


def _stage(turn: Turn) -> str:
    return "Judgement" if turn.kind is TurnKind.SYNTHESIS else f"Round {turn.round}"


def _spoken(debate: FinishedDebate, turn: Turn) -> Section:
    heading = f"#### {_heading(debate, turn)}"
    if not isinstance(turn.reply, Answer):
        failed = cause(turn.reply.code, turn.reply.detail, turn.reply.duration_ms)
        return Section(heading, inline(f"Failed: {failed}"))
    return Section(heading, "\n\n".join([_circumstances(turn.reply), *_said(debate, turn, turn.reply)]))


def _heading(debate: FinishedDebate, turn: Turn) -> str:
    if turn.kind is not TurnKind.SYNTHESIS:
        return f"{turn.role.capitalize()} ({turn.tool}): {turn.kind.replace('_', '-')}"
    again = " (again)" if turn.attempt > 1 else ""
    return f"{debate.judge_name(turn.number).capitalize()}, {ORDERS[_order(turn)]}{again}"


def _said(debate: FinishedDebate, turn: Turn, answer: Answer) -> list[str]:
    if (ballot := _ballot(debate, turn)) is not None:
        return [_in_words(debate, ballot)]
    if turn.kind is TurnKind.SYNTHESIS:
        first = _FIRST[_order(turn)]
        return [f"It could not be used as it is. Side A is the {first} in it.", quoted(answer.response)]
    ledger = debate.ledger(turn.round, turn.role) if turn.kind in SPEECH_KINDS else None
    return [quoted(answer.response), *([f"Citations: {ledger_line(ledger)}"] if ledger else [])]


def _ballot(debate: FinishedDebate, turn: Turn) -> Ballot | None:
    """What became of a judge's reply; None if it is another turn, or a later attempt took its place."""
    judgement = debate.outcome.judgement
    if turn.kind is not TurnKind.SYNTHESIS or judgement is None or _is_superseded(debate, turn):
        return None
    cast = (ballot for ballot in judgement.ballots if (ballot.judge, ballot.order) == (turn.number, _order(turn)))
    return next(cast, None)


def _is_superseded(debate: FinishedDebate, turn: Turn) -> bool:
    return any(
        (other.kind, other.number, other.order) == (turn.kind, turn.number, turn.order) and other.attempt > turn.attempt
        for other in debate.run.transcript.turns
    )


def _order(turn: Turn) -> Order:
    return tuple(Order)[turn.order - 1]


def _in_words(debate: FinishedDebate, ballot: Ballot) -> str:
    if ballot.verdict == debate.outcome.verdict:
        return _SAID_ABOVE
    return after(f"For {debate.name(ballot.verdict.winner)}:", ballot.verdict.reasoning)


def _circumstances(answer: Answer) -> str:
    facts = [seconds(answer.duration_ms), usage(answer.usage)]
    facts += [f"model {answer.model}"] if answer.model else []
    facts += [f"{answer.redactions} redacted"] if answer.redactions else []
    warnings = [f"[WARN] {inline(warning)}" for warning in answer.warnings]
    return "\n\n".join([inline(", ".join(facts)), *warnings])
