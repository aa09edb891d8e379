"""Views of a debate: the synthesis of the specification (seed 004), the transcript below it; and the records."""

from collections.abc import Iterable
from itertools import chain, groupby
from typing import Any

from sparring.engine.format import Presentation
from sparring.formats.debate import outcome, page, rulebook
from sparring.formats.debate.marks import is_supplement, on_their_own_lines
from sparring.formats.debate.speeches import first_side, order_of, read_ledger
from sparring.formats.debate.verdict import deciding
from sparring.prompts import fence
from sparring.reports import runs
from sparring.reports.conclusion import Conclusion
from sparring.reports.markdown import (
    HARD_BREAK,
    Section,
    Sections,
    after,
    bullets,
    given,
    inline,
    joined,
    quoted,
    table,
)
from sparring.schema import base, consultation, lookups, transcript
from sparring.schema import debate as schema
from sparring.schema.judgement import Firmness, Judgement, Order, Scores, SideScores, TieBreakStep, Verdict
from sparring.schema.runs import Request, Run
from sparring.text.tidying import for_terminal, one_line

_CONVERGENCE = {
    schema.Convergence.NONE: "the challenger marked no concession",
    schema.Convergence.UNCHECKED: "the challenger conceded, and what it cites there was not looked up",
    schema.Convergence.SUPPORTED: "the challenger conceded, each time with a citation that holds",
    schema.Convergence.UNSUPPORTED: "the challenger conceded at least once without a citation that holds",
}
_FLAGS = {
    schema.FlagKind.PRAISE: "begins with praise for the other side",
    schema.FlagKind.UNSUPPORTED_AGREEMENT: "concedes, and cites nothing for it",
}


def _conduct_lines(debate: outcome.FinishedDebate) -> list[str]:
    """List the challenger's concessions in a word, then each remark with the words that it is about."""
    if not debate.outcome.ledgers:
        return []
    conduct = debate.outcome.conduct
    flags = (
        f"[WARN] {debate.place(flag.round, flag.role)} {_FLAGS[flag.kind]}: “{flag.text}”" for flag in conduct.flags
    )
    was_heard = any(each.role is base.Role.CHALLENGER for each in debate.outcome.ledgers)
    gave_way = [f"Convergence: {_CONVERGENCE[conduct.convergence]}"] if was_heard else []
    broken = (
        f"[WARN] {debate.place(each.round, each.role)}: "
        f"the speech was returned, and still {rulebook.IN_WORDS[each.rule]}."
        for each in debate.outcome.broken_rules
    )
    return [*gave_way, *flags, *broken]


def _transcript(debate: outcome.FinishedDebate) -> list[Section]:
    """The turns by round, each summary in the round that it was made for, the judges at the end.

    Findings of code about a speech are a line below it. A reply with a valid ballot, which is JSON, is summarised in
    words, since the synthesis has the verdict. An unusable reply is shown unchanged, before its replacement.
    """
    sections: list[Section] = []
    turns = (turn for turn in debate.run.transcript.turns if turn.role is not base.Role.VERIFIER)
    for stage, spoken in groupby(sorted(turns, key=_position), key=_stage):
        sections += [Section(f"### {stage}", ""), *(_spoken(debate, turn) for turn in spoken)]
    return sections


def _position(turn: transcript.Turn) -> tuple[int, ...]:
    # The ask for a summary runs during the round before the one that it belongs to.
    if turn.kind is transcript.TurnKind.SYNTHESIS:
        return (1, turn.number, turn.order, turn.attempt)
    return (0, turn.round)


def _stage(turn: transcript.Turn) -> str:
    return "Judgement" if turn.kind is transcript.TurnKind.SYNTHESIS else f"Round {turn.round}"


