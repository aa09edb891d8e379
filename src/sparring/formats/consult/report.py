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
from sparring.schema.lookups import CitationStatus, CitationTable, PlaceCited, SourceCited, SourceKind
from sparring.schema.runs import Run
from sparring.schema.transcript import Answerer, Turn, TurnKind
from sparring.text.tidying import one_line, visible


class NumberedTurn(Struct, frozen=True):
    """Turn of one of the tools asked; numbers count from 1."""

    number: int
    consulted: schema.Consulted
    turn: Turn

    @property
    def model(self) -> str | None:
        """The model reported by the tool that answered, else the requested one."""
        answerer = self.turn.answerer
        reported = answerer.model if answerer else None
        return reported or (None if answerer and answerer.stands_in_for else self.consulted.model)

    @property
    def answerer(self) -> StateParticipant:
        """The tool that answered, else the one that was asked."""
        answerer = self.turn.answerer or Answerer(tool=self.consulted.tool)
        return StateParticipant(tool=answerer.tool, model=self.model, stands_in_for=answerer.stands_in_for)

    @property
    def name(self) -> str:
        """E.g. ``codex (its default model)``."""
        return runs.answerer_with_model(self.answerer)

    @property
    def asked(self) -> schema.Consulted:
        """The tool for a follow-up question; of a substitute only the name is known."""
        if self.answerer.stands_in_for is None:
            return self.consulted
        return schema.Consulted(tool=self.answerer.tool)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of the answer for the reader."""
        warnings = self.turn.answer.warnings if self.turn.answer else ()
        warnings = warnings[1:] if self.answerer.stands_in_for else warnings  # the first one is a notice of the run
        return tuple(f"[WARN] {warning}" for warning in warnings)


class FinishedConsult(runs.FinishedRun[schema.ConsultRequest, schema.ConsultOutcome]):
    """A consultation that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, schema.ConsultRequest, schema.ConsultOutcome)
        pairs = zip(self.request.question_ids, self.request.asked, strict=True)
        self.answers = tuple(
            NumberedTurn(number, consulted, turn)
            for number, (id_, consulted) in enumerate(pairs, start=1)
            if (turn := run.transcript.turn(id_))
        )

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
            raise DeliberationError(f"Run {self.run.header.run_id} holds citations that cannot be read.") from error


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
    answered = [each for each in consultation.answers if each.turn.answer]
    head = ["cited", *(f"{each.number} {each.answerer.name}" for each in answered), "by"]
    cited = markdown.table(
        head, ([markdown.inline(cell) for cell in _row(source, answered)] for source in citations.sources)
    )
    more = [f"[… {citations.left_out} more]"] if citations.left_out else []
    return "\n\n".join([cited, *more, _LEGEND])


def _row(source: SourceCited, answered: list[NumberedTurn]) -> list[str]:
    cells = (_cell(source, [place for place in source.places if place.answer == each.number]) for each in answered)
    return [_code(source.name), *cells, f"{len(source.answers)} of {len(answered)}"]


def _cell(source: SourceCited, places: list[PlaceCited]) -> str:
    """Return the cell of a source in an answer: line numbers, or that it is cited."""
    if source.kind is not SourceKind.PATH:
        return "yes" if places else ""
    cells = [_place(place) for place in places[:_PLACES_SHOWN]]
    return ", ".join([*cells, *(["…"] if len(places) > _PLACES_SHOWN else [])])


def _place(place: PlaceCited) -> str:
    lines = "file" if place.line is None else f"{place.line}"
    if place.end_line is not None and place.end_line != place.line:
        lines += f"-{place.end_line}"
    return f"{lines} (*{place.status.counted}*)" if place.status is not CitationStatus.VERIFIED else lines


def _code(name: str) -> str:
    """A name as a code span for a table: no bar ends the cell, no backtick the span."""
    plain = _BACKTICKS.sub("'", one_line(name, _NAME_SHOWN)).replace("|", "\\|")
    return f"`{plain}`"


