"""A finished chaired debate as reports look at it: who sat where, what stands of what was said, what was looked up.

All of it comes from the outcome, from which the rules have removed what the chair took out. The turns still hold it, so
nothing that was said is ever read from them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from sparring.reports.phrases import tool_with_model
from sparring.reports.runs import notices_of, outcome_of, request_of
from sparring.schema.base import Role
from sparring.schema.chaired_debate import (
    REDACTED,
    STRUCK,
    ChairedDebateOutcome,
    ChairedDebateRequest,
    EntryType,
    LogEntry,
    Speaker,
)
from sparring.schema.chaired_debate.outcome import Seat
from sparring.schema.participants import Participant
from sparring.schema.runs import Run
from sparring.schema.sources import SourceFinding, SourceStatus

_NOTHING_VERIFIED = "[WARN] Not one source was verified: what the debaters say of the world was not checked."
_DEBATERS = frozenset({Speaker.PROMOTER, Speaker.DETRACTOR})


@dataclass(frozen=True)
class FinishedChairedDebate:
    """A run that is a chaired debate and has ended."""

    run: Run
    request: ChairedDebateRequest
    outcome: ChairedDebateOutcome

    @classmethod
    def of(cls, run: Run) -> Self:
        """Look at ``run`` as a finished chaired debate.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        return cls(run, request_of(run, ChairedDebateRequest), outcome_of(run, ChairedDebateOutcome))

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        nothing = self.outcome.decision is not None and not self.statuses[SourceStatus.VERIFIED]
        return (*((_NOTHING_VERIFIED,) if nothing else ()), *notices_of(self.run))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Everybody who took part; the model is what the tool reported last, else what was asked for."""
        return tuple(self._seat(role, seat) for role, seat in self.request.participants)

    @property
    def statuses(self) -> Counter[SourceStatus]:
        """How many sources came out how."""
        return Counter(checked.finding.status for checked in self.outcome.sources)

    @property
    def findings(self) -> Mapping[int, tuple[SourceFinding, ...]]:
        """What came of the sources of each entry that had any, in the order of its sources."""
        found: dict[int, tuple[SourceFinding, ...]] = {}
        for checked in self.outcome.sources:
            found[checked.seq] = (*found.get(checked.seq, ()), checked.finding)
        return found

    @property
    def points(self) -> tuple[LogEntry, ...]:
        """What the debaters said and nobody took out."""
        return tuple(entry for entry in self.outcome.log if entry.speaker in _DEBATERS and not self.label(entry))

    def entry(self, seq: int) -> LogEntry | None:
        """The entry of that number; None when there is none."""
        return next((entry for entry in self.outcome.log if entry.seq == seq), None)

    def label(self, entry: LogEntry) -> str:
        """``[STRUCK]`` or ``[REDACTED]`` for an entry of which nothing but the reason is left, else empty.

        Others may hold the second label, too, where they repeated what was taken out later.
        """
        if entry.content.startswith(STRUCK):
            return STRUCK
        ruled = ((each.type, each.target_seq) for each in self.outcome.log)
        is_redacted = entry.content.startswith(REDACTED) and (EntryType.REDACTION, entry.seq) in ruled
        return REDACTED if is_redacted else ""

    def tool(self, role: Role) -> str:
        """The tool in a seat and its model, e.g. ``claude (opus)``; empty when nobody sat there."""
        return next((tool_with_model(seat.tool, seat.model) for seat in self.seats if seat.role is role), "")

    def _seat(self, role: Role, seat: Participant) -> Seat:
        answers = (turn.answer for turn in self.run.transcript.turns if turn.role is role and turn.answer)
        reported = [answer.model for answer in answers if answer.model]
        model = reported[-1] if reported else seat.model
        return Seat(role=role, tool=seat.tool, model=model, web=role in self.request.searching)
