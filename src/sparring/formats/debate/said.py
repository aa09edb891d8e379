"""What was said in a debate so far, and what code has found in it."""

from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import ValidationError

from sparring.checks.concessions import Spoken, conduct
from sparring.schema.base import Role
from sparring.schema.citations import Ledger
from sparring.schema.consultation import Speech
from sparring.schema.debate import Conduct, Side, SpeechLedger
from sparring.schema.transcript import SPEECH_KINDS, Turn, TurnKind


def as_side(role: Role) -> Side:
    """``role``, which is a debater's."""
    return Role.PROPOSER if role is Role.PROPOSER else Role.CHALLENGER


def other_side(role: Role) -> Side:
    """Whom ``role`` debates with."""
    return Role.CHALLENGER if role is Role.PROPOSER else Role.PROPOSER


@dataclass(frozen=True)
class Said:
    """What was said so far; whatever is said makes a new one.

    Attributes:
        turns: The debaters' speeches that were answered, in the order of speaking.
        ledgers: What each speech cites, as far as that was looked up already or could not be.
        summaries: The attempts at a summary, failed ones as well.
    """

    turns: tuple[Turn, ...] = ()
    ledgers: tuple[SpeechLedger, ...] = ()
    summaries: tuple[Turn, ...] = ()

    def after(self, turns: tuple[Turn, ...]) -> "Said":
        """With ``turns``, which are speeches and summaries."""
        speeches = tuple(turn for turn in turns if turn.kind in SPEECH_KINDS and turn.answer)
        summaries = tuple(turn for turn in turns if turn.kind is TurnKind.SUMMARY)
        return replace(self, turns=self.turns + speeches, summaries=self.summaries + summaries)

    def looked_up(self, ledgers: tuple[SpeechLedger, ...]) -> "Said":
        """With what those speeches cite."""
        return replace(self, ledgers=self.ledgers + ledgers)

    def up_to(self, round_: int) -> "Said":
        """Without what was said after ``round_``."""
        return replace(
            self,
            turns=tuple(turn for turn in self.turns if turn.round <= round_),
            ledgers=tuple(found for found in self.ledgers if found.round <= round_),
        )

    @cached_property
    def speeches(self) -> tuple[Speech, ...]:
        """What the sides have said."""
        return tuple(Speech(role=turn.role, round=turn.round, text=_text(turn)) for turn in self.turns)

    @cached_property
    def conduct(self) -> Conduct:
        """What the sides gave up and took back, by their marks."""
        return conduct([self._spoken(speech) for speech in self.speeches])

    def speech(self, round_: int, role: Role) -> str:
        """What ``role`` said in ``round_``, in full."""
        return next(speech.text for speech in self.speeches if (speech.round, speech.role) == (round_, role))

    def ledger(self, round_: int, role: Role) -> SpeechLedger | None:
        """What that speech cites; None when nobody was asked."""
        return next((found for found in self.ledgers if (found.round, found.role) == (round_, role)), None)

    def models(self, role: Role) -> frozenset[str]:
        """The models that ``role`` has reported."""
        return frozenset(
            turn.answer.model for turn in self.turns if turn.role is role and turn.answer and turn.answer.model
        )

    def _spoken(self, speech: Speech) -> Spoken:
        found = self.ledger(speech.round, speech.role)
        return Spoken(as_side(speech.role), speech.round, speech.text, found.ledger if found else None)


def read_ledger(speech: Speech, turn: Turn) -> SpeechLedger:
    """What ``speech`` cites, or why that is not known: that there is no ledger ends nothing."""
    role, round_ = as_side(speech.role), speech.round
    if turn.failure:
        return SpeechLedger(round=round_, role=role, problem=turn.failure.cause)
    try:
        ledger = Ledger.model_validate_json(_text(turn))
    except ValidationError:
        return SpeechLedger(round=round_, role=role, problem="parse: the finding is no ledger")
    return SpeechLedger(round=round_, role=role, ledger=ledger)


def _text(turn: Turn) -> str:
    return turn.answer.response if turn.answer else ""