def _spoken(debate: outcome.FinishedDebate, turn: transcript.Turn) -> Section:
    heading = f"#### {_heading(debate, turn)}"
    if not isinstance(turn.reply, consultation.Answer):
        return Section(heading, inline(f"Failed: {runs.cause_of(turn.reply)}"), turn.ask_id)
    model = [f"model {turn.reply.model}"] if turn.reply.model else []
    parts = [runs.circumstances(turn.reply, *model), *_reply_lines(debate, turn, turn.reply)]
    return Section(heading, "\n\n".join(parts), turn.ask_id)


def _heading(debate: outcome.FinishedDebate, turn: transcript.Turn) -> str:
    again = " (the line that it lacked)" if is_supplement(turn) else " (again)" if turn.attempt > 1 else ""
    if turn.kind is not transcript.TurnKind.SYNTHESIS:
        return f"{turn.role.capitalize()} ({turn.tool_name}): {turn.kind.replace('_', '-')}{again}"
    return f"{debate.judge_name(turn.number).capitalize()}, {order_of(turn).spoken}{again}"


def _reply_lines(debate: outcome.FinishedDebate, turn: transcript.Turn, answer: consultation.Answer) -> list[str]:
    if ballot := debate.ballots.get(turn.ask_id):
        verdict = ballot.verdict
        line = after(f"For {debate.name(verdict.winner)}:", verdict.reasoning)
        return ["The verdict above." if verdict == debate.outcome.verdict else line]
    if turn.kind is transcript.TurnKind.SYNTHESIS:
        first = first_side(order_of(turn))
        return [f"It could not be used as it is. Side A is the {first} in it.", quoted(answer.response)]
    is_speech = turn.kind in transcript.SPEECH_KINDS and not is_supplement(turn)
    ledger = debate.ledger(turn.round, turn.role) if is_speech else None
    return [
        quoted(on_their_own_lines(debate.speech(turn))),
        *([f"Citations: {outcome.ledger_line(ledger)}"] if ledger else []),
    ]


_NO_VERDICT = {
    schema.DebateStatus.UNCONTESTED: "the proposer was not opposed",
    schema.DebateStatus.UNJUDGED: "no judge gave one that could be used",
    schema.DebateStatus.FAILED: "the debate failed",
}


_FIRMNESS = {
    Firmness.UNANIMOUS: "unanimous: every judge said so, whichever side was shown first",
    Firmness.BOTH_ORDERS: "both-orders: one judge said so, whichever side was shown first",
    Firmness.MAJORITY: "majority: most judges with a vote, whichever side was shown first",
    Firmness.ONE_ORDER: "one-order: not every judge could be heard with its reasons in both orders",
    Firmness.ONE_READER: "one-reader: sides and judges are the calling agent or sub-agents of it",
    Firmness.UNOPPOSED: "unopposed: the challenger named no flaw, or gave up a concern without evidence",
    Firmness.ORDER_SENSITIVE: "order-sensitive: it changed with the order, and the tie-break decided",
    Firmness.TIE_BREAK: "tie-break: the judges were evenly split",
    Firmness.UNDECIDED: "undecided: no side wins by default",
}


def _conclusion(debate: outcome.FinishedDebate) -> Conclusion:
    verdict, judgement = debate.outcome.verdict, debate.outcome.judgement
    shared: dict[str, Any] = {
        "about": ("Topic", debate.request.topic),
        "doubts": tuple(debate.notices),
        "course": _setting(debate),
        "citations": _citation_counts(debate),
        "missing": _missing_names(debate),
        "answered_by": _answered_by(debate),
    }
    if verdict is None and judgement:
        return Conclusion(
            headline=", ".join(("Undecided: neither side wins", *_faults(debate, None))),
            is_plain=False,
            points=(*_positions(debate, judgement), _what_would_decide(judgement)),
            firmness=_FIRMNESS[judgement.firmness],
            below=joined(_last_words(debate)),
            **shared,
        )
    if verdict is None:
        why = _NO_VERDICT.get(debate.outcome.status, debate.outcome.status.value)
        is_shown = debate.outcome.status is schema.DebateStatus.UNCONTESTED
        position = joined(_last_words(debate)) if is_shown else ""
        return Conclusion(headline=f"No verdict: {why}", is_plain=False, below=position, **shared)
    faults = _faults(debate, judgement)
    return Conclusion(
        headline=", ".join((f"{debate.seated(verdict.winner)} wins", *faults)),
        is_plain=not faults,
        is_good=bool(debate.cited(lookups.CitationStatus.VERIFIED)),
        winner=debate.participant(verdict.winner).tool,
        winner_role=verdict.winner,
        why=verdict.reasoning,
        firmness=_FIRMNESS[judgement.firmness] if judgement else "",
        recommendation=verdict.recommendation,
        unless=verdict.unless,
        **shared,
    )


