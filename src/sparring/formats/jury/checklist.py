"""Reading the Fact-Checker's checklist, and which of its entries carry weight."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from sparring.formats.jury.case import Case
from sparring.formats.replies import as_record, read_object
from sparring.schema.base import Record
from sparring.schema.claims import Severity
from sparring.schema.jury import ChecklistDimension, ChecklistEntry, ChecklistStatus, Phrase, TextName

_MOST_PHRASES = 20
"""Phrases of one dimension and text. A longer list is no extract."""


def _plain(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


_Phrases = Annotated[tuple[str, ...], Field(max_length=_MOST_PHRASES)]


class _SaidEntry(Record):
    dimension: Annotated[ChecklistDimension, BeforeValidator(_plain)]
    status: Annotated[ChecklistStatus, BeforeValidator(_plain)]
    severity: Annotated[Severity | None, BeforeValidator(_plain)] = None
    truth: _Phrases = ()
    claim: _Phrases = ()
    note: str = ""

    @model_validator(mode="after")
    def _weighs_its_mismatch(self) -> Self:
        if self.status is ChecklistStatus.MISMATCH and self.severity is None:
            raise ValueError("a mismatch needs a severity, minor or critical")
        return self


class _SaidChecklist(Record):
    checklist: tuple[_SaidEntry, ...]

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
