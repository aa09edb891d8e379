"""Places in texts, and what became of a quote that was looked for there."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from sparring.schema.base import Record


class TextSpan(Record):
    """A place in one text: ``text`` is exactly ``original[start:end]``."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Span(TextSpan):
    """A place in one source: ``text`` is exactly ``evidence[index][start:end]``."""

    index: int = Field(ge=0)


class QuoteVerdict(StrEnum):
    """Whether a quote is a quote.

    VERBATIM: it stands in the evidence. ALTERED: something like it does. NOT_FOUND: nothing like it does.
    """

    VERBATIM = "verbatim"
    ALTERED = "altered"
    NOT_FOUND = "not_found"


class Nearest(Record):
    """The place most like an altered quote, and how the two differ.

    Attributes:
        difference: The quote's words against the place's, ``[-only in the quote-]`` and ``{+only in the evidence+}``.
    """

    span: Span
    difference: str


class QuoteFinding(Record):
    """What became of one quote.

    Attributes:
        span: Where a verbatim quote stands; with an inner ellipsis from the first part to the last.
        parts: Each part of a verbatim quote; several where an ellipsis stands inside.
        nearest: What an altered quote resembles. It is shown, and never decides.
    """

    verdict: QuoteVerdict
    span: Span | None = None
    parts: tuple[Span, ...] = ()
    nearest: Nearest | None = None

    @model_validator(mode="after")
    def _says_what_its_verdict_needs(self) -> Self:
        if (self.span is not None) != (self.verdict is QuoteVerdict.VERBATIM):
            raise ValueError("a verbatim quote, and no other, has a span")
        if (self.nearest is not None) != (self.verdict is QuoteVerdict.ALTERED):
            raise ValueError("an altered quote, and no other, has a nearest span")
        return self