def _conclusion(consultation: FinishedConsult) -> Conclusion:
    answered = [each for each in consultation.answers if each.turn.answer]
    single = consultation.answers[0] if consultation.is_single else None
    places = [place.status for source in consultation.citations.sources for place in source.places]
    return Conclusion(
        headline=_came_of_it(consultation, single),
        is_plain=len(answered) == len(consultation.answers),
        about=("Question", consultation.request.question),
        why=runs.cause_of(single.turn.failure) if single and single.turn.failure else "",
        doubts=tuple(dict.fromkeys((*consultation.notices, *(single.warnings if single else ())))),
        citations={
            "places cited verified": places.count(CitationStatus.VERIFIED),
            "existing": places.count(CitationStatus.EXISTS),
            "not found": places.count(CitationStatus.NOT_FOUND),
        },
        answered_by=() if single else tuple(each.name for each in answered),
    )


def _came_of_it(consultation: FinishedConsult, single: NumberedTurn | None) -> str:
    if single is None:
        answered = sum(each.turn.answer is not None for each in consultation.answers)
        return f"{answered} of {len(consultation.answers)} answered"
    if isinstance(single.turn.reply, Answer):
        return f"Answer of {single.name}"
    return f"No answer of {single.name}"


def _report(consultation: FinishedConsult) -> markdown.Sections:
    question = markdown.Section("## Question", markdown.quoted(consultation.request.question))
    return [*_circumstances(consultation), question, *_answers(consultation)]


def _details(consultation: FinishedConsult) -> markdown.Sections:
    return [*_circumstances(consultation), *_answers(consultation)]


def _columns(consultation: FinishedConsult) -> markdown.SideBySide:
    columns = [
        markdown.Column(_heading(each), _facts(each), each.turn.answer.response if each.turn.answer else "")
        for each in consultation.answers
    ]
    return markdown.SideBySide(_circumstances(consultation), columns, _cited(consultation), _answers(consultation))


def _circumstances(consultation: FinishedConsult) -> list[markdown.Section]:
    """Show effort and context of the question, what participants could see, and sessions that can be continued."""
    request, redactions = consultation.request, consultation.request.redactions
    facts = {"Effort": request.effort.value}
    facts |= {"Context": runs.context_line(request.context)} if request.context else {}
    facts |= {"Repository": "could be read"} if request.repo_access is RepoAccess.READ else {}
    if consultation.is_single:
        reply = consultation.answers[0].turn.reply
        redactions += reply.redactions
        if isinstance(reply, Answer) and reply.session_id and reply.continuable:
            facts["Session"] = f"{reply.session_id} (can be continued)"
    else:
        facts |= _several_facts(consultation)
    if redactions:
        facts["Redactions"] = f"{redactions} (secrets were taken out before anything was sent, kept or shown)"
    return [
        markdown.Section(
            "", markdown.HARD_BREAK.join(f"{name}: {markdown.inline(fact)}" for name, fact in facts.items())
        )
    ]


def _heading(each: NumberedTurn) -> str:
    return f"Answer {each.number}: {each.name}"


def _facts(each: NumberedTurn) -> str:
    reply = each.turn.reply
    if not isinstance(reply, Answer):
        return markdown.inline(f"Failed: {runs.cause_of(reply)}")
    session = [f"session {reply.session_id}"] if reply.session_id and reply.continuable else []
    return runs.circumstances(reply, *session)


def _several_facts(consultation: FinishedConsult) -> dict[str, str]:
    expected = consultation.run.header.estimate
    facts = {"Expected": runs.estimated(expected)} if expected else {}
    continuable = [each for each in consultation.answers if each.turn.answer and each.turn.answer.continuable]
    return facts | ({"Can be continued": ", ".join(str(each.number) for each in continuable)} if continuable else {})


def _answers(consultation: FinishedConsult) -> list[markdown.Section]:
    if consultation.is_single:
        return [_single(consultation.answers[0])]
    return [*map(_numbered, consultation.answers), *_cited(consultation)]


def _cited(consultation: FinishedConsult) -> list[markdown.Section]:
    return markdown.optional_section("## Who cited what", citations_table(consultation))


def _single(each: NumberedTurn) -> markdown.Section:
    reply = each.turn.reply
    if isinstance(reply, Answer):
        return markdown.Section("## Answer", markdown.harmless(reply.response).strip("\n"))
    return markdown.Section("## No answer", markdown.inline(runs.cause_of(reply)))


