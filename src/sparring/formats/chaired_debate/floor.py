"""Where a chaired debate stands: the log so far, and what is not in it.

A ``Floor`` is a value: whatever happens makes a new one. Nothing here decides what should happen.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from sparring.formats.chaired_debate.standing import entry_of, is_out, standing
from sparring.formats.chaired_debate.withheld import Withheld
from sparring.schema.base import Role
from sparring.schema.chaired_debate import (
    REDACTED,
    ChairedDebateRequest,
    CheckedSource,
    EntryType,
    LogDraft,
    LogEntry,
    Phase,
    Speaker,
)
from sparring.schema.chaired_debate.log import CONTENT_LIMIT
from sparring.schema.sources import SourceFinding
from sparring.schema.transcript import Turn

_CUT = "\n[…]"


@dataclass(frozen=True)
class Challenge:
    """That a debater says of a source of the other one that it is made up, unreliable or misrepresented.

    Attributes:
        seq: The entry with which it was raised.
        target_seq: The entry whose sources are meant.
    """

    seq: int
    target_seq: int
    by: Speaker
    reason: str


@dataclass(frozen=True)
class Floor:
    """A moment of a debate.

    Attributes:
        material: What everybody was given beside the topic.
        round: The rebuttal round; 1 in the opening, the last one behind the rounds.
        entry_rounds: The round of each entry of the log.
        at: When the last turn was taken.
        spent_ms: How long all turns so far took.
        findings: What is known of a source, by address and quote.
        checked: The findings for each entry with sources.
        fabricators: The speaker of each entry that was redacted for a made-up source.
        missing: The turns with which a debater could not be had.
        rounds: Rebuttal rounds that are complete.
    """

    topic: str = ""
    material: tuple[str, ...] = ()
    phase: Phase = Phase.OPENING
    round: int = 1
    log: tuple[LogEntry, ...] = ()
    entry_rounds: tuple[int, ...] = ()
    at: datetime | None = None
    spent_ms: int = 0
    withheld: Withheld = field(default_factory=Withheld)
    findings: Mapping[tuple[str, str], SourceFinding] = field(default_factory=dict[tuple[str, str], SourceFinding])
    checked: tuple[CheckedSource, ...] = ()
    challenges: tuple[Challenge, ...] = ()
    fabricators: tuple[Speaker, ...] = ()
    disqualified: tuple[Role, ...] = ()
    missing: tuple[Turn, ...] = ()
    rounds: int = 0
    notices: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: ChairedDebateRequest) -> "Floor":
        """The floor before anybody has spoken."""
        return cls(topic=request.topic, material=tuple(part.text for part in request.context))

    @property
    def last_seq(self) -> int:
        """The number of the last entry; 0 when there is none."""
        return len(self.log)

    def entry(self, seq: int) -> LogEntry:
        """The entry of that number, which there is."""
        return self.log[seq - 1]

    def stands(self, seq: int) -> bool:
        """Whether there is an entry of a debater with that number which was not taken out."""
        return entry_of(seq, standing(self.log)) is not None

    def after(self, turns: tuple[Turn, ...]) -> "Floor":
        """The floor when ``turns`` were taken."""
        spent_ms = sum(turn.reply.duration_ms for turn in turns)
        return replace(self, at=turns[-1].at, spent_ms=self.spent_ms + spent_ms)

    def entered(self, draft: LogDraft) -> "Floor":
        """The floor with ``draft`` as its newest entry."""
        entry = LogEntry.model_validate({**dict(draft), "seq": self.last_seq + 1, "timestamp": self.at})
        return replace(self, log=(*self.log, entry), entry_rounds=(*self.entry_rounds, self.round))

    def said(self, speaker: Speaker, type_: EntryType, content: str, *, target_seq: int | None = None) -> "Floor":
        """The floor with an entry of somebody who is no debater, without any words that were taken out."""
        shown = self.cut(content)
        return self.entered(
            LogDraft(phase=self.phase, speaker=speaker, type=type_, content=shown, target_seq=target_seq)
        )

    def cut(self, text: str) -> str:
        """``text`` as it may stand in the log: without what was taken out, and not longer than an entry."""
        return _cut(self.withheld.masked(text.strip())) or _CUT.strip()

    def noticed(self, *notices: str) -> "Floor":
        """The floor with something more for the user to know."""
        return replace(self, notices=self.notices + tuple(self.withheld.masked(each) for each in notices))

    def redacted(self, seq: int, reason: str, *, urls: tuple[str, ...] = (), quotes: tuple[str, ...] = ()) -> "Floor":
        """The floor without the words of an entry, wherever they were said again, and without its sources.

        ``urls`` and ``quotes`` are those of its sources that nobody may name again.
        """
        entry = self.entry(seq)
        withheld = self.withheld.extended((entry.content, *quotes), urls, self._public(seq))
        out = entry.model_copy(update={"content": _cut(f"{REDACTED} {withheld.masked(reason)}"), "sources": ()})
        log = (out if each.seq == seq else _masked(each, withheld) for each in self.log)
        return replace(
            self,
            withheld=withheld,
            log=tuple(log),
            challenges=tuple(replace(each, reason=withheld.masked(each.reason)) for each in self.challenges),
            notices=tuple(withheld.masked(each) for each in self.notices),
        )

    def _public(self, seq: int) -> Iterator[str]:
        """What may be said again though the entry ``seq`` says it: what had been said before it."""
        yield from (self.topic, *self.material)
        yield from (each.content for each in self.log[: seq - 1] if not is_out(each, self.log))


def _masked(entry: LogEntry, withheld: Withheld) -> LogEntry:
    sources = tuple(
        source.model_copy(update={name: _masked_text(text, withheld) for name, text in source})
        for source in entry.sources
    )
    return entry.model_copy(update={"content": _masked_text(entry.content, withheld), "sources": sources})


def _masked_text(text: str, withheld: Withheld) -> str:
    """``text`` without what was taken out, and no longer than it was: its length may be at its limit."""
    return withheld.masked(text)[: len(text)]


def _cut(text: str) -> str:
    return text if len(text) <= CONTENT_LIMIT else text[: CONTENT_LIMIT - len(_CUT)] + _CUT