def _setting(debate: outcome.FinishedDebate) -> tuple[tuple[str, str], ...]:
    """Return the rounds and the rigor of a completed debate (specification: Synthesis Format)."""
    if debate.outcome.status is schema.DebateStatus.FAILED:
        return ()
    return (("Rounds", _rounds(debate)), ("Rigor", outcome.rigor(debate, in_short=True)))


def _citation_counts(debate: outcome.FinishedDebate) -> dict[str, int]:
    """Count the citations of the debate by status; empty if none were looked up."""
    looked_up = any(each.ledger for each in debate.outcome.ledgers)
    return {each.counted: len(debate.cited(each)) for each in lookups.CitationStatus} if looked_up else {}


def _missing_names(debate: outcome.FinishedDebate) -> tuple[str, ...]:
    return tuple(one_line(entry.text, 100) for entry in debate.cited(lookups.CitationStatus.NOT_FOUND)[:3])


def _faults(debate: outcome.FinishedDebate, judgement: Judgement | None) -> list[str]:
    hedged = judgement is not None and bool(deciding(judgement).hedges)
    broken = debate.outcome.incomplete_round is not None
    unopposed = judgement is not None and judgement.firmness is Firmness.UNOPPOSED
    reasons = {"unopposed": unopposed, "hedged": hedged, "after an incomplete round": broken}
    return [fault for fault, is_so in reasons.items() if is_so]


def _answered_by(debate: outcome.FinishedDebate) -> tuple[str, ...]:
    heard = {(turn.role, turn.number or 1) for turn in debate.run.transcript.turns if turn.answer}
    seats = [f"{role} {debate.seat(role)}" for role in schema.SPEAKING_ORDER if (role, 1) in heard]
    judges = (
        f"judge {debate.judge_seat(number)}"
        for number in range(1, len(debate.request.possible_judges) + 1)
        if (base.Role.JUDGE, number) in heard
    )
    return (*seats, *judges)


def _report(debate: outcome.FinishedDebate) -> Sections:
    return [
        *_head(debate),
        *_synthesis(debate),
        *_recommendation(debate),
        *outcome.checked_sections(debate, in_short=False),
        *_exhibits_section(debate.request),
        Section("## Transcript", _about_the_run(debate)),
        *_transcript(debate),
    ]


def _details(debate: outcome.FinishedDebate) -> Sections:
    last = () if debate.outcome.verdict else _last_words(debate)
    return [*_synthesis(debate), *last, *outcome.checked_sections(debate, in_short=True)]


def _live(request: Request, so_far: transcript.Transcript) -> str:
    """A speech, what code found of its citations in a line, or how a judge decided; summaries are for models."""
    turn = so_far.turns[-1]
    if turn.kind is transcript.TurnKind.CITATIONS and turn.answer and isinstance(request, schema.DebateRequest):
        ledger, problem = read_ledger(turn)
        ledger_entry = schema.SpeechLedger(round=turn.round, role=base.Role.PROPOSER, ledger=ledger, problem=problem)
        is_of_the_verdict = any(turn.kind is transcript.TurnKind.SYNTHESIS for turn in so_far.turns)
        return "" if is_of_the_verdict else f"Citations: {outcome.ledger_line(ledger_entry)}."
    if turn.kind in transcript.SPEECH_KINDS and turn.answer:
        return on_their_own_lines(turn.answer.response)
    return _decided(turn) if turn.kind is transcript.TurnKind.SYNTHESIS and turn.answer else ""


