"""Views of a debate: the synthesis of the specification (seed 004), the transcript below it; and the records."""

from collections.abc import Iterable
from itertools import groupby
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
    bullets,
    inline,
    joined,
    labelled,
    optional_section,
    quoted,
    table,
)
from sparring.schema import base, consultation, lookups, transcript
from sparring.schema import debate as schema
from sparring.schema.judgement import Firmness, Judgement, Order, Scores, SideScores, TieBreakStep, Verdict
from sparring.schema.runs import Request, Run
from sparring.text.tidying import for_terminal, one_line

_MOST_MISSING, _MISSING_SHOWN = 3, 100
"""Citations not found that the first lines name, and the characters of each."""

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
    lines: list[str] = []
    conduct = debate.outcome.conduct
    challenger_spoke = any(ledger.role is base.Role.CHALLENGER for ledger in debate.outcome.ledgers)
    if challenger_spoke:
        lines.append(f"Convergence: {_CONVERGENCE[conduct.convergence]}")
    for flag in conduct.flags:
        place = debate.place(flag.round, flag.role)
        lines.append(f"[WARN] {place} {_FLAGS[flag.kind]}: “{flag.text}”")
    for broken in debate.outcome.broken_rules:
        place = debate.place(broken.round, broken.role)
        lines.append(f"[WARN] {place}: the speech was returned, and still {rulebook.IN_WORDS[broken.rule]}.")
    return lines


def _transcript(debate: outcome.FinishedDebate) -> list[Section]:
    """The turns by round, each summary in the round that it was made for, the judges at the end.

    Findings of code about a speech are a line below it. A reply with a valid ballot, which is JSON, is summarised in
    words, since the synthesis has the verdict. An unusable reply is shown unchanged, before its replacement.
    """
    sections: list[Section] = []
    rounds: list[transcript.Turn] = []
    judgement: list[transcript.Turn] = []
    for turn in debate.run.transcript.turns:
        if turn.kind is transcript.TurnKind.SYNTHESIS:
            judgement.append(turn)
        elif turn.role is not base.Role.VERIFIER:  # what code looked up stands below the speech that cites it
            rounds.append(turn)
    # Summaries need this order: each is asked for during the round before the one that it belongs to.
    rounds.sort(key=lambda turn: turn.round)
    for round_, turns in groupby(rounds, key=lambda turn: turn.round):
        sections += [Section(f"### Round {round_}", ""), *(_turn_section(debate, turn) for turn in turns)]
    if judgement:
        judgement.sort(key=lambda turn: (turn.number, turn.order, turn.attempt))
        sections += [Section("### Judgement", ""), *(_turn_section(debate, turn) for turn in judgement)]
    return sections


def _turn_section(debate: outcome.FinishedDebate, turn: transcript.Turn) -> Section:
    heading = f"#### {_heading(debate, turn)}"
    if not isinstance(turn.reply, consultation.Answer):
        return Section(heading, inline(f"Failed: {runs.cause_of(turn.reply)}"), turn.ask_id)
    model = [f"model {turn.reply.model}"] if turn.reply.model else []
    parts = [runs.answer_facts(turn.reply, *model), *_reply_lines(debate, turn, turn.reply)]
    return Section(heading, "\n\n".join(parts), turn.ask_id)


def _heading(debate: outcome.FinishedDebate, turn: transcript.Turn) -> str:
    again = ""
    if is_supplement(turn):
        again = " (the line that it lacked)"
    elif turn.attempt > 1:
        again = " (again)"
    if turn.kind is transcript.TurnKind.SYNTHESIS:
        return f"{debate.judge_name(turn.number).capitalize()}, {order_of(turn).display_name}{again}"
    return f"{turn.role.capitalize()} ({turn.tool_name}): {turn.kind.replace('_', '-')}{again}"


def _reply_lines(debate: outcome.FinishedDebate, turn: transcript.Turn, answer: consultation.Answer) -> list[str]:
    ballot = debate.ballots.get(turn.ask_id)
    if ballot and ballot.verdict == debate.outcome.verdict:
        return ["The verdict above."]
    if ballot:
        return [labelled(f"For {debate.name(ballot.verdict.winner)}:", ballot.verdict.reasoning)]
    if turn.kind is transcript.TurnKind.SYNTHESIS:
        first = first_side(order_of(turn))
        return [f"It could not be used as it is. Side A is the {first} in it.", quoted(answer.response)]
    lines = [quoted(on_their_own_lines(debate.speech(turn)))]
    is_speech = turn.kind in transcript.SPEECH_KINDS and not is_supplement(turn)
    ledger = debate.ledger(turn.round, turn.role) if is_speech else None
    if ledger:
        lines.append(f"Citations: {outcome.ledger_line(ledger)}")
    return lines


