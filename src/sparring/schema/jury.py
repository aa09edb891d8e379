"""The records of a jury: request, words of each role with their lookups, outcome, state file.

Roles, dimensions, labels and the judge's fields are those of the specification (seed 001).
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from sparring.schema import base
from sparring.schema.claims import ClaimCheck, Dimension, Severity
from sparring.schema.lookups import TextSpan
from sparring.schema.runs import Needed, Outcome, Request, Spent

TEXT_LIMIT = 100_000
"""Most characters of a truth: a statement with its context, no archive."""

CLAIM_LIMIT = 5_000
"""Most characters of a claim: a headline, a paraphrase, a summary. The time to compare grows with its square: at this
length, against the longest truth, it is about a second (measured on running text, 2026-11)."""

LABEL_LIMIT = 200
"""Most characters of a row id or of a data set's name."""

VERDICT_LIST_LIMIT = 50
"""Most entries of a list in a verdict: a much longer one is no reasoning."""


Rebuttals = Annotated[int, Field(ge=0, le=2)]
"""Rounds in which Advocate and Skeptic answer each other."""


class JuryRequest(Request):
    """Two texts and the participants that argue about whether the one represents the other faithfully.

    Attributes:
        row_id: Id of the pair in its source, which is ``dataset``.
        alone: Judges who each decide alone, instead of a jury: a control of an evaluation.
    """

    kind: Literal["jury"] = "jury"
    truth: base.PlainText = Field(min_length=1, max_length=TEXT_LIMIT)
    claim: base.PlainText = Field(min_length=1, max_length=CLAIM_LIMIT)
    row_id: base.PlainText | None = Field(default=None, max_length=LABEL_LIMIT)
    dataset: base.PlainText | None = Field(default=None, max_length=LABEL_LIMIT)
    advocate: base.Participant
    skeptic: base.Participant
    fact_checker: base.Participant
    judge: base.Participant
    rebuttals: Rebuttals = 1
    language: base.Language = "en"
    effort: base.Effort = base.Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    redactions: int = Field(default=0, ge=0)
    alone: tuple[base.Participant, ...] = Field(default=(), exclude_if=lambda alone: not alone)
    notices: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Subject of the run: the claim."""
        return self.claim

    @property
    def judged(self) -> Mapping[base.Role, tuple[base.Role, base.Role]]:
        """See ``Request.judged``."""
        return {base.Role.JUDGE: (base.Role.ADVOCATE, base.Role.SKEPTIC)}

    @property
    def is_by_code(self) -> bool:
        """Return whether no tool is asked: the result is that of code alone."""
        return all(seat.tool == base.RULE_BASED_TOOL for seat in self._seats.values())

    def needed(self) -> Iterator[Needed]:
        """See ``Request.needed``."""
        for juror in self.alone or self._seats.values():
            yield Needed(participant=juror, effort=self.effort)

    def participant(self, role: base.Role) -> base.Participant:
        """Return the participant in ``role``."""
        return self._seats[role]

    @property
    def _seats(self) -> Mapping[base.Role, base.Participant]:
        return {
            base.Role.ADVOCATE: self.advocate,
            base.Role.SKEPTIC: self.skeptic,
            base.Role.FACT_CHECKER: self.fact_checker,
            base.Role.JUDGE: self.judge,
        }


class Faithfulness(StrEnum):
    """Relation of a claim to its truth (specification: Decision taxonomy)."""

    FAITHFUL = "FAITHFUL"
    PARTIALLY_FAITHFUL = "PARTIALLY_FAITHFUL"
    MUTATED = "MUTATED"


class JudgeVerdict(base.Record):
    """The judge's answer: exactly the specification's fields.

    Attributes:
        confidence: None if the judge gave none that can be read, or code alone decides, which claims none.
    """

    verdict: Faithfulness
    confidence: float | None = Field(ge=0, le=1, strict=True)
    rationale: tuple[base.ReasonText, ...] = Field(max_length=VERDICT_LIST_LIMIT)
    critical_differences: tuple[base.ReasonText, ...] = Field(max_length=VERDICT_LIST_LIMIT)
    what_would_make_it_faithful: tuple[base.ReasonText, ...] = Field(max_length=VERDICT_LIST_LIMIT)
    one_sentence_summary: base.ReasonText


class TextName(StrEnum):
    """The two texts of a case."""

    TRUTH = "truth"
    CLAIM = "claim"


class Phrase(base.Record):
    """Words that a participant claims to be in one of the texts. ``span`` is None where they are not verbatim."""

    text: str = Field(min_length=1)
    source: TextName
    span: TextSpan | None = None


class Statement(base.Record):
    """An opening or a rebuttal.

    Attributes:
        text: The whole text.
        bullets: Its reasons, one by one.
        phrases: Its quotes, each looked up in the texts.
        faults: Faults of its form, in sentences, e.g. that it gives two reasons where three were requested.
    """

    role: base.Role
    round: int = Field(ge=1)
    text: str
    bullets: tuple[str, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    faults: tuple[str, ...] = ()


class ChecklistDimension(StrEnum):
    """Dimension of the Fact-Checker's comparison (specification: Step 2)."""

    NUMBERS = "numbers"
    DATES = "dates"
    ENTITIES = "entities"
    QUANTIFIERS = "quantifiers"
    CAUSALITY = "causality"


