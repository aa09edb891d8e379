"""Places in texts."""

from pydantic import Field

from sparring.schema.base import Record


class TextSpan(Record):
    """A place in one text: ``text`` is exactly ``original[start:end]``."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Span(TextSpan):
    """A place in one source: ``text`` is exactly ``evidence[index][start:end]``."""

    index: int = Field(ge=0)
