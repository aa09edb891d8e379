"""Who may write what in which phase, and whose turn it is (specification: seed 003, Turn Structure)."""

from collections.abc import Iterator, Sequence

from sparring.formats.chaired_debate.standing import ACTIONS, DEBATERS, disqualified, is_struck, opponent
from sparring.schema.chaired_debate import EntryType, LogDraft, LogEntry, Phase, Speaker

_DEBATERS_TYPES = frozenset(type_ for types in ACTIONS.values() for type_ in types)
_TYPES = {
    Speaker.PROMOTER: _DEBATERS_TYPES,
    Speaker.DETRACTOR: _DEBATERS_TYPES,
    Speaker.VERIFIER: frozenset({EntryType.SOURCE_CHECK}),
    Speaker.AUDIENCE: frozenset({EntryType.QUESTION}),
    Speaker.REPORTER: frozenset({EntryType.SUMMARY}),
}
_OTHERS_TYPES = frozenset(type_ for types in _TYPES.values() for type_ in types)
_ONLY_IN = {
    EntryType.QUESTION: Phase.REBUTTAL,
    EntryType.CONCLUSION: Phase.CONCLUSION,
    EntryType.SUMMARY: Phase.CONCLUSION,
}
_PHASES = tuple(Phase)
_ORDERS = {Phase.OPENING: DEBATERS, Phase.CLOSING: tuple(reversed(DEBATERS))}


def out_of_order(draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    """Why ``draft`` may not be written now by whoever wants to write it."""
    if not _is_of(draft.type, draft.speaker):
        yield f"An entry of type {draft.type} is not the {draft.speaker}'s to write."
    elif draft.speaker in disqualified(log):
        yield f"The {draft.speaker} has been disqualified and may not speak any more."
    elif log and _PHASES.index(draft.phase) < _PHASES.index(log[-1].phase):
        yield f"The {draft.phase} phase is over; the debate is in the {log[-1].phase} phase."
    elif draft.speaker in DEBATERS:
        yield from _debaters_turn(draft, log)
    elif _ONLY_IN.get(draft.type, draft.phase) is not draft.phase:
        yield f"An entry of type {draft.type} belongs to the {_ONLY_IN[draft.type]} phase."


def _is_of(type_: EntryType, speaker: Speaker) -> bool:
    return type_ not in _OTHERS_TYPES if speaker is Speaker.CHAIR else type_ in _TYPES[speaker]


def _debaters_turn(draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    if draft.type not in ACTIONS[draft.phase]:
        allowed = ", ".join(ACTIONS[draft.phase]) or "nothing"
        yield f"In the {draft.phase} phase a debater may write {allowed}, not {draft.type}."
    elif draft.phase is not Phase.OPENING and _still_to_speak(Phase.OPENING, log):
        yield f"The {draft.phase} phase begins when both debaters have opened."
    elif draft.phase in _ORDERS:
        yield from _once_in_order(draft, log)
    else:
        yield from _alternating(draft, log)


def _once_in_order(draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    due = _still_to_speak(draft.phase, log)
    if draft.speaker not in due:
        yield f"The {draft.speaker} has made its {draft.type} already."
    elif draft.speaker is not due[0] and not _was_passed_on(log):
        yield f"It is the {due[0]}'s turn."


def _still_to_speak(phase: Phase, log: Sequence[LogEntry]) -> tuple[Speaker, ...]:
    spoken = {entry.speaker for entry in log if entry.phase is phase and entry.type in ACTIONS[phase]}
    return tuple(speaker for speaker in _ORDERS[phase] if speaker not in spoken)


def _alternating(draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    spoken = [entry for entry in log if entry.phase is Phase.REBUTTAL and entry.speaker in DEBATERS]
    ended = [entry for entry in spoken if _ends_turn(entry)]
    holder = opponent(ended[-1].speaker) if ended else DEBATERS[0]
    has_asked = bool(spoken) and spoken[-1].speaker is draft.speaker and not _ends_turn(spoken[-1])
    if draft.speaker is not holder and not has_asked and not _was_passed_on(log):
        yield f"It is the {holder}'s turn."
    elif has_asked and draft.type is EntryType.CLARIFICATION_REQUEST:
        yield "A second clarification request in the same turn is not allowed: argue, with what is clear."


def _ends_turn(entry: LogEntry) -> bool:
    return entry.type is not EntryType.CLARIFICATION_REQUEST or is_struck(entry)


def _was_passed_on(log: Sequence[LogEntry]) -> bool:
    """Whether the chair has cued somebody since a debater last wrote: it does so where one could not be heard."""
    last = next((each for each in reversed(log) if each.speaker in DEBATERS or each.type is EntryType.CUE), None)
    return last is not None and last.type is EntryType.CUE
