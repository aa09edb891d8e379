"""A consultation as it is shown: the answers, who cited what; and the records.

A single answer stands last and unquoted, so that code in it can be copied: nothing of ours follows that it could
disturb. Several are quoted, each below its number, and followed by the table of what they cite.
"""

import re
from dataclasses import dataclass
from typing import Self

from pydantic import ValidationError

from sparring.errors import DeliberationError
from sparring.reports.markdown import Section, fitted, inline, joined, quoted
from sparring.reports.runs import (
    cause,
    context_line,
    ended_at,
    estimated,
    notices_of,
    request_of,
    seconds,
    spending,
    tool_with_model,
    usage,
)
from sparring.schema.base import RepoAccess
from sparring.schema.citations import CitationStatus, CitationTable, PlaceCited, SourceCited, SourceKind
from sparring.schema.consult import (
    ConsultAnswer,
    Consulted,
    ConsultOutcome,
    ConsultRequest,
    ConsultResult,
    ConsultResults,
    ConsultStatus,
    LastMultiSession,
    LastSession,
    NumberedAnswer,
    NumberedSession,
    SavedSession,
)
from sparring.schema.consultation import Answer, Usage
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn, TurnKind
from sparring.text.tidying import for_terminal, one_line


@dataclass(frozen=True)
class NumberedTurn:
    """What came of asking one of them; numbers count from 1."""

    number: int
    consulted: Consulted
    turn: Turn


@dataclass(frozen=True)
class FinishedConsult:
    """A run that is a consultation and has ended."""

    run: Run
    request: ConsultRequest
    outcome: ConsultOutcome
    answers: tuple[NumberedTurn, ...]

    @classmethod
    def of(cls, run: Run) -> Self:
        """Look at ``run`` as a finished consultation.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        request, outcome = run.header.request, run.outcome
        if not isinstance(request, ConsultRequest) or not isinstance(outcome, ConsultOutcome):
            raise DeliberationError(f"Run {run.header.run_id} is not a finished consultation.")
        pairs = zip(request.question_ids, request.asked, strict=True)
        answers = tuple(
            NumberedTurn(number, consulted, turn)
            for number, (id_, consulted) in enumerate(pairs, start=1)
            if (turn := run.transcript.turn(id_))
        )
        return cls(run, request, outcome, answers)

    @property
    def is_single(self) -> bool:
        """Whether only one was asked."""
        return len(self.request.asked) == 1

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        return notices_of(self.run)

    @property
    def citations(self) -> CitationTable:
        """Who cited what; empty when that was not looked up."""
        found = next((turn.answer for turn in self.run.transcript.turns if turn.kind is TurnKind.CITATIONS), None)
        if found is None:
            return CitationTable()
        try:
            return CitationTable.model_validate_json(found.response)
        except ValidationError as error:  # a journal that a later version wrote, or nobody did
            raise DeliberationError(f"Run {self.run.header.run_id} holds citations that cannot be read.") from error


_NAME_SHOWN = 120
_PLACES_SHOWN = 6
_BACKTICKS = re.compile(r"`+")
_LEGEND = (
    "Found by code: a line or file marked *not found* is not in the project; addresses and symbols were not looked up."
)


def citations_table(consultation: FinishedConsult) -> str:
    """The table with its legend; empty when nothing is cited, or was not looked up."""
    found = consultation.citations
    if not found.sources:
        return ""
    answered = [each for each in consultation.answers if each.turn.answer]
    head = ["cited", *(f"{each.number} {each.consulted.tool}" for each in answered), "by"]
    rows = [_row(source, answered) for source in found.sources]
    lines = [_line(head), "|" + " --- |" * len(head), *(_line(row) for row in rows)]
    more = [f"[… {found.left_out} more]"] if found.left_out else []
    return "\n\n".join(["\n".join(lines), *more, _LEGEND])


def _row(source: SourceCited, answered: list[NumberedTurn]) -> list[str]:
    cells = (_cell(source, [place for place in source.places if place.answer == each.number]) for each in answered)
    return [_code(source.name), *cells, f"{len(source.answers)} of {len(answered)}"]


def _cell(source: SourceCited, places: list[PlaceCited]) -> str:
    """Where an answer cites the source: line numbers, or that it does."""
    if source.kind is not SourceKind.PATH:
        return "yes" if places else ""
    told = [_place(place) for place in places[:_PLACES_SHOWN]]
    return ", ".join([*told, *(["…"] if len(places) > _PLACES_SHOWN else [])])


def _place(place: PlaceCited) -> str:
    lines = "file" if place.line is None else f"{place.line}"
    if place.end_line is not None and place.end_line != place.line:
        lines += f"-{place.end_line}"
    return f"{lines} (*{place.status.replace('_', ' ')}*)" if place.status is not CitationStatus.VERIFIED else lines


def _code(name: str) -> str:
    """A name as a code span that a table takes: no bar ends the cell, no backtick the span."""
    plain = _BACKTICKS.sub("'", one_line(name, _NAME_SHOWN)).replace("|", "\\|")
    return f"`{plain}`"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(inline(cell) for cell in cells) + " |"


def report(run: Run) -> str:
    """The question and every answer, whole.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    consultation = FinishedConsult.of(run)
    question = Section("## Question", quoted(consultation.request.question))
    return joined([*introduction(consultation), question, *_answers(consultation)])


