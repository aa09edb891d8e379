"""How a debate ends, and what a failed consultation means for it (specification: seed 004, Error Handling)."""

from sparring.schema.consultation import FailureCode
from sparring.schema.debate import DebateOutcome, DebateStatus, Verdict
from sparring.schema.transcript import Transcript, Turn, TurnKind

UNCONTESTED = "[WARN] Challenger failed. Showing proposer's uncontested position."
ALL_TIMED_OUT = "[ERROR] Debate failed: all tool invocations timed out."
NOTHING_SUCCEEDED = "[ERROR] Debate failed: no tool invocation succeeded."


def failed(opening: Turn, transcript: Transcript) -> DebateOutcome:
    """The proposer failed in round 1: without an opening position there is nothing to debate."""
    failures = [turn.failure for turn in transcript.turns]
    if all(failure is not None and failure.code is FailureCode.TIMEOUT for failure in failures):
        notices = (ALL_TIMED_OUT, _cause(opening))
    else:
        notices = (NOTHING_SUCCEEDED, f"{_cause(opening)} A debate cannot proceed without an opening position.")
    return DebateOutcome(status=DebateStatus.FAILED, rounds_completed=0, notices=notices)


def uncontested(response: Turn) -> DebateOutcome:
    """The challenger failed in round 1: the proposer's position is shown, and nobody has won."""
    return DebateOutcome(
        status=DebateStatus.UNCONTESTED,
        rounds_completed=0,
        incomplete_round=1,
        notices=(UNCONTESTED, _cause(response)),
    )


def judged(verdict: Verdict, completed: int, broken: Turn | None, notices: tuple[str, ...]) -> DebateOutcome:
    """The judge picked a side, from all rounds or from those before the ``broken`` one."""
    return DebateOutcome(
        status=DebateStatus.INCOMPLETE if broken else DebateStatus.COMPLETED,
        rounds_completed=completed,
        verdict=verdict,
        incomplete_round=broken.round if broken else None,
        notices=_broken_notice(broken, completed) + notices,
    )


def unjudged(judge: Turn, completed: int, broken: Turn | None, notices: tuple[str, ...]) -> DebateOutcome:
    """The rounds are there, a verdict is not. A reply that cannot be read is no verdict either."""
    return DebateOutcome(
        status=DebateStatus.UNJUDGED,
        rounds_completed=completed,
        incomplete_round=broken.round if broken else None,
        notices=(*_broken_notice(broken, completed), f"[WARN] No verdict. {_cause(judge)}", *notices),
    )


def _broken_notice(broken: Turn | None, completed: int) -> tuple[str, ...]:
    if broken is None:
        return ()
    rests = "round 1 alone" if completed == 1 else f"rounds 1-{completed}"
    return (f"[WARN] Round {broken.round} is incomplete. {_cause(broken)} The synthesis rests on {rests}.",)


def _cause(turn: Turn) -> str:
    who = "The judge" if turn.kind is TurnKind.SYNTHESIS else f"The {turn.role} in round {turn.round}"
    if turn.failure is None:
        return f"{who} ({turn.tool}) was asked twice and gave no usable verdict."
    return f"{who} ({turn.tool}) failed: {turn.failure.code}: {turn.failure.detail.rstrip('.')}."
