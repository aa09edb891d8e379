"""A debate as it is shown: the synthesis of the specification (seed 004), the transcript below it; and the records."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from sparring.reports.debate_outcome import (
    ORDERS,
    FinishedDebate,
    citation_sections,
    citations_in_short,
    ledger_line,
    rigor,
    scores_table,
    unchecked_sections,
    verdict_sections,
)
from sparring.reports.markdown import Section, after, fitted, inline, joined, quoted
from sparring.reports.runs import cause, context_line, ended_at, estimated, request_of, seconds, spending, usage
from sparring.schema.base import Role
from sparring.schema.consultation import Answer
from sparring.schema.debate import (
    SPEAKING_ORDER,
    Ballot,
    Concession,
    Convergence,
    DebateRequest,
    DebateStatus,
    FlagKind,
    LastDebate,
    Order,
    StateVerdict,
    Verdict,
)
from sparring.schema.participants import StateParticipant
from sparring.schema.runs import Run
from sparring.schema.transcript import SPEECH_KINDS, Turn, TurnKind
from sparring.text.tidying import one_line

_CONVERGENCE = {
    Convergence.NONE: "the challenger marked no concession",
    Convergence.UNCHECKED: "the challenger conceded, and what it cites there was not looked up",
    Convergence.SUPPORTED: "the challenger conceded, each time with a citation that was found",
    Convergence.UNSUPPORTED: "the challenger conceded at least once without a citation that was found",
}
_FLAGS = {
    FlagKind.PRAISE: "begins with praise for the other side",
    FlagKind.UNSUPPORTED_AGREEMENT: "concedes, and cites nothing for it",
}


def conduct_lines(debate: FinishedDebate) -> list[str]:
    """Whether the challenger, if it spoke, conceded anything, then each remark with the words that it is about."""
    if not debate.outcome.ledgers:
        return []
    conduct = debate.outcome.conduct
    flags = (
        f"[WARN] Round {flag.round}, {flag.role} ({debate.request.participant(flag.role).tool}) {_FLAGS[flag.kind]}: "
        f"“{flag.text}”"
        for flag in conduct.flags
    )
    was_heard = any(each.role is Role.CHALLENGER for each in debate.outcome.ledgers)
    gave_way = [f"Convergence: {_CONVERGENCE[conduct.convergence]}"] if was_heard else []
    return [*gave_way, *flags]


def concession_sections(debate: FinishedDebate) -> list[Section]:
    """What was given up and stands, then what was taken back, with both quotes."""
    if not debate.outcome.ledgers:
        return []
    conceded = debate.outcome.conduct.concessions
    standing = (f"{_who(debate, each)}: “{each.text}”" for each in conceded if not each.withdrawn)
    withdrawn = (
        f"Withdrawn: {_who(debate, each)}: “{each.text}”, taken back in round {each.withdrawn.round}: "
        f"“{each.withdrawn.text}”"
        for each in conceded
        if each.withdrawn
    )
    lines = _bullets((*standing, *withdrawn, *_named_by_judges(debate)))
    return [Section("## Concessions", lines or "None was marked, and no judge named one.")]


def _named_by_judges(debate: FinishedDebate) -> Iterator[str]:
    """What judges say was given up, and no mark says; that it was said is all that code knows of it."""
    judgement = debate.outcome.judgement
    named = [each for ballot in judgement.ballots for each in ballot.concessions] if judgement else []
    marked = [each.text for each in debate.outcome.conduct.concessions]
    for each in dict.fromkeys(named):
        if not any(each.quote in text or text in each.quote for text in marked):
            yield f"Named by a judge: {debate.name(each.side)}, round {each.round}: “{each.quote}”"


def _who(debate: FinishedDebate, each: Concession) -> str:
    return f"{debate.name(each.role)}, round {each.round}"


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {inline(point)}" for point in points)


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


_TITLE = "# Debate Summary"
_TOPIC_SHOWN = 500
"""Characters of a topic in the decision: whoever reads it knows the question."""

_HARD_BREAK = "  \n"


def report(run: Run) -> str:
    """The whole of a finished debate.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    debate = FinishedDebate.of(run)
    return joined(
        [
            *_head(debate, after("Topic:", debate.request.topic)),
            *_synthesis(debate),
            *citation_sections(debate),
            *concession_sections(debate),
            *unchecked_sections(debate),
            Section("## Transcript", _about_the_run(debate)),
            *transcript_sections(debate),
        ]
    )


