"""What each seat is asked: the prompt for models, the brief for consultants made of code."""

from sparring.formats.chaired_debate.chairing import open_challenges
from sparring.formats.chaired_debate.course import Wanted
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.showing import Showing
from sparring.formats.chaired_debate.standing import is_out
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateRequest, Speaker
from sparring.schema.consultation import Brief, Question, Speech
from sparring.schema.participants import SOURCE_CHECKER
from sparring.schema.transcript import Ask, TurnKind

LOOKING_UP_TIMEOUT_S = 60.0
"""Seconds for all sources of an entry."""

_RESEARCHED = frozenset({TurnKind.OPENING, TurnKind.ACTION, TurnKind.CLOSING})
"""The turns of a debater that may search the web."""


class Asking:
    """Words the asks."""

    def __init__(self, request: ChairedDebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._showing = Showing(request, prompts)

    def ask(self, wanted: Wanted, floor: Floor) -> Ask:
        """The ask for what is wanted when the debate stands as ``floor`` says."""
        seat = self._request.participant(wanted.role) if wanted.role is not Role.VERIFIER else None
        question = self._looking_up(wanted, floor) if seat is None else self._question(wanted, floor, seat.model)
        return Ask(
            id=wanted.id,
            kind=wanted.kind,
            role=wanted.role,
            round=floor.round,
            tool=seat.tool if seat else SOURCE_CHECKER,
            question=question,
        )

    def _question(self, wanted: Wanted, floor: Floor, model: str | None) -> Question:
        request = self._request
        brief = Brief(
            step=wanted.step,
            topic=request.topic,
            role=wanted.role,
            round=floor.round,
            attempt=wanted.attempt,
            speeches=_speeches(wanted, floor),
            name=wanted.role,
        )
        return Question(
            prompt=self._showing.prompt(wanted, floor),
            brief=brief,
            effort=request.effort,
            model=model,
            timeout_s=request.timeout_s,
            web=wanted.kind in _RESEARCHED and wanted.role in request.searching,
        )

    def _looking_up(self, wanted: Wanted, floor: Floor) -> Question:
        brief = Brief(
            step=wanted.step,
            topic=self._request.topic,
            role=wanted.role,
            round=floor.round,
            sources=wanted.sources,
        )
        return Question(prompt=wanted.step, brief=brief, timeout_s=LOOKING_UP_TIMEOUT_S)


def _speeches(wanted: Wanted, floor: Floor) -> tuple[Speech, ...]:
    """What was said and still stands, but for what the chair said; each named by its entry.

    For a review the open challenges stand behind it, named ``challenge {seq} of seq {target_seq}``.
    """
    said = (entry for entry in floor.log if entry.speaker is not Speaker.CHAIR and not is_out(entry, floor.log))
    challenges = open_challenges(floor) if wanted.kind is TurnKind.RULING else ()
    return (
        *(
            Speech(
                role=_role(each.speaker),
                round=floor.entry_rounds[each.seq - 1],
                text=each.content,
                name=f"seq {each.seq}",
            )
            for each in said
        ),
        *(
            Speech(
                role=_role(each.by),
                round=floor.round,
                text=each.reason,
                name=f"challenge {each.seq} of seq {each.target_seq}",
            )
            for each in challenges
        ),
    )


def _role(speaker: Speaker) -> Role:
    return Role(speaker.value)
