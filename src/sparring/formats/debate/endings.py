"""How a debate ends, and what a failed consultation means for it (specification: seed 004, Error Handling)."""

from sparring.formats.debate import notices
from sparring.formats.debate.counting import deciding
from sparring.formats.debate.hearing import Hearing
from sparring.formats.debate.judging import Unjudged
from sparring.schema.consultation import FailureCode
from sparring.schema.debate import DebateOutcome, DebateRequest, DebateStatus, Judgement, Verdict
from sparring.schema.transcript import Transcript, Turn

UNCONTESTED = "[WARN] Challenger failed. Showing proposer's uncontested position."
ALL_TIMED_OUT = "[ERROR] Debate failed: all tool invocations timed out."
NOTHING_SUCCEEDED = "[ERROR] Debate failed: no tool invocation succeeded."
NO_OPENING = "[ERROR] Debate failed: there is no opening position."
"""Only with blind openings can the challenger have spoken when the proposer fails."""


class Endings:
    """Words the end of one debate."""

    def __init__(self, request: DebateRequest, transcript: Transcript, *, summary_notices: tuple[str, ...]) -> None:
        self._request = request
        self._transcript = transcript
        self._summary_notices = summary_notices
        self._hearing = Hearing(transcript)

    def failed(self, opening: Turn) -> DebateOutcome:
        """The proposer failed in round 1: without an opening position there is nothing to debate."""
        failures = [turn.failure for turn in self._transcript.turns]
        if all(failure is not None and failure.code is FailureCode.TIMEOUT for failure in failures):
            lines = (ALL_TIMED_OUT, _cause(opening))
        else:
            title = NO_OPENING if self._hearing.speeches else NOTHING_SUCCEEDED
            lines = (title, f"{_cause(opening)} A debate cannot proceed without an opening position.")
        return self._outcome(DebateStatus.FAILED, 0, lines)

    def uncontested(self, response: Turn) -> DebateOutcome:
        """The challenger failed in round 1: the proposer's position is shown, and nobody has won."""
        return self._outcome(DebateStatus.UNCONTESTED, 0, (UNCONTESTED, _cause(response)), broken=response)

    def judged(self, judgement: Judgement, completed: int, broken: Turn | None) -> DebateOutcome:
        """The judges picked a side, from all rounds or from those before the ``broken`` one."""
        status = DebateStatus.INCOMPLETE if broken else DebateStatus.COMPLETED
        lines = notices.of_judgement(judgement, len(self._request.judges))
        verdict = deciding(judgement).verdict
        return self._outcome(status, completed, lines, broken=broken, verdict=verdict, judgement=judgement)

    def unjudged(self, nobody: Unjudged, completed: int, broken: Turn | None) -> DebateOutcome:
        """The rounds are there, a verdict is not. A reply that cannot be read is no verdict either."""
        lines = (notices.unjudged(nobody.abstentions, len(self._request.judges)),)
        return self._outcome(DebateStatus.UNJUDGED, completed, lines, broken=broken)

    def _outcome(
        self,
        status: DebateStatus,
        completed: int,
        lines: tuple[str, ...],
        *,
        broken: Turn | None = None,
        verdict: Verdict | None = None,
        judgement: Judgement | None = None,
    ) -> DebateOutcome:
        ledgers = self._hearing.ledgers
        return DebateOutcome(
            status=status,
            rounds_completed=completed,
            verdict=verdict,
            judgement=judgement,
            ledgers=ledgers,
            conduct=self._hearing.conduct,
            incomplete_round=broken.round if broken else None,
            notices=(
                *(notices.leading(self._request, ledgers) if status is not DebateStatus.FAILED else ()),
                *(_broken_notice(broken, completed) if broken and completed else ()),
                *lines,
                *notices.of_ledgers(ledgers),
                *self._summary_notices,
            ),
        )


def _broken_notice(broken: Turn, completed: int) -> tuple[str, ...]:
    rests = "round 1 alone" if completed == 1 else f"rounds 1-{completed}"
    return (f"[WARN] Round {broken.round} is incomplete. {_cause(broken)} The synthesis rests on {rests}.",)


def _cause(turn: Turn) -> str:
    why = turn.failure
    detail = f"{why.code}: {why.detail.rstrip('.')}" if why else "no answer"
    return f"The {turn.role} in round {turn.round} ({turn.tool}) failed: {detail}."
