"""Consultations played to their end."""

from collections.abc import Mapping

from sparring.formats.consult.flow import Consultation
from sparring.schema.consult import ConsultedTool, ConsultRequest
from support.playing import PROMPTS, Played, Special, play, replying, well_behaved

SEVERAL = ConsultRequest(
    question="What now?",
    asked=(ConsultedTool(tool="claude"), ConsultedTool(tool="codex", model="gpt-9"), ConsultedTool(tool="claude")),
)


def play_consult(request: ConsultRequest, special: Mapping[str, Special] | None = None) -> Played:
    """Play a consultation in which everybody answers but for the asks that ``special`` names."""
    return play(Consultation(request, PROMPTS), replying(special or {}, well_behaved))
