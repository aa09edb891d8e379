"""The case, and what is said about it before the judge: the debaters' statements, the Fact-Checker's checklist.

A statement is never refused. A fault is a reason to ask once more; after that it counts with its faults shown. A
checklist that cannot be read is asked for once more, and is missing then.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from sparring.checks.quotes import Evidence
from sparring.engine.course import as_record, read_object
from sparring.formats.jury.comparison import BothWays
from sparring.schema.base import LIST_LIMIT, ReasonText, Record, Role, SaidText
from sparring.schema.claims import ClaimCheck, Severity
from sparring.schema.consultation import Speech
from sparring.schema.jury import (
    ChecklistDimension,
    ChecklistEntry,
    ChecklistStatus,
    Phrase,
    Statement,
    TextName,
)
from sparring.schema.transcript import Turn

_QUOTED = re.compile(r'(?<!\w)"(?=\S)([^"]+)(?<=\S)"(?!\w)|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')
"""A straight mark is a quotation mark only at the edge of words: behind a digit it is one of inches."""

_MOST_SEARCHED = 60
"""Phrases of one text that are looked up. Five reasons have room for a third of that."""


def quoted_phrases(said: str) -> tuple[str, ...]:
    """What stands between double quotes in ``said``, each phrase once, the first ones if there are very many.

    A comma or semicolon at the end belongs to whoever quotes, as English puts it inside the quotation marks.
    """
    phrases = ("".join(groups).strip().rstrip(",;:") for groups in _QUOTED.findall(said))
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))[:_MOST_SEARCHED]


class Case:
    """The two texts of one request. Each is prepared for searching once, when that is first needed.

    What was looked up stays known: the same words are quoted by several, and once more by the judge.
    """

    def __init__(self, truth: str, claim: str) -> None:
        self._texts = {TextName.TRUTH: truth, TextName.CLAIM: claim}
        self._found: dict[tuple[str, TextName], Phrase] = {}

    @cached_property
    def compared(self) -> BothWays:
        """What code finds in the two texts."""
        return BothWays(self._texts[TextName.TRUTH], self._texts[TextName.CLAIM])

    @property
    def check(self) -> ClaimCheck:
        """What it finds in the claim, with the truth for its only evidence."""
        return self.compared.check

    def phrase(self, words: str, source: TextName) -> Phrase:
        """``words`` as they are said to stand in ``source``, with the first place where they do."""
        found = self._found.get((words, source))
        if found is None:
            found = Phrase(text=words, source=source, span=self._evidence[source].locate(words))
            self._found[words, source] = found
        return found

    def places(self, words: str) -> tuple[Phrase, ...]:
        """``words`` in each text in which they stand; empty if they stand in neither."""
        return tuple(phrase for source in TextName if (phrase := self.phrase(words, source)).span)

    def cited(self, said: str) -> tuple[Phrase, ...]:
        """Every quoted phrase of ``said``: in the truth if it stands there, else in the claim, else in neither."""
        return tuple((self.places(words) or (self._unfounded(words),))[0] for words in quoted_phrases(said))

    def anchors(self, said: str) -> tuple[Phrase, ...]:
        """Every place that ``said`` points at by quoting it, in both texts."""
        return tuple(place for words in quoted_phrases(said) for place in self.places(words))

    @cached_property
    def _evidence(self) -> dict[TextName, Evidence]:
        return {name: Evidence([text]) for name, text in self._texts.items()}

    def _unfounded(self, words: str) -> Phrase:
        """``words`` that stand nowhere, given to the claim where only that has something like them."""
        truth, claim = self._evidence[TextName.TRUTH], self._evidence[TextName.CLAIM]
        is_like_claim = claim.is_like(words) and not truth.is_like(words)
        return Phrase(text=words, source=TextName.CLAIM if is_like_claim else TextName.TRUTH)


def overlap(one: Sequence[Phrase], other: Sequence[Phrase]) -> bool:
    """Whether two sets of phrases share a place in one of the texts."""
    return any(_share_a_place(first, second) for first in one for second in other)


def _share_a_place(one: Phrase, other: Phrase) -> bool:
    if one.source is not other.source or one.span is None or other.span is None:
        return False
    return one.span.start < other.span.end and other.span.start < one.span.end


DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)

OPENING_ROUND = 1
"""The round of the openings and of the checklist; the rebuttals have the rounds after it."""

_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•–]|\d{1,2}[.)])[ \t]+(?P<reason>\S.*)")
_FENCE = "```"

_FEWEST_IN_OPENING, _FEWEST_IN_REBUTTAL, _MOST = 3, 1, 5
"""Reasons: 3 to 5 in an opening (specification: Step 1); a rebuttal has as many as there is to answer, up to 5."""

_MOST_PHRASES = 20
"""Phrases of one dimension and text. A longer list is no extract."""

_MUST_CITE = {
    Role.ADVOCATE: ((TextName.TRUTH,), "in the truth"),
    Role.SKEPTIC: ((TextName.TRUTH, TextName.CLAIM), "in either text"),
}
"""Where a debater's quotes have to stand (specification: Step 1), and how that is called."""


