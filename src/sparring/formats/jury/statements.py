"""Statements before the judge: the debaters' statements, the Fact-Checker's checklist.

A statement is never refused. After a fault the seat is asked once more; then its statement counts, with its faults
shown. A checklist that is unreadable or lacks a dimension is requested once more; then its readable entries count.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from sparring.formats.jury.case import Case
from sparring.formats.jury.replies import ComparisonForm
from sparring.schema import base, claims, jury, transcript

DEBATERS = (base.Role.ADVOCATE, base.Role.SKEPTIC)

OPENING_ROUND = 1
"""The round of the openings and of the checklist; the rebuttals have the rounds after it."""

_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•–]|\d{1,2}[.)])[ \t]+(?P<reason>\S.*)")
_FENCE = "```"

_FEWEST_IN_OPENING, _FEWEST_IN_REBUTTAL, _MOST = 3, 1, 5
"""Reasons: 3 to 5 in an opening (specification: Step 1); a rebuttal has as many as there is to answer, up to 5."""

_MUST_CITE = {
    base.Role.ADVOCATE: ((jury.TextName.TRUTH,), "in the truth"),
    base.Role.SKEPTIC: ((jury.TextName.TRUTH, jury.TextName.CLAIM), "in either text"),
}
"""Texts that a debater must quote (specification: Step 1), with their name in a sentence."""


class Contribution(Struct, frozen=True):
    """The result of asking one seat: a statement, a checklist, or only the failed turn.

    Attributes:
        cause: The cause of the failure, as ``code: detail``.
        defaulted: Unreadable fields that decide nothing.
    """

    turn: transcript.Turn
    statement: jury.Statement | None = None
    checklist: tuple[jury.ChecklistEntry, ...] = ()
    cause: str = ""
    defaulted: tuple[str, ...] = ()

    @property
    def is_missing(self) -> bool:
        """True without any usable content."""
        return not (self.statement or self.checklist)


class Contributions(Struct, frozen=True, dict=True):
    """The contributions so far, in the order of asking: by round, of the first the checklist last."""

    items: tuple[Contribution, ...] = ()

    def extended(self, items: tuple[Contribution, ...]) -> "Contributions":
        """Return these, followed by ``items``."""
        return replace(self, items=self.items + items)

    @cached_property
    def rounds(self) -> range:
        """The rounds in which a debater was asked."""
        asked = [contribution.turn.round for contribution in self.items if contribution.turn.role in DEBATERS]
        return range(OPENING_ROUND, max(asked, default=OPENING_ROUND) + 1)

    @cached_property
    def statements(self) -> tuple[jury.Statement, ...]:
        """Statements of the debaters, round by round."""
        return tuple(contribution.statement for contribution in self.items if contribution.statement)

    def statement(self, role: base.Role, round_: int) -> jury.Statement | None:
        """Return the statement of ``role`` in ``round_``; None if it failed or was not asked."""
        for statement in self.statements:
            if (statement.role, statement.round) == (role, round_):
                return statement
        return None

    def was_asked(self, role: base.Role, round_: int) -> bool:
        """Return whether ``role`` was to speak in ``round_``."""
        return any((contribution.turn.role, contribution.turn.round) == (role, round_) for contribution in self.items)

    @cached_property
    def checklist(self) -> tuple[jury.ChecklistEntry, ...]:
        """Checklist of the Fact-Checker; empty if its reply cannot be parsed."""
        return next((contribution.checklist for contribution in self.items if contribution.checklist), ())

    @cached_property
    def missing(self) -> tuple[Contribution, ...]:
        """The contributions without content; the Fact-Checker's comes last."""
        lost = [contribution for contribution in self.items if contribution.is_missing]
        return tuple(sorted(lost, key=lambda contribution: contribution.turn.role not in DEBATERS))


def read_statement(text: str, role: base.Role, round_: int, case: Case) -> jury.Statement:
    """Parse the statement of the debater ``role`` in ``round_``."""
    bullets, phrases = read_bullets(text), case.cited(text)
    faults = tuple(_faults(role, round_, bullets, phrases))
    return jury.Statement(role=role, round=round_, text=text, bullets=bullets, phrases=phrases, faults=faults)


def read_bullets(text: str) -> tuple[str, ...]:
    """The items of the outermost list in ``text``, each on one line with all nested text.

    An item includes the indented lines that follow, and other lines up to the next blank one.
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


def _faults(role: base.Role, round_: int, bullets: tuple[str, ...], phrases: tuple[jury.Phrase, ...]) -> Iterator[str]:
    fewest = _FEWEST_IN_OPENING if round_ == OPENING_ROUND else _FEWEST_IN_REBUTTAL
    count = len(bullets)
    if not fewest <= count <= _MOST:
        reasons = "1 reason" if count == 1 else f"{count} reasons"
        yield f"It gives {reasons} as a list, where {fewest} to {_MOST} were asked for."
    if not cites(role, phrases):
        _, in_words = _MUST_CITE[role]
        yield f"None of the phrases that it quotes is {in_words}, word for word."


def cites(role: base.Role, phrases: tuple[jury.Phrase, ...]) -> bool:
    """Return whether any of ``phrases`` is in a text that a debater must quote."""
    texts, _ = _MUST_CITE[role]
    return any(phrase.span and phrase.source in texts for phrase in phrases)


def rests_on_nothing(statement: jury.Statement) -> bool:
    """Return whether ``statement`` is the Advocate's opening and still cites no phrase of the truth."""
    is_due = statement.role is base.Role.ADVOCATE and statement.round == OPENING_ROUND
    return is_due and not cites(statement.role, statement.phrases)


def located(comparisons: Iterable[ComparisonForm], case: Case) -> tuple[jury.ChecklistEntry, ...]:
    """The entries of a checklist, their phrases looked up in the texts that they name."""
    return tuple(_entry(entry, case) for entry in comparisons)


def carries_weight(mismatch: jury.ChecklistEntry) -> bool:
    """Return whether any of its phrases is in the text that it names as source: else it may be made up."""
    return any(phrase.span for phrase in (*mismatch.truth, *mismatch.claim))


def mismatches(checklist: tuple[jury.ChecklistEntry, ...]) -> tuple[jury.ChecklistEntry, ...]:
    """Return the mismatches in the checklist, critical or not."""
    return tuple(entry for entry in checklist if entry.status is jury.ChecklistStatus.MISMATCH)


def not_compared(checklist: tuple[jury.ChecklistEntry, ...]) -> tuple[jury.ChecklistDimension, ...]:
    """Return the dimensions without an entry in a checklist."""
    compared = {entry.dimension for entry in checklist}
    return tuple(dimension for dimension in jury.ChecklistDimension if dimension not in compared)


def _entry(comparison: ComparisonForm, case: Case) -> jury.ChecklistEntry:
    is_mismatch = comparison.status is jury.ChecklistStatus.MISMATCH
    return jury.ChecklistEntry(
        dimension=comparison.dimension,
        status=comparison.status,
        severity=(comparison.severity or claims.Severity.MINOR) if is_mismatch else None,
        truth=_looked_up(comparison.in_truth, jury.TextName.TRUTH, case),
        claim=_looked_up(comparison.in_claim, jury.TextName.CLAIM, case),
        note=comparison.note,
    )


def _looked_up(phrases: tuple[str, ...], source: jury.TextName, case: Case) -> tuple[jury.Phrase, ...]:
    stripped = [phrase.strip() for phrase in phrases]
    return tuple(case.phrase(phrase, source) for phrase in stripped if phrase)
