"""What each debater is asked, by round and role."""

from sparring.formats.debate.asks import Place, ask_of, step_of
from sparring.formats.debate.context import Context
from sparring.formats.debate.hearing import Hearing, other_side
from sparring.formats.debate.ledgers import LedgerBlocks
from sparring.formats.debate.showing import Showing
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.debate import DebateRequest
from sparring.schema.transcript import Ask, Transcript, TurnKind

BLIND_OPENING_STEP = "debate/blind-opening"
"""What a challenger is asked who opens without having heard the proposer."""

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

    def __init__(self, request: DebateRequest, prompts: PromptLibrary, showing: Showing, context: Context) -> None:
        self._request = request
        self._prompts = prompts
        self._showing = showing
        self._context = context
        self._ledgers = LedgerBlocks(prompts)

    def ask(self, round_: int, role: Role, transcript: Transcript) -> Ask:
        """The ask for the speech of ``role`` in ``round_``; all that it answers must have been said."""
        place = self._place(round_, role)
        values = {
            "topic": self._showing.topic,
            "universal_rules": self._prompts.render("debate/universal-rules", {}),
        } | self._shown(place, role, transcript)
        return ask_of(
            self._request, place, role, self._prompts.render(place.step, values), Hearing(transcript).speeches
        )

    def _place(self, round_: int, role: Role) -> Place:
        id_ = speech_id(round_, role)
        if round_ == 1 and role is Role.CHALLENGER and self._request.blind_openings:
            return Place(id_, TurnKind.OPENING, BLIND_OPENING_STEP, round_)
        kind = _KINDS[round_ == 1, role]
        return Place(id_, kind, step_of(kind), round_)

    def _shown(self, place: Place, role: Role, transcript: Transcript) -> dict[str, str]:
        """The variables in which the kinds of speech differ: who said what, and what came before."""
        if place.kind is TurnKind.OPENING:
            return {}
        round_, other = place.round, other_side(role)
        answered_round = round_ - 1 if role is Role.PROPOSER else round_
        shown = {
            f"{other}_tool": self._request.participant(other).tool,
            f"{other}_response": Hearing(transcript).said(answered_round, other),
            "ledgers": self._found(answered_round, role, round_ - 1, transcript),
        }
        if round_ > 1:
            shown |= {"round": str(round_), "context": self._context.before(round_, transcript)}
        if place.kind is TurnKind.DEFENSE:
            shown["previous_round"] = str(answered_round)
        return shown

    def _found(self, answered_round: int, role: Role, own_round: int, transcript: Transcript) -> str:
        """What code found in the speech that is answered, and in the speaker's own last one."""
        hearing = Hearing(transcript)
        answered, own = hearing.ledger(answered_round, other_side(role)), hearing.ledger(own_round, role)
        blocks = [self._ledgers.answered(answered)] if answered else []
        blocks += [self._ledgers.own(own)] if own else []
        return "\n\n".join(blocks)
