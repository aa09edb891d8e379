"""Views of a consultation: the answers, and their citations; and the records.

A single answer comes last and unquoted, so that code in it can be copied: no text of sparring follows it. Several
are quoted, each below its number, and followed by the table of their citations.
"""

import re

from msgspec import Struct
from pydantic import ValidationError

from sparring.engine.format import Presentation
from sparring.errors import DeliberationError
from sparring.reports import markdown, runs
from sparring.reports.conclusion import Conclusion
from sparring.reports.page.pictures import Card, Pictures
from sparring.schema import consult as schema
from sparring.schema.base import RepoAccess, StateParticipant
from sparring.schema.consultation import Answer, Usage
from sparring.schema.lookups import CitationStatus, CitationTable, CitedPlace, CitedSource, SourceKind
from sparring.schema.runs import Run
from sparring.schema.transcript import Respondent, Turn, TurnKind
from sparring.text.tidying import one_line, visible


class NumberedTurn(Struct, frozen=True):
    """Turn of one of the tools asked; numbers count from 1."""

    number: int
    consulted: schema.ConsultedTool
    turn: Turn

    @property
    def model(self) -> str | None:
        """The model reported by the tool that answered, else the requested one."""
        respondent = self.turn.respondent
        if respondent and (respondent.model or respondent.stands_in_for):
            return respondent.model  # the requested model is not that of a substitute
        return self.consulted.model

    @property
    def respondent(self) -> StateParticipant:
        """The tool that answered, else the one that was asked."""
        respondent = self.turn.respondent or Respondent(tool=self.consulted.tool)
        return StateParticipant(tool=respondent.tool, model=self.model, stands_in_for=respondent.stands_in_for)

    @property
    def name(self) -> str:
        """E.g. ``codex (its default model)``."""
        return runs.respondent_with_model(self.respondent)

    @property
    def asked(self) -> schema.ConsultedTool:
        """The tool for a follow-up question; of a substitute only the name is known."""
        if self.respondent.stands_in_for is None:
            return self.consulted
        return schema.ConsultedTool(tool=self.respondent.tool)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of the answer for the reader."""
        warnings = self.turn.answer.warnings if self.turn.answer else ()
        if self.respondent.stands_in_for:
            warnings = warnings[1:]  # the first one is a notice of the run
        return tuple(f"[WARN] {warning}" for warning in warnings)


class FinishedConsult(runs.FinishedRun[schema.ConsultRequest, schema.ConsultOutcome]):
    """A consultation that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, schema.ConsultRequest, schema.ConsultOutcome)
        pairs = zip(self.request.question_ids, self.request.asked, strict=True)
        answers: list[NumberedTurn] = []
        for number, (id_, consulted) in enumerate(pairs, start=1):
            turn = run.transcript.turn(id_)
            if turn:
                answers.append(NumberedTurn(number, consulted, turn))
        self.answers = tuple(answers)

    @property
    def is_single(self) -> bool:
        """True if only one was asked."""
        return len(self.request.asked) == 1

    @property
    def citations(self) -> CitationTable:
        """Citations in the answers, by source; empty if they were not looked up."""
        answer = next((turn.answer for turn in self.run.transcript.turns if turn.kind is TurnKind.CITATIONS), None)
        if answer is None:
            return CitationTable()
        try:
            return CitationTable.model_validate_json(answer.response)
        except ValidationError as error:  # a journal of a later version, or a damaged one
            raise DeliberationError(f"Run {self.run.header.run_id} has citations that cannot be read.") from error


_NAME_SHOWN = 120
_PLACES_SHOWN = 6
_BACKTICKS = re.compile(r"`+")
_LEGEND = (
    "Found by code: a line or file marked *not found* is not in the project; addresses and symbols were not looked up."
)


def citations_table(consultation: FinishedConsult) -> str:
    """The table with its legend; empty when nothing is cited, or was not looked up."""
    citations = consultation.citations
    if not citations.sources:
        return ""
    answered = [numbered for numbered in consultation.answers if numbered.turn.answer]
    head = ["cited", *(f"{numbered.number} {numbered.respondent.name}" for numbered in answered), "by"]
    rows: list[list[str]] = []
    for source in citations.sources:
        cells = [_cell(source, numbered.number) for numbered in answered]
        row = [_code(source.name), *cells, f"{len(source.answers)} of {len(answered)}"]
        rows.append([markdown.inline(cell) for cell in row])
    parts = [markdown.table(head, rows)]
    if citations.left_out:
        parts.append(f"[… {citations.left_out} more]")
    return "\n\n".join([*parts, _LEGEND])


def _cell(source: CitedSource, answer: int) -> str:
    """Return the cell of a source in an answer: line numbers, or that it is cited."""
    places = [place for place in source.places if place.answer == answer]
    if source.kind is not SourceKind.PATH:
        return "yes" if places else ""
    shown = [_place(place) for place in places[:_PLACES_SHOWN]]
    if len(places) > _PLACES_SHOWN:
        shown.append("…")
    return ", ".join(shown)


