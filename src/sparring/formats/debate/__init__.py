"""The debate of two sides before one judge or several (specification: seed 004; design: Debate).

Reading order: ``said`` is what was said, ``anonymize`` takes out who said it; ``summaries`` stand in for earlier
rounds; ``asks`` words what debaters are asked; ``sides`` is what a judge is shown, ``replies`` what it answers,
``judges`` obtain the ballots and ``verdict`` counts them; ``rules`` is the course, and how it ends; ``outcome`` is what
came of it in Markdown, and ``report`` the whole.
"""

from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.prompts import PromptLibrary
from sparring.schema.debate import DebateRequest, DebateStatus, LastDebate

__all__ = ["FORMAT"]


def _rules(request: DebateRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.debate.rules import Debate  # noqa: PLC0415 -- see Format

    return Debate(request, prompts)


def _presentation() -> Presentation:
    from sparring.formats.debate.report import PRESENTATION  # noqa: PLC0415 -- see Format

    return PRESENTATION


FORMAT = Format(
    name="debate",
    request=DebateRequest,
    rules=_rules,
    presentation=_presentation,
    exit_codes={
        DebateStatus.COMPLETED: ExitCode.DONE,
        DebateStatus.INCOMPLETE: ExitCode.DONE,
        DebateStatus.UNCONTESTED: ExitCode.NO_VERDICT,
        DebateStatus.UNJUDGED: ExitCode.NO_VERDICT,
        DebateStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
    last_files=(("debate/last-debate.json", LastDebate),),
)
