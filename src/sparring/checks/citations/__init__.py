"""What a text cites, checked against a working tree.

``syntax`` knows how places are written, and ``places`` checks those alone. ``ledger`` checks everything: ``speech``
finds it, ``paths``, ``symbols`` (with ``definitions``) and ``patterns`` look it up through ``lookup``, and ``uncited``
finds the claims without any. ``tree`` says what somebody who looks into the world has to answer.
"""

from sparring.checks.citations.addresses import find_addresses
from sparring.checks.citations.definitions import DEFINING_WORDS
from sparring.checks.citations.ledger import check_ledger
from sparring.checks.citations.places import CheckedCitation, check_citations, find_citations
from sparring.checks.citations.symbols import named_in_code
from sparring.checks.citations.syntax import Citation, code_spans, prose_lines
from sparring.checks.citations.tree import CommitSeen, Departure, Listing, Sightings, WorkingTree
from sparring.schema.citations import CitationStatus

__all__ = [
    "DEFINING_WORDS",
    "CheckedCitation",
    "Citation",
    "CitationStatus",
    "CommitSeen",
    "Departure",
    "Listing",
    "Sightings",
    "WorkingTree",
    "check_citations",
    "check_ledger",
    "code_spans",
    "find_addresses",
    "find_citations",
    "named_in_code",
    "prose_lines",
]