def _place(place: CitedPlace) -> str:
    lines = "file" if place.line is None else f"{place.line}"
    if place.end_line is not None and place.end_line != place.line:
        lines += f"-{place.end_line}"
    return f"{lines} (*{place.status.counted}*)" if place.status is not CitationStatus.VERIFIED else lines


def _code(name: str) -> str:
    """A name as a code span for a table: no bar ends the cell, no backtick the span."""
    plain = _BACKTICKS.sub("'", one_line(name, _NAME_SHOWN)).replace("|", "\\|")
    return f"`{plain}`"


def _conclusion(consultation: FinishedConsult) -> Conclusion:
    answered = [numbered for numbered in consultation.answers if numbered.turn.answer]
    why, doubts, answered_by = "", list(consultation.notices), list[str]()
    if consultation.is_single:
        single = consultation.answers[0]
        headline = f"Answer of {single.name}" if single.turn.answer else f"No answer of {single.name}"
        why = runs.cause_of(single.turn.failure) if single.turn.failure else ""
        doubts += single.warnings
    else:
        headline = f"{len(answered)} of {len(consultation.answers)} answered"
        answered_by = [numbered.name for numbered in answered]
    statuses = [place.status for source in consultation.citations.sources for place in source.places]
    return Conclusion(
        headline=headline,
        is_plain=len(answered) == len(consultation.answers),
        about=("Question", consultation.request.question),
        why=why,
        doubts=tuple(dict.fromkeys(doubts)),
        citations={
            "places cited verified": statuses.count(CitationStatus.VERIFIED),
            "existing": statuses.count(CitationStatus.EXISTS),
            "not found": statuses.count(CitationStatus.NOT_FOUND),
        },
        answered_by=tuple(answered_by),
    )


def _report(consultation: FinishedConsult) -> markdown.Sections:
    question = markdown.Section("## Question", markdown.quoted(consultation.request.question))
    return [*_circumstances(consultation), question, *_answers(consultation)]


def _details(consultation: FinishedConsult) -> markdown.Sections:
    return [*_circumstances(consultation), *_answers(consultation)]


def _columns(consultation: FinishedConsult) -> markdown.SideBySide:
    columns: list[markdown.Column] = []
    for numbered in consultation.answers:
        text = numbered.turn.answer.response if numbered.turn.answer else ""
        columns.append(markdown.Column(_heading(numbered), _facts(numbered), text))
    return markdown.SideBySide(_circumstances(consultation), columns, _cited(consultation), _answers(consultation))


def _circumstances(consultation: FinishedConsult) -> list[markdown.Section]:
    """Show effort and context of the question, what participants could see, and sessions that can be continued."""
    request, redactions = consultation.request, consultation.request.redactions
    facts = {"Effort": request.effort.value}
    if request.context:
        facts["Context"] = runs.context_line(request.context)
    if request.repo_access is RepoAccess.READ:
        facts["Repository"] = "could be read"
    if consultation.is_single:
        reply = consultation.answers[0].turn.reply
        redactions += reply.redactions
        if isinstance(reply, Answer) and reply.session_id and reply.continuable:
            facts["Session"] = f"{reply.session_id} (can be continued)"
    else:
        # Sessions and redactions of several answers stand with each of them.
        expected = consultation.run.header.estimate
        if expected:
            facts["Expected"] = runs.estimate_text(expected)
        answers = [(numbered.number, numbered.turn.answer) for numbered in consultation.answers]
        continuable = [str(number) for number, answer in answers if answer and answer.continuable]
        if continuable:
            facts["Can be continued"] = ", ".join(continuable)
    if redactions:
        facts["Redactions"] = f"{redactions} (secrets were taken out before anything was sent, kept or shown)"
    lines = (f"{name}: {markdown.inline(fact)}" for name, fact in facts.items())
    return [markdown.Section("", markdown.HARD_BREAK.join(lines))]


def _heading(numbered: NumberedTurn) -> str:
    return f"Answer {numbered.number}: {numbered.name}"


def _facts(numbered: NumberedTurn) -> str:
    reply = numbered.turn.reply
    if not isinstance(reply, Answer):
        return markdown.inline(f"Failed: {runs.cause_of(reply)}")
    session = [f"session {reply.session_id}"] if reply.session_id and reply.continuable else []
    return runs.answer_facts(reply, *session)


def _answers(consultation: FinishedConsult) -> list[markdown.Section]:
    if consultation.is_single:
        return [_single(consultation.answers[0])]
    return [*map(_one_of_several, consultation.answers), *_cited(consultation)]


def _cited(consultation: FinishedConsult) -> list[markdown.Section]:
    return markdown.optional_section("## Who cited what", citations_table(consultation))