def _decided(turn: transcript.Turn) -> str:
    """Summarise a judge's reply; after an unusable one the judge is asked again, or gives no verdict."""
    ballot = outcome.ballot_in(turn)
    if ballot is None:
        return "No usable verdict."
    verdict = ballot.verdict(order_of(turn), ())
    return after(f"For the {verdict.winner}:", verdict.reasoning)


def _head(debate: outcome.FinishedDebate) -> list[Section]:
    topic = after("Topic:", debate.request.topic)
    lines = (
        f"Proposer: {debate.seat(base.Role.PROPOSER)}",
        f"Challenger: {debate.seat(base.Role.CHALLENGER)}",
        f"Rounds: {_rounds(debate)}",
        *(("Openings: blind, neither side had heard the other",) if debate.request.blind_openings else ()),
        f"Rigor: {outcome.rigor(debate)}",
        *((f"Context: {inline(runs.context_line(debate.request.context))}",) if debate.request.context else ()),
        *filter(None, (_exhibits_line(debate.request),)),
    )
    separator = "\n\n" if "\n" in topic else HARD_BREAK
    return [Section("# Debate Summary", topic + separator + HARD_BREAK.join(lines))]


def _rounds(debate: outcome.FinishedDebate) -> str:
    completed, asked, broken = debate.outcome.rounds_completed, debate.request.rounds, debate.outcome.incomplete_round
    if completed == asked:
        return str(completed)
    return f"{completed} of {asked}" + (f" (round {broken} is incomplete)" if broken else "")


def _synthesis(debate: outcome.FinishedDebate) -> tuple[Section, ...]:
    verdict = debate.outcome.verdict
    if verdict is None:
        return (*_verdict_sections(debate), *_quality(debate, ()))
    quality = dict(verdict.quality) if verdict.quality else {}
    ratings = tuple(f"{name.replace('_', ' ').capitalize()}: {rating}" for name, rating in quality.items())
    return (
        *_verdict_sections(debate),
        *_quality(debate, ratings),
        *given("", _scores_table(debate, verdict.scores) if verdict.scores else ""),
        *given("## Key Agreements", bullets((*debate.agreements, *debate.missing(schema.VerdictPart.AGREEMENTS)))),
        *given("## Key Disagreements", bullets(debate.disagreements)),
        *given("## Unresolved Questions", bullets(verdict.unresolved_questions)),
    )


_STEPS = {
    TieBreakStep.CITATIONS: "citations",
    TieBreakStep.UNANSWERED: "unanswered challenges",
}
_DIMENSIONS = tuple(Scores.model_fields)


def _verdict_sections(debate: outcome.FinishedDebate) -> tuple[Section, ...]:
    """The judges below the seed's sentence, then the arguments for the verdict, then the dissents."""
    verdict, judgement = debate.outcome.verdict, debate.outcome.judgement
    if verdict is None and judgement:
        return (
            Section("## Verdict", "Undecided: neither side wins."),
            Section("", bullets(_how(debate, judgement))),
            Section("", bullets((*_positions(debate, judgement), _what_would_decide(judgement)))),
        )
    if verdict is None:
        return (Section("## Verdict", f"No verdict ({debate.outcome.status})."),)
    winner = after(f"{debate.name(verdict.winner)} had the stronger argument because:", verdict.reasoning)
    how = (Section("", bullets(_how(debate, judgement))), *_dissent(debate, judgement)) if judgement else ()
    rests_on = (Section("", _arguments(debate, verdict)),) if verdict.arguments else ()
    return (Section("## Verdict", winner), *how, *rests_on)