def decision(run: Run, *, limit: int) -> str:
    """The synthesis of a finished debate in fewer than ``limit`` characters; without a verdict, the last words.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    debate = FinishedDebate.of(run)
    closing = Section("", f"{_about_the_run(debate)}\n\nThe whole: `sparring runs show {run.header.run_id}`")
    topic = f"Topic: {one_line(debate.request.topic, _TOPIC_SHOWN)}"
    last_words = () if debate.outcome.verdict else _last_words(debate)
    checked = (*citations_in_short(debate), *concession_sections(debate), *unchecked_sections(debate))
    return fitted([*_head(debate, topic), *_synthesis(debate), *last_words, *checked, closing], limit=limit)


def _head(debate: FinishedDebate, topic: str) -> tuple[Section, ...]:
    notices = Section("", "\n\n".join(inline(notice) for notice in debate.notices))
    lines = (
        f"Proposer: {debate.seat(Role.PROPOSER)}",
        f"Challenger: {debate.seat(Role.CHALLENGER)}",
        f"Rounds: {_rounds(debate)}",
        *(("Openings: blind, neither side had heard the other",) if debate.request.blind_openings else ()),
        f"Rigor: {rigor(debate)}",
        *((f"Context: {inline(context_line(debate.request.context))}",) if debate.request.context else ()),
    )
    separator = "\n\n" if "\n" in topic else _HARD_BREAK
    introduction = Section("", topic + separator + _HARD_BREAK.join(lines))
    title = Section(_TITLE, "")
    return (title, notices, introduction) if debate.notices else (title, introduction)


def _rounds(debate: FinishedDebate) -> str:
    completed, asked, broken = debate.outcome.rounds_completed, debate.request.rounds, debate.outcome.incomplete_round
    if completed == asked:
        return str(completed)
    return f"{completed} of {asked}" + (f" (round {broken} is incomplete)" if broken else "")


def _synthesis(debate: FinishedDebate) -> tuple[Section, ...]:
    verdict = debate.outcome.verdict
    if verdict is None:
        return (*verdict_sections(debate), *_quality(debate, ()))
    quality = verdict.quality
    ratings = (
        f"Genuine disagreement: {quality.genuine_disagreement}",
        f"Evidence quality: {quality.evidence_quality}",
        f"Challenge depth: {quality.challenge_depth}",
    )
    return (
        *verdict_sections(debate),
        *_quality(debate, ratings),
        *((Section("", scores_table(debate, verdict.scores)),) if verdict.scores else ()),
        Section("## Key Agreements", _points(debate.agreements)),
        Section("## Key Disagreements", _points(debate.disagreements)),
        Section("## Unresolved Questions", _points(verdict.unresolved_questions)),
        Section("## Recommendation", after("", verdict.recommendation).lstrip()),
    )


def _quality(debate: FinishedDebate, ratings: tuple[str, ...]) -> tuple[Section, ...]:
    lines = (*ratings, *conduct_lines(debate))
    return (Section("## Debate Quality", _points(lines)),) if lines else ()


def _points(points: Iterable[str]) -> str:
    return _bullets(points) or "None."


def _last_words(debate: FinishedDebate) -> list[Section]:
    title = "Uncontested position" if debate.outcome.status is DebateStatus.UNCONTESTED else "Last word"
    said = {exchange.role: exchange.response for exchange in debate.exchanges}
    return [Section(f"## {title} of the {role} ({debate.name(role)})", quoted(text)) for role, text in said.items()]


def _about_the_run(debate: FinishedDebate) -> str:
    run, request, expected = debate.run, debate.request, debate.run.header.estimate
    before = f" Expected: {estimated(expected)}." if expected else ""
    judges = "Judges" if request.panel else "Judge"
    return (
        f"Run `{run.header.run_id}`, {run.header.created_at:%Y-%m-%d %H:%M} UTC. "
        f"{judges}: {debate.judges}. Effort: {request.effort}. Used: {spending(run.spent)}.{before}"
    )


def result(run: Run) -> LastDebate:
    """``debate/last-debate.json`` and the ``result.json`` of a finished debate.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    debate = FinishedDebate.of(run)
    request, outcome = debate.request, debate.outcome
    judge, *panel = _judges(debate)
    return LastDebate(
        id=run.header.run_id,
        topic=request.topic,
        proposer=_participant(debate, Role.PROPOSER),
        challenger=_participant(debate, Role.CHALLENGER),
        effort=request.effort,
        rounds_completed=outcome.rounds_completed,
        max_rounds=request.rounds,
        status=outcome.status,
        exchanges=debate.exchanges,
        verdict=outcome.verdict and _verdict(debate, outcome.verdict),
        timestamp=ended_at(run),
        judge=judge,
        panel=tuple(panel),
        blind_openings=request.blind_openings,
        devil=request.devil,
        judgement=outcome.judgement,
        ledgers=outcome.ledgers,
        conduct=outcome.conduct,
        incomplete_round=outcome.incomplete_round,
        notices=debate.notices,
    )


