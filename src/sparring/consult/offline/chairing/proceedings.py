"""What was said in a chaired debate so far, as a brief tells it.

Each entry that stands is a speech named ``seq 5``; the verifier's say what came of the sources of an entry, and at the
end stand the challenges to be ruled on, named ``challenge 7 of seq 4``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.checks.sourcing import entries_cited
from sparring.consult.offline.case import Case
from sparring.consult.offline.reading import HeardSpeech, Point
from sparring.schema.base import Role
from sparring.schema.chaired_debate import CONJECTURE_LABEL
from sparring.schema.chaired_debate.request import DEBATERS
from sparring.schema.sources import SourceStatus
from sparring.text.tidying import one_line

_GIST_LENGTH = 160
_ENTRY = re.compile(r"seq (\d{1,6})")
_CHALLENGE = re.compile(r"challenge (\d{1,6}) of seq (\d{1,6})")
_CHECKED = re.compile(r"Sources of seq (\d{1,6}):")
_STATUS = re.compile(r"[:;] source \[\d{1,3}\] is ([a-z]{1,20}):")
_SOURCE_MARK = "[1]"
_NOT_CARRYING = frozenset({SourceStatus.UNRELIABLE.value, SourceStatus.FABRICATED.value})


@dataclass(frozen=True)
class Entry:
    """An entry of a debater that stands."""

    seq: int
    speech: HeardSpeech

    @property
    def role(self) -> Role:
        """Whose it is."""
        return self.speech.role

    @property
    def gist(self) -> str:
        """Its first point that is not about another entry, one with a quotation before others; cut to be repeated."""
        points = sorted(self.speech.points, key=_is_secondary)
        said = points[0].gist if points else self.speech.text
        plain = said.replace(CONJECTURE_LABEL, "").replace("*", "").replace("`", "")
        return one_line(plain, _GIST_LENGTH).rstrip(" .:;")

    @property
    def has_source(self) -> bool:
        """Whether it marks a claim with a source of its own."""
        return _SOURCE_MARK in self.speech.text

    @property
    def brings_something(self) -> bool:
        """Whether it quotes something that is there, or names a source of its own."""
        return self.has_source or any(point.verified for point in self.speech.points)


@dataclass(frozen=True)
class Challenge:
    """That the entry ``seq`` challenges the sources of another one."""

    seq: int
    target_seq: int


class Proceedings:
    """The entries of one brief, oldest first."""

    def __init__(self, case: Case) -> None:
        self._speeches = case.brief.speeches
        named = zip(case.brief.speeches, case.heard, strict=True)
        self.entries = tuple(
            Entry(int(seq[1]), heard)
            for speech, heard in named
            if speech.role in DEBATERS and (seq := _ENTRY.fullmatch(speech.name))
        )

    def by(self, role: Role) -> tuple[Entry, ...]:
        """The entries of one side, oldest first."""
        return tuple(entry for entry in self.entries if entry.role is role)

    def against(self, role: Role) -> tuple[Entry, ...]:
        """The entries of the other side, oldest first."""
        return tuple(entry for entry in self.entries if entry.role is not role)

    def ignored_by(self, role: Role) -> tuple[Entry, ...]:
        """Entries of the other side that ``role`` has never named by their number."""
        named = {seq for entry in self.by(role) for seq in entries_cited(entry.speech.text)}
        return tuple(entry for entry in self.against(role) if entry.seq not in named)

    def unanswered(self, role: Role) -> tuple[Entry, ...]:
        """Entries of ``role`` that the other side could have taken up and did not; nobody answers the last one."""
        other = next(each for each in DEBATERS if each is not role)
        last = max((entry.seq for entry in self.by(other)), default=0)
        answerable = self.by(role)[:-1]
        return tuple(entry for entry in self.ignored_by(other) if entry in answerable and entry.seq < last)

    def verified_sources(self, role: Role) -> int:
        """How many sources of its entries that stand hold the quoted words."""
        seqs = {entry.seq for entry in self.by(role)}
        return sum(
            statuses.count(SourceStatus.VERIFIED.value) for seq, statuses in self._source_checks() if seq in seqs
        )

    def is_unreliable(self, seq: int) -> bool:
        """Whether a source of that entry was found not to carry what it is said to."""
        return any(not _NOT_CARRYING.isdisjoint(statuses) for of, statuses in self._source_checks() if of == seq)

    @property
    def challenges(self) -> tuple[Challenge, ...]:
        """What is to be ruled on."""
        found = (_CHALLENGE.fullmatch(speech.name) for speech in self._speeches)
        return tuple(Challenge(int(match[1]), int(match[2])) for match in found if match)

    def _source_checks(self) -> Iterator[tuple[int, list[str]]]:
        for speech in self._speeches:
            if speech.role is Role.VERIFIER and (checked := _CHECKED.match(speech.text)):
                yield int(checked[1]), _STATUS.findall(speech.text)


def _is_secondary(point: Point) -> tuple[bool, bool]:
    return bool(entries_cited(point.text)), not point.verified
