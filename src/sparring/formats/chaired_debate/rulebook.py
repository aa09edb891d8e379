"""Rules of the log: admissible entries, and the order of turns (specification: seed 003, Turn Structure)."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from urllib.parse import urlsplit

from sparring.checks.sources import cited_entries, is_conjecture, unsourced_paragraphs
from sparring.schema import chaired_debate as schema
from sparring.text.tidying import one_line

DEBATERS: tuple[schema.Speaker, ...] = (schema.Speaker.PROMOTER, schema.Speaker.DETRACTOR)
"""In the order of their openings and actions; they close in reverse order."""

ACTIONS: dict[schema.Phase, tuple[schema.EntryType, ...]] = {
    schema.Phase.SYSTEM: (),
    schema.Phase.OPENING: (schema.EntryType.OPENING_STATEMENT,),
    schema.Phase.REBUTTAL: (
        schema.EntryType.NEW_POINT,
        schema.EntryType.REBUTTAL,
        schema.EntryType.CONJECTURE,
        schema.EntryType.CLARIFICATION_REQUEST,
    ),
    schema.Phase.CLOSING: (schema.EntryType.CLOSING_STATEMENT,),
    schema.Phase.CONCLUSION: (),
}
"""Types of entry that a debater may write in each phase (specification: Turn Action Types)."""


def opponent(debater: schema.Speaker) -> schema.Speaker:
    """The opponent of a debater."""
    return schema.Speaker.DETRACTOR if debater is schema.Speaker.PROMOTER else schema.Speaker.PROMOTER


def entry_of(seq: int, log: Sequence[schema.LogEntry]) -> schema.LogEntry | None:
    """The entry of that number; None if it does not exist."""
    return next((entry for entry in log if entry.seq == seq), None)


def is_struck(entry: schema.LogEntry) -> bool:
    """Return whether the entry was never accepted."""
    return entry.content.startswith(schema.STRUCK)


def is_out(entry: schema.LogEntry, log: Sequence[schema.LogEntry]) -> bool:
    """Return whether the entry was removed from the debate, with or without redaction of the log."""
    return entry.content.startswith((schema.STRUCK, schema.REDACTED)) or any(
        each.type is schema.EntryType.REDACTION and each.target_seq == entry.seq for each in log
    )


def standing(log: Sequence[schema.LogEntry]) -> tuple[schema.LogEntry, ...]:
    """Return the debaters' entries that were not removed."""
    return tuple(entry for entry in log if entry.speaker in DEBATERS and not is_out(entry, log))


def disqualified(log: Sequence[schema.LogEntry]) -> frozenset[schema.Speaker]:
    """The disqualified debaters."""
    targets = {entry.target_seq for entry in log if entry.type is schema.EntryType.DISQUALIFICATION}
    return frozenset(entry.speaker for entry in log if entry.seq in targets)


_DEBATERS_TYPES = frozenset(type_ for types in ACTIONS.values() for type_ in types)
_TYPES = {
    schema.Speaker.PROMOTER: _DEBATERS_TYPES,
    schema.Speaker.DETRACTOR: _DEBATERS_TYPES,
    schema.Speaker.VERIFIER: frozenset({schema.EntryType.SOURCE_CHECK}),
    schema.Speaker.AUDIENCE: frozenset({schema.EntryType.QUESTION}),
    schema.Speaker.REPORTER: frozenset({schema.EntryType.SUMMARY}),
}
_OTHERS_TYPES = frozenset(type_ for types in _TYPES.values() for type_ in types)
_ONLY_IN = {
    schema.EntryType.SETUP: schema.Phase.SYSTEM,
    schema.EntryType.QUESTION: schema.Phase.REBUTTAL,
    schema.EntryType.CONCLUSION: schema.Phase.CONCLUSION,
    schema.EntryType.SUMMARY: schema.Phase.CONCLUSION,
}
_PHASES = tuple(phase for phase in schema.Phase if phase is not schema.Phase.SYSTEM)
_ORDERS = {schema.Phase.OPENING: DEBATERS, schema.Phase.CLOSING: tuple(reversed(DEBATERS))}