@dataclass(frozen=True)
class Word:
    """What came of asking one voice: a statement, a checklist, or only the turn with which the voice was lost."""

    turn: Turn
    statement: Statement | None = None
    checklist: tuple[ChecklistEntry, ...] = ()

    @property
    def is_missing(self) -> bool:
        """Whether nothing that counts was said."""
        return not (self.statement or self.checklist)


@dataclass(frozen=True)
class Voices:
    """The words so far, in the order of asking: by round, of the first the checklist last."""

    words: tuple[Word, ...] = ()

    def after(self, words: tuple[Word, ...]) -> "Voices":
        """These, and then ``words``."""
        return replace(self, words=self.words + words)

    @cached_property
    def rounds(self) -> range:
        """The rounds in which a debater was asked."""
        asked = (word.turn.round for word in self.words if word.turn.role in DEBATERS)
        return range(OPENING_ROUND, max(asked, default=OPENING_ROUND) + 1)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What the debaters said, round by round."""
        return tuple(word.statement for word in self.words if word.statement)

    def statement(self, role: Role, round_: int) -> Statement | None:
        """What ``role`` said in ``round_``; None where it failed or was not asked."""
        return next((each for each in self.statements if (each.role, each.round) == (role, round_)), None)

    def was_asked(self, role: Role, round_: int) -> bool:
        """Whether ``role`` was to speak in ``round_``."""
        return any((word.turn.role, word.turn.round) == (role, round_) for word in self.words)

    @cached_property
    def checklist(self) -> tuple[ChecklistEntry, ...]:
        """What the Fact-Checker found; empty where it gave nothing that can be read."""
        return next((word.checklist for word in self.words if word.checklist), ())

    @cached_property
    def silent(self) -> tuple[Turn, ...]:
        """The turns with which a voice was lost; the Fact-Checker's comes last."""
        lost = (word.turn for word in self.words if word.is_missing)
        return tuple(sorted(lost, key=lambda turn: turn.role not in DEBATERS))

    @cached_property
    def speeches(self) -> tuple[Speech, ...]:
        """What was said, as it was said, for consultants that are code; the checklist stands behind the openings."""
        return tuple(_speech(word) for word in self.words if not word.is_missing)


def _speech(word: Word) -> Speech:
    answer = word.turn.answer
    text = word.statement.text if word.statement else answer.response if answer else ""
    return Speech(role=word.turn.role, round=word.turn.round, text=text)


def read_statement(text: str, role: Role, round_: int, case: Case) -> Statement:
    """What the debater ``role`` says in ``round_``."""
    bullets, phrases = read_bullets(text), case.cited(text)
    faults = tuple(_faults(role, round_, bullets, phrases))
    return Statement(role=role, round=round_, text=text, bullets=bullets, phrases=phrases, faults=faults)


def read_bullets(text: str) -> tuple[str, ...]:
    """The items of the outermost list in ``text``, each on one line with everything below it.

    An item goes on over indented lines, and over others up to the next blank one.
    """
    lines = [line.expandtabs() for line in text.splitlines() if not line.strip().startswith(_FENCE)]
    marks = [_BULLET.match(line) for line in lines]
    outermost = min((len(mark["indent"]) for mark in marks if mark), default=0)
    items: list[list[str]] = []
    is_open = False
    for line, mark in zip(lines, marks, strict=True):
        if mark and len(mark["indent"]) == outermost:
            items.append([mark["reason"].strip()])
            is_open = True
        elif not line.strip():
            is_open = False
        elif items and (is_open or line.startswith(" " * (outermost + 1))):
            items[-1].append(line.strip())
    return tuple(" ".join(item) for item in items)