_NO_VERDICT = {
    schema.DebateStatus.UNCONTESTED: "the proposer was not opposed",
    schema.DebateStatus.UNJUDGED: "no judge gave a usable one",
    schema.DebateStatus.FAILED: "the debate failed",
}


_FIRMNESS = {
    Firmness.UNANIMOUS: "unanimous: every judge said so, whichever side was shown first",
    Firmness.BOTH_ORDERS: "both-orders: one judge said so, whichever side was shown first",
    Firmness.MAJORITY: "majority: most judges with a vote, whichever side was shown first",
    Firmness.ONE_ORDER: "one-order: not every judge answered with reasons in both orders",
    Firmness.ONE_READER: "one-reader: sides and judges are the calling agent or sub-agents of it",
    Firmness.UNOPPOSED: "unopposed: the challenger named no flaw, or gave up a concern without evidence",
    Firmness.ORDER_SENSITIVE: "order-sensitive: it changed with the order, and the tie-break decided",
    Firmness.TIE_BREAK: "tie-break: the judges were evenly split",
    Firmness.UNDECIDED: "undecided: no side wins by default",
}


def _conclusion(debate: outcome.FinishedDebate) -> Conclusion:
    verdict, judgement = debate.outcome.verdict, debate.outcome.judgement
    missing = debate.cited(lookups.CitationStatus.NOT_FOUND)[:_MOST_MISSING]
    shared: dict[str, Any] = {
        "about": ("Topic", debate.request.topic),
        "doubts": tuple(debate.notices),
        "course": _setting(debate),
        "citations": _citation_counts(debate),
        "missing": tuple(one_line(entry.text, _MISSING_SHOWN) for entry in missing),
        "answered_by": _answered_by(debate),
    }
    faults = _faults(debate)
    if verdict is None and judgement:
        return Conclusion(
            headline=", ".join(("Undecided: neither side wins", *faults)),
            is_plain=False,
            points=(*_positions(debate, judgement), _what_would_decide(judgement)),
            firmness=_FIRMNESS[judgement.firmness],
            below=joined(_last_words(debate)),
            **shared,
        )
    if verdict is None:
        why = _NO_VERDICT.get(debate.outcome.status, debate.outcome.status.value)
        # An uncontested opening is an answer of a kind. After any other failure there is only half a debate to read.
        is_uncontested = debate.outcome.status is schema.DebateStatus.UNCONTESTED
        below = joined(_last_words(debate)) if is_uncontested else ""
        return Conclusion(headline=f"No verdict: {why}", is_plain=False, below=below, **shared)
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
    if not any(speech.ledger for speech in debate.outcome.ledgers):
        return {}
    return {status.counted: len(debate.cited(status)) for status in lookups.CitationStatus}


def _faults(debate: outcome.FinishedDebate) -> list[str]:
    """List the reasons why the verdict in the headline is weaker than it sounds."""
    faults: list[str] = []
    judgement = debate.outcome.judgement
    if judgement and debate.outcome.verdict:
        if judgement.firmness is Firmness.UNOPPOSED:
            faults.append("unopposed")
        if deciding(judgement).hedges:
            faults.append("hedged")
    if debate.outcome.incomplete_round is not None:
        faults.append("after an incomplete round")
    return faults


