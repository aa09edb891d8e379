"""The chaired debate (specification: seed 003; design: Chaired debate).

Both debaters confirm their roles; the promoter opens, then the detractor; they act in turn in each rebuttal round,
after which the audience may ask and the chair reviews; the detractor closes, then the promoter; the chair concludes,
a reporter may sum up.

Reading order: ``rulebook`` says what may be entered; ``floor`` is where a debate stands; ``replies`` reads what is
said; ``turns`` is a debater's turn, ``chair`` what the others do; ``asks`` words the prompts; ``rules`` is the course.
"""

from sparring.engine.format import Format, Rules
from sparring.errors import ExitCode
from sparring.formats.chaired_debate.options import ChairedDebateOptions
from sparring.prompts import PromptLibrary
from sparring.schema.chaired_debate import ChairedDebateRequest, ChairedDebateStatus
from sparring.seating.circumstances import Circumstances

__all__ = ["FORMAT"]


def _complete(options: ChairedDebateOptions, here: Circumstances) -> ChairedDebateRequest:
    from sparring.formats.chaired_debate.seats import complete  # noqa: PLC0415 -- see Format

    return complete(options, here)


def _rules(request: ChairedDebateRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.chaired_debate.rules import ChairedDebate  # noqa: PLC0415 -- see Format

    return ChairedDebate(request, prompts)


FORMAT = Format(
    name="chaired-debate",
    title="Chaired debate",
    description=(
        "Let a promoter and a detractor argue a question of fact: claims need web sources, code checks each, a "
        "chair rules and decides. 10 to 20 calls."
    ),
    options=ChairedDebateOptions,
    request=ChairedDebateRequest,
    complete=_complete,
    rules=_rules,
    exit_codes={
        ChairedDebateStatus.COMPLETED: ExitCode.DONE,
        ChairedDebateStatus.INCOMPLETE: ExitCode.DONE,
        ChairedDebateStatus.UNJUDGED: ExitCode.NO_VERDICT,
        ChairedDebateStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
)
