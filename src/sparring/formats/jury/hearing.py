"""What a transcript holds of the three voices before the judge: what was said, what is amiss, who fell silent.

An ask's id says its place: ``opening.advocate`` and ``opening.advocate.2``, its second attempt; ``checklist.1``;
``rebuttal.1.skeptic``; ``verdict.1``; ``reconsider.1``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.formats.jury.case import Case
from sparring.formats.jury.checklist import read_checklist
from sparring.formats.jury.statements import read_statement
from sparring.formats.replies import UnusableReplyError
from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.jury import ChecklistEntry, Statement
from sparring.schema.transcript import Transcript, Turn

DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)

OPENING_ROUND = 1
"""The round of the openings and of the checklist; the rebuttals have the rounds after it."""

CHECKLIST_IDS = ("checklist.1", "checklist.2")
VERDICT_IDS = ("verdict.1", "verdict.2")
RECONSIDER_ID = "reconsider.1"


def statement_ids(role: Role, round_: int) -> tuple[str, ...]:
    """Ids of the asks for an opening, which may be asked for twice, or for a rebuttal."""
    if round_ == OPENING_ROUND:
        return (f"opening.{role}", f"opening.{role}.2")
    return (f"rebuttal.{round_ - OPENING_ROUND}.{role}",)


@dataclass(frozen=True)
class _Checklist:
    entries: tuple[ChecklistEntry, ...] = ()
    problem: str = ""


class Hearing:
    """One transcript, read."""

    def __init__(self, case: Case, transcript: Transcript) -> None:
        self.case = case
        self._transcript = transcript

    def turn(self, ask_id: str) -> Turn | None:
        """The turn that answered ``ask_id``, or None when it was not asked yet."""
        return self._transcript.turn(ask_id)

    def attempts(self, ids: Sequence[str]) -> tuple[Turn, ...]:
        """Those of ``ids`` that were asked."""
        return tuple(turn for id_ in ids if (turn := self.turn(id_)))

    @cached_property
    def rounds(self) -> range:
        """The rounds in which a debater was asked."""
        asked = (turn.round for turn in self._transcript.turns if turn.role in DEBATERS)
        return range(OPENING_ROUND, max(asked, default=OPENING_ROUND) + 1)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What the debaters said, round by round.

        Of an opening's two attempts the one with fewer faults counts, the second if both have as many.
        """
        attempts = (self.attempts(statement_ids(role, round_)) for round_ in self.rounds for role in DEBATERS)
        read = ([each for turn in turns if (each := read_statement(turn, self.case))] for turns in attempts)
        return tuple(min(reversed(said), key=lambda each: len(each.faults)) for said in read if said)

    def statement(self, role: Role, round_: int) -> Statement | None:
        """What ``role`` said in ``round_``; None where it failed or was not asked."""
        return next((each for each in self.statements if (each.role, each.round) == (role, round_)), None)

    @cached_property
    def checklist(self) -> tuple[ChecklistEntry, ...]:
        """What the Fact-Checker found; empty where it gave nothing that can be read."""
        return self._checklist.entries

    @property
    def checklist_problem(self) -> str:
        """Why the last answer for a checklist cannot be used; empty where it can, and where there is no answer."""
        return self._checklist.problem

    @cached_property
    def silent(self) -> tuple[Turn, ...]:
        """The turns with which a voice was lost, when nothing more is due of it; the Fact-Checker's comes last."""
        first = (self.turn(statement_ids(role, round_)[0]) for round_ in self.rounds for role in DEBATERS)
        lost = tuple(turn for turn in first if turn and turn.failure)
        return lost if self.checklist else lost + self.attempts(CHECKLIST_IDS)[-1:]

    @cached_property
    def speeches(self) -> tuple[Speech, ...]:
        """What was said, as it was said, for consultants that are code; the checklist stands behind the openings."""
        said = [Speech(role=each.role, round=each.round, text=each.text) for each in self.statements]
        last = self.attempts(CHECKLIST_IDS)[-1:]
        if self.checklist:
            said += [
                Speech(role=turn.role, round=turn.round, text=turn.answer.response) for turn in last if turn.answer
            ]
        return tuple(sorted(said, key=lambda speech: speech.round))

    @cached_property
    def _checklist(self) -> _Checklist:
        last = self.attempts(CHECKLIST_IDS)[-1:]
        if not last or last[0].answer is None:
            return _Checklist()
        try:
            return _Checklist(read_checklist(last[0].answer.response, self.case))
        except UnusableReplyError as error:
            return _Checklist(problem=str(error))