def _answered_by(debate: outcome.FinishedDebate) -> tuple[str, ...]:
    answered = {(turn.role, turn.number or 1) for turn in debate.run.transcript.turns if turn.answer}
    seats = [f"{role} {debate.seat(role)}" for role in schema.SPEAKING_ORDER if (role, 1) in answered]
    judges = [number for role, number in answered if role is base.Role.JUDGE]
    return (*seats, *(f"judge {debate.judge_seat(number)}" for number in sorted(judges)))


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
    """Return a speech, its citation check in a line, or a judge's decision; summaries, which are for models, are not.

    An answer of another kind, and a failure, give an empty text.
    """
    turn = so_far.turns[-1]
    if turn.answer is None:
        return ""
    if turn.kind in transcript.SPEECH_KINDS:
        return on_their_own_lines(turn.answer.response)
    if turn.kind is transcript.TurnKind.SYNTHESIS:
        ballot = outcome.ballot_in(turn)
        if ballot is None:
            return "No usable verdict."
        verdict = ballot.verdict(order_of(turn), ())
        return labelled(f"For the {verdict.winner}:", verdict.reasoning)
    # Citations that are looked up after a judge's turn are those of the verdict.
    is_judged = any(earlier.kind is transcript.TurnKind.SYNTHESIS for earlier in so_far.turns)
    if turn.kind is transcript.TurnKind.CITATIONS and not is_judged and isinstance(request, schema.DebateRequest):
        ledger, problem = read_ledger(turn)
        checked = schema.SpeechLedger(round=turn.round, role=base.Role.PROPOSER, ledger=ledger, problem=problem)
        return f"Citations: {outcome.ledger_line(checked)}."
    return ""


def _head(debate: outcome.FinishedDebate) -> list[Section]:
    request = debate.request
    lines = [
        f"Proposer: {debate.seat(base.Role.PROPOSER)}",
        f"Challenger: {debate.seat(base.Role.CHALLENGER)}",
        f"Rounds: {_rounds(debate)}",
    ]
    if request.blind_openings:
        lines.append("Openings: blind, neither side had seen the other")
    lines.append(f"Rigor: {outcome.rigor(debate)}")
    if request.context:
        lines.append(f"Context: {inline(runs.context_line(request.context))}")
    if request.exhibits:
        lines.append(_exhibits_line(request))
    topic = labelled("Topic:", request.topic)
    separator = "\n\n" if "\n" in topic else HARD_BREAK
    return [Section("# Debate Summary", topic + separator + HARD_BREAK.join(lines))]


def _rounds(debate: outcome.FinishedDebate) -> str:
    completed, requested = debate.outcome.rounds_completed, debate.request.rounds
    if completed == requested:
        return str(completed)
    incomplete = debate.outcome.incomplete_round
    return f"{completed} of {requested}" + (f" (round {incomplete} is incomplete)" if incomplete else "")


def _synthesis(debate: outcome.FinishedDebate) -> tuple[Section, ...]:
    verdict = debate.outcome.verdict
    if verdict is None:
        return (*_verdict_sections(debate), *optional_section("## Debate Quality", bullets(_conduct_lines(debate))))
    ratings = dict(verdict.quality) if verdict.quality else {}
    quality = [f"{name.replace('_', ' ').capitalize()}: {rating}" for name, rating in ratings.items()]
    scores = _scores_table(debate, verdict.scores) if verdict.scores else ""
    agreements = (*debate.agreements, *debate.missing(schema.VerdictPart.AGREEMENTS))
    return (
        *_verdict_sections(debate),
        *optional_section("## Debate Quality", bullets((*quality, *_conduct_lines(debate)))),
        *optional_section("", scores),
        *optional_section("## Key Agreements", bullets(agreements)),
        *optional_section("## Key Disagreements", bullets(debate.disagreements)),
        *optional_section("## Unresolved Questions", bullets(verdict.unresolved_questions)),
    )


_STEPS = {
    TieBreakStep.CITATIONS: "citations",
    TieBreakStep.UNANSWERED: "unanswered challenges",
}


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
    winner = labelled(f"{debate.name(verdict.winner)} had the stronger argument because:", verdict.reasoning)
    sections = [Section("## Verdict", winner)]
    if judgement:
        sections += [Section("", bullets(_how(debate, judgement))), *_dissent(debate, judgement)]
    if verdict.arguments:
        quotes = (
            f"{debate.name(argument.side)}, round {argument.round}: “{argument.quote}”"
            for argument in verdict.arguments
        )
        sections.append(Section("", f"It rests on:\n\n{bullets(quotes)}"))
    return tuple(sections)


_POSITION_SHOWN, _QUESTION_SHOWN, _MOST_QUESTIONS = 600, 150, 2
"""Characters of a position and of an open question of an undecided debate, and how many of these are named."""


