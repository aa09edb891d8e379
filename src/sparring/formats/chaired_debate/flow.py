"""The course of a chaired debate from beginning to end, a debater's turn in it, and its log (specification: seed 003).

An entry is requested, checked against the rules, returned once, then accepted or struck; then its sources are looked
up. For a fabricated source the entry is removed before the next speaker; the first one brings a warning, the second
one disqualifies the debater. Unreliable: a warning. Unreachable: neither (design: Chaired debate).
"""

from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from sparring.engine import course
from sparring.engine.course import UnusableReplyError
from sparring.formats.chaired_debate import chair, replies, rulebook
from sparring.formats.chaired_debate.floor import Challenge, Floor, FloorCall, Returned, Slot
from sparring.formats.chaired_debate.prompts import ChairedDebateAsks, ready_message
from sparring.prompts import PromptLibrary
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Record, Role
from sparring.schema.consultation import Source
from sparring.schema.lookups import SourceFinding, SourceFindings, SourceStatus
from sparring.schema.transcript import Transcript, Turn, TurnKind
from sparring.text.tidying import capitalized


class ChairedDebate:
    """The rules of one chaired debate; see ``engine.format.Rules``."""

    def __init__(self, request: schema.ChairedDebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._asking = ChairedDebateAsks(request, prompts)
        self._bookmark = course.Bookmark[FloorCall, schema.ChairedDebateOutcome]()

    def next(self, transcript: Transcript) -> course.Asks | schema.ChairedDebateOutcome:
        """See ``engine.format.Rules``."""
        return self._bookmark.next(partial(debate, self._request), transcript, self._asking.ask)


def log_of(request: schema.ChairedDebateRequest, transcript: Transcript) -> tuple[schema.LogEntry, ...]:
    """The log of a debate after the turns of ``transcript``.

    Further turns extend it; an existing entry changes only if the chair removes something. An entry whose sources are
    being looked up is not in it yet: live readers must not see words that nobody may repeat.
    """
    reached = course.run_course(debate(request), transcript)
    if isinstance(reached, Record):
        return reached.log
    unchecked = {call.seq for call in reached if call.kind is TurnKind.SOURCES}
    return tuple(entry for entry in reached[0].floor.log if entry.seq not in unchecked)


def debate(request: schema.ChairedDebateRequest) -> course.Course[FloorCall, schema.ChairedDebateOutcome]:
    """The whole debate."""
    floor = yield from _startup(Floor.of(request), request)
    if not floor.missing:
        floor = yield from _opening(floor)
    if floor.missing or not _is_opened(floor):
        return _failed(floor)
    rounds = yield from _rounds(floor, request)
    floor = rounds.floor
    if not floor.disqualified:
        floor = yield from _closing(floor)
    decided = yield from chair.conclude(floor)
    floor = decided.floor
    if request.reporter:
        floor = yield from chair.report(floor)
    status = schema.ChairedDebateStatus.INCOMPLETE if floor.missing else schema.ChairedDebateStatus.COMPLETED
    if decided.decision is None:
        status = schema.ChairedDebateStatus.UNJUDGED
    return _outcome(replace(decided, floor=floor), status, rounds.ended)


def _startup(floor: Floor, request: schema.ChairedDebateRequest) -> course.Course[FloorCall, Floor]:
    """Both debaters confirm their role at once. Other answers are noted; a debater without an answer is missing."""
    turns = yield tuple(FloorCall(f"ready.{role}", floor, TurnKind.READY, role) for role in schema.DEBATERS)
    floor = replace(floor.after(turns), missing=tuple(turn for turn in turns if turn.failure))
    for turn in turns:
        if turn.answer and _words(turn.answer.response) != _words(ready_message(turn.role, request.topic)):
            floor = floor.noticed(f"[WARN] The {turn.role} ({turn.tool_name}) did not confirm its role word for word.")
    return floor


def _words(text: str) -> str:
    return " ".join(text.split())


def _opening(floor: Floor) -> course.Course[FloorCall, Floor]:
    for role in schema.DEBATERS:
        floor = yield from _turn(floor, Slot(f"opening.{role}", TurnKind.OPENING, role))
        if floor.missing:
            break
    return floor


def _is_opened(floor: Floor) -> bool:
    """Return whether any opening was accepted. With both struck there is nothing to rebut, and nothing to decide on."""
    return any(
        entry.type is schema.EntryType.OPENING_STATEMENT and not rulebook.is_struck(entry) for entry in floor.log
    )


class _Rounds(Struct, frozen=True):
    """The floor after the last round, and why there is no further one."""

    floor: Floor
    ended: schema.EndReason


def _rounds(floor: Floor, request: schema.ChairedDebateRequest) -> course.Course[FloorCall, _Rounds]:
    """Run the rounds up to their limit. The chair reviews the entries before each, and after the last."""
    stem, number = "opening", 0
    while True:
        # Before the least number of rounds, and after the greatest, the chair has nothing to decide about the end.
        is_possible = _why_over(floor, request, number) is None
        may_go_on = is_possible and number >= request.min_rounds
        reviewed = yield from chair.review(floor, stem, may_go_on=may_go_on)
        floor = reviewed.floor
        # Asked again: the review itself takes time from the budget.
        ended = schema.EndReason.NATURAL if reviewed.is_over else _why_over(floor, request, number)
        if ended:
            return _Rounds(floor, ended)
        number += 1
        stem = f"r{number}"
        floor = yield from _round(replace(floor, phase=schema.Phase.REBUTTAL, round=number), stem, request)
        if floor.disqualified:
            return _Rounds(floor, schema.EndReason.DISQUALIFICATION)


def _why_over(floor: Floor, request: schema.ChairedDebateRequest, number: int) -> schema.EndReason | None:
    """Return why no round may follow number ``number``; None if one may."""
    if floor.missing:
        return schema.EndReason.FAILURE
    if number == request.max_rounds:
        return schema.EndReason.MAX_ROUNDS
    if request.time_budget_s and floor.spent_ms >= request.time_budget_s * 1000:
        return schema.EndReason.TIME_BUDGET
    return None


def _round(floor: Floor, stem: str, request: schema.ChairedDebateRequest) -> course.Course[FloorCall, Floor]:
    for role in schema.DEBATERS:
        floor = yield from _turn(floor, Slot(f"{stem}.{role}", TurnKind.ACTION, role))
        if floor.disqualified and role is not schema.DEBATERS[-1]:
            return floor
    floor = replace(floor, rounds=floor.round)
    if request.audience and not floor.disqualified:
        floor = yield from chair.questions(floor, stem)
    return floor


def _closing(floor: Floor) -> course.Course[FloorCall, Floor]:
    """Run the closing statements, in the reverse order of the openings."""
    floor = replace(floor, phase=schema.Phase.CLOSING)
    for role in reversed(schema.DEBATERS):
        floor = yield from _turn(floor, Slot(f"closing.{role}", TurnKind.CLOSING, role))
        if floor.disqualified:
            return floor
    reviewed = yield from chair.review(floor, "closing", may_go_on=False)
    return reviewed.floor


def _failed(floor: Floor) -> schema.ChairedDebateOutcome:
    """A debater gave no answer before its first entry, or both openings were struck: there is no debate."""
    causes = [
        f"The {turn.role} ({turn.tool_name}) failed: {course.failure_cause(turn)}." for turn in floor.missing
    ] or ["The openings of both sides were struck."]
    notices = (f"[ERROR] The debate cannot take place. {' '.join(causes)}", *floor.notices)
    return _outcome(
        chair.ChairDecision(replace(floor, notices=notices)),
        schema.ChairedDebateStatus.FAILED,
        schema.EndReason.FAILURE,
    )


def _outcome(
    decided: chair.ChairDecision, status: schema.ChairedDebateStatus, reason: schema.EndReason
) -> schema.ChairedDebateOutcome:
    floor = decided.floor
    summaries = [entry.content for entry in floor.log if entry.type is schema.EntryType.SUMMARY]
    return schema.ChairedDebateOutcome(
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
        sources=_checked_sources(floor),
        summary="".join(summaries),
        notices=floor.notices,
    )


_UNREADABLE = "The reply could not be read."
_REPEATED = "It repeats what was taken out of the debate."


class _Action(Struct, frozen=True):
    """Result of one reply: the draft, None if it cannot be parsed, and the reasons for a refusal."""

    draft: replies.Draft | None
    reasons: tuple[str, ...] = ()


def _turn(floor: Floor, slot: Slot) -> course.Course[FloorCall, Floor]:
    """One turn of one debater, with a clarification by the chair if it is requested."""
    before = floor.last_seq
    floor = yield from _act(floor, slot)
    is_request = any(
        entry.type is schema.EntryType.CLARIFICATION_REQUEST and not rulebook.is_struck(entry)
        for entry in floor.log[before:]
    )
    if is_request:
        floor = yield from chair.clarify(floor, slot)
        floor = yield from _act(floor, replace(slot, id=f"{slot.id}.after"))
    return floor


def _act(floor: Floor, slot: Slot) -> course.Course[FloorCall, Floor]:
    """Ask a debater for one entry, and once more with what was wrong; then accept it, strike it, or let it pass."""

    def want(first: course.Attempt[_Action] | None) -> FloorCall:
        if first is None:
            return FloorCall(f"{slot.id}.1", floor, slot.kind, slot.role)
        return FloorCall(f"{slot.id}.2", floor, slot.kind, slot.role, _returned(first, floor))

    attempts = yield from course.until_usable(want, lambda reply: _read(reply, floor, slot))
    floor = floor.after(tuple(attempt.turn for attempt in attempts))
    last = attempts[-1]
    if last.value is None:
        return _missing(floor, slot, last)
    if last.value.draft is None or last.value.reasons:
        return _struck(floor, slot, last.value)
    return (yield from _accepted(floor, slot, last.value.draft, last.turn.ask_id))


def _returned(first: course.Attempt[_Action], floor: Floor) -> Returned:
    """Return the first answer as its author is shown it again: the draft, or else the words as they may be shown."""
    if first.value and first.value.draft:
        return Returned(first.value.draft.as_json, first.problems)
    answer = first.turn.answer.response if first.turn.answer else ""
    return Returned(floor.withheld.masked(answer)[: schema.CONTENT_LIMIT], first.problems)


def _read(reply: str, floor: Floor, slot: Slot) -> course.Reading[_Action]:
    """Read a reply; one that repeats removed words is struck at once, without a second attempt."""
    try:
        draft = replies.read_draft(reply, slot.speaker, floor.phase)
    except UnusableReplyError as error:
        if floor.withheld.is_repeated_in(reply):
            return course.Reading(_Action(None, (_REPEATED,)))
        reasons = tuple(str(error).splitlines())
        return course.Reading(_Action(None, reasons), reasons)
    if floor.withheld.is_repeated_in(*draft.texts):
        return course.Reading(_Action(draft, (_REPEATED,)))
    refused = rulebook.refusals(draft.entry, floor.log, today=floor.today, topic=floor.topic)
    reasons = (*refused, *replies.challenge_refusals(draft))
    return course.Reading(_Action(draft, reasons), reasons)


def _accepted(floor: Floor, slot: Slot, draft: replies.Draft, id_: str) -> course.Course[FloorCall, Floor]:
    floor = floor.entered(draft.entry)
    seq, target_seq = floor.last_seq, draft.entry.target_seq
    if draft.challenge and target_seq:
        challenge = Challenge(seq, target_seq, slot.speaker, draft.challenge)
        floor = replace(floor, challenges=(*floor.challenges, challenge))
    if draft.entry.sources:
        floor = yield from _looked_up(floor, seq, f"{id_}.sources")
    return floor


def _struck(floor: Floor, slot: Slot, action: _Action) -> Floor:
    """Enter the reasons of the refusal in place of the debater's words."""
    possible = rulebook.ACTIONS[floor.phase]
    type_ = possible[0]
    if action.draft and action.draft.entry.type in possible:
        type_ = action.draft.entry.type
    # The faults of an unreadable reply are its parser's; they were sent to its author only.
    is_readable = action.draft is not None or action.reasons == (_REPEATED,)
    reasons = " ".join(action.reasons) if is_readable else _UNREADABLE
    content = f"{schema.STRUCK} {reasons}"[: schema.CONTENT_LIMIT]
    floor = floor.entered(schema.LogDraft(phase=floor.phase, speaker=slot.speaker, type=type_, content=content))
    return floor.noticed(f"[WARN] Seq {floor.last_seq} of the {slot.speaker} was struck: {reasons}")


def _missing(floor: Floor, slot: Slot, last: course.Attempt[_Action]) -> Floor:
    """The debater gave no answer: the chair logs this, and the turn passes to the other one."""
    names = {TurnKind.OPENING: "the opening", TurnKind.CLOSING: "the closing"}
    stage = names.get(slot.kind, f"round {floor.round}")
    floor = replace(floor, missing=(*floor.missing, last.turn))
    content = f"The {slot.speaker} failed; its turn is skipped."
    floor = floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.CUE, content)
    return floor.noticed(f"[WARN] The {slot.speaker} ({last.turn.tool_name}) is missing in {stage}: {last.cause}.")


