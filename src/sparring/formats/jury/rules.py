"""What comes next in a jury.

The Fact-Checker is asked together with the openings, not after them: it compares two texts, which it has, and hears
neither side, so that waiting would cost time and could only colour what it finds.
"""

from sparring.formats import Asks
from sparring.formats.jury import endings
from sparring.formats.jury.asks import Asking
from sparring.formats.jury.case import Case
from sparring.formats.jury.hearing import CHECKLIST_IDS, DEBATERS, OPENING_ROUND, Hearing, statement_ids
from sparring.formats.jury.judging import Judgement, Judging
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.jury import JuryOutcome, JuryRequest
from sparring.schema.transcript import Ask, Transcript, Turn


class Jury:
    """The rules of one jury; see ``formats.Format``."""

    def __init__(self, request: JuryRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._case = Case(request.truth, request.claim)
        self._asking = Asking(request, prompts)
        self._judging = Judging(self._asking)

    def next(self, transcript: Transcript) -> Asks | JuryOutcome:
        """Openings and checklist, with a second attempt where it is due; the rebuttals; the judge; then the end."""
        hearing = Hearing(self._case, transcript)
        return self._first_words(hearing) or self._rebuttals(hearing) or self._verdict(hearing)

    def _first_words(self, hearing: Hearing) -> Asks:
        asks = (*(self._opening(role, hearing) for role in DEBATERS), self._checklist(hearing))
        return tuple(ask for ask in asks if ask)

    def _opening(self, role: Role, hearing: Hearing) -> Ask | None:
        said = hearing.statement(role, OPENING_ROUND)
        problem = "\n".join(said.faults) if said else ""
        is_due = _is_due(hearing.attempts(statement_ids(role, OPENING_ROUND)), problem)
        return self._asking.opening(role, hearing, problem) if is_due else None

    def _checklist(self, hearing: Hearing) -> Ask | None:
        problem = hearing.checklist_problem
        return self._asking.checklist(hearing, problem) if _is_due(hearing.attempts(CHECKLIST_IDS), problem) else None

    def _rebuttals(self, hearing: Hearing) -> Asks:
        first = OPENING_ROUND + 1
        for round_ in range(first, first + self._request.rebuttals):
            due = [role for role in DEBATERS if _may_rebut(role, round_, hearing)]
            if due:
                return tuple(self._asking.rebuttal(role, round_, hearing) for role in due)
        return ()

    def _verdict(self, hearing: Hearing) -> Asks | JuryOutcome:
        match self._judging.next(hearing):
            case tuple() as asks:
                return asks
            case Judgement() as judgement:
                return endings.judged(judgement, hearing)
            case Turn() as judge_failed:
                return endings.unjudged(judge_failed, hearing)


def _is_due(attempts: tuple[Turn, ...], problem: str) -> bool:
    """Whether to ask for the first time, or for the second and last one."""
    return not attempts or (len(attempts) == 1 and bool(problem))


def _may_rebut(role: Role, round_: int, hearing: Hearing) -> bool:
    """Whether ``role`` is still to answer in ``round_``.

    Whoever failed once is not asked again, and nobody is asked to answer silence: there must be words of the other
    side from the round before or, in the first rebuttal, a checklist.
    """
    if hearing.turn(statement_ids(role, round_)[0]) or not hearing.statement(role, round_ - 1):
        return False
    other = Role.SKEPTIC if role is Role.ADVOCATE else Role.ADVOCATE
    has_checklist = round_ == OPENING_ROUND + 1 and bool(hearing.checklist)
    return has_checklist or hearing.statement(other, round_ - 1) is not None
