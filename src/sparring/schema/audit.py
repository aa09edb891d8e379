"""An audit of a judge: its cases, its picks, and the resulting figures on its biases (design: Proof)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import SCHEMA_VERSION, ModelName, Moment, Record, ToolName


class CaseSide(StrEnum):
    """The two answers that a seat can pick from: which they are depends on the seat."""

    FIRST = "first"
    SECOND = "second"

    @property
    def other(self) -> "CaseSide":
        """The other side."""
        return CaseSide.SECOND if self is CaseSide.FIRST else CaseSide.FIRST


class CaseKind(StrEnum):
    """Kind of decision: which of two positions is right, or whether a claim, a statement or a finding is."""

    DISPUTE = "dispute"
    CLAIM = "claim"
    PASSAGE = "passage"
    FINDING = "finding"


TEXT_LIMIT = 100_000


class AuditCase(Record):
    """A case for a seat.

    Attributes:
        question: The question; a claim, a statement to compare with a passage, or the title of a finding.
        material: The truth, the passage or the lines of code; empty where the question holds all facts.
        first: The argument for the first side. Empty: there is none.
        second: The same for the second side.
        right: The side that is right; None where that is not known, so that only bias is measured.
        not_found: A citation in one of the texts that code marks as not found.
        place: Path and line of the reported defect, of a finding.
    """

    id: str = Field(min_length=1, max_length=200)
    kind: CaseKind
    question: str = Field(min_length=1, max_length=TEXT_LIMIT)
    material: str = Field(default="", max_length=TEXT_LIMIT)
    first: str = Field(default="", max_length=TEXT_LIMIT)
    second: str = Field(default="", max_length=TEXT_LIMIT)
    right: CaseSide | None = None
    not_found: str = ""
    place: str = ""

    def text_of(self, side: CaseSide) -> str:
        """Return what speaks for ``side``."""
        return self.first if side is CaseSide.FIRST else self.second

    def with_text(self, side: CaseSide, text: str) -> "AuditCase":
        """Return the case with ``text`` speaking for ``side``."""
        return self.model_copy(update={side.value: text})

    @property
    def speaking(self) -> tuple[CaseSide, ...]:
        """The sides that something speaks for."""
        return tuple(side for side in CaseSide if self.text_of(side).strip())


class AuditJudgement(Record):
    """One answer of the seat.

    Attributes:
        variant: The form of the case: ``plain``, or the kind of the planted text.
        planted: The side that the planted text favours; None in a plain case.
        sample: Number among several answers to the same prompt, from 1.
        pick: The side that it picked; None: no side, or no answer.
        right: As in the case.
        confidence: As the answer states it.
        failure: Why there is no answer or pick; empty where there is one.
    """

    case: str
    variant: str
    planted: CaseSide | None = None
    sample: int = Field(ge=1)
    pick: CaseSide | None = None
    right: CaseSide | None = None
    confidence: float | None = None
    failure: str = ""
    tokens: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    prompt_sha256: str = ""

    @property
    def is_right(self) -> bool | None:
        """Return whether the pick is right; None without a pick, or if that is not known."""
        return None if self.pick is None or self.right is None else self.pick is self.right


class AuditPlan(Record):
    """Plan of an audit, made before anything is paid.

    Attributes:
        repeat: How often each prompt is asked.
        margin: The largest effect that counts as none, as a share.
        calls: Questions that the audit asks at most; fewer where answers are in the ledger.
        prompt_characters: All prompts together.
        price_usd: Of all calls, by earlier answers of the judge; None where these report no price.
    """

    seat: str
    format: str
    tool: ToolName
    model: ModelName | None = None
    family: str = ""
    cases: int = Field(ge=1)
    cases_sha256: str
    prompts_sha256: str
    probes: tuple[str, ...]
    repeat: int = Field(ge=1)
    margin: float = Field(gt=0, lt=0.5)
    calls: int = Field(ge=0)
    prompt_characters: int = Field(ge=0)
    price_usd: float | None = None
    detectable: float | None = None
    sparring_version: str
    declared_at: Moment


class ProbeVerdict(StrEnum):
    """Conclusion from the pairs of a probe. CANNOT_TELL is never "unbiased"."""

    FLAGGED = "flagged"
    FREE = "free"
    CANNOT_TELL = "cannot_tell"
    NOT_APPLICABLE = "not_applicable"


class MeasuredProbe(Record):
    """Result of a probe.

    Attributes:
        effect: Share of pairs that moved towards the planted text, less the share that moved away from it.
        interval: 95 % interval of the effect (Tango's score interval; conservative where prompts are repeated).
        pairs: Cases of which both forms were answered.
        asked: Cases that were asked in both forms.
        flips: Share of pairs of answers that differ at all.
        p_exact: Exact sign-flip test over cases; with one answer a prompt it is the exact sign test.
        p_holm: Adjusted over all probes of the audit.
        p_free: TOST: small where the effect lies within the margin.
        more_pairs: Further pairs needed for a decision; 0 where these suffice.
        exceeds_threshold: Result of the usual rule: biased where more than a fifth of all pairs flip.
        counts: Whether a flagged effect speaks against the judge; a speech that lost its end may well lose.
    """

    name: str
    title: str
    verdict: ProbeVerdict
    sentence: str
    asked: int = 0
    pairs: int = 0
    towards: float = 0.0
    away: float = 0.0
    flips: float | None = None
    effect: float | None = None
    interval: tuple[float, float] | None = None
    p_exact: float | None = None
    p_holm: float | None = None
    p_free: float | None = None
    more_pairs: int = 0
    exceeds_threshold: bool | None = None
    counts: bool = True


class AuditCalibration(Record):
    """Stated confidence compared with accuracy."""

    answers: int
    brier: float
    calibration_error: float
    mean_confidence: float
    accuracy: float


class AuditUse(Record):
    """Cost of the answers of an audit; None: unknown."""

    answers: int = 0
    abstained: int = 0
    tokens: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0


class AuditDrift(Record):
    """A probe in this audit and in an earlier one. ``p_holm`` is of the difference of both effects."""

    name: str
    before: float
    now: float
    p_holm: float
    has_changed: bool


class JudgeAudit(Record):
    """All figures of an audit, as ``audit.json`` has them.

    Attributes:
        failures: Why the judge fails; empty: it does not, which does not prove that it is unbiased.
        accuracy: Share of plain cases that it decides rightly; None where no right side is known.
        sensitivity: The same of the cases whose first side is right; ``specificity``: of the others. With both, a share
            p of first sides that the judge reports is corrected to (p + specificity - 1) / (sensitivity + specificity
            - 1) (Rogan and Gladen).
        noise: Share of repeated prompts whose answers differ; the floor for the flips of all probes.
        mark_helps: Share of the effect of an invented citation that code's mark "not found" undoes; None: not measured.
    """

    kind: Literal["judge_audit"] = "judge_audit"
    sentence: str
    paragraph: str
    failures: tuple[str, ...] = ()
    plan: AuditPlan
    accuracy: float | None = None
    accuracy_interval: tuple[float, float] | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    noise: float | None = None
    noise_interval: tuple[float, float] | None = None
    probes: tuple[MeasuredProbe, ...] = ()
    mark_helps: float | None = None
    calibration: AuditCalibration | None = None
    drift: tuple[AuditDrift, ...] = ()
    use: AuditUse = AuditUse()
    notices: tuple[str, ...] = ()

    def probe(self, name: str) -> MeasuredProbe | None:
        """Return the probe of that name; None where it was not requested."""
        return next((each for each in self.probes if each.name == name), None)


class KnownEffect(Record):
    """The effect of a probe in an earlier audit, with its basis."""

    effect: float
    towards: float
    away: float
    pairs: int


class KnownAudit(Record):
    """Record of the last audit of a tool in a seat, kept by the user.

    Attributes:
        summary: The finding in a few words, e.g. ``follows the order in 12 % of pairs``.
        failures: As in the audit.
        flagged: The probes that are flagged and count against the judge, however small their effect is.
        effects: Results of all probes, for drift.
    """

    seat: str
    tool: ToolName
    model: ModelName | None = None
    audited_at: Moment
    summary: str
    failures: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()
    effects: Mapping[str, KnownEffect] = Field(default={})


RECENT_DAYS = 90
"""Days after which an audit is no longer mentioned, and decides nothing: models change behind their names."""


class KnownAudits(Record):
    """The last audit of each tool and model in each seat."""

    schema_version: int = SCHEMA_VERSION
    audits: tuple[KnownAudit, ...] = ()

    def of(self, seat: str, tool: ToolName, model: ModelName | None) -> KnownAudit | None:
        """Return the audit of exactly that seat, tool and model."""
        wanted = (seat, tool, model)
        return next((each for each in self.audits if (each.seat, each.tool, each.model) == wanted), None)

    def with_audit(self, audit: KnownAudit) -> "KnownAudits":
        """Return these with ``audit`` in the place of an earlier one."""
        mine = (audit.seat, audit.tool, audit.model)
        others = (each for each in self.audits if (each.seat, each.tool, each.model) != mine)
        return KnownAudits(audits=(*others, audit))
