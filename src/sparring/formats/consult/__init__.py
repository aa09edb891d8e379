"""The plain consultation: its ``options``, its ``rules``, and the ``report`` of what was answered."""

from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.formats.consult.options import LAST_FILES, ConsultOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema.consult import ConsultOutcome, ConsultRequest, ConsultStatus

__all__ = ["FORMAT"]


def _rules(request: ConsultRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.consult.rules import Consultation

    return Consultation(request, prompts)


def _presentation() -> Presentation:
    from sparring.formats.consult.report import PRESENTATION

    return PRESENTATION


FORMAT = Format(
    name="consult",
    title="Second opinion",
    description=("Ask another AI tool, or several at once, one question: a second opinion. One model call per answer."),
    options=ConsultOptions,
    request=ConsultRequest,
    complete=complete,
    outcome=ConsultOutcome,
    rules=_rules,
    presentation=_presentation,
    examples=(
        'sparring consult "What breaks first with a billion rows?" --tool codex --effort high',
        'git diff | sparring consult "Review this." --tool claude,codex',
    ),
    exit_codes={
        ConsultStatus.COMPLETED: ExitCode.DONE,
        ConsultStatus.FAILED: ExitCode.FAILED,
    },
    last_files=LAST_FILES,
    asks_at_once=True,
    spelled=(
        (r"question\.(?P<which>\d+)", "answer {which}"),
        (r"citations", "citations"),
    ),
)