def last(run: Run) -> LastDebate | None:
    """``debate/last-debate.json``; None for a debate in which nobody said anything.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    failed = FinishedDebate.of(run).outcome.status is DebateStatus.FAILED
    return None if failed else result(run)


def _participant(debate: FinishedDebate, role: Role) -> StateParticipant:
    return StateParticipant(tool=debate.request.participant(role).tool, model=debate.model(role))


def _judges(debate: FinishedDebate) -> tuple[StateParticipant, ...]:
    return tuple(
        StateParticipant(tool=judge.tool, model=debate.judge_model(number))
        for number, judge in enumerate(debate.request.judges, start=1)
    )


def _verdict(debate: FinishedDebate, verdict: Verdict) -> StateVerdict:
    return StateVerdict(
        winner=debate.request.participant(verdict.winner).tool,
        reasoning=verdict.reasoning,
        agreements=debate.agreements,
        disagreements=debate.disagreements,
        recommendation=verdict.recommendation,
        winner_role=verdict.winner,
        quality=verdict.quality,
        unresolved_questions=verdict.unresolved_questions,
        scores=verdict.scores,
    )


def remaining(run: Run) -> tuple[str, ...]:
    """Which speeches are missing.

    Raises:
        DeliberationError: The run is not a debate.
    """
    request = request_of(run, DebateRequest)
    speeches = [turn for turn in run.transcript.turns if turn.kind in SPEECH_KINDS]
    heard = {(turn.round, turn.role) for turn in speeches}
    broken_off = any(turn.failure for turn in speeches)
    places = [(round_, role) for round_ in range(1, request.rounds + 1) for role in SPEAKING_ORDER]
    due = [] if broken_off else [place for place in places if place not in heard]
    unheard = [f"round {round_}, {role} ({request.participant(role).tool})" for round_, role in due]
    return (*unheard, *_verdicts(request))


def _verdicts(request: DebateRequest) -> tuple[str, ...]:
    if not request.panel:
        return (f"verdict, judge ({request.judge.tool})",)
    return tuple(f"verdict, judge {number} ({judge.tool})" for number, judge in enumerate(request.judges, start=1))