def out_of_order(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    """Yield why the speaker of ``draft`` may not write it now."""
    now = _phase_of(log)
    if not _may_write(draft.speaker, draft.type):
        yield f"An entry of type {draft.type} is not the {draft.speaker}'s to write."
    elif draft.speaker in disqualified(log):
        yield f"The {draft.speaker} has been disqualified and may not speak any more."
    elif now and draft.phase in _PHASES[: _PHASES.index(now)]:
        yield f"The {draft.phase} phase is over; the debate is in the {now} phase."
    elif draft.speaker in DEBATERS:
        yield from _debaters_turn(draft, log)
    elif _ONLY_IN.get(draft.type, draft.phase) is not draft.phase:
        yield f"An entry of type {draft.type} belongs to the {_ONLY_IN[draft.type]} phase."


def _phase_of(log: Sequence[schema.LogEntry]) -> schema.Phase | None:
    """Return the phase that the debate has reached; None before it begins."""
    return next((entry.phase for entry in reversed(log) if entry.phase in _PHASES), None)


def _may_write(speaker: schema.Speaker, type_: schema.EntryType) -> bool:
    """Return whether entries of that type are the speaker's: the chair writes all that no other speaker does."""
    if speaker is schema.Speaker.CHAIR:
        return type_ not in _OTHERS_TYPES
    return type_ in _TYPES[speaker]


def _debaters_turn(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    if draft.type not in ACTIONS[draft.phase]:
        allowed = ", ".join(ACTIONS[draft.phase]) or "nothing"
        yield f"In the {draft.phase} phase a debater may write {allowed}, not {draft.type}."
    elif draft.phase is not schema.Phase.OPENING and _still_to_speak(schema.Phase.OPENING, log):
        yield f"The {draft.phase} phase begins when both debaters have opened."
    elif draft.phase in _ORDERS:
        yield from _once_in_order(draft, log)
    else:
        yield from _alternating(draft, log)


def _once_in_order(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    due = _still_to_speak(draft.phase, log)
    if draft.speaker not in due:
        yield f"The {draft.speaker} has made its {draft.type} already."
    elif draft.speaker is not due[0] and not _was_passed_on(log):
        yield f"It is the {due[0]}'s turn."


def _still_to_speak(phase: schema.Phase, log: Sequence[schema.LogEntry]) -> tuple[schema.Speaker, ...]:
    past_speakers = {entry.speaker for entry in log if entry.phase is phase and entry.type in ACTIONS[phase]}
    return tuple(speaker for speaker in _ORDERS[phase] if speaker not in past_speakers)


def _alternating(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    entries = [entry for entry in log if entry.phase is schema.Phase.REBUTTAL and entry.speaker in DEBATERS]
    ended = [entry for entry in entries if _ends_turn(entry)]
    due = opponent(ended[-1].speaker) if ended else DEBATERS[0]
    # A debater goes on after the chair has answered its clarification request.
    has_asked = bool(entries) and entries[-1].speaker is draft.speaker and not _ends_turn(entries[-1])
    if draft.speaker is not due and not has_asked and not _was_passed_on(log):
        yield f"It is the {due}'s turn."
    elif has_asked and draft.type is schema.EntryType.CLARIFICATION_REQUEST:
        yield "A second clarification request in the same turn is not allowed: argue, with what is clear."


def _ends_turn(entry: schema.LogEntry) -> bool:
    return entry.type is not schema.EntryType.CLARIFICATION_REQUEST or is_struck(entry)


def _was_passed_on(log: Sequence[schema.LogEntry]) -> bool:
    """Return whether the last cue came after the last entry of a debater, as when one could not answer."""
    for entry in reversed(log):
        if entry.type is schema.EntryType.CUE:
            return True
        if entry.speaker in DEBATERS:
            return False
    return False


_CHALLENGE = re.compile(
    r"^[ \t*_]{0,4}SOURCE[ \t]+CHALLENGE[ \t*_]{0,4}:[ \t*_]{0,4}seq[ \t]{0,4}#?\{?(?P<seq>[1-9]\d{0,5})\}?"
    r"[ \t]*(?:[–—:,-]+[ \t]*)?(?P<reason>\S[^\n]*)?$",
    re.IGNORECASE | re.MULTILINE,
)


def challenge_in(content: str) -> tuple[int, str] | None:
    """Return the entry that ``content`` challenges, and why, by a line ``SOURCE CHALLENGE: seq 4 — reason``.

    The first such line counts: an entry challenges the sources of one other entry.
    """
    match = _CHALLENGE.search(content)
    return (int(match["seq"]), (match["reason"] or "").strip(" \t*_\r")) if match else None


_NEED_A_TARGET = frozenset(
    {schema.EntryType.SOURCE_CHECK, schema.EntryType.REDACTION, schema.EntryType.DISQUALIFICATION}
)

_MOST_NUMBERS = 10
"""Paragraphs that a refusal names; with more of them, the debater has not understood the rule."""


def refusals(
    draft: schema.LogDraft, log: Sequence[schema.LogEntry], *, today: date, topic: str = ""
) -> tuple[str, ...]:
    """Return why ``draft`` may not follow ``log``, a sentence each; empty if it may.

    Figures of ``topic`` need no source.

    ``today`` is the date in UTC; the next day, which other time zones may have reached, is not in the future.
    """
    order = tuple(out_of_order(draft, log))
    if order:
        return order  # an entry out of order is not checked further
    reasons = [*_labels(draft), *_rebuttal_to(draft, log), *_target(draft, log), *_cited(draft, today)]
    if draft.speaker in DEBATERS:
        reasons += [*_conjecture(draft, log), *_sources(draft, log, topic)]
    return tuple(reasons)


def _labels(draft: schema.LogDraft) -> Iterator[str]:
    if draft.content.lstrip().startswith((schema.REDACTED, schema.STRUCK)):
        yield f"Content may not begin with {schema.REDACTED} or {schema.STRUCK}: these mark what was taken out."


_SCHEMES = frozenset({"http", "https"})
_HOST = re.compile(r"localhost|[^\s.]+(?:\.[^\s.]+)+\.?|[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SHOWN = 100


def _cited(draft: schema.LogDraft, today: date) -> Iterator[str]:
    for number, source in enumerate(draft.sources, start=1):
        url, accessed = (repr(one_line(text, _SHOWN)) for text in (source.url, source.accessed))
        day = _day(source.accessed)
        if not _is_address(source.url):
            yield f"Source {number}: url must be an address that begins with http:// or https://; it is {url}."
        if not source.title.strip():
            yield f"Source {number}: title must not be empty."
        if day is None:
            yield f"Source {number}: accessed must be a day as YYYY-MM-DD; it is {accessed}."
        elif day - timedelta(days=1) > today:
            yield f"Source {number}: accessed must not be in the future; it is {accessed}."


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and _HOST.fullmatch(host) is not None and not re.search(r"\s", url.strip())


def _day(spelled: str) -> date | None:
    try:
        return date.fromisoformat(spelled.strip()) if _DAY.fullmatch(spelled.strip()) else None
    except ValueError:
        return None


def _rebuttal_to(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    seq = draft.rebuttal_to_seq
    if draft.type is not schema.EntryType.REBUTTAL:
        if seq is not None:
            yield "Only an entry of type rebuttal has a rebuttal_to_seq."
    elif seq is None:
        yield "A rebuttal needs rebuttal_to_seq: the entry of the opponent that it answers."
    else:
        yield from _of_opponent("rebuttal_to_seq", seq, draft, log)


def _target(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    seq = draft.target_seq
    if seq is None:
        if draft.type in _NEED_A_TARGET:
            yield f"An entry of type {draft.type} needs target_seq: the entry that it is about."
        return
    target = entry_of(seq, log)
    if draft.speaker in DEBATERS and draft.type is not schema.EntryType.CLARIFICATION_REQUEST:
        problems = tuple(_of_opponent("target_seq", seq, draft, log))
        yield from problems
        if not problems and target and not target.sources:
            yield f"target_seq names the entry whose sources are challenged, and seq {seq} has none."
    elif target is None:
        yield f"target_seq is {seq}, and there is no such entry."
    elif draft.type in _NEED_A_TARGET and target.speaker not in DEBATERS:
        yield f"target_seq of a {draft.type} names an entry of a debater; seq {seq} is the {target.speaker}'s."


def _of_opponent(field: str, seq: int, draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    entry = entry_of(seq, log)
    other = opponent(draft.speaker)
    if entry is None:
        yield f"{field} is {seq}, and there is no such entry."
    elif entry.speaker is not other:
        whose = "your own" if entry.speaker is draft.speaker else f"the {entry.speaker}'s"
        yield f"{field} names an entry of the {other}; seq {seq} is {whose}."
    elif is_out(entry, log):
        yield f"{field} is {seq}, and that entry was taken out of the debate."


def _conjecture(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> Iterator[str]:
    if draft.type is schema.EntryType.CONJECTURE and not is_conjecture(draft.content):
        yield f"A conjecture begins with the label {schema.CONJECTURE_LABEL}."
    if draft.type is schema.EntryType.REBUTTAL and not draft.sources and _rests_on_conjecture(draft, log):
        yield "A conjecture alone cannot carry a rebuttal: pair it with sourced evidence."


def _rests_on_conjecture(draft: schema.LogDraft, log: Sequence[schema.LogEntry]) -> bool:
    """Return whether it is a conjecture itself, or all entries that it cites are."""
    if is_conjecture(draft.content):
        return True
    entries = [entry_of(seq, log) for seq in cited_entries(draft.content)]
    contents = [entry.content for entry in entries if entry]
    return bool(contents) and all(is_conjecture(content) for content in contents)


def _sources(draft: schema.LogDraft, log: Sequence[schema.LogEntry], topic: str) -> Iterator[str]:
    if draft.type is schema.EntryType.CLARIFICATION_REQUEST:
        if draft.sources:
            yield "A clarification request asks, and has no sources."
        return
    if draft.sources:
        return  # they belong to the whole entry
    sourced = frozenset(entry.seq for entry in standing(log) if entry.sources)
    unsourced = unsourced_paragraphs(draft.content, entries=sourced, given=topic)
    if unsourced:
        numbers = ", ".join(map(str, unsourced[:_MOST_NUMBERS]))
        if len(unsourced) > _MOST_NUMBERS:
            numbers += " …"
        yield (
            f"There are figures without a source of this entry, a (seq n) for a source given earlier, or the label "
            f"{schema.CONJECTURE_LABEL}, in paragraph {numbers}."
        )
