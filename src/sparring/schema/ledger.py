"""The citation ledger of a debate: what a speech cites, and what the working tree says about it (design: Debate)."""

from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Record
from sparring.schema.citations import CitationStatus
from sparring.schema.spans import TextSpan

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