def _looked_up(floor: Floor, seq: int, id_: str) -> course.Course[FloorCall, Floor]:
    """Look up those sources of an entry that have no finding yet, and apply the consequences."""
    sources = floor.entry(seq).sources
    unknown = {_key(source): source for source in sources if _key(source) not in floor.findings}
    if unknown:
        wanted = tuple(unknown.values())
        call = FloorCall(id_, floor, TurnKind.SOURCES, Role.VERIFIER, sources=wanted, seq=seq)
        turn = yield from course.asked(call)
        floor = _with_findings(floor.after((turn,)), seq, wanted, turn)
    findings = tuple(_finding(source, floor) for source in sources)
    checked = tuple(schema.CheckedSource(seq=seq, finding=finding) for finding in findings)
    return _with_consequences(replace(floor, checked=floor.checked + checked), seq, findings)


def _checked_sources(floor: Floor) -> tuple[schema.CheckedSource, ...]:
    """Return the finding on each source, without removed words."""
    shown: list[schema.CheckedSource] = []
    for checked in floor.checked:
        is_gone = rulebook.is_out(floor.entry(checked.seq), floor.log)
        shown.append(schema.CheckedSource(seq=checked.seq, finding=_shown(checked.finding, floor, is_gone=is_gone)))
    return tuple(shown)


