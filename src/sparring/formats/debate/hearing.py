"""What was said in a debate so far, and what code has found in it."""

from functools import cached_property

from sparring.checks.conduct import Spoken, conduct
from sparring.formats.debate.ledgers import read_ledger
from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.debate import Conduct, Side, SpeechLedger
from sparring.schema.transcript import SPEECH_KINDS, Transcript, Turn


def as_side(role: Role) -> Side:
    """``role``, which is a debater's."""
    return Role.PROPOSER if role is Role.PROPOSER else Role.CHALLENGER


def other_side(role: Role) -> Side:
    """Whom ``role`` debates with."""
    return Role.CHALLENGER if role is Role.PROPOSER else Role.PROPOSER


class Hearing:
    """The answered speeches of a transcript, up to ``last_round`` if given, in the order of speaking."""

    def __init__(self, transcript: Transcript, *, last_round: int | None = None) -> None:
        self._transcript = transcript
        self._turns = tuple(
            turn
            for turn in transcript.turns
            if turn.kind in SPEECH_KINDS and turn.answer and (last_round is None or turn.round <= last_round)
        )

    @cached_property
    def speeches(self) -> tuple[Speech, ...]:
        """What the sides have said."""
        return tuple(Speech(role=turn.role, round=turn.round, text=_text(turn)) for turn in self._turns)

    @cached_property
    def ledgers(self) -> tuple[SpeechLedger, ...]:
        """What each speech cites, as far as that was looked up already or could not be."""
        found = (read_ledger(turn.round, as_side(turn.role), self._transcript) for turn in self._turns)
        return tuple(ledger for ledger in found if ledger)

    @cached_property
    def conduct(self) -> Conduct:
        """What the sides gave up, took back or flattered."""
        return conduct([self._spoken(speech) for speech in self.speeches])

    def said(self, round_: int, role: Role) -> str:
        """What ``role`` said in ``round_``, in full."""
        return next(speech.text for speech in self.speeches if (speech.round, speech.role) == (round_, role))

    def ledger(self, round_: int, role: Role) -> SpeechLedger | None:
        """What that speech cites; None when nobody was asked."""
        return next((found for found in self.ledgers if (found.round, found.role) == (round_, role)), None)

    def models(self, role: Role) -> frozenset[str]:
        """The models that ``role`` has reported."""
        return frozenset(
            turn.answer.model for turn in self._turns if turn.role is role and turn.answer and turn.answer.model
        )

    def _spoken(self, speech: Speech) -> Spoken:
        found = self.ledger(speech.round, speech.role)
        return Spoken(as_side(speech.role), speech.round, speech.text, found.ledger if found else None)


def _text(turn: Turn) -> str:
    return turn.answer.response if turn.answer else ""
