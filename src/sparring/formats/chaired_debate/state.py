"""State of a chaired debate: the log so far, what was removed from it, and the next speaker.

A ``ChairedDebateState`` is a value: every event makes a new one. The rules are in other modules.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from sparring.checks.folding import fold
from sparring.formats.chaired_debate.rulebook import entry_of, is_out, standing
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Role
from sparring.schema.consultation import Source
from sparring.schema.lookups import SourceFinding
from sparring.schema.transcript import Turn, TurnKind
from sparring.text.words import SPACED, UNIT, UNSPACED

RUN = 8
"""Words in a row that are a repetition."""

_SHORTEST_RUN = 6
"""A shorter text consists of common words: a debater could silence the other one with it."""

_SCHEME = re.compile(r"\A\s*(?:https?://)?(?:www\.)?", re.IGNORECASE)


class RemovedText(Struct, frozen=True):
    """Removed words and addresses that must not be repeated.

    Attributes:
        runs: Folded word sequences, with single spaces between words, by the number of words that they count as.
        addresses: Addresses of made-up sources, without scheme and fragment.
    """

    runs: Mapping[float, frozenset[str]] = field(default_factory=dict[float, frozenset[str]])
    addresses: frozenset[str] = frozenset()

    def extended(self, texts: Iterable[str], urls: Iterable[str], public: Iterable[str]) -> "RemovedText":
        """Add the words of ``texts``, except those that are ``public``, and every mention of ``urls``."""
        runs, public_texts = dict(self.runs), tuple(public)
        for text in texts:
            length = _length(text)
            removed = {run for run, _ in _runs(text, length)}
            for public_text in public_texts:
                removed -= {run for run, _ in _runs(public_text, length)}
            runs[length] = runs.get(length, frozenset()) | removed
        addresses = {_address(url) for url in urls} - {""}
        return RemovedText(runs, self.addresses | addresses)

    def is_repeated_in(self, *texts: str) -> bool:
        """Return whether any of ``texts`` repeats removed words or addresses."""
        return any(self._places(text) for text in texts)

    def masked(self, text: str) -> str:
        """``text`` with a label in each place of removed words or addresses."""
        pieces: list[str] = []
        position = 0
        for start, end in _merged(self._places(text)):
            pieces += [text[position:start], schema.REDACTED]
            position = end
        return "".join((*pieces, text[position:]))

    def _places(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of removed words and addresses; they may overlap."""
        places: list[tuple[int, int]] = []
        for length, runs in self.runs.items():
            places += [place for run, place in _runs(text, length) if run in runs]
        for address in self.addresses:
            places += [match.span() for match in _mentions(address).finditer(text)]
        return places


class _Word(Struct, frozen=True):
    """A folded word, its place in the text, and the fraction of a word that it counts as."""

    text: str
    start: int
    end: int
    weight: float


# The log is computed again for every turn, and its texts are compared each time.
@lru_cache(maxsize=128)
def _words(text: str) -> tuple[_Word, ...]:
    words: list[_Word] = []
    folded = fold(text)
    for match in UNIT.finditer(folded.text):
        start, end = folded.original(match.start(), match.end())
        weight = 0.5 if UNSPACED.match(match[0]) else 1  # two characters of a script without spaces are a word
        words.append(_Word(match[0].casefold(), start, end, weight))
    return tuple(words)


def _length(text: str) -> float:
    """Return the number of words by which runs of ``text`` are recognised."""
    return min(RUN, sum(word.weight for word in _words(text)))


def _runs(text: str, length: float) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every run of that many words in ``text``, with its place."""
    if length < _SHORTEST_RUN:
        return
    words = _words(text)
    texts = [word.text for word in words]
    # A window that grows by a word at its end, and shrinks at its beginning while it is long enough.
    first, weight = 0, 0.0
    for last, word in enumerate(words):
        weight += word.weight
        while weight >= length:
            yield " ".join(texts[first : last + 1]), (words[first].start, word.end)
            weight -= words[first].weight
            first += 1


def _address(url: str) -> str:
    """Return the searchable part of ``url``; empty if its host has no dot and could be any word."""
    address = _SCHEME.sub("", url).partition("#")[0].strip().rstrip("/").casefold()
    return address if "." in address.partition("/")[0].strip(".") else ""


def _mentions(address: str) -> re.Pattern[str]:
    """Return the pattern of an address that is not the beginning or the end of a longer one."""
    before = rf"(?:https?://)?(?<!{SPACED})(?<!-)(?:www\.)?"
    behind = rf"/?(?:#[^\s()\[\]<>]*)?(?!{SPACED}|[/?&=%-]|\.\w)"
    return re.compile(before + re.escape(address) + behind, re.IGNORECASE)


def _merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """``places`` in order, overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


