"""Consultations played to their end."""

from collections.abc import Mapping

from sparring.formats.consult.flow import Consultation
from sparring.schema.consult import Consulted, ConsultRequest
from support.playing import PROMPTS, Played, Special, play, replying, well_behaved

SEVERAL = ConsultRequest(
    question="What now?",
    asked=(Consulted(tool="claude"), Consulted(tool="codex", model="gpt-9"), Consulted(tool="claude")),
)


def play_consult(request: ConsultRequest, special: Mapping[str, Special] | None = None) -> Played:
    """Play a consultation in which everybody answers but for the asks that ``special`` names."""
    return play(Consultation(request, PROMPTS), replying(special or {}, well_behaved))
