"""The chaired debate (specification: seed 003; design: Chaired debate).

Both debaters confirm their roles; the promoter opens, then the detractor; they act in turn in each rebuttal round,
after which the audience may ask and the chair reviews; the detractor closes, then the promoter; the chair concludes,
a reporter may sum up.

Reading order: ``options`` declares the options; ``rulebook`` has the rules for entries; ``state`` is the state of a
debate; ``replies`` reads the answers; ``chair`` has the duties of chair, audience and reporter; ``prompts`` words the
prompts; ``flow`` is the course and a debater's turn in it, ``outcome`` the result, ``report`` the views for people and
programs.
"""

from collections.abc import Iterator
from typing import Any

from sparring.engine.audited import AuditedSeat
from sparring.engine.capabilities import RunLog
from sparring.engine.format import Format, PlannedCalls, Presentation, Rules
from sparring.errors import ExitCode
from sparring.formats.chaired_debate.options import ChairedDebateOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Participant, Role
from sparring.schema.transcript import Transcript

__all__ = ["FORMAT"]


def _rules(request: schema.ChairedDebateRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.chaired_debate.flow import ChairedDebate

    return ChairedDebate(request, prompts)


def _log(request: schema.ChairedDebateRequest, transcript: Transcript) -> tuple[schema.LogEntry, ...]:
    from sparring.formats.chaired_debate.flow import log_of

    return log_of(request, transcript)


_ENTRY = 3_000
"""Characters that an entry adds to a prompt: a statement of 300 to 600 words, its sources and their findings."""

_TASK = 2_100
"""Characters by which the prompt for an entry or a ruling exceeds the first one, which asks to confirm a role."""


def _plan(request: schema.ChairedDebateRequest) -> Iterator[PlannedCalls]:
    """Yield confirmations, openings, rounds with rulings, closings, conclusion and report.

    Usual are all rounds, each with a ruling if the chair may end the debate after it. An unusable answer is asked for
    twice. An action may be a request for clarification: then the chair answers, and the debater acts again.
    """

    def calls(
        step: str, role: Role, seat: Participant, entries: int, fewest: int = 1, usual: int = 1, most: int = 2
    ) -> PlannedCalls:
        return PlannedCalls(step, role, seat, fewest, usual, most, added=_TASK + entries * _ENTRY)

    chair, debaters = request.chair, ((Role.PROMOTER, request.promoter), (Role.DETRACTOR, request.detractor))
    certain_rounds = 0 if request.time_budget_s else request.min_rounds
    for role, debater in debaters:
        yield PlannedCalls("confirmation", role, debater, most=1)
    for place, (role, debater) in enumerate(debaters):
        yield calls("opening", role, debater, place)
    for round_ in range(request.max_rounds + 1):
        if round_ > 0:
            certain = int(round_ <= certain_rounds)
            for place, (role, debater) in enumerate(debaters):
                yield calls("action", role, debater, 2 * round_ + place, certain, most=2 * 2)
                yield calls("clarification", Role.CHAIR, chair, 2 * round_ + place, 0, 0)
            if request.audience:
                yield calls("questions", Role.AUDIENCE, request.audience, 2 * round_ + 2, certain, most=1)
        may_end = request.min_rounds <= round_ < request.max_rounds
        is_certain = round_ == request.min_rounds and not request.time_budget_s
        yield calls("ruling", Role.CHAIR, chair, 2 * round_ + 2, int(may_end and is_certain), int(may_end))
    entries = 2 * request.max_rounds + 2
    for place, (role, debater) in enumerate(reversed(debaters)):
        yield calls("closing", role, debater, entries + place)
    yield calls("last ruling", Role.CHAIR, chair, entries + 2, 0, 0)
    yield calls("conclusion", Role.CHAIR, chair, entries + 2)
    if request.reporter:
        yield calls("report", Role.REPORTER, request.reporter, entries + 2)


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
        "A promoter and a detractor argue a question of fact with web sources that code checks; a chair decides. "
        "10 to 20 calls."
    ),
    options=ChairedDebateOptions,
    request=schema.ChairedDebateRequest,
    complete=complete,
    outcome=schema.ChairedDebateOutcome,
    rules=_rules,
    plan=_plan,
    presentation=_presentation,
    examples=('sparring chaired-debate "Retrying costs more than it saves." --output debates/retries',),
    exit_codes={
        schema.ChairedDebateStatus.COMPLETED: ExitCode.DONE,
        schema.ChairedDebateStatus.INCOMPLETE: ExitCode.DONE,
        schema.ChairedDebateStatus.UNJUDGED: ExitCode.NO_VERDICT,
        schema.ChairedDebateStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
    capabilities=(RunLog(_log),),
    audited={"chair": _audited},
)
