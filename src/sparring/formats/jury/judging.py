"""Obtaining the verdict: asked for once more if it cannot be read, and once more if code objects to it.

A verdict is the judge's own or there is none. An answer to an objection that cannot be used leaves the first one.
"""

import re
from dataclasses import dataclass

from sparring.formats import Asks
from sparring.formats.jury.anchoring import anchored
from sparring.formats.jury.asks import Asking
from sparring.formats.jury.hearing import RECONSIDER_ID, VERDICT_IDS, Hearing
from sparring.formats.jury.objections import Objection, objection_to
from sparring.formats.replies import UnusableReplyError, as_record, read_object
from sparring.schema.jury import CriticalDifference, JudgeVerdict
from sparring.schema.transcript import Turn

_BETWEEN_WORDS = re.compile(r"[\s_-]+")


@dataclass(frozen=True)
class Judgement:
    """A verdict that stands.

    Attributes:
        objection: What code still has against it.
        unreconsidered: The turn with which the judge gave no usable answer to an objection, if that is why it stands.
    """

    verdict: JudgeVerdict
    differences: tuple[CriticalDifference, ...]
    objection: Objection | None
    unreconsidered: Turn | None = None


def read_verdict(reply: str) -> JudgeVerdict:
    """The verdict in a judge's reply. Only the spelling of the label is forgiven: ``partially faithful``.

    Raises:
        UnusableReplyError: There is no JSON object, or it is no verdict.
    """
    found = read_object(reply)
    label = found.get("verdict")
    plain = _BETWEEN_WORDS.sub("_", label.strip()).upper() if isinstance(label, str) else label
    return as_record(found | {"verdict": plain}, JudgeVerdict)


class Judging:
    """Asks the judge and reads the answers."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def next(self, hearing: Hearing) -> Asks | Judgement | Turn:
        """The next ask, or the judgement, or the turn with which the judge failed to give one."""
        turns = hearing.attempts(VERDICT_IDS)
        if not turns:
            return (self._asking.verdict(hearing),)
        last = turns[-1]
        if last.answer is None:
            return last
        try:
            verdict = read_verdict(last.answer.response)
        except UnusableReplyError as error:
            return (self._asking.verdict(hearing, str(error)),) if len(turns) == 1 else last
        return self._held_against_code(verdict, last.answer.response, hearing)

    def _held_against_code(self, verdict: JudgeVerdict, answer: str, hearing: Hearing) -> Asks | Judgement:
        judgement = _judgement(verdict, hearing)
        if judgement.objection is None:
            return judgement
        turn = hearing.turn(RECONSIDER_ID)
        if turn is None:
            return (self._asking.reconsider(answer, judgement.objection, hearing),)
        try:
            return _judgement(read_verdict(turn.answer.response if turn.answer else ""), hearing)
        except UnusableReplyError:
            return Judgement(verdict, judgement.differences, judgement.objection, unreconsidered=turn)


def _judgement(verdict: JudgeVerdict, hearing: Hearing) -> Judgement:
    differences = anchored(verdict, hearing.case, hearing.checklist)
    return Judgement(verdict, differences, objection_to(verdict, differences, hearing.case))