def _key(source: Source) -> tuple[str, str]:
    return source.url, source.quote


def _with_findings(floor: Floor, seq: int, sources: tuple[Source, ...], turn: Turn) -> Floor:
    """Keep what ``turn``, the lookup of ``sources``, found; a lookup that failed is only reported."""
    try:
        findings = SourceFindings.model_validate_json(turn.answer.response if turn.answer else "{}").findings
    except ValidationError:
        findings = ()
    if len(findings) != len(sources):
        why = turn.failure.cause if turn.failure else "the findings could not be read"
        return floor.noticed(f"[WARN] The sources of seq {seq} were not looked up: {why}.")
    new = {_key(source): finding for source, finding in zip(sources, findings, strict=True)}
    floor = replace(floor, findings={**floor.findings, **new})
    # Every lookup repeats its warnings; the user reads each of them once.
    warnings = [f"[WARN] {warning}" for warning in (turn.answer.warnings if turn.answer else ())]
    return floor.noticed(*(warning for warning in warnings if warning not in floor.notices))


def _finding(source: Source, floor: Floor) -> SourceFinding:
    unknown = SourceFinding(
        url=source.url, quote=source.quote, status=SourceStatus.UNREACHABLE, reason="it could not be looked up"
    )
    return floor.findings.get(_key(source), unknown)


