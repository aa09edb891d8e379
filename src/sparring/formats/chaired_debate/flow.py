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
from sparring.formats.chaired_debate.prompts import ChairedDebateAsks, ready_message
from sparring.formats.chaired_debate.state import ActionSlot, ChairedDebateState, Challenge, ReturnedAnswer, SpeakerCall
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
        self._bookmark = course.CourseCursor[SpeakerCall, schema.ChairedDebateOutcome]()

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
    return tuple(entry for entry in reached[0].state.log if entry.seq not in unchecked)


def debate(request: schema.ChairedDebateRequest) -> course.Course[SpeakerCall, schema.ChairedDebateOutcome]:
    """The whole debate."""
    state = yield from _startup(ChairedDebateState.of(request), request)
    if not state.missing:
        state = yield from _opening(state)
    if state.missing or not _is_opened(state):
        return _failed(state)
    rounds = yield from _rounds(state, request)
    state = rounds.state
    if not state.disqualified:
        state = yield from _closing(state)
    decided = yield from chair.conclude(state)
    state = decided.state
    if request.reporter:
        state = yield from chair.report(state)
    status = schema.ChairedDebateStatus.INCOMPLETE if state.missing else schema.ChairedDebateStatus.COMPLETED
    if decided.decision is None:
        status = schema.ChairedDebateStatus.UNJUDGED
    return _outcome(replace(decided, state=state), status, rounds.ended)


def _startup(
    state: ChairedDebateState, request: schema.ChairedDebateRequest
) -> course.Course[SpeakerCall, ChairedDebateState]:
    """Both debaters confirm their role at once. Other answers are noted; a debater without an answer is missing."""
    turns = yield tuple(SpeakerCall(f"ready.{role}", state, TurnKind.READY, role) for role in schema.DEBATERS)
    state = replace(state.after(turns), missing=tuple(turn for turn in turns if turn.failure))
    for turn in turns:
        if turn.answer and _words(turn.answer.response) != _words(ready_message(turn.role, request.topic)):
            state = state.with_notices(
                f"[WARN] The {turn.role} ({turn.tool_name}) did not confirm its role word for word."
            )
    return state


def _words(text: str) -> str:
    return " ".join(text.split())


def _opening(state: ChairedDebateState) -> course.Course[SpeakerCall, ChairedDebateState]:
    for role in schema.DEBATERS:
        state = yield from _turn(state, ActionSlot(f"opening.{role}", TurnKind.OPENING, role))
        if state.missing:
            break
    return state


def _is_opened(state: ChairedDebateState) -> bool:
    """Return whether any opening was accepted. With both struck there is nothing to rebut, and nothing to decide on."""
    return any(
        entry.type is schema.EntryType.OPENING_STATEMENT and not rulebook.is_struck(entry) for entry in state.log
    )


class _Rounds(Struct, frozen=True):
    """The state after the last round, and why there is no further one."""

    state: ChairedDebateState
    ended: schema.EndReason


def _rounds(state: ChairedDebateState, request: schema.ChairedDebateRequest) -> course.Course[SpeakerCall, _Rounds]:
    """Run the rounds up to their limit. The chair reviews the entries before each, and after the last."""
    stem, number = "opening", 0
    while True:
        # Before the least number of rounds, and after the greatest, the chair has nothing to decide about the end.
        is_possible = _why_over(state, request, number) is None
        may_go_on = is_possible and number >= request.min_rounds
        reviewed = yield from chair.review(state, stem, may_go_on=may_go_on)
        state = reviewed.state
        # Asked again: the review itself takes time from the budget.
        ended = schema.EndReason.NATURAL if reviewed.is_over else _why_over(state, request, number)
        if ended:
            return _Rounds(state, ended)
        number += 1
        stem = f"r{number}"
        state = yield from _round(replace(state, phase=schema.Phase.REBUTTAL, round=number), stem, request)
        if state.disqualified:
            return _Rounds(state, schema.EndReason.DISQUALIFICATION)


def _why_over(state: ChairedDebateState, request: schema.ChairedDebateRequest, number: int) -> schema.EndReason | None:
    """Return why no round may follow number ``number``; None if one may."""
    if state.missing:
        return schema.EndReason.FAILURE
    if number == request.max_rounds:
        return schema.EndReason.MAX_ROUNDS
    if request.time_budget_s and state.spent_ms >= request.time_budget_s * 1000:
        return schema.EndReason.TIME_BUDGET
    return None