class ChecklistStatus(StrEnum):
    """MATCH and MISMATCH are the specification's; ABSENT: neither text speaks of it."""

    MATCH = "match"
    MISMATCH = "mismatch"
    ABSENT = "absent"


class ChecklistEntry(base.Record):
    """One dimension as the Fact-Checker sees it. ``severity`` is there for a mismatch, and for nothing else."""

    dimension: ChecklistDimension
    status: ChecklistStatus
    severity: Severity | None = None
    truth: tuple[Phrase, ...] = ()
    claim: tuple[Phrase, ...] = ()
    note: str = ""


class CriticalDifference(base.Record):
    """A difference that the judge calls critical, with the places that it names.

    Attributes:
        anchors: The places of its quoted words in the texts; empty: it names none, and carries nothing.
        types: Kinds of mutation at those places.
    """

    text: str
    anchors: tuple[Phrase, ...] = ()
    types: tuple[Dimension, ...] = ()


class MinorityView(base.Record):
    """The last word of the side that the verdict does not follow."""

    role: base.Role
    text: str


class Pattern(StrEnum):
    """In which ways claims are mutated (specification: Why this works)."""

    THRESHOLDS = "thresholds"
    TIME = "time"
    ENTITIES = "entities"
    SCOPE = "scope"
    QUALIFIERS = "qualifiers"


class PatternStatus(StrEnum):
    """MATCH: both texts say the same. MISMATCH: a shown opposite. NOT_COMPARED: code can show neither."""

    MATCH = "match"
    MISMATCH = "mismatch"
    NOT_COMPARED = "not compared"


class PatternFinding(base.Record):
    """Finding of code on one pattern; ``severity`` is set for a mismatch, ``why`` is a sentence for people."""

    pattern: Pattern
    status: PatternStatus
    severity: Severity | None = None
    why: str


class JuryStatus(StrEnum):
    """Ending of a jury.

    COMPLETED: verdict, all roles answered. INCOMPLETE: verdict, but words of a role are missing. BY_CODE: no tool was
    asked, and code decides. UNJUDGED: the judge gave no usable verdict, or code decides nothing. FAILED: no usable
    answer.
    """

    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    BY_CODE = "by_code"
    UNJUDGED = "unjudged"
    FAILED = "failed"


class JuryOutcome(Outcome):
    """The end of a jury.

    Attributes:
        contested: Why the verdict should be doubted, in sentences, e.g. that it is FAITHFUL against a critical
            mismatch found by code; empty when nothing speaks against it.
        check: Result of code alone for the claim, with the truth for its evidence.
        patterns: Results of code on each of the five ways in which claims are mutated.
        omitted: The words that the claim leaves out of the sentences of the truth that it rests on.
        checklist: Result of the Fact-Checker; empty when it failed.
        mutations: Every kind of mutation that is anchored in the texts, in the order of ``Dimension``.
        alone: The verdict of each judge who decided alone; None for one that gave none.
    """

    kind: Literal["jury"] = "jury"
    status: JuryStatus
    verdict: JudgeVerdict | None = None
    contested: tuple[str, ...] = ()
    check: ClaimCheck
    patterns: tuple[PatternFinding, ...] = ()
    omitted: tuple[str, ...] = ()
    checklist: tuple[ChecklistEntry, ...] = ()
    differences: tuple[CriticalDifference, ...] = ()
    mutations: tuple[Dimension, ...] = ()
    statements: tuple[Statement, ...] = ()
    minority_view: MinorityView | None = None
    rebuttals_completed: int = Field(default=0, ge=0)
    alone: tuple[Faithfulness | None, ...] = Field(default=(), exclude_if=lambda alone: not alone)
    notices: tuple[str, ...] = ()

    def finding(self, request: JuryRequest) -> str:
        """The verdict."""
        del request
        return self.verdict.verdict if self.verdict else ""


class Juror(base.StateParticipant):
    """Seat of a jury, with its tool."""

    role: base.Role


class LastVerdict(base.Record):
    """``jury/last-verdict.json`` and the ``result.json`` of a jury."""

    id: base.RunId
    row_id: str | None
    dataset: str | None
    truth: str
    claim: str
    status: JuryStatus
    verdict: JudgeVerdict | None
    contested: tuple[str, ...]
    mutations: tuple[Dimension, ...]
    differences: tuple[CriticalDifference, ...]
    check: ClaimCheck
    patterns: tuple[PatternFinding, ...] = ()
    omitted: tuple[str, ...] = ()
    checklist: tuple[ChecklistEntry, ...]
    statements: tuple[Statement, ...]
    minority_view: MinorityView | None
    jurors: tuple[Juror, ...]
    rebuttals: int
    rebuttals_completed: int
    language: base.Language
    effort: base.Effort
    spent: Spent
    redactions: int
    timestamp: base.Moment
    notices: tuple[str, ...] = ()
    schema_version: int = base.SCHEMA_VERSION
