"""Before the debate: both debaters confirm their roles (specification: seed 003, Startup Sequence)."""

from dataclasses import replace

from sparring.formats.chaired_debate.course import Course, Due, Wanted
from sparring.formats.chaired_debate.floor import Floor
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.schema.chaired_debate.request import DEBATERS
from sparring.schema.transcript import TurnKind


def ready_message(role: Role, topic: str) -> str:
    """What a debater answers word for word when it is ready."""
    return f"{role.capitalize()} ready. Topic: {topic}. Awaiting opening statement cue."


def startup(floor: Floor, request: ChairedDebateRequest) -> Course[Floor]:
    """Both debaters confirm their role at once. Who answers otherwise is noted; who cannot be had is missing."""
    wanted = (Wanted(f"ready.{role}", "chaired-debate/ready", TurnKind.READY, role) for role in DEBATERS)
    turns = yield Due(floor, tuple(wanted))
    floor = replace(floor.after(turns), missing=tuple(turn for turn in turns if turn.failure))
    for turn in turns:
        if turn.answer and _words(turn.answer.response) != _words(ready_message(turn.role, request.topic)):
            floor = floor.noticed(f"[WARN] The {turn.role} ({turn.tool}) did not confirm its role word for word.")
    return floor


def _words(text: str) -> str:
    return " ".join(text.split())