def _positions(debate: outcome.FinishedDebate, judgement: Judgement) -> Iterable[str]:
    """Yield why each side might be right: in the words of a judge that picked it, else in its last speech."""
    last_speeches = {exchange.role: exchange.response for exchange in debate.exchanges}
    for side in schema.SPEAKING_ORDER:
        position = last_speeches.get(side, "")
        for ballot in judgement.ballots:
            if ballot.verdict.winner is side and ballot.verdict.reasoning:
                position = ballot.verdict.reasoning
                break
        yield one_line(f"For {debate.seated(side)}: {position}", _POSITION_SHOWN)


def _what_would_decide(judgement: Judgement) -> str:
    """Return what an undecided debate lacks: questions that its judges leave open, a lost ballot, a further judge."""
    verdicts = [ballot.verdict for ballot in judgement.ballots]
    questions = [question for verdict in verdicts for question in verdict.unresolved_questions]
    questions += [verdict.unless for verdict in verdicts if verdict.unless]
    ways: list[str] = []
    if questions:
        first = list(dict.fromkeys(questions))[:_MOST_QUESTIONS]
        shown = [f"“{one_line(question, _QUESTION_SHOWN)}”" for question in first]
        ways.append(f"an answer to {' and '.join(shown)}")
    if judgement.abstentions:
        ways.append("the ballot that is missing")
    ways.append("a further judge of another family")
    return f"What would decide it: {', or '.join(ways)}."


def _scores_table(debate: outcome.FinishedDebate, scores: SideScores) -> str:
    """Return the table of the scores that the judge of the verdict gave each side."""
    dimensions = tuple(Scores.model_fields)
    head = ["Score, 1 to 5", *(dimension.capitalize() for dimension in dimensions)]
    rows = [
        [debate.name(role), *(str(getattr(side_scores, dimension)) for dimension in dimensions)]
        for role, side_scores in ((base.Role.PROPOSER, scores.proposer), (base.Role.CHALLENGER, scores.challenger))
    ]
    return table(head, rows)


def _how(debate: outcome.FinishedDebate, judgement: Judgement) -> Iterable[str]:
    if judgement.tie_break:
        yield f"Tie-break ({_STEPS[judgement.tie_break.step]}): {judgement.tie_break.reason}"
    for number in range(1, debate.judges_asked + 1):
        yield f"{debate.judge_name(number).capitalize()}: {_vote(debate, judgement, number)}."
    for ballot in judgement.ballots:
        for words in ballot.struck:
            by = f"{debate.judge_name(ballot.judge)}, {ballot.order.display_name}"
            yield f"Struck, since no side said it ({by}): “{words}”"


def _vote(debate: outcome.FinishedDebate, judgement: Judgement, number: int) -> str:
    """Describe the vote of that judge, e.g. ``for claude in both orders``."""
    ballots = [ballot for ballot in judgement.ballots if ballot.judge == number]
    winners = {ballot.verdict.winner for ballot in ballots}
    if len(ballots) == len(Order) and len(winners) == 1 and all(ballot.is_supported for ballot in ballots):
        parts = [f"for {debate.name(ballots[0].verdict.winner)} in both orders"]
    else:
        parts: list[str] = []
        for ballot in ballots:
            unsupported = "" if ballot.is_supported else ", citing no argument that it has made"
            parts.append(f"for {debate.name(ballot.verdict.winner)} ({ballot.order.display_name}{unsupported})")
    return "; ".join([*parts, *_abstained(judgement, number)]) or "not heard"


def _abstained(judgement: Judgement, number: int) -> list[str]:
    abstentions = [abstention for abstention in judgement.abstentions if abstention.judge == number]
    causes = {abstention.cause for abstention in abstentions}
    if len(abstentions) == len(Order) and len(causes) == 1:
        return [f"abstained in both orders: {causes.pop()}"]
    return [f"abstained ({abstention.order.display_name}): {abstention.cause}" for abstention in abstentions]


def _dissent(debate: outcome.FinishedDebate, judgement: Judgement) -> Iterable[Section]:
    against = [ballot for ballot in judgement.ballots if ballot.verdict.winner is not judgement.winner]
    for number in judgement.dissent:
        ballot = next(ballot for ballot in against if ballot.judge == number)
        lead = f"{debate.judge_name(number).capitalize()} dissents, for {debate.name(ballot.verdict.winner)}:"
        yield Section("", labelled(lead, ballot.verdict.reasoning))