def _single(numbered: NumberedTurn) -> markdown.Section:
    reply = numbered.turn.reply
    if isinstance(reply, Answer):
        return markdown.Section("## Answer", markdown.harmless(reply.response).strip("\n"))
    return markdown.Section("## No answer", markdown.inline(runs.cause_of(reply)))


def _piped(consultation: FinishedConsult) -> str:
    """A single answer alone, so that it can be piped on; several with their headings."""
    if not consultation.is_single:
        return markdown.joined(_answers(consultation))
    answer = consultation.answers[0].turn.answer
    return visible(answer.response) if answer else ""


def _one_of_several(numbered: NumberedTurn) -> markdown.Section:
    text = _facts(numbered)
    if numbered.turn.answer:
        text += f"\n\n{markdown.quoted(numbered.turn.answer.response)}"
    return markdown.Section(f"## {markdown.inline(_heading(numbered))}", text, numbered.turn.ask_id)


def _last(consultation: FinishedConsult) -> schema.LastSession | schema.LastMultiSession | None:
    """The session of one answer, or of several; None without a session, or without any answer."""
    question, timestamp = consultation.request.question, consultation.at
    sessions: list[tuple[int, schema.SavedSession]] = []
    for numbered in consultation.answers:
        answer = numbered.turn.answer
        if answer:
            session = runs.record_of(
                schema.SavedSession,
                answer,
                numbered.asked,
                model=numbered.model,
                model_asked=numbered.asked.model,
                effort=answer.effort or consultation.request.effort,
            )
            sessions.append((numbered.number, session))
    if not sessions:
        return None
    if consultation.is_single:
        _, session = sessions[0]
        if not session.session_id:
            return None
        return runs.record_of(schema.LastSession, session, question=question, timestamp=timestamp)
    numbered_sessions = tuple(
        runs.record_of(schema.NumberedSession, session, number=number) for number, session in sessions
    )
    return schema.LastMultiSession(question=question, sessions=numbered_sessions, timestamp=timestamp)


def _result(consultation: FinishedConsult) -> schema.ConsultResult | schema.ConsultResults:
    redactions = consultation.request.redactions
    answers = [_answer(numbered, consultation) for numbered in consultation.answers]
    context = tuple(part.size for part in consultation.request.context)
    if consultation.is_single:
        fields = dict(answers[0])
        fields["redactions"] = redactions + answers[0].redactions
        return consultation.record(schema.ConsultResult, **fields, context=context)
    return consultation.record(
        schema.ConsultResults,
        context=context,
        answers=tuple(
            runs.record_of(schema.NumberedAnswer, answer, number=numbered.number)
            for numbered, answer in zip(consultation.answers, answers, strict=True)
        ),
        citations=consultation.citations.sources,
        redactions=redactions,
    )


_UNANSWERED = {"response": None, "session_id": None, "continuable": False, "usage": Usage(), "warnings": ()}
"""Fields of an answer that a failure, the other kind of reply, does not have."""


def _answer(numbered: NumberedTurn, consultation: FinishedConsult) -> schema.ConsultAnswer:
    facts = {
        "status": schema.ConsultStatus.COMPLETED,
        "model": numbered.model,
        "stands_in_for": numbered.respondent.stands_in_for,
        "effort": consultation.request.effort,
        "failure": numbered.turn.failure,
    }
    if numbered.turn.answer is None:
        facts |= {**_UNANSWERED, "status": schema.ConsultStatus.FAILED}
    return runs.record_of(schema.ConsultAnswer, numbered.turn.reply, numbered.asked, **facts)


def _remaining(run: Run) -> tuple[str, ...]:
    request = runs.request_of(run, schema.ConsultRequest)
    pairs = zip(request.question_ids, request.asked, strict=True)
    answers = [f"the answer of {consulted.tool}" for id_, consulted in pairs if run.transcript.turn(id_) is None]
    return tuple(answers) or ("what the answers cite",)


def _pictures(consultation: FinishedConsult) -> Pictures:
    """Return the facts about each of several answers, all of which are shown."""
    cards = {numbered.turn.ask_id: _card(consultation, numbered) for numbered in consultation.answers}
    return Pictures(cards=cards, speeches_title="Answers")


def _card(consultation: FinishedConsult, numbered: NumberedTurn) -> Card:
    places = [place for source in consultation.citations.sources for place in source.places]
    statuses = [place.status for place in places if place.answer == numbered.number]
    counts = {
        "verified": statuses.count(CitationStatus.VERIFIED),
        "existing": statuses.count(CitationStatus.EXISTS),
        "not found": statuses.count(CitationStatus.NOT_FOUND),
    }
    marks = ("not found",) if counts["not found"] else ()
    return Card({"tool": (numbered.respondent.tool,), "mark": marks}, counts, is_open=True)


PRESENTATION = Presentation(
    FinishedConsult,
    _conclusion,
    _report,
    _details,
    _result,
    _remaining,
    piped=_piped,
    last=_last,
    columns=_columns,
    pictures=_pictures,
)
