"""Entries of a chaired debate as its log holds them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sparring.schema.chaired_debate import EntryType, LogDraft, LogEntry, Phase, Speaker
from sparring.schema.consultation import Source

BEGUN_AT = datetime(2026, 3, 4, 5, 6, 7, 890000, tzinfo=UTC)
SOURCE = Source(url="https://example.org/paper", title="A study", accessed="2026-02-21", quote="It fell by a third.")


def draft(content: str = "It fell by a third [1].", **changes: object) -> LogDraft:
    """An opening of the promoter, unless told otherwise."""
    said = {
        "phase": Phase.OPENING,
        "speaker": Speaker.PROMOTER,
        "type": EntryType.OPENING_STATEMENT,
        "content": content,
        "sources": (SOURCE,),
    }
    return LogDraft.model_validate(said | changes)


def entry(seq: int, content: str = "It fell by a third [1].", **changes: object) -> LogEntry:
    """The entry of that number; each was said a second after the one before."""
    said = dict(draft(content, **changes))
    return LogEntry(seq=seq, timestamp=BEGUN_AT + timedelta(seconds=seq), **said)


def nothing_refused(_: LogDraft, __: Sequence[LogEntry]) -> tuple[str, ...]:
    """Refuse nothing."""
    return ()