def _round(
    state: ChairedDebateState, stem: str, request: schema.ChairedDebateRequest
) -> course.Course[SpeakerCall, ChairedDebateState]:
    for role in schema.DEBATERS:
        state = yield from _turn(state, ActionSlot(f"{stem}.{role}", TurnKind.ACTION, role))
        if state.disqualified and role is not schema.DEBATERS[-1]:
            return state
    state = replace(state, rounds=state.round)
    if request.audience and not state.disqualified:
        state = yield from chair.questions(state, stem)
    return state


def _closing(state: ChairedDebateState) -> course.Course[SpeakerCall, ChairedDebateState]:
    """Run the closing statements, in the reverse order of the openings."""
    state = replace(state, phase=schema.Phase.CLOSING)
    for role in reversed(schema.DEBATERS):
        state = yield from _turn(state, ActionSlot(f"closing.{role}", TurnKind.CLOSING, role))
        if state.disqualified:
            return state
    reviewed = yield from chair.review(state, "closing", may_go_on=False)
    return reviewed.state


def _failed(state: ChairedDebateState) -> schema.ChairedDebateOutcome:
    """A debater gave no answer before its first entry, or both openings were struck: there is no debate."""
    causes = [
        f"The {turn.role} ({turn.tool_name}) failed: {course.failure_cause(turn)}." for turn in state.missing
    ] or ["The openings of both sides were struck."]
    notices = (f"[ERROR] The debate cannot take place. {' '.join(causes)}", *state.notices)
    return _outcome(
        chair.ChairDecision(replace(state, notices=notices)),
        schema.ChairedDebateStatus.FAILED,
        schema.EndReason.FAILURE,
    )


def _outcome(
    decided: chair.ChairDecision, status: schema.ChairedDebateStatus, reason: schema.EndReason
) -> schema.ChairedDebateOutcome:
    state = decided.state
    summaries = [entry.content for entry in state.log if entry.type is schema.EntryType.SUMMARY]
    return schema.ChairedDebateOutcome(
        status=status,
        decision=decided.decision,
        decided_by=decided.decided_by,
        reasoning=decided.reasoning,
        decisive=decided.decisive,
        weak_grounds=decided.weak_grounds,
        ended=reason,
        rounds_completed=state.rounds,
        disqualified=state.disqualified,
        log=state.log,
        sources=_checked_sources(state),
        summary="".join(summaries),
        notices=state.notices,
    )


_UNREADABLE = "The reply could not be read."
_REPEATED = "It repeats what was taken out of the debate."


class _Action(Struct, frozen=True):
    """Result of one reply: the draft, None if it cannot be parsed, and the reasons for a refusal."""

    draft: replies.Draft | None
    reasons: tuple[str, ...] = ()


def _turn(state: ChairedDebateState, slot: ActionSlot) -> course.Course[SpeakerCall, ChairedDebateState]:
    """One turn of one debater, with a clarification by the chair if it is requested."""
    before = state.last_seq
    state = yield from _act(state, slot)
    is_request = any(
        entry.type is schema.EntryType.CLARIFICATION_REQUEST and not rulebook.is_struck(entry)
        for entry in state.log[before:]
    )
    if is_request:
        state = yield from chair.clarify(state, slot)
        state = yield from _act(state, replace(slot, id=f"{slot.id}.after"))
    return state


def _act(state: ChairedDebateState, slot: ActionSlot) -> course.Course[SpeakerCall, ChairedDebateState]:
    """Ask a debater for one entry, and once more with what was wrong; then accept it, strike it, or let it pass."""

    def want(first: course.Attempt[_Action] | None) -> SpeakerCall:
        if first is None:
            return SpeakerCall(f"{slot.id}.1", state, slot.kind, slot.role)
        return SpeakerCall(f"{slot.id}.2", state, slot.kind, slot.role, _returned(first, state))

    attempts = yield from course.ask_until_usable(want, lambda reply: _read(reply, state, slot))
    state = state.after(tuple(attempt.turn for attempt in attempts))
    last = attempts[-1]
    if last.value is None:
        return _missing(state, slot, last)
    if last.value.draft is None or last.value.reasons:
        return _struck(state, slot, last.value)
    return (yield from _accepted(state, slot, last.value.draft, last.turn.ask_id))


def _returned(first: course.Attempt[_Action], state: ChairedDebateState) -> ReturnedAnswer:
    """Return the first answer as its author is shown it again: the draft, or else the words as they may be shown."""
    if first.value and first.value.draft:
        return ReturnedAnswer(first.value.draft.as_json, first.problems)
    answer = first.turn.answer.response if first.turn.answer else ""
    return ReturnedAnswer(state.withheld.masked(answer)[: schema.CONTENT_LIMIT], first.problems)