_CUT = "\n[…]"


class Challenge(Struct, frozen=True):
    """Challenge of a source of the other debater: made up, unreliable or misrepresented.

    Attributes:
        seq: The entry with the challenge.
        target_seq: The entry with the challenged sources.
    """

    seq: int
    target_seq: int
    by: schema.Speaker
    reason: str


class ChairedDebateState(Struct, frozen=True):
    """The state of a debate at one moment.

    Attributes:
        material: The texts that all participants were given, without the topic.
        round: The rebuttal round; 1 in the opening, the number of the last one after the rounds.
        entry_rounds: The round of each entry of the log.
        at: Time of the last turn.
        spent_ms: Total duration of all turns so far.
        findings: The findings about sources, by address and quote.
        checked: The findings for each entry with sources.
        ruled: The entries whose conduct was ruled on.
        warned: The debaters warned for conduct, each with the number of the warning.
        taken: The words of the redacted entries, for comparison; they are never shown.
        fabricators: The speaker of each entry that was redacted for a made-up source.
        missing: The turns in which a debater gave no answer.
        rounds: Rebuttal rounds that are complete.
    """

    topic: str = ""
    material: tuple[str, ...] = ()
    phase: schema.Phase = schema.Phase.OPENING
    round: int = 1
    log: tuple[schema.LogEntry, ...] = ()
    entry_rounds: tuple[int, ...] = ()
    at: datetime | None = None
    spent_ms: int = 0
    withheld: RemovedText = field(default_factory=RemovedText)
    findings: Mapping[tuple[str, str], SourceFinding] = field(default_factory=dict[tuple[str, str], SourceFinding])
    checked: tuple[schema.CheckedSource, ...] = ()
    challenges: tuple[Challenge, ...] = ()
    ruled: frozenset[int] = frozenset()
    warned: tuple[tuple[schema.Speaker, int], ...] = ()
    taken: Mapping[int, str] = field(default_factory=dict[int, str])
    fabricators: tuple[schema.Speaker, ...] = ()
    disqualified: tuple[Role, ...] = ()
    missing: tuple[Turn, ...] = ()
    rounds: int = 0
    notices: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: schema.ChairedDebateRequest) -> "ChairedDebateState":
        """The state before the first turn."""
        return cls(topic=request.topic, material=tuple(part.text for part in request.context))

    @property
    def today(self) -> date:
        """The day on which the last turn was taken."""
        return self.at.date() if self.at else date.max

    @property
    def last_seq(self) -> int:
        """The number of the last entry; 0 without entries."""
        return len(self.log)

    def entry(self, seq: int) -> schema.LogEntry:
        """The entry of that number, which there is."""
        return self.log[seq - 1]

    def is_standing(self, seq: int) -> bool:
        """Return whether a debater's entry has that number and was not removed."""
        return entry_of(seq, standing(self.log)) is not None

    @property
    def open_challenges(self) -> tuple[Challenge, ...]:
        """The challenges without a ruling; those of removed entries need none."""
        return tuple(challenge for challenge in self.challenges if self.is_standing(challenge.target_seq))

    def after(self, turns: tuple[Turn, ...]) -> "ChairedDebateState":
        """The state when ``turns`` were taken."""
        spent_ms = sum(turn.reply.duration_ms for turn in turns)
        return replace(self, at=turns[-1].at, spent_ms=self.spent_ms + spent_ms)

    def with_draft(self, draft: schema.LogDraft) -> "ChairedDebateState":
        """The state with ``draft`` as its newest entry."""
        entry = schema.LogEntry.model_validate({**dict(draft), "seq": self.last_seq + 1, "timestamp": self.at})
        return replace(self, log=(*self.log, entry), entry_rounds=(*self.entry_rounds, self.round))

    def with_entry(
        self, speaker: schema.Speaker, type_: schema.EntryType, content: str, *, target_seq: int | None = None
    ) -> "ChairedDebateState":
        """The state with an entry of a speaker other than a debater, without any removed words."""
        shown = self.cut(content)
        return self.with_draft(
            schema.LogDraft(phase=self.phase, speaker=speaker, type=type_, content=shown, target_seq=target_seq)
        )

    def cut(self, text: str) -> str:
        """``text`` as it may be logged: without removed words, and not longer than an entry."""
        return _cut(self.withheld.masked(text.strip())) or _CUT.strip()

    def with_notices(self, *notices: str) -> "ChairedDebateState":
        """The state with further notices for the user."""
        return replace(self, notices=self.notices + tuple(self.withheld.masked(notice) for notice in notices))

    def without_entry(
        self, seq: int, why: str, *, urls: tuple[str, ...] = (), quotes: tuple[str, ...] = (), by: str = ""
    ) -> "ChairedDebateState":
        """The state without the words of an entry, including their repetitions, and without its sources.

        ``urls`` and ``quotes`` are those of its sources that no participant may name again. The notice for the user has
        ``by`` if it is not empty, else ``why``.
        """
        speaker = self.entry(seq).speaker
        state = self._redacted(seq, why, urls=urls, quotes=quotes)
        content = f"Seq {seq} is taken out of the debate. {why}"
        state = state.with_entry(schema.Speaker.CHAIR, schema.EntryType.REDACTION, content, target_seq=seq)
        return state.with_notices(f"[WARN] Seq {seq} of the {speaker} was taken out of the debate{by or f'. {why}'}")

    def _redacted(
        self, seq: int, reason: str, *, urls: tuple[str, ...], quotes: tuple[str, ...]
    ) -> "ChairedDebateState":
        """Return the state with ``reason`` in place of the entry's words, and these masked everywhere else."""
        entry = self.entry(seq)
        withheld = self.withheld.extended((entry.content, *quotes), urls, self.public(seq))
        content = _cut(f"{schema.REDACTED} {withheld.masked(reason)}")
        log = [_masked(each, withheld) for each in self.log]
        log[seq - 1] = entry.model_copy(update={"content": content, "sources": ()})
        challenges = [replace(challenge, reason=withheld.masked(challenge.reason)) for challenge in self.challenges]
        return replace(
            self,
            withheld=withheld,
            taken={**self.taken, seq: entry.content},
            log=tuple(log),
            challenges=tuple(challenges),
            notices=tuple(withheld.masked(notice) for notice in self.notices),
        )

    def public(self, seq: int) -> Iterator[str]:
        """Yield the texts that may be repeated although entry ``seq`` contains them: all that precede it."""
        yield self.topic
        yield from self.material
        for entry in self.log[: seq - 1]:
            if not is_out(entry, self.log):
                yield entry.content


