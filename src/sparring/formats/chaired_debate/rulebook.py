"""What an entry has to be before it counts: every rule that code can hold.

They are those of the specification (seed 003) and of the design (Chaired debate), and hold alike for the debates that
are run here and for logs that others write. The sentences never repeat words of the draft: they may stand in the log
where those may not.
"""

from collections.abc import Collection, Iterator, Sequence

from sparring.checks.sourcing import entries_cited, is_conjecture, unsourced_paragraphs
from sparring.formats.chaired_debate.standing import DEBATERS, entry_of, is_out, opponent, standing
from sparring.formats.chaired_debate.turn_order import out_of_order
from sparring.schema.chaired_debate import CONJECTURE_LABEL, REDACTED, STRUCK, EntryType, LogDraft, LogEntry

_NEED_A_SOURCE = frozenset({EntryType.OPENING_STATEMENT, EntryType.NEW_POINT})
_NEED_A_TARGET = frozenset({EntryType.SOURCE_CHECK, EntryType.REDACTION, EntryType.DISQUALIFICATION})

_MOST_NUMBERS = 10
"""Paragraphs that are named: with more of them, somebody has not understood the rule."""


def refusals(draft: LogDraft, log: Sequence[LogEntry], *, topic: str = "") -> tuple[str, ...]:
    """Why ``draft`` may not follow ``log``, a sentence each; empty when it may. Figures of ``topic`` need no source."""
    order = tuple(out_of_order(draft, log))
    if order:
        return order  # what is said at the wrong time is not read
    reasons = [*_labels(draft), *_rebuttal_to(draft, log), *_target(draft, log)]
    if draft.speaker in DEBATERS:
        reasons += [*_conjecture(draft, log), *_sources(draft, log, topic)]
    return tuple(reasons)


def _labels(draft: LogDraft) -> Iterator[str]:
    if draft.content.lstrip().startswith((REDACTED, STRUCK)):
        yield f"Content may not begin with {REDACTED} or {STRUCK}: these mark what was taken out."


def _rebuttal_to(draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    seq = draft.rebuttal_to_seq
    if draft.type is not EntryType.REBUTTAL:
        if seq is not None:
            yield "Only an entry of type rebuttal has a rebuttal_to_seq."
    elif seq is None:
        yield "A rebuttal needs rebuttal_to_seq: the entry of the opponent that it answers."
    else:
        yield from _of_opponent("rebuttal_to_seq", seq, draft, log)


def _target(draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    seq = draft.target_seq
    if seq is None:
        if draft.type in _NEED_A_TARGET:
            yield f"An entry of type {draft.type} needs target_seq: the entry that it is about."
    elif draft.speaker in DEBATERS and draft.type is not EntryType.CLARIFICATION_REQUEST:
        problems = tuple(_of_opponent("target_seq", seq, draft, log))
        target = entry_of(seq, log)
        yield from problems
        if not problems and target and not target.sources:
            yield f"target_seq names the entry whose sources are challenged, and seq {seq} has none."
    elif (target := entry_of(seq, log)) is None:
        yield f"target_seq is {seq}, and there is no such entry."
    elif draft.type in _NEED_A_TARGET and target.speaker not in DEBATERS:
        yield f"target_seq of a {draft.type} names an entry of a debater; seq {seq} is the {target.speaker}'s."


def _of_opponent(field: str, seq: int, draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    entry = entry_of(seq, log)
    other = opponent(draft.speaker)
    if entry is None:
        yield f"{field} is {seq}, and there is no such entry."
    elif entry.speaker is not other:
        whose = "your own" if entry.speaker is draft.speaker else f"the {entry.speaker}'s"
        yield f"{field} names an entry of the {other}; seq {seq} is {whose}."
    elif is_out(entry, log):
        yield f"{field} is {seq}, and that entry was taken out of the debate."


def _conjecture(draft: LogDraft, log: Sequence[LogEntry]) -> Iterator[str]:
    if draft.type is EntryType.CONJECTURE and not is_conjecture(draft.content):
        yield f"A conjecture begins with the label {CONJECTURE_LABEL}."
    if draft.type is EntryType.REBUTTAL and not draft.sources and _rests_on_conjecture(draft, log):
        yield "A conjecture alone cannot carry a rebuttal: pair it with sourced evidence."


def _rests_on_conjecture(draft: LogDraft, log: Sequence[LogEntry]) -> bool:
    cited = [entry for seq in entries_cited(draft.content) if (entry := entry_of(seq, log))]
    return is_conjecture(draft.content) or (bool(cited) and all(is_conjecture(entry.content) for entry in cited))


def _sources(draft: LogDraft, log: Sequence[LogEntry], topic: str) -> Iterator[str]:
    if draft.type is EntryType.CLARIFICATION_REQUEST:
        if draft.sources:
            yield "A clarification request asks, and has no sources."
        return
    sourced = frozenset(entry.seq for entry in standing(log) if entry.sources)
    if not draft.sources and not is_conjecture(draft.content):
        yield from _unsourced(draft, sourced)
    unsourced = unsourced_paragraphs(draft.content, sources=len(draft.sources), entries=sourced, given=topic)
    if unsourced:
        numbers = ", ".join(map(str, unsourced[:_MOST_NUMBERS])) + (" …" if len(unsourced) > _MOST_NUMBERS else "")
        yield (
            f"There are figures without a mark such as [1] for a source of this entry, a (seq n) for a source given "
            f"earlier, or the label {CONJECTURE_LABEL}, in paragraph {numbers}."
        )


def _unsourced(draft: LogDraft, sourced: Collection[int]) -> Iterator[str]:
    """A rebuttal may turn what was sourced before against the opponent; what is new needs a source of its own."""
    if draft.type in _NEED_A_SOURCE:
        kind = f"An entry of type {draft.type}"
        yield f"{kind} needs at least one source, or must begin with the label {CONJECTURE_LABEL}."
    elif draft.type is EntryType.REBUTTAL and not any(seq in sourced for seq in entries_cited(draft.content)):
        yield "A rebuttal needs a source of its own, or a (seq n) for a source given earlier."