def _faults(role: Role, round_: int, bullets: tuple[str, ...], phrases: tuple[Phrase, ...]) -> Iterator[str]:
    fewest, count = _FEWEST_IN_OPENING if round_ == OPENING_ROUND else _FEWEST_IN_REBUTTAL, len(bullets)
    if not fewest <= count <= _MOST:
        reasons = "1 reason" if count == 1 else f"{count} reasons"
        yield f"It gives {reasons} as a list, where {fewest} to {_MOST} were asked for."
    if not cites(role, phrases):
        yield f"None of the phrases that it quotes stands {_MUST_CITE[role][1]}, word for word."


def cites(role: Role, phrases: tuple[Phrase, ...]) -> bool:
    """Whether any of ``phrases`` stands where a debater's have to."""
    return any(phrase.span and phrase.source in _MUST_CITE[role][0] for phrase in phrases)


def rests_on_nothing(said: Statement) -> bool:
    """Whether it is an opening of the Advocate that names no phrase of the truth, though it was asked for twice."""
    is_due = said.role is Role.ADVOCATE and said.round == OPENING_ROUND
    return is_due and not cites(said.role, said.phrases)


def _plain(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


_Phrases = Annotated[tuple[SaidText, ...], Field(max_length=_MOST_PHRASES)]


class _SaidEntry(Record):
    dimension: Annotated[ChecklistDimension, BeforeValidator(_plain)]
    status: Annotated[ChecklistStatus, BeforeValidator(_plain)]
    severity: Annotated[Severity | None, BeforeValidator(_plain)] = None
    truth: _Phrases = ()
    claim: _Phrases = ()
    note: ReasonText = ""

    @model_validator(mode="after")
    def _weighs_its_mismatch(self) -> Self:
        if self.status is ChecklistStatus.MISMATCH and self.severity is None:
            raise ValueError("a mismatch needs a severity, minor or critical")
        return self


class _SaidChecklist(Record):
    checklist: tuple[_SaidEntry, ...] = Field(max_length=LIST_LIMIT)

    @model_validator(mode="after")
    def _has_every_dimension_once(self) -> Self:
        if sorted(entry.dimension for entry in self.checklist) != sorted(ChecklistDimension):
            raise ValueError(f"each of these must be there once: {', '.join(ChecklistDimension)}")
        return self


def read_checklist(reply: str, case: Case) -> tuple[ChecklistEntry, ...]:
    """The checklist in ``reply``, in the order of ``ChecklistDimension``, its phrases looked up where they are said.

    Raises:
        UnusableReplyError: There is no JSON object, or it is no checklist of all five dimensions.
    """
    said = as_record(read_object(reply), _SaidChecklist).checklist
    order = tuple(ChecklistDimension)
    return tuple(_entry(entry, case) for entry in sorted(said, key=lambda entry: order.index(entry.dimension)))


def carries_weight(mismatch: ChecklistEntry) -> bool:
    """Whether any of its phrases stands in the text that it is said to be from: else it may be made up."""
    return any(phrase.span for phrase in (*mismatch.truth, *mismatch.claim))


def mismatches(checklist: tuple[ChecklistEntry, ...]) -> tuple[ChecklistEntry, ...]:
    """What the Fact-Checker says differs, with weight or without."""
    return tuple(entry for entry in checklist if entry.status is ChecklistStatus.MISMATCH)


def matches(checklist: tuple[ChecklistEntry, ...]) -> tuple[ChecklistEntry, ...]:
    """What the Fact-Checker says is the same in both texts."""
    return tuple(entry for entry in checklist if entry.status is ChecklistStatus.MATCH)


def _entry(said: _SaidEntry, case: Case) -> ChecklistEntry:
    return ChecklistEntry(
        dimension=said.dimension,
        status=said.status,
        severity=said.severity if said.status is ChecklistStatus.MISMATCH else None,
        truth=_looked_up(said.truth, TextName.TRUTH, case),
        claim=_looked_up(said.claim, TextName.CLAIM, case),
        note=said.note.strip(),
    )


def _looked_up(phrases: tuple[str, ...], source: TextName, case: Case) -> tuple[Phrase, ...]:
    return tuple(case.phrase(words, source) for phrase in phrases if (words := phrase.strip()))