def _described(findings: tuple[SourceFinding, ...], *statuses: SourceStatus) -> str:
    """Describe the findings with one of ``statuses``, without the sources' own words."""
    return "; ".join(
        f"source [{number}] is {finding.status}: {_reason(finding)}"
        for number, finding in enumerate(findings, start=1)
        if finding.status in statuses
    )


def _with_consequences(floor: Floor, seq: int, findings: tuple[SourceFinding, ...]) -> Floor:
    """Log the findings on the sources of an entry, and what follows from the worst of them."""
    content = f"Sources of seq {seq}: {_described(findings, *SourceStatus)}."
    floor = floor.with_entry(schema.Speaker.VERIFIER, schema.EntryType.SOURCE_CHECK, content, target_seq=seq)
    fabricated = [finding for finding in findings if finding.status is SourceStatus.FABRICATED]
    if fabricated:
        why = f"{capitalized(_described(findings, SourceStatus.FABRICATED))}."
        urls = tuple(finding.url for finding in fabricated)
        quotes = tuple(finding.quote for finding in fabricated)
        return _with_penalty(floor.taken_out(seq, why, urls=urls, quotes=quotes), seq)
    unreliable = _described(findings, SourceStatus.UNRELIABLE)
    if unreliable:
        why = f"In seq {seq}, {unreliable}."
        return floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, why, target_seq=seq)
    return floor


def _with_penalty(floor: Floor, seq: int) -> Floor:
    """Warn the speaker of an entry with a fabricated source; the second such entry disqualifies it."""
    speaker = floor.entry(seq).speaker
    is_first = speaker not in floor.fabricators
    floor = replace(floor, fabricators=(*floor.fabricators, speaker))
    if is_first:
        why = f"The {speaker} is warned: another entry with a fabricated source means disqualification."
        return floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, why, target_seq=seq)
    why = f"The {speaker} is disqualified for a second entry with a fabricated source."
    floor = floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.DISQUALIFICATION, why, target_seq=seq)
    return replace(floor, disqualified=(*floor.disqualified, Role(speaker.value))).noticed(f"[WARN] {why}")


def _reason(finding: SourceFinding) -> str:
    """Return the reason for a source's status, without its address and words where these were removed."""
    reason = finding.reason.rstrip(".")
    if finding.status is not SourceStatus.FABRICATED:
        return reason
    for words in (finding.url, finding.quote):
        reason = reason.replace(words, "…") if words else reason
    return reason


def _shown(finding: SourceFinding, floor: Floor, *, is_gone: bool) -> SourceFinding:
    """Return a finding without removed words; of an entry that is gone, only status and reason are left."""
    mask = floor.withheld.masked
    if is_gone:
        reason = mask(_reason(finding))
        return SourceFinding(url="", status=finding.status, reason=reason, fetched_at=finding.fetched_at)
    shown = {name: mask(getattr(finding, name)) for name in ("url", "quote", "reason", "page_words", "final_url")}
    return finding.model_copy(update=shown)
