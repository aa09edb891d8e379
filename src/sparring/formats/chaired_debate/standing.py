"""What holds of an entry of the log: whose it is, and whether it still counts."""

from collections.abc import Sequence

from sparring.schema.chaired_debate import REDACTED, STRUCK, EntryType, LogEntry, Phase, Speaker

DEBATERS: tuple[Speaker, ...] = (Speaker.PROMOTER, Speaker.DETRACTOR)
"""In the order in which they open and act; they close in the other one."""

ACTIONS: dict[Phase, tuple[EntryType, ...]] = {
    Phase.OPENING: (EntryType.OPENING_STATEMENT,),
    Phase.REBUTTAL: (
        EntryType.NEW_POINT,
        EntryType.REBUTTAL,
        EntryType.CONJECTURE,
        EntryType.CLARIFICATION_REQUEST,
    ),
    Phase.CLOSING: (EntryType.CLOSING_STATEMENT,),
    Phase.CONCLUSION: (),
}
"""What a debater may do in each phase (specification: Turn Action Types)."""


def opponent(debater: Speaker) -> Speaker:
    """The other one of the two."""
    return Speaker.DETRACTOR if debater is Speaker.PROMOTER else Speaker.PROMOTER


def entry_of(seq: int, log: Sequence[LogEntry]) -> LogEntry | None:
    """The entry of that number; None when there is none."""
    return next((entry for entry in log if entry.seq == seq), None)


def is_struck(entry: LogEntry) -> bool:
    """Whether the entry was never accepted."""
    return entry.content.startswith(STRUCK)


def is_out(entry: LogEntry, log: Sequence[LogEntry]) -> bool:
    """Whether the chair has taken the entry out of the debate, whoever keeps the log."""
    return entry.content.startswith((STRUCK, REDACTED)) or any(
        each.type is EntryType.REDACTION and each.target_seq == entry.seq for each in log
    )


def standing(log: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """What the debaters have said and was not taken out."""
    return tuple(entry for entry in log if entry.speaker in DEBATERS and not is_out(entry, log))


def disqualified(log: Sequence[LogEntry]) -> frozenset[Speaker]:
    """The debaters who were sent away."""
    targets = {entry.target_seq for entry in log if entry.type is EntryType.DISQUALIFICATION}
    return frozenset(entry.speaker for entry in log if entry.seq in targets)
