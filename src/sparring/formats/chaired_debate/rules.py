"""The course of a chaired debate from beginning to end, and its log (specification: seed 003)."""

from dataclasses import dataclass, replace
from functools import partial

from sparring.engine.course import Asks, Bookmark, Course, held
from sparring.formats.chaired_debate.asks import Asking, ready_message
from sparring.formats.chaired_debate.chair import Decided, clarify, conclude, questions, report, review
from sparring.formats.chaired_debate.floor import Call, Floor
from sparring.formats.chaired_debate.turns import Slot, checked_sources, take_turn
from sparring.prompts import PromptLibrary
from sparring.schema.base import Record
from sparring.schema.chaired_debate import (
    DEBATERS,
    ChairedDebateOutcome,
    ChairedDebateRequest,
    ChairedDebateStatus,
    EndReason,
    EntryType,
    LogEntry,
    Phase,
)
from sparring.schema.transcript import Transcript, TurnKind


def _startup(floor: Floor, request: ChairedDebateRequest) -> Course[Call, Floor]:
    """Both debaters confirm their role at once. Who answers otherwise is noted; who cannot be had is missing."""
    turns = yield tuple(Call(f"ready.{role}", floor, "chaired-debate/ready", TurnKind.READY, role) for role in DEBATERS)
    floor = replace(floor.after(turns), missing=tuple(turn for turn in turns if turn.failure))
    for turn in turns:
        if turn.answer and _words(turn.answer.response) != _words(ready_message(turn.role, request.topic)):
            floor = floor.noticed(f"[WARN] The {turn.role} ({turn.tool}) did not confirm its role word for word.")
    return floor


def _words(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class _Rounds:
    """The floor after the last round, and why there is no further one."""

    floor: Floor
    ended: EndReason


def _rounds(floor: Floor, request: ChairedDebateRequest) -> Course[Call, _Rounds]:
    """As many rounds as there are to be. The chair reviews what was said before each, and after the last."""
    stem, number = "opening", 0
    while True:
        is_possible = _why_over(floor, request, number) is None
        may_go_on = is_possible and number >= request.min_rounds
        reviewed = yield from review(floor, stem, may_go_on=may_go_on)
        floor = reviewed.floor
        ended = EndReason.NATURAL if reviewed.is_over else _why_over(floor, request, number)
        if ended:
            return _Rounds(floor, ended)
        number += 1
        stem = f"r{number}"
        floor = yield from _round(replace(floor, phase=Phase.REBUTTAL, round=number), stem, request)
        if floor.disqualified:
            return _Rounds(floor, EndReason.DISQUALIFICATION)


def _why_over(floor: Floor, request: ChairedDebateRequest, number: int) -> EndReason | None:
    """Why no round may follow number ``number``; None when one may."""
    if floor.missing:
        return EndReason.FAILURE
    if number == request.max_rounds:
        return EndReason.MAX_ROUNDS
    budget_s = request.time_budget_s
    return EndReason.TIME_BUDGET if budget_s and floor.spent_ms >= budget_s * 1000 else None


def _round(floor: Floor, stem: str, request: ChairedDebateRequest) -> Course[Call, Floor]:
    for role in DEBATERS:
        slot = Slot(f"{stem}.{role}", "chaired-debate/action", TurnKind.ACTION, role)
        floor = yield from take_turn(floor, slot, clarify)
        if floor.disqualified and role is not DEBATERS[-1]:
            return floor
    floor = replace(floor, rounds=floor.round)
    if request.audience and not floor.disqualified:
        floor = yield from questions(floor, stem)
    return floor


def debate(request: ChairedDebateRequest) -> Course[Call, ChairedDebateOutcome]:
    """The whole debate."""
    floor = yield from _startup(Floor.of(request), request)
    if not floor.missing:
        floor = yield from _opening(floor)
    if floor.missing:
        return _failed(floor)
    rounds = yield from _rounds(floor, request)
    floor = rounds.floor
    if not floor.disqualified:
        floor = yield from _closing(floor)
    decided = yield from conclude(floor)
    floor = decided.floor
    if request.reporter:
        floor = yield from report(floor)
    status = ChairedDebateStatus.INCOMPLETE if floor.missing else ChairedDebateStatus.COMPLETED
    if decided.decision is None:
        status = ChairedDebateStatus.UNJUDGED
    return _outcome(replace(decided, floor=floor), status, rounds.ended)


def _opening(floor: Floor) -> Course[Call, Floor]:
    for role in DEBATERS:
        slot = Slot(f"opening.{role}", "chaired-debate/opening", TurnKind.OPENING, role)
        floor = yield from take_turn(floor, slot)
        if floor.missing:
            break
    return floor


def _closing(floor: Floor) -> Course[Call, Floor]:
    """Who opened first closes last."""
    floor = replace(floor, phase=Phase.CLOSING)
    for role in reversed(DEBATERS):
        slot = Slot(f"closing.{role}", "chaired-debate/closing", TurnKind.CLOSING, role)
        floor = yield from take_turn(floor, slot)
        if floor.disqualified:
            return floor
    reviewed = yield from review(floor, "closing", may_go_on=False)
    return reviewed.floor


def _failed(floor: Floor) -> ChairedDebateOutcome:
    """A debater could not be had before it spoke for the first time: there is no debate."""
    causes = " ".join(
        f"The {turn.role} ({turn.tool}) failed: {turn.failure.cause}." for turn in floor.missing if turn.failure
    )
    notices = (f"[ERROR] The debate cannot be held. {causes}", *floor.notices)
    return _outcome(Decided(replace(floor, notices=notices)), ChairedDebateStatus.FAILED, EndReason.FAILURE)


def _outcome(decided: Decided, status: ChairedDebateStatus, reason: EndReason) -> ChairedDebateOutcome:
    floor = decided.floor
    summaries = [entry.content for entry in floor.log if entry.type is EntryType.SUMMARY]
    return ChairedDebateOutcome(
        status=status,
        decision=decided.decision,
        decided_by=decided.decided_by,
        reasoning=decided.reasoning,
        decisive=decided.decisive,
        weak_grounds=decided.weak_grounds,
        ended=reason,
        rounds_completed=floor.rounds,
        disqualified=floor.disqualified,
        log=floor.log,
        sources=checked_sources(floor),
        summary="".join(summaries),
        notices=floor.notices,
    )


class ChairedDebate:
    """The rules of one chaired debate; see ``engine.format.Rules``."""

    def __init__(self, request: ChairedDebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._asking = Asking(request, prompts)
        self._bookmark = Bookmark[Call, ChairedDebateOutcome]()

    def next(self, transcript: Transcript) -> Asks | ChairedDebateOutcome:
        """See ``engine.format.Rules``."""
        return self._bookmark.next(partial(debate, self._request), transcript, self._asking.ask)


def log_of(request: ChairedDebateRequest, transcript: Transcript) -> tuple[LogEntry, ...]:
    """The log of a debate of which ``transcript`` has been said.

    With more turns it grows; an entry that is there already changes only where the chair takes something out. One
    whose sources are being looked up is not there yet: whoever reads along shall not read what nobody may repeat.
    """
    reached = held(debate(request), transcript)
    if isinstance(reached, Record):
        return reached.log
    unchecked = {call.seq for call in reached if call.kind is TurnKind.SOURCES}
    return tuple(entry for entry in reached[0].floor.log if entry.seq not in unchecked)