_POSITION_SHOWN, _QUESTION_SHOWN, _MOST_QUESTIONS = 600, 150, 2
"""Characters of a position and of an open question of an undecided debate, and how many of these are named."""


def _positions(debate: outcome.FinishedDebate, judgement: Judgement) -> Iterable[str]:
    """Yield why each side might be right: in the words of a judge that picked it, else in its last speech."""
    own = {exchange.role: exchange.response for exchange in debate.exchanges}
    for side in schema.SPEAKING_ORDER:
        reasons = (ballot.verdict.reasoning for ballot in judgement.ballots if ballot.verdict.winner is side)
        yield one_line(f"For {debate.seated(side)}: {next(filter(None, reasons), own.get(side, ''))}", _POSITION_SHOWN)


def _what_would_decide(judgement: Judgement) -> str:
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


def _scores_table(debate: outcome.FinishedDebate, scores: SideScores) -> str:
    """Return the table of the scores that the judge of the verdict gave each side."""
    rows = (
        [debate.name(role), *(str(getattr(side, dimension)) for dimension in _DIMENSIONS)]
        for role, side in ((base.Role.PROPOSER, scores.proposer), (base.Role.CHALLENGER, scores.challenger))
    )
    return table(["Score, 1 to 5", *(dimension.capitalize() for dimension in _DIMENSIONS)], rows)


def _how(debate: outcome.FinishedDebate, judgement: Judgement) -> Iterable[str]:
    if judgement.tie_break:
        yield f"Tie-break ({_STEPS[judgement.tie_break.step]}): {judgement.tie_break.reason}"
    for number in range(1, debate.judges_asked + 1):
        yield f"{debate.judge_name(number).capitalize()}: {_vote(debate, judgement, number)}."
    for ballot in judgement.ballots:
        for words in ballot.struck:
            by = f"{debate.judge_name(ballot.judge)}, {ballot.order.spoken}"
            yield f"Struck, since no side said it ({by}): “{words}”"


def _vote(debate: outcome.FinishedDebate, judgement: Judgement, number: int) -> str:
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


def _dissent(debate: outcome.FinishedDebate, judgement: Judgement) -> Iterable[Section]:
    against = [each for each in judgement.ballots if each.verdict.winner is not judgement.winner]
    for number in judgement.dissent:
        ballot = next(each for each in against if each.judge == number)
        lead = f"{debate.judge_name(number).capitalize()} dissents, for {debate.name(ballot.verdict.winner)}:"
        yield Section("", after(lead, ballot.verdict.reasoning))


def _arguments(debate: outcome.FinishedDebate, verdict: Verdict) -> str:
    quotes = (
        f"{debate.name(argument.side)}, round {argument.round}: “{argument.quote}”" for argument in verdict.arguments
    )
    return f"It rests on:\n\n{bullets(quotes)}"


def _recommendation(debate: outcome.FinishedDebate) -> list[Section]:
    verdict = debate.outcome.verdict
    if verdict is None:
        return []
    lead = f"Act on the position of {debate.name(verdict.winner)}, unless:"
    direction = (after(lead, verdict.unless),) if verdict.unless else ()
    return [
        Section("## Recommendation", "\n\n".join((after("", verdict.recommendation).lstrip(), *direction))),
        *given("", bullets(debate.missing(schema.VerdictPart.RECOMMENDATION))),
    ]


def _quality(debate: outcome.FinishedDebate, ratings: tuple[str, ...]) -> list[Section]:
    return given("## Debate Quality", bullets((*ratings, *_conduct_lines(debate))))


def _last_words(debate: outcome.FinishedDebate) -> list[Section]:
    title = "Uncontested position" if debate.outcome.status is schema.DebateStatus.UNCONTESTED else "Last word"
    last = {exchange.role: exchange.response for exchange in debate.exchanges}
    return [
        Section(f"## {title} of the {role} ({debate.name(role)})", quoted(on_their_own_lines(text)))
        for role, text in last.items()
    ]


