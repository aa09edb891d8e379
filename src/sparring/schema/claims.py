"""Findings of a comparison of a claim with its evidence."""

from enum import StrEnum

from sparring.schema.base import Record
from sparring.schema.lookups import Span, TextSpan


class Dimension(StrEnum):
    """Dimension that a finding is about."""

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
    """MATCH: the evidence agrees. MISMATCH: it contradicts. MISSING: it contains nothing about it."""

    MATCH = "match"
    MISMATCH = "mismatch"
    MISSING = "missing"


class Severity(StrEnum):
    """Severity of a mismatch: a critical one alone refutes the claim."""

    MINOR = "minor"
    CRITICAL = "critical"


class Label(StrEnum):
    """Conclusion from the findings."""

    SUPPORTED = "SUPPORTED"
    REFUTED = "REFUTED"
    NEI = "NEI"


class Finding(Record):
    """One part of a claim compared with the evidence; ``why`` is a sentence for people."""

    dimension: Dimension
    status: Status
    severity: Severity
    claim: TextSpan
    evidence: Span | None = None
    why: str

    @property
    def is_critical_mismatch(self) -> bool:
        """Return whether it alone refutes the claim."""
        return self.status is Status.MISMATCH and self.severity is Severity.CRITICAL


class UnparsedPart(Span):
    """A part of the evidence that looks like a parsed format and could not be parsed; ``why`` is a sentence."""

    why: str


class Hints(Record):
    """Leads for a reader of a claim that code leaves open; none of them is a label.

    Attributes:
        reason: Why code leaves the claim open, in a sentence; empty where the reason is unknown.
        differing: What differs between the claim and the nearest passage, as ``85 / 120``.
        uncovered: The words of the claim that the nearest passage does not have.
        nearest: The sentence of the evidence that shares most words with the claim.
        unread: Parts of the evidence that were taken as plain text because they do not parse.
    """

    reason: str = ""
    differing: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    nearest: Span | None = None
    unread: tuple[UnparsedPart, ...] = ()


class ClaimCheck(Record):
    """All findings on a claim.

    Attributes:
        label: REFUTED if, and only if, a critical mismatch is among the findings; SUPPORTED only for a parsed value, or
            a whole sentence of the evidence; NEI for every claim that code leaves open.
        passage: Where the label is SUPPORTED, its basis.
        hints: Where the label is NEI, leads for a reader.
    """

    label: Label
    findings: tuple[Finding, ...] = ()
    passage: Span | None = None
    hints: Hints = Hints()

    @property
    def critical_mismatches(self) -> tuple[Finding, ...]:
        """Findings that refute the claim."""
        return tuple(finding for finding in self.findings if finding.is_critical_mismatch)

    @property
    def is_decided(self) -> bool:
        """Return whether code could decide."""
        return self.label is not Label.NEI


class Relation(StrEnum):
    """Relation of a quote to a part of a claim. OPEN: code can show neither."""

    CARRIES = "carries"
    CONFLICTS = "conflicts"
    OPEN = "open"


class Carried(Record):
    """Relation of a quote to a part of a claim, with ``hints`` if it is open."""

    relation: Relation
    hints: Hints = Hints()