def decision(run: Run, *, limit: int) -> str:
    """The answers, whole if they fit, in fewer than ``limit`` characters.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    consultation = FinishedConsult.of(run)
    return fitted([*introduction(consultation), *_answers(consultation)], limit=limit)


def introduction(consultation: FinishedConsult) -> list[Section]:
    """Who was asked, how long it took, what it used, and what the reader must know."""
    facts = _single_facts(consultation) if consultation.is_single else _several_facts(consultation)
    run_id = consultation.run.header.run_id
    facts |= {"Run": f"`{run_id}` (the whole: `sparring runs show {run_id}`)"}
    title = Section("# Consultation", "  \n".join(f"{name}: {inline(fact)}" for name, fact in facts.items()))
    lines = (*consultation.notices, *(_warnings(consultation.answers[0]) if consultation.is_single else ()))
    notices = "\n\n".join(inline(line) for line in dict.fromkeys(lines))
    return [title, *([Section("## Notices", notices)] if notices else [])]


def answer_heading(each: NumberedTurn) -> str:
    """E.g. ``Answer 2: codex (its default model)``."""
    return f"Answer {each.number}: {_who(each)}"


def answer_facts(each: NumberedTurn) -> str:
    """How long one of several answers took, what it used, and what the reader must know of it, in a few lines."""
    reply = each.turn.reply
    if not isinstance(reply, Answer):
        return inline(f"Failed: {cause(reply.code, reply.detail, reply.duration_ms)}")
    facts = [seconds(reply.duration_ms), usage(reply.usage)]
    facts += [f"session {reply.session_id}"] if reply.session_id and reply.continuable else []
    facts += [f"{reply.redactions} redacted"] if reply.redactions else []
    return "\n\n".join([inline(", ".join(facts)), *(inline(warning) for warning in _warnings(each))])


def _single_facts(consultation: FinishedConsult) -> dict[str, str]:
    each, request = consultation.answers[0], consultation.request
    reply = each.turn.reply
    facts = {"Tool": _who(each), "Effort": request.effort.value} | _given(consultation)
    facts["Duration"] = seconds(reply.duration_ms)
    if isinstance(reply, Answer):
        facts["Used"] = usage(reply.usage)
        if reply.session_id and reply.continuable:
            facts["Session"] = f"{reply.session_id} (can be continued)"
    return facts | _redactions(request.redactions + reply.redactions)


def _several_facts(consultation: FinishedConsult) -> dict[str, str]:
    run, request = consultation.run, consultation.request
    asked = ", ".join(f"{each.number} {_who(each)}" for each in consultation.answers)
    facts = {"Asked": asked, "Effort": request.effort.value} | _given(consultation)
    facts["Duration"] = seconds(max(each.turn.reply.duration_ms for each in consultation.answers))
    facts["Used"] = spending(run.spent)
    if run.header.estimate:
        facts["Expected"] = estimated(run.header.estimate)
    continuable = [each for each in consultation.answers if each.turn.answer and each.turn.answer.continuable]
    if continuable:
        numbers = ", ".join(str(each.number) for each in continuable)
        facts["Can be continued"] = f"{numbers} (`--continue {continuable[0].number}`)"
    return facts | _redactions(request.redactions)


def _given(consultation: FinishedConsult) -> dict[str, str]:
    """What those asked got to see besides the question."""
    request = consultation.request
    facts = {"Context": context_line(request.context)} if request.context else {}
    return facts | ({"Repository": "could be read"} if request.repo_access is RepoAccess.READ else {})


def _redactions(count: int) -> dict[str, str]:
    return {"Redactions": f"{count} (secrets were taken out before anything was sent, kept or shown)"} if count else {}


def _who(each: NumberedTurn) -> str:
    reported = each.turn.answer.model if each.turn.answer else None
    return tool_with_model(each.consulted.tool, reported or each.consulted.model)


def _warnings(each: NumberedTurn) -> tuple[str, ...]:
    warnings = each.turn.answer.warnings if each.turn.answer else ()
    return tuple(f"[WARN] {warning}" for warning in warnings)


def _answers(consultation: FinishedConsult) -> list[Section]:
    if consultation.is_single:
        return [_single(consultation.answers[0])]
    answers = [_numbered(each) for each in consultation.answers]
    table = citations_table(consultation)
    return [*answers, *([Section("## Who cited what", table)] if table else [])]


def _single(each: NumberedTurn) -> Section:
    reply = each.turn.reply
    if isinstance(reply, Answer):
        return Section("## Answer", for_terminal(reply.response).strip("\n"))
    return Section("## No answer", inline(cause(reply.code, reply.detail, reply.duration_ms)))


def _numbered(each: NumberedTurn) -> Section:
    heading, facts = f"## {inline(answer_heading(each))}", answer_facts(each)
    return Section(heading, f"{facts}\n\n{quoted(each.turn.answer.response)}" if each.turn.answer else facts)


def last(run: Run) -> LastSession | LastMultiSession | None:
    """``consult/last-session.json`` of one answer, ``consult/last-multi-session.json`` of several.

    None when nothing in it is worth taking an earlier one's place: one answer without a session, or none at all.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    consultation = FinishedConsult.of(run)
    question, timestamp = consultation.request.question, ended_at(run)
    saved = [(each.number, _session(each, consultation)) for each in consultation.answers if each.turn.answer]
    if consultation.is_single:
        session = saved[0][1] if saved else None
        if session is None or session.session_id is None:
            return None
        return LastSession(**dict(session), question=question, timestamp=timestamp)
    if not saved:
        return None
    sessions = tuple(NumberedSession(**dict(session), number=number) for number, session in saved)
    return LastMultiSession(question=question, sessions=sessions, timestamp=timestamp)