def _about_the_run(debate: outcome.FinishedDebate) -> str:
    request, expected = debate.request, debate.run.header.estimate
    before = f" Expected: {runs.estimated(expected)}." if expected else ""
    judges = "Judges" if debate.judges_asked > 1 else "Judge"
    seats = ", ".join(debate.judge_seat(number) for number in range(1, debate.judges_asked + 1))
    return f"{judges}: {seats}. Effort: {request.effort}.{before}"


_MOST_NAMED = 5
_NAME_SHOWN = 120


def _exhibits_line(request: schema.DebateRequest) -> str:
    """E.g. ``Exhibits: 7, 21 KiB: E1 shop/charging.py:1-40, …``; empty without gathered exhibits."""
    if not request.exhibits:
        return ""
    size = runs.byte_size(sum(len(each.text.encode(errors="replace")) for each in request.exhibits))
    names = [one_line(each.name, _NAME_SHOWN) for each in request.exhibits[:_MOST_NAMED]]
    more = ", …" if len(request.exhibits) > _MOST_NAMED else ""
    return inline(f"Exhibits: {len(request.exhibits)}, {size}: {', '.join(names)}{more}")


def _exhibits_section(request: schema.DebateRequest) -> list[Section]:
    """List the exhibits that were gathered; context that the user passed is left out."""
    if not request.exhibits:
        return []
    shown = "\n\n".join(
        f"{inline(exhibit.name)}\n\n{fence(for_terminal(exhibit.text))}" for exhibit in request.exhibits
    )
    return [Section("## Exhibits", shown, folded="What both sides and the judge were shown")]


def _result(debate: outcome.FinishedDebate) -> schema.LastDebate:
    judge, *panel = debate.judges
    return debate.record(
        schema.LastDebate,
        proposer=debate.participant(base.Role.PROPOSER),
        challenger=debate.participant(base.Role.CHALLENGER),
        judge=judge,
        panel=tuple(panel),
        max_rounds=debate.request.rounds,
        exhibits=tuple(runs.record_of(schema.StateExhibit, each) for each in debate.request.shown),
        exchanges=debate.exchanges,
        verdict=debate.outcome.verdict and _verdict(debate, debate.outcome.verdict),
    )


def _verdict(debate: outcome.FinishedDebate, verdict: Verdict) -> schema.StateVerdict:
    return runs.record_of(
        schema.StateVerdict,
        verdict,
        winner=debate.participant(verdict.winner).tool,
        winner_role=verdict.winner,
        agreements=debate.agreements,
        disagreements=debate.disagreements,
    )


def _remaining(run: Run) -> tuple[str, ...]:
    request = runs.request_of(run, schema.DebateRequest)
    speeches = [turn for turn in run.transcript.turns if turn.kind in transcript.SPEECH_KINDS]
    heard = {(turn.round, turn.role) for turn in speeches}
    broken_off = any(turn.failure for turn in speeches if turn.attempt == 1)
    places = [(round_, role) for round_ in range(1, request.rounds + 1) for role in schema.SPEAKING_ORDER]
    due = [] if broken_off else [place for place in places if place not in heard]
    unheard = [f"round {round_}, {role} ({request.participant(role).tool})" for round_, role in due]
    return (*unheard, *_verdicts(request))


def _verdicts(request: schema.DebateRequest) -> tuple[str, ...]:
    if not request.panel:
        return (f"verdict, judge ({request.judge.tool})",)
    return tuple(f"verdict, judge {number} ({judge.tool})" for number, judge in enumerate(request.judges, start=1))


PRESENTATION = Presentation(
    outcome.FinishedDebate, _conclusion, _report, _details, _result, _remaining, live=_live, pictures=page.pictures
)
