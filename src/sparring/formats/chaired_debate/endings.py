"""How a chaired debate ends, and what people are told beside it."""

from dataclasses import replace

from sparring.formats.chaired_debate.concluding import Decided
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.sources import checked_sources
from sparring.schema.chaired_debate import ChairedDebateOutcome, ChairedDebateStatus, EndReason, EntryType
from sparring.schema.transcript import Turn


def failed(floor: Floor) -> ChairedDebateOutcome:
    """A debater could not be had before it spoke for the first time: there is no debate."""
    causes = " ".join(_cause(turn) for turn in floor.missing)
    notices = (f"[ERROR] The debate cannot be held. {causes}", *floor.notices)
    return _outcome(Decided(replace(floor, notices=notices)), ChairedDebateStatus.FAILED, EndReason.FAILURE)


def ended(decided: Decided, reason: EndReason) -> ChairedDebateOutcome:
    """The debate was held as far as it could be."""
    status = ChairedDebateStatus.INCOMPLETE if decided.floor.missing else ChairedDebateStatus.COMPLETED
    if decided.decision is None:
        status = ChairedDebateStatus.UNJUDGED
    return _outcome(decided, status, reason)


def _outcome(decided: Decided, status: ChairedDebateStatus, reason: EndReason) -> ChairedDebateOutcome:
    floor = decided.floor
    summaries = [entry.content for entry in floor.log if entry.type is EntryType.SUMMARY]
    return ChairedDebateOutcome(
        status=status,
        decision=decided.decision,
        decided_by=decided.decided_by,
        reasoning=decided.reasoning,
        decisive=decided.decisive,
        ended=reason,
        rounds_completed=floor.rounds,
        disqualified=floor.disqualified,
        log=floor.log,
        sources=checked_sources(floor),
        summary="".join(summaries),
        notices=floor.notices,
    )


def _cause(turn: Turn) -> str:
    failure = turn.failure
    return f"The {turn.role} ({turn.tool}) failed: {failure.code}: {failure.detail.rstrip('.')}." if failure else ""