def result(run: Run) -> ConsultResult | ConsultResults:
    """``result.json`` of a finished consultation, of one answer or of several.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    consultation = FinishedConsult.of(run)
    request = consultation.request
    sizes = tuple(part.size for part in request.context)
    if consultation.is_single:
        answer = _answer(consultation.answers[0], consultation)
        counted = answer.model_copy(update={"redactions": request.redactions + answer.redactions})
        return ConsultResult(
            **dict(counted),
            id=run.header.run_id,
            question=request.question,
            context=sizes,
            repo_access=request.repo_access,
            timestamp=ended_at(run),
            notices=consultation.notices,
        )
    return ConsultResults(
        id=run.header.run_id,
        status=consultation.outcome.status,
        question=request.question,
        context=sizes,
        repo_access=request.repo_access,
        answers=tuple(
            NumberedAnswer(**dict(_answer(each, consultation)), number=each.number) for each in consultation.answers
        ),
        citations=consultation.citations.sources,
        spent=run.spent,
        redactions=request.redactions,
        timestamp=ended_at(run),
        notices=consultation.notices,
    )


def _session(each: NumberedTurn, consultation: FinishedConsult) -> SavedSession:
    answer = each.turn.answer
    return SavedSession(
        tool=each.consulted.tool,
        transport=each.consulted.transport,
        model=(answer and answer.model) or each.consulted.model,
        model_asked=each.consulted.model,
        effort=(answer and answer.effort) or consultation.request.effort,
        session_id=answer and answer.session_id,
        continuable=bool(answer and answer.continuable),
    )


def _answer(each: NumberedTurn, consultation: FinishedConsult) -> ConsultAnswer:
    reply, answer = each.turn.reply, each.turn.answer
    return ConsultAnswer(
        status=ConsultStatus.COMPLETED if answer else ConsultStatus.FAILED,
        tool=each.consulted.tool,
        transport=each.consulted.transport,
        model=(answer and answer.model) or each.consulted.model,
        effort=consultation.request.effort,
        response=answer and answer.response,
        session_id=answer and answer.session_id,
        continuable=bool(answer and answer.continuable),
        duration_ms=reply.duration_ms,
        usage=answer.usage if answer else Usage(),
        redactions=reply.redactions,
        warnings=answer.warnings if answer else (),
        failure=each.turn.failure,
    )


def remaining(run: Run) -> tuple[str, ...]:
    """Whose answers are missing.

    Raises:
        DeliberationError: The run is not a consultation.
    """
    request = request_of(run, ConsultRequest)
    pairs = zip(request.question_ids, request.asked, strict=True)
    unheard = [consulted for id_, consulted in pairs if run.transcript.turn(id_) is None]
    answers = [f"the answer of {consulted.tool}" for consulted in unheard]
    return tuple(answers) or ("what the answers cite",)
