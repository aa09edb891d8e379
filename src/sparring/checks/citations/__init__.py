"""Citations of a text, checked against a working tree.

``syntax`` knows how citations are written, ``tree`` what a working tree can say of them; ``lookup`` brings both
together for a single one. ``speech`` finds all that a speech cites, of every kind, and ``ledger`` looks it up.
"""

from sparring.checks.citations.ledger import check_ledger
from sparring.checks.citations.lookup import CheckedCitation, check_citations, find_citations
from sparring.checks.citations.syntax import Citation
from sparring.checks.citations.tree import DEFINING_WORDS, Listing, NameMatches, TooLongError
from sparring.schema.lookups import CitationStatus, CommitPresence, FileRemoval

__all__ = [
    "DEFINING_WORDS",
    "CheckedCitation",
    "Citation",
    "CitationStatus",
    "CommitPresence",
    "FileRemoval",
    "Listing",
    "NameMatches",
    "TooLongError",
    "check_citations",
    "check_ledger",
    "find_citations",
]