def _masked(entry: schema.LogEntry, withheld: RemovedText) -> schema.LogEntry:
    sources: list[Source] = []
    for source in entry.sources:
        masked = {name: _masked_text(text, withheld) for name, text in source}
        sources.append(source.model_copy(update=masked))
    content = _masked_text(entry.content, withheld)
    return entry.model_copy(update={"content": content, "sources": tuple(sources)})


def _masked_text(text: str, withheld: RemovedText) -> str:
    """``text`` without removed words, and not longer than before, since its length may be at its limit."""
    return withheld.masked(text)[: len(text)]


def _cut(text: str) -> str:
    return text if len(text) <= schema.CONTENT_LIMIT else text[: schema.CONTENT_LIMIT - len(_CUT)] + _CUT


class ReturnedAnswer(Struct, frozen=True):
    """A first answer that was unusable: its text, without words that may not be shown, and the reason."""

    text: str
    reasons: tuple[str, ...]


class SpeakerCall(Struct, frozen=True):
    """Request to a speaker, in the state ``state`` of the debate.

    Attributes:
        returned: The first answer, if this is the second attempt.
        sources: The sources to look up.
        seq: The entry that the request is about.
        may_go_on: Whether the chair has to decide if another round is needed.
    """

    id: str
    state: ChairedDebateState
    kind: TurnKind
    role: Role
    returned: ReturnedAnswer | None = None
    sources: tuple[Source, ...] = ()
    seq: int | None = None
    may_go_on: bool = False

    @property
    def step(self) -> str:
        """The name of its prompt."""
        return f"chaired-debate/{'review' if self.kind is TurnKind.RULING else self.kind}"

    @property
    def attempt(self) -> int:
        """1, or 2 when the first answer was returned."""
        return 2 if self.returned else 1


class ActionSlot(Struct, frozen=True):
    """Position of a debater's action in the course: ``id`` is the beginning of the ids of its asks, e.g.

    ``r2.promoter``.
    """

    id: str
    kind: TurnKind
    role: Role

    @property
    def speaker(self) -> schema.Speaker:
        """The debater as the log names it."""
        return schema.Speaker(self.role.value)
