"""A finished consultation as Markdown.

The answer stands last and unquoted, so that code in it can be copied: nothing of ours follows that it could disturb.
"""

from sparring.errors import DeliberationError
from sparring.reports.fitting import Section, fitted, joined
from sparring.reports.foreign import inline, quoted
from sparring.reports.phrases import cause, seconds, tool_with_model, usage
from sparring.schema.consult import ConsultOutcome, ConsultRequest
from sparring.schema.consultation import Answer
from sparring.schema.runs import Run
from sparring.text.tidying import for_terminal


def consult_report(run: Run) -> str:
    """The question and the whole answer.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    request, outcome = _finished(run)
    *before, answer = _sections(run, request, outcome)
    return joined([*before, Section("## Question", quoted(request.question)), answer])


def consult_decision(run: Run, *, limit: int) -> str:
    """The answer, whole if it fits, in fewer than ``limit`` characters.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    return fitted(_sections(run, *_finished(run)), limit=limit)


def _finished(run: Run) -> tuple[ConsultRequest, ConsultOutcome]:
    request, outcome = run.header.request, run.outcome
    if not isinstance(request, ConsultRequest) or not isinstance(outcome, ConsultOutcome):
        raise DeliberationError(f"Run {run.header.run_id} is not a finished consultation.")
    return request, outcome


def _sections(run: Run, request: ConsultRequest, outcome: ConsultOutcome) -> list[Section]:
    title = Section("# Consultation", _lines(_facts(run, request, outcome)))
    lines = (*request.notices, *outcome.notices, *run.notices, *_warnings(outcome))
    notices = "\n\n".join(inline(line) for line in dict.fromkeys(lines))
    return [title, *([Section("## Notices", notices)] if notices else []), _answer(outcome)]


def _lines(facts: dict[str, str]) -> str:
    return "  \n".join(f"{name}: {inline(fact)}" for name, fact in facts.items())


def _facts(run: Run, request: ConsultRequest, outcome: ConsultOutcome) -> dict[str, str]:
    reply = outcome.reply
    model = (reply.model if isinstance(reply, Answer) else None) or request.model
    facts = {
        "Tool": tool_with_model(reply.tool, model),
        "Effort": request.effort.value,
        "Duration": seconds(reply.duration_ms),
    }
    if isinstance(reply, Answer):
        facts["Used"] = usage(reply.usage)
        if reply.session_id and reply.continuable:
            facts["Session"] = f"{reply.session_id} (can be continued)"
    if reply.redactions:
        facts["Redactions"] = f"{reply.redactions} (secrets were taken out before anything was sent, kept or shown)"
    return facts | {"Run": f"`{run.header.run_id}` (the whole: `sparring runs show {run.header.run_id}`)"}


def _warnings(outcome: ConsultOutcome) -> tuple[str, ...]:
    warnings = outcome.reply.warnings if isinstance(outcome.reply, Answer) else ()
    return tuple(f"[WARN] {warning}" for warning in warnings)


def _answer(outcome: ConsultOutcome) -> Section:
    reply = outcome.reply
    if isinstance(reply, Answer):
        return Section("## Answer", for_terminal(reply.response).strip("\n"))
    return Section("## No answer", inline(cause(reply.code, reply.detail, reply.duration_ms)))
