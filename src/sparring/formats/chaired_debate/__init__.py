"""The chaired debate (specification: seed 003; design: Chaired debate).

Both debaters confirm their roles; the promoter opens, then the detractor; they act in turn in each rebuttal round,
after which the audience may ask and the chair reviews; the detractor closes, then the promoter; the chair concludes,
a reporter may sum up.

Reading order: ``options`` declares the options; ``rulebook`` has the rules for entries; ``floor`` is the state of a
debate; ``replies`` reads the answers; ``chair`` has the duties of chair, audience and reporter; ``prompts`` words the
prompts; ``flow`` is the course and a debater's turn in it, ``outcome`` the result, ``report`` the views for people and
programs.
"""

from typing import Any

from sparring.engine.audited import AuditedSeat
from sparring.engine.capabilities import RunLog
from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.formats.chaired_debate.options import ChairedDebateOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema import chaired_debate as schema
from sparring.schema.transcript import Ask, Transcript

__all__ = ["FORMAT"]


def _rules(request: schema.ChairedDebateRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.chaired_debate.flow import ChairedDebate

    return ChairedDebate(request, prompts)


def _log(request: schema.ChairedDebateRequest, transcript: Transcript) -> tuple[schema.LogEntry, ...]:
    from sparring.formats.chaired_debate.flow import log_of

    return log_of(request, transcript)


def _usual(ask: Ask, _place: int) -> str:
    from sparring.formats.chaired_debate.replies import usual_reply

    return usual_reply(ask)


def _presentation() -> Presentation[Any]:
    from sparring.formats.chaired_debate.report import PRESENTATION

    return PRESENTATION


def _audited() -> AuditedSeat:
    from sparring.formats.chaired_debate.audited import SEAT

    return SEAT


FORMAT = Format(
    name="chaired-debate",
    title="Chaired debate",
    description=(
        "Let a promoter and a detractor argue a question of fact: claims need web sources, code checks each, a "
        "chair rules and decides. 10 to 20 calls."
    ),
    options=ChairedDebateOptions,
    request=schema.ChairedDebateRequest,
    complete=complete,
    outcome=schema.ChairedDebateOutcome,
    rules=_rules,
    presentation=_presentation,
    examples=('sparring chaired-debate "Retrying costs more than it saves." --output debates/retries',),
    exit_codes={
        schema.ChairedDebateStatus.COMPLETED: ExitCode.DONE,
        schema.ChairedDebateStatus.INCOMPLETE: ExitCode.DONE,
        schema.ChairedDebateStatus.UNJUDGED: ExitCode.NO_VERDICT,
        schema.ChairedDebateStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
    usual=_usual,
    capabilities=(RunLog(_log),),
    audited={"chair": _audited},
)
