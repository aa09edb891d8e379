"""What ``sparring verify text`` finds: the sentences and quotations of a text, held against evidence.

Offsets are those of the texts as they were given; lines are counted from 1.
"""

from pydantic import Field

from sparring.schema.base import Record
from sparring.schema.claims import Finding, Label
from sparring.schema.quotes import QuoteFinding
from sparring.schema.spans import TextSpan


class PlacedFinding(Finding):
    """A finding; ``claim`` is its place in the whole text."""

    evidence_line: int | None = Field(default=None, ge=1)


class VerifiedSentence(Record):
    """A sentence in which there was something to compare."""

    line: int = Field(ge=1)
    sentence: TextSpan
    label: Label
    findings: tuple[PlacedFinding, ...]


class VerifiedQuotation(QuoteFinding):
    """A quotation, without its marks; ``evidence_line`` is that of its place, or of the nearest one."""

    line: int = Field(ge=1)
    quotation: TextSpan
    evidence_line: int | None = Field(default=None, ge=1)


class VerifiedText(Record):
    """A text held against evidence.

    Attributes:
        name: Of the text; ``evidence`` has the names of what it was held against, by index.
        sentences: How many were read; ``compared`` are those in which there was something to compare.
        is_contradicted: Whether there is a critical mismatch, or a quotation that is not verbatim.
    """

    name: str
    evidence: tuple[str, ...]
    sentences: int
    compared: tuple[VerifiedSentence, ...]
    quotations: tuple[VerifiedQuotation, ...]
    is_contradicted: bool
