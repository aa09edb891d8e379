"""A seat that can be audited, and the prompt for a case in it.

The prompt is the product's own: the rules of the format run with answers that the case gives for all other
participants, up to the ask of the audited seat.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

from msgspec import Struct

from sparring.engine.course import Asks
from sparring.errors import UsageError
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.base import Participant
from sparring.schema.consultation import Answer
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import Ask, Transcript, Turn

_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""The time of all given turns: a prompt that shows the date must not differ from one day to the next."""

_MOST_STEPS = 40


class _Rules(Protocol):
    """See ``engine.format.Rules``, which this module must not import: a format has audited seats."""

    def next(self, transcript: Transcript) -> Asks | Outcome: ...


class AuditedSeat(Struct, frozen=True):
    """A seat of a format that an audit can put cases to.

    Attributes:
        name: Its spelling for ``--seat``.
        kind: The cases that it decides.
        sides: Names of the first and the second answer in reports.
        request: The request of a case; only the seat itself is ever asked.
        given: The answer of another participant to an ask of the case; None where the ask is that of the seat.
        pick: The side that an answer of the seat picks; None where it picks neither. Raises ``UnusableReplyError``.
        plants: The sides that something planted can favour.
        speaks: Whether a side's text is a speech, which can be shortened or formatted.
        has_order: Whether both sides can change places in the prompt.
        has_marks: Whether code marks citations that do not exist, below the text of a side.
        confidence: Returns the confidence that an answer states; None where it states none.
        case_of: Makes a case of a finished run; None where that is impossible.
    """

    name: str
    kind: CaseKind
    sides: tuple[str, str]
    request: Callable[[AuditCase, Participant], Request]
    given: Callable[[AuditCase, Ask], str | None]
    pick: Callable[[AuditCase, str], CaseSide | None]
    plants: tuple[CaseSide, ...] = tuple(CaseSide)
    speaks: bool = True
    has_order: bool = False
    has_marks: bool = False
    confidence: Callable[[str], float | None] | None = None
    case_of: Callable[[Run], AuditCase | None] | None = None


def ask_of(seat: AuditedSeat, rules: Callable[[Any], _Rules], case: AuditCase, judge: Participant) -> Ask:
    """Return the ask for ``judge`` in ``seat`` about ``case``.

    Raises:
        UsageError: The deliberation ends before the seat is asked, so that the case is unsuitable.
    """
    flow, transcript = rules(seat.request(case, judge)), Transcript()
    for _ in range(_MOST_STEPS):
        step = flow.next(transcript)
        if isinstance(step, Outcome):
            break
        turns = list[Turn]()
        for ask in step:
            answer = seat.given(case, ask)
            if answer is None:
                question = ask.question.model_copy(update={"model": judge.model})
                return ask.model_copy(update={"tool": judge.tool, "question": question, "stand_ins": ()})
            turns.append(_turn(ask, answer))
        transcript = transcript.extended(tuple(turns))
    raise UsageError(
        f"The case {case.id!r} never comes before the {seat.name}: code decides it, or the others do.",
        hint="Leave it out.",
    )


def _turn(ask: Ask, response: str) -> Turn:
    answer = Answer(tool=ask.tool, response=response, duration_ms=0)
    return Turn(ask_id=ask.id, prompt_sha256=ask.prompt_sha256, at=_AT, reply=answer, **ask.place)
