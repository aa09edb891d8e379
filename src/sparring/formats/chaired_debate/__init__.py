"""The chaired debate (specification: seed 003; design: Chaired debate).

Both debaters confirm their roles; the promoter opens, then the detractor; they act in turn in each rebuttal round,
after which the audience may ask and the chair reviews; the detractor closes, then the promoter; the chair concludes,
a reporter may sum up.

Reading order: ``rulebook`` says what may be entered; ``floor`` is where a debate stands; ``replies`` reads what is
said; ``turns`` is a debater's turn, ``chair`` what the others do; ``asks`` words the prompts; ``rules`` is the course,
``report`` what people and programs get of it.
"""

from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.prompts import PromptLibrary
from sparring.schema.chaired_debate import ChairedDebateRequest, ChairedDebateStatus

__all__ = ["FORMAT"]


def _rules(request: ChairedDebateRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.chaired_debate.rules import ChairedDebate  # noqa: PLC0415 -- see Format

    return ChairedDebate(request, prompts)


def _presentation() -> Presentation:
    from sparring.formats.chaired_debate.report import PRESENTATION  # noqa: PLC0415 -- see Format

    return PRESENTATION


FORMAT = Format(
    name="chaired-debate",
    request=ChairedDebateRequest,
    rules=_rules,
    presentation=_presentation,
    exit_codes={
        ChairedDebateStatus.COMPLETED: ExitCode.DONE,
        ChairedDebateStatus.INCOMPLETE: ExitCode.DONE,
        ChairedDebateStatus.UNJUDGED: ExitCode.NO_VERDICT,
        ChairedDebateStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
)
