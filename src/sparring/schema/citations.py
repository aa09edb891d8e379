"""What texts cite: the places that a claim names, and the ledger of one speech."""

from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Record
from sparring.schema.quotes import TextSpan

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


LEDGER_STEP = "debate/ledger"
"""Names the check in a brief, whose only speech is the one to be looked at."""

MOST_ENTRIES = 200
"""More citations of one speech nobody reads; those behind are counted and not looked up."""


class CitationKind(StrEnum):
    """What is cited.

    PATH: a file, with or without lines. SYMBOL: a name of the code. PATTERN: other code in backticks. COMMIT: a hash.
    URL: an address, which is not fetched here. BENCHMARK: a measured number, which nobody measures again here.
    """

    PATH = "path"
    SYMBOL = "symbol"
    PATTERN = "pattern"
    COMMIT = "commit"
    URL = "url"
    BENCHMARK = "benchmark"


class LedgerEntry(TextSpan):
    """One citation where it stands in the speech.

    Attributes:
        reason: Why it has its status, in a few words.
    """

    kind: CitationKind
    status: CitationStatus
    reason: str


class Ledger(Record):
    """What one speech cites, in its order.

    Attributes:
        unsupported: Claims of the speech that cite nothing: the sentence that states them.
        left_out: How many further citations there are.
    """

    entries: tuple[LedgerEntry, ...] = ()
    unsupported: tuple[TextSpan, ...] = ()
    left_out: int = Field(default=0, ge=0)

    def count(self, status: CitationStatus) -> int:
        """How many different citations have that status: what is cited twice counts once."""
        return len({(entry.kind, entry.text) for entry in self.entries if entry.status is status})
