"""Input and output of the ``verify`` commands: rows, and whole texts."""

import math
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from sparring.schema import base, claims, consultation, lookups


class PlacedFinding(claims.Finding):
    """A finding; ``claim`` is its place in the whole text."""

    evidence_line: int | None = Field(default=None, ge=1)


class VerifiedSentence(base.Record):
    """A sentence in which there was something to compare."""

    line: int = Field(ge=1)
    sentence: lookups.TextSpan
    label: claims.Label
    findings: tuple[PlacedFinding, ...]


class VerifiedQuotation(lookups.QuoteFinding):
    """A quotation, without its marks; ``evidence_line`` is that of its place, or of the nearest one."""

    line: int = Field(ge=1)
    quotation: lookups.TextSpan
    evidence_line: int | None = Field(default=None, ge=1)


class VerifiedCitation(lookups.LedgerEntry):
    """Something that the text cites of a repository."""

    line: int = Field(ge=1)


class VerifiedText(base.Record):
    """A text compared with evidence, or looked up in a repository, or both.

    Attributes:
        name: Of the text; ``evidence`` has the names of the texts it was compared with, by index.
        sentences: Sentences that were read; ``compared`` are those with anything to compare.
        repository: The repository of the lookups; empty if none. ``left_out`` is the number of further citations.
        is_contradicted: Whether there is a critical mismatch, a quotation that is not verbatim, or a citation that
            does not exist.
    """

    name: str
    evidence: tuple[str, ...]
    sentences: int
    compared: tuple[VerifiedSentence, ...]
    quotations: tuple[VerifiedQuotation, ...]
    repository: str = ""
    citations: tuple[VerifiedCitation, ...] = ()
    left_out: int = 0
    is_contradicted: bool


TEXT_LIMIT = 200_000
"""Characters of a text whose citations are looked up for an agent."""


class RowProblem(StrEnum):
    """Reason for which a row cannot be checked.

    TOO_LONG: the line, the claim or the quote. NOT_TEXT: it is not UTF-8, or holds a NUL.
    NOT_JSON, NOT_AN_OBJECT: the line. DOUBLED_KEY: a key stands twice. MISSING, WRONG_TYPE, EMPTY: a field.
    """

    TOO_LONG = "too_long"
    NOT_TEXT = "not_text"
    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    DOUBLED_KEY = "doubled_key"
    MISSING = "missing"
    WRONG_TYPE = "wrong_type"
    EMPTY = "empty"


def _fault(problem: RowProblem, message: str) -> PydanticCustomError:
    return PydanticCustomError(problem.value, message)  # pyright: ignore[reportArgumentType] -- it wants a literal


