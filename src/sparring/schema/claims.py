"""What a comparison of a claim with its evidence has found."""

from enum import StrEnum

from sparring.schema.base import Record
from sparring.schema.lookups import Span, TextSpan


class Dimension(StrEnum):
    """What a finding is about."""

    QUANTITY = "quantity"
    TIME = "time"
    PLACE = "place"
    ENTITY = "entity"
    SCOPE = "scope"
    QUALIFIER = "qualifier"
    CAUSALITY = "causality"
    NEGATION = "negation"
    CERTAINTY = "certainty"


class Status(StrEnum):
    """MATCH: the evidence says so. MISMATCH: it says otherwise. MISSING: it does not speak of it."""

    MATCH = "match"
    MISMATCH = "mismatch"
    MISSING = "missing"


class Severity(StrEnum):
    """Whether a mismatch by itself refutes the claim."""

    MINOR = "minor"
    CRITICAL = "critical"


class Label(StrEnum):
    """What the findings add up to."""

    SUPPORTED = "SUPPORTED"
    REFUTED = "REFUTED"
    NEI = "NEI"


class Finding(Record):
    """One part of a claim held against the evidence; ``why`` is a sentence for people."""

    dimension: Dimension
    status: Status
    severity: Severity
    claim: TextSpan
    evidence: Span | None = None
    why: str

    @property
    def is_critical_mismatch(self) -> bool:
        """Whether it refutes the claim by itself."""
        return self.status is Status.MISMATCH and self.severity is Severity.CRITICAL


class ClaimCheck(Record):
    """All that was found.

    Attributes:
        label: REFUTED if, and only if, a critical mismatch is among the findings; SUPPORTED only where one passage of
            the evidence accounts for every word of the claim.
        passage: Where the label is SUPPORTED, what it rests on.
        uncovered: Where the label is NEI, the words of the claim that nothing accounts for.
    """

    label: Label
    findings: tuple[Finding, ...] = ()
    passage: Span | None = None
    uncovered: tuple[str, ...] = ()

    @property
    def critical_mismatches(self) -> tuple[Finding, ...]:
        """What refutes the claim."""
        return tuple(finding for finding in self.findings if finding.is_critical_mismatch)


class Relation(StrEnum):
    """What a quote is to a part of a claim. OPEN: code can show neither."""

    CARRIES = "carries"
    CONFLICTS = "conflicts"
    OPEN = "open"


class Carried(Record):
    """How a quote stands to a part of a claim; ``uncovered`` are the words of the part that it does not account for."""

    relation: Relation
    uncovered: tuple[str, ...] = ()