def _piped(consultation: FinishedConsult) -> str:
    """A single answer alone, so that it can be piped on; several with their headings."""
    if not consultation.is_single:
        return markdown.joined(_answers(consultation))
    answer = consultation.answers[0].turn.answer
    return visible(answer.response) if answer else ""


def _numbered(each: NumberedTurn) -> markdown.Section:
    heading, facts = f"## {markdown.inline(_heading(each))}", _facts(each)
    text = f"{facts}\n\n{markdown.quoted(each.turn.answer.response)}" if each.turn.answer else facts
    return markdown.Section(heading, text, each.turn.ask_id)


def _last(consultation: FinishedConsult) -> schema.LastSession | schema.LastMultiSession | None:
    """The session of one answer, or of several; None without a session, or without any answer."""
    question, timestamp = consultation.request.question, consultation.at
    saved = {
        each.number: runs.record_of(
            schema.SavedSession,
            answer,
            each.asked,
            model=each.model,
            model_asked=each.asked.model,
            effort=answer.effort or consultation.request.effort,
        )
        for each in consultation.answers
        if (answer := each.turn.answer)
    }
    if consultation.is_single:
        if (session := saved.get(1)) and session.session_id:
            return runs.record_of(schema.LastSession, session, question=question, timestamp=timestamp)
        return None
    sessions = tuple(
        runs.record_of(schema.NumberedSession, session, number=number) for number, session in saved.items()
    )
    return schema.LastMultiSession(question=question, sessions=sessions, timestamp=timestamp) if sessions else None


def _result(consultation: FinishedConsult) -> schema.ConsultResult | schema.ConsultResults:
    asked = consultation.request.redactions
    answers = [_answer(each, consultation) for each in consultation.answers]
    context = tuple(part.size for part in consultation.request.context)
    if consultation.is_single:
        counted = dict(answers[0]) | {"redactions": asked + answers[0].redactions}
        return consultation.record(schema.ConsultResult, **counted, context=context)
    return consultation.record(
        schema.ConsultResults,
        context=context,
        answers=tuple(
            runs.record_of(schema.NumberedAnswer, answer, number=each.number)
            for each, answer in zip(consultation.answers, answers, strict=True)
        ),
        citations=consultation.citations.sources,
        redactions=asked,
    )


_UNANSWERED = {"response": None, "session_id": None, "continuable": False, "usage": Usage(), "warnings": ()}


def _answer(each: NumberedTurn, consultation: FinishedConsult) -> schema.ConsultAnswer:
    answer = each.turn.answer
    facts = {
        "status": schema.ConsultStatus.COMPLETED if answer else schema.ConsultStatus.FAILED,
        "model": each.model,
        "stands_in_for": each.answerer.stands_in_for,
        "effort": consultation.request.effort,
        "failure": each.turn.failure,
    }
    return runs.record_of(schema.ConsultAnswer, each.turn.reply, each.asked, **facts if answer else _UNANSWERED | facts)


def _remaining(run: Run) -> tuple[str, ...]:
    request = runs.request_of(run, schema.ConsultRequest)
    pairs = zip(request.question_ids, request.asked, strict=True)
    answers = [f"the answer of {consulted.tool}" for id_, consulted in pairs if run.transcript.turn(id_) is None]
    return tuple(answers) or ("what the answers cite",)


def _pictures(consultation: FinishedConsult) -> Pictures:
    """Return the facts about each of several answers, all of which are shown."""
    cards = {each.turn.ask_id: _card(consultation, each) for each in consultation.answers}
    return Pictures(cards=cards, called="Answers")


def _card(consultation: FinishedConsult, each: NumberedTurn) -> Card:
    places = [place for source in consultation.citations.sources for place in source.places]
    statuses = [place.status for place in places if place.answer == each.number]
    counts = {
        "verified": statuses.count(CitationStatus.VERIFIED),
        "existing": statuses.count(CitationStatus.EXISTS),
        "not found": statuses.count(CitationStatus.NOT_FOUND),
    }
    marks = ("not found",) if counts["not found"] else ()
    return Card({"tool": (each.answerer.tool,), "mark": marks}, counts, is_open=True)


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
