"""What each debater is asked, by round and role."""

from sparring.formats.debate.asks import ask_of, step_of
from sparring.formats.debate.context import Context
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.debate import DebateRequest
from sparring.schema.transcript import Ask, Transcript, TurnKind

_KINDS = {
    (True, Role.PROPOSER): TurnKind.OPENING,
    (True, Role.CHALLENGER): TurnKind.RESPONSE,
    (False, Role.PROPOSER): TurnKind.DEFENSE,
    (False, Role.CHALLENGER): TurnKind.FOLLOW_UP,
}
"""(first round?, role) to the kind of speech."""


def speech_id(round_: int, role: Role) -> str:
    """Id of the ask for one speech."""
    return f"r{round_}.{role}"


class Speeches:
    """Words the debaters' asks."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary, context: Context) -> None:
        self._request = request
        self._prompts = prompts
        self._context = context

    def ask(self, round_: int, role: Role, transcript: Transcript) -> Ask:
        """The ask for the speech of ``role`` in ``round_``; all earlier speeches must be answered."""
        kind = _KINDS[round_ == 1, role]
        values = {
            "topic": self._context.topic,
            "universal_rules": self._prompts.render("debate/universal-rules", {}),
        } | self._shown(kind, round_, transcript)
        prompt = self._prompts.render(step_of(kind), values)
        speeches = self._context.speeches(transcript)
        return ask_of(self._request, role, kind, prompt, speeches, id_=speech_id(round_, role), round_=round_)

    def _shown(self, kind: TurnKind, round_: int, transcript: Transcript) -> dict[str, str]:
        """The variables in which the kinds of speech differ: who said what, and what came before."""
        said = self._context.said
        earlier = {"round": str(round_), "context": self._context.before(round_, transcript)} if round_ > 1 else {}
        if kind is TurnKind.OPENING:
            return {}
        if kind is TurnKind.DEFENSE:
            return earlier | {
                "challenger_tool": self._request.challenger.tool,
                "previous_round": str(round_ - 1),
                "challenger_response": said(round_ - 1, Role.CHALLENGER, transcript),
            }
        return earlier | {
            "proposer_tool": self._request.proposer.tool,
            "proposer_response": said(round_, Role.PROPOSER, transcript),
        }
