"""What debaters are shown of the topic and of speeches: between fences, under the names of role and tool."""

from collections.abc import Iterable
from functools import cached_property

from sparring.formats.material import framed
from sparring.prompts import PromptLibrary
from sparring.schema.consultation import Speech
from sparring.schema.debate import DebateRequest


class Showing:
    """Words the topic and the exchanges of one debate."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts

    @cached_property
    def topic(self) -> str:
        """The topic as prompts show it: between fences, with the material that goes with it."""
        material = framed(self._request.context, self._prompts) if self._request.context else ""
        return self._prompts.render("debate/topic", {"topic": self._request.topic, "material": material}).strip()

    def exchanges(self, speeches: Iterable[Speech]) -> str:
        """``speeches`` in full, one block each."""
        return "\n".join(self._exchange(speech) for speech in speeches).strip()

    def _exchange(self, speech: Speech) -> str:
        values = {
            "round": str(speech.round),
            "side": speech.role.capitalize(),
            "tool": self._request.participant(speech.role).tool,
            "speech": speech.text,
        }
        return self._prompts.render("debate/exchange", values)