def _read(reply: str, state: ChairedDebateState, slot: ActionSlot) -> course.ReadReply[_Action]:
    """Read a reply; one that repeats removed words is struck at once, without a second attempt."""
    try:
        draft = replies.read_draft(reply, slot.speaker, state.phase)
    except UnusableReplyError as error:
        if state.withheld.is_repeated_in(reply):
            return course.ReadReply(_Action(None, (_REPEATED,)))
        reasons = tuple(str(error).splitlines())
        return course.ReadReply(_Action(None, reasons), reasons)
    if state.withheld.is_repeated_in(*draft.texts):
        return course.ReadReply(_Action(draft, (_REPEATED,)))
    refused = rulebook.refusals(draft.entry, state.log, today=state.today, topic=state.topic)
    reasons = (*refused, *replies.challenge_refusals(draft))
    return course.ReadReply(_Action(draft, reasons), reasons)


def _accepted(
    state: ChairedDebateState, slot: ActionSlot, draft: replies.Draft, id_: str
) -> course.Course[SpeakerCall, ChairedDebateState]:
    state = state.with_draft(draft.entry)
    seq, target_seq = state.last_seq, draft.entry.target_seq
    if draft.challenge and target_seq:
        challenge = Challenge(seq, target_seq, slot.speaker, draft.challenge)
        state = replace(state, challenges=(*state.challenges, challenge))
    if draft.entry.sources:
        state = yield from _looked_up(state, seq, f"{id_}.sources")
    return state


def _struck(state: ChairedDebateState, slot: ActionSlot, action: _Action) -> ChairedDebateState:
    """Enter the reasons of the refusal in place of the debater's words."""
    possible = rulebook.ACTIONS[state.phase]
    type_ = possible[0]
    if action.draft and action.draft.entry.type in possible:
        type_ = action.draft.entry.type
    # The faults of an unreadable reply are its parser's; they were sent to its author only.
    is_readable = action.draft is not None or action.reasons == (_REPEATED,)
    reasons = " ".join(action.reasons) if is_readable else _UNREADABLE
    content = f"{schema.STRUCK} {reasons}"[: schema.CONTENT_LIMIT]
    state = state.with_draft(schema.LogDraft(phase=state.phase, speaker=slot.speaker, type=type_, content=content))
    return state.with_notices(f"[WARN] Seq {state.last_seq} of the {slot.speaker} was struck: {reasons}")


def _missing(state: ChairedDebateState, slot: ActionSlot, last: course.Attempt[_Action]) -> ChairedDebateState:
    """The debater gave no answer: the chair logs this, and the turn passes to the other one."""
    names = {TurnKind.OPENING: "the opening", TurnKind.CLOSING: "the closing"}
    stage = names.get(slot.kind, f"round {state.round}")
    state = replace(state, missing=(*state.missing, last.turn))
    content = f"The {slot.speaker} failed; its turn is skipped."
    state = state.with_entry(schema.Speaker.CHAIR, schema.EntryType.CUE, content)
    return state.with_notices(f"[WARN] The {slot.speaker} ({last.turn.tool_name}) is missing in {stage}: {last.cause}.")


def _looked_up(state: ChairedDebateState, seq: int, id_: str) -> course.Course[SpeakerCall, ChairedDebateState]:
    """Look up those sources of an entry that have no finding yet, and apply the consequences."""
    sources = state.entry(seq).sources
    unknown = {_key(source): source for source in sources if _key(source) not in state.findings}
    if unknown:
        wanted = tuple(unknown.values())
        call = SpeakerCall(id_, state, TurnKind.SOURCES, Role.VERIFIER, sources=wanted, seq=seq)
        turn = yield from course.ask_one(call)
        state = _with_findings(state.after((turn,)), seq, wanted, turn)
    findings = tuple(_finding(source, state) for source in sources)
    checked = tuple(schema.CheckedSource(seq=seq, finding=finding) for finding in findings)
    return _with_consequences(replace(state, checked=state.checked + checked), seq, findings)


def _checked_sources(state: ChairedDebateState) -> tuple[schema.CheckedSource, ...]:
    """Return the finding on each source, without removed words."""
    shown: list[schema.CheckedSource] = []
    for checked in state.checked:
        is_gone = rulebook.is_out(state.entry(checked.seq), state.log)
        shown.append(schema.CheckedSource(seq=checked.seq, finding=_shown(checked.finding, state, is_gone=is_gone)))
    return tuple(shown)