def _recommendation(debate: outcome.FinishedDebate) -> list[Section]:
    verdict = debate.outcome.verdict
    if verdict is None:
        return []
    paragraphs = [labelled("", verdict.recommendation).lstrip()]
    if verdict.unless:
        paragraphs.append(labelled(f"Act on the position of {debate.name(verdict.winner)}, unless:", verdict.unless))
    return [
        Section("## Recommendation", "\n\n".join(paragraphs)),
        *optional_section("", bullets(debate.missing(schema.VerdictPart.RECOMMENDATION))),
    ]


def _last_words(debate: outcome.FinishedDebate) -> list[Section]:
    title = "Uncontested position" if debate.outcome.status is schema.DebateStatus.UNCONTESTED else "Last word"
    last_speeches = {exchange.role: exchange.response for exchange in debate.exchanges}
    return [
        Section(f"## {title} of the {role} ({debate.name(role)})", quoted(on_their_own_lines(speech)))
        for role, speech in last_speeches.items()
    ]


def _about_the_run(debate: outcome.FinishedDebate) -> str:
    judges = "Judges" if debate.judges_asked > 1 else "Judge"
    seats = ", ".join(debate.judge_seat(number) for number in range(1, debate.judges_asked + 1))
    estimate = debate.run.header.estimate
    expected = f" Expected: {runs.estimate_text(estimate)}." if estimate else ""
    return f"{judges}: {seats}. Effort: {debate.request.effort}.{expected}"


_MOST_NAMED = 5
_NAME_SHOWN = 120


def _exhibits_line(request: schema.DebateRequest) -> str:
    """List the gathered exhibits, e.g. ``Exhibits: 7, 21 KiB: E1 shop/charging.py:1-40, …``."""
    size = runs.byte_size(sum(len(exhibit.text.encode(errors="replace")) for exhibit in request.exhibits))
    names = [one_line(exhibit.name, _NAME_SHOWN) for exhibit in request.exhibits[:_MOST_NAMED]]
    more = ", …" if len(request.exhibits) > _MOST_NAMED else ""
    return inline(f"Exhibits: {len(request.exhibits)}, {size}: {', '.join(names)}{more}")


def _exhibits_section(request: schema.DebateRequest) -> list[Section]:
    """List the exhibits that were gathered; context that the user passed is left out."""
    if not request.exhibits:
        return []
    shown = "\n\n".join(
        f"{inline(exhibit.name)}\n\n{fence(for_terminal(exhibit.text))}" for exhibit in request.exhibits
    )
    return [Section("## Exhibits", shown, folded="Context of both sides and the judge")]


def _result(debate: outcome.FinishedDebate) -> schema.LastDebate:
    judge, *panel = debate.judges
    verdict = debate.outcome.verdict
    return debate.record(
        schema.LastDebate,
        proposer=debate.participant(base.Role.PROPOSER),
        challenger=debate.participant(base.Role.CHALLENGER),
        judge=judge,
        panel=tuple(panel),
        max_rounds=debate.request.rounds,
        exhibits=tuple(runs.record_of(schema.StateExhibit, exhibit) for exhibit in debate.request.shown),
        exchanges=debate.exchanges,
        verdict=_verdict(debate, verdict) if verdict else None,
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
    """List the speeches and verdicts that an unfinished debate still lacks."""
    request = runs.request_of(run, schema.DebateRequest)
    speeches = [turn for turn in run.transcript.turns if turn.kind in transcript.SPEECH_KINDS]
    past_speeches = {(turn.round, turn.role) for turn in speeches}
    due = [(round_, role) for round_ in range(1, request.rounds + 1) for role in schema.SPEAKING_ORDER]
    if any(turn.failure for turn in speeches if turn.attempt == 1):
        due = []  # after a failed speech no further one is asked for: the complete rounds are judged
    remaining = [
        f"round {round_}, {role} ({request.participant(role).tool})"
        for round_, role in due
        if (round_, role) not in past_speeches
    ]
    for number, judge in enumerate(request.judges, start=1):
        seat = f"judge {number}" if request.panel else "judge"
        remaining.append(f"verdict, {seat} ({judge.tool})")
    return tuple(remaining)


PRESENTATION = Presentation(
    outcome.FinishedDebate, _conclusion, _report, _details, _result, _remaining, live=_live, pictures=page.pictures
)