def _identity(value: object) -> object:
    if value is None or (isinstance(value, str | int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise _fault(RowProblem.WRONG_TYPE, "must be a text or a number")


def _text(value: str) -> str:
    if "\0" in value:
        raise _fault(RowProblem.NOT_TEXT, "contains a NUL character")
    return value


def _with_content(value: str) -> str:
    if not value.strip():
        raise _fault(RowProblem.EMPTY, "is empty")
    if len(value) > base.REPLY_TEXT_LIMIT:
        raise _fault(RowProblem.TOO_LONG, f"has more than {base.REPLY_TEXT_LIMIT:,} characters")
    return value


def _sources(value: object) -> object:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- checked below
    raise _fault(RowProblem.WRONG_TYPE, "must be a text or a list of texts")


def _not_empty(value: tuple[str, ...]) -> tuple[str, ...]:
    if not any(source.strip() for source in value):
        raise _fault(RowProblem.EMPTY, "is empty")
    return value


RowId = Annotated[str | int | float | None, BeforeValidator(_identity)]
"""Id of a row; it is only given back."""

_Text = Annotated[str, AfterValidator(_text)]
_Statement = Annotated[_Text, AfterValidator(_with_content)]
_Sources = Annotated[tuple[_Text, ...], BeforeValidator(_sources), AfterValidator(_not_empty)]


class NamedRow(BaseModel):
    """Fields that every row may have.

    Fields that are not known are ignored: rows come from data sets that hold more.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)

    id: RowId = None


class ClaimRow(NamedRow):
    """A claim and the evidence for it: a text or several, not all of them empty."""

    claim: _Statement
    evidence: _Sources


class QuoteRow(NamedRow):
    """A quote and its claimed source."""

    quote: _Statement
    evidence: _Sources


class CarriesRow(QuoteRow):
    """A part of a claim, and the quote that is claimed to carry it."""

    part: _Statement


class ClaimReading(base.Record):
    """A model's reading of a claim that code leaves open.

    Attributes:
        by: The tool that was asked.
        label: None where there is no answer; ``problem`` is the cause.
        words: The words of the evidence that it names; ``span`` is their place, None where they do not occur.
        problem: Why the reading decides nothing.
    """

    by: base.ToolName
    label: claims.Label | None
    words: str | None = None
    span: lookups.Span | None = None
    problem: str = ""


class ClaimAnswer(base.Record):
    """Label of a claim, the findings that it rests on, and hints for a reader. Offsets are those of the row's texts.

    Attributes:
        label: By code, or else by the words of the evidence that a reader names.
        reading: None unless a reader was asked about an open claim.
    """

    id: RowId
    label: claims.Label
    hints: claims.Hints
    findings: tuple[claims.Finding, ...]
    reading: ClaimReading | None = None

    @property
    def is_by_code(self) -> bool:
        """Return whether code could decide."""
        return self.label is not claims.Label.NEI and self.reading is None

    @property
    def counted_as(self) -> str:
        """Word that is counted."""
        return self.label


class QuoteAnswer(base.Record):
    """Result of looking up a quote.

    Attributes:
        index: Index of the evidence that contains a verbatim quote at ``start`` to ``end``; else None.
        nearest: The passage most like an altered quote.
    """

    id: RowId
    verdict: lookups.QuoteVerdict
    index: int | None
    start: int | None
    end: int | None
    nearest: lookups.Nearest | None

    @property
    def counted_as(self) -> str:
        """Word that is counted."""
        return self.verdict

    @property
    def is_by_code(self) -> bool:
        """Return whether code could decide: it always can."""
        return True


class CarriesAnswer(base.Record):
    """Relation of a quote to a part of a claim.

    Attributes:
        verdict: Verdict on the quote; one that is not verbatim is not compared, and leaves the part open.
        hints: Leads for a reader, where the part is left open.
    """

    id: RowId
    relation: claims.Relation
    hints: claims.Hints
    verdict: lookups.QuoteVerdict

    @property
    def counted_as(self) -> str:
        """Word that is counted."""
        return self.relation

    @property
    def is_by_code(self) -> bool:
        """Return whether code could decide."""
        return self.relation is not claims.Relation.OPEN


class RowError(base.Record):
    """Reason for which a row was not checked, in a sentence."""

    code: RowProblem
    message: str


class RefusedRow(base.Record):
    """Row that replaces an answer. Lines are counted from 1, empty ones too."""

    line: int = Field(ge=1)
    id: RowId
    error: RowError


class RowCount(base.Record):
    """Sums of the answers.

    Attributes:
        rows: All of them, without empty lines.
        labels: Number of rows for each label or verdict.
        by_code: How many rows code could decide.
        unread: Rows without a usable answer of a reader.
        errors: How many rows were not checked.
    """

    rows: int
    labels: dict[str, int]
    by_code: int
    unread: int = 0
    errors: int


class VerifiedQuote(lookups.QuoteFinding):
    """A quote and what became of it; ``carried`` is what a verbatim one is to the claim, where there is a claim."""

    quote: str
    carried: claims.Carried | None = None


class Verified(base.Record):
    """A claim, quotes or both, compared with the same evidence; and the citations of the project in a text.

    Attributes:
        check: None without a claim; ``cited`` likewise without a text.
        evidence: As it was compared: without its secrets.
        redactions: Secrets that were removed before the comparison.
    """

    claim: str
    check: claims.ClaimCheck | None
    quotes: tuple[VerifiedQuote, ...]
    evidence: tuple[consultation.ContextPart, ...]
    cited: lookups.CitationLedger | None = None
    redactions: int