def _key(source: Source) -> tuple[str, str]:
    return source.url, source.quote


def _with_findings(state: ChairedDebateState, seq: int, sources: tuple[Source, ...], turn: Turn) -> ChairedDebateState:
    """Keep what ``turn``, the lookup of ``sources``, found; a lookup that failed is only reported."""
    try:
        findings = SourceFindings.model_validate_json(turn.answer.response if turn.answer else "{}").findings
    except ValidationError:
        findings = ()
    if len(findings) != len(sources):
        why = turn.failure.cause if turn.failure else "the findings could not be read"
        return state.with_notices(f"[WARN] The sources of seq {seq} were not looked up: {why}.")
    new = {_key(source): finding for source, finding in zip(sources, findings, strict=True)}
    state = replace(state, findings={**state.findings, **new})
    # Every lookup repeats its warnings; the user reads each of them once.
    warnings = [f"[WARN] {warning}" for warning in (turn.answer.warnings if turn.answer else ())]
    return state.with_notices(*(warning for warning in warnings if warning not in state.notices))


def _finding(source: Source, state: ChairedDebateState) -> SourceFinding:
    unknown = SourceFinding(
        url=source.url, quote=source.quote, status=SourceStatus.UNREACHABLE, reason="it could not be looked up"
    )
    return state.findings.get(_key(source), unknown)


def _described(findings: tuple[SourceFinding, ...], *statuses: SourceStatus) -> str:
    """Describe the findings with one of ``statuses``, without the sources' own words."""
    return "; ".join(
        f"source [{number}] is {finding.status}: {_reason(finding)}"
        for number, finding in enumerate(findings, start=1)
        if finding.status in statuses
    )


def _with_consequences(state: ChairedDebateState, seq: int, findings: tuple[SourceFinding, ...]) -> ChairedDebateState:
    """Log the findings on the sources of an entry, and what follows from the worst of them."""
    content = f"Sources of seq {seq}: {_described(findings, *SourceStatus)}."
    state = state.with_entry(schema.Speaker.VERIFIER, schema.EntryType.SOURCE_CHECK, content, target_seq=seq)
    fabricated = [finding for finding in findings if finding.status is SourceStatus.FABRICATED]
    if fabricated:
        why = f"{capitalized(_described(findings, SourceStatus.FABRICATED))}."
        urls = tuple(finding.url for finding in fabricated)
        quotes = tuple(finding.quote for finding in fabricated)
        return _with_penalty(state.without_entry(seq, why, urls=urls, quotes=quotes), seq)
    unreliable = _described(findings, SourceStatus.UNRELIABLE)
    if unreliable:
        why = f"In seq {seq}, {unreliable}."
        return state.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, why, target_seq=seq)
    return state


def _with_penalty(state: ChairedDebateState, seq: int) -> ChairedDebateState:
    """Warn the speaker of an entry with a fabricated source; the second such entry disqualifies it."""
    speaker = state.entry(seq).speaker
    is_first = speaker not in state.fabricators
    state = replace(state, fabricators=(*state.fabricators, speaker))
    if is_first:
        why = f"The {speaker} is warned: another entry with a fabricated source means disqualification."
        return state.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, why, target_seq=seq)
    why = f"The {speaker} is disqualified for a second entry with a fabricated source."
    state = state.with_entry(schema.Speaker.CHAIR, schema.EntryType.DISQUALIFICATION, why, target_seq=seq)
    return replace(state, disqualified=(*state.disqualified, Role(speaker.value))).with_notices(f"[WARN] {why}")


def _reason(finding: SourceFinding) -> str:
    """Return the reason for a source's status, without its address and words where these were removed."""
    reason = finding.reason.rstrip(".")
    if finding.status is not SourceStatus.FABRICATED:
        return reason
    for words in (finding.url, finding.quote):
        reason = reason.replace(words, "…") if words else reason
    return reason


def _shown(finding: SourceFinding, state: ChairedDebateState, *, is_gone: bool) -> SourceFinding:
    """Return a finding without removed words; of an entry that is gone, only status and reason are left."""
    mask = state.withheld.masked
    if is_gone:
        reason = mask(_reason(finding))
        return SourceFinding(url="", status=finding.status, reason=reason, fetched_at=finding.fetched_at)
    shown = {name: mask(getattr(finding, name)) for name in ("url", "quote", "reason", "page_words", "final_url")}
    return finding.model_copy(update=shown)
