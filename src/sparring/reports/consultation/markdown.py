"""A finished consultation as Markdown.

A single answer stands last and unquoted, so that code in it can be copied: nothing of ours follows that it could
disturb. Several are quoted, each below its number, and followed by the table of what they cite.
"""

from sparring.reports.consultation.answered import FinishedConsult, NumberedTurn
from sparring.reports.consultation.citations import citations_table
from sparring.reports.fitting import Section, fitted, joined
from sparring.reports.foreign import inline, quoted
from sparring.reports.phrases import cause, context_line, estimated, seconds, spending, tool_with_model, usage
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer
from sparring.schema.runs import Run
from sparring.text.tidying import for_terminal


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
