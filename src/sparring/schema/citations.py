"""What several answers cite, side by side: the finding of a check, which is a turn of its own."""

from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Record

CITATIONS_STEP = "consult/citations"
"""Names the check in a brief."""


class SourceKind(StrEnum):
    """What is cited."""

    PATH = "path"
    URL = "url"
    SYMBOL = "symbol"


class CitationStatus(StrEnum):
    """What the files say about a citation."""

    VERIFIED = "verified"
    NOT_FOUND = "not_found"
    UNCHECKED = "unchecked"


class PlaceCited(Record):
    """One answer's citation of a source.

    Attributes:
        answer: Number of the answer, from 1.
        line: First line cited, None for the source as a whole.
    """

    answer: int = Field(ge=1)
    line: int | None = None
    end_line: int | None = None
    status: CitationStatus = CitationStatus.UNCHECKED


class SourceCited(Record):
    """A source and everybody who cites it, in the order of the answers."""

    kind: SourceKind
    name: str
    places: tuple[PlaceCited, ...]

    @property
    def answers(self) -> tuple[int, ...]:
        """The numbers of the answers that cite it."""
        return tuple(dict.fromkeys(place.answer for place in self.places))


class CitationTable(Record):
    """Who cited what.

    Attributes:
        sources: Those that most answers share come first.
        left_out: How many more there are.
    """

    sources: tuple[SourceCited, ...] = ()
    left_out: int = Field(default=0, ge=0)
