"""The records of a review: findings, their comparison with the change, outcome and state file.

Classes, severities and states are those of design 13.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field, StringConstraints

from sparring.schema.authors import Author, Independence, independence
from sparring.schema.base import (
    LIST_LIMIT,
    SCHEMA_VERSION,
    Effort,
    Language,
    Moment,
    Participant,
    PlainText,
    ReasonText,
    Record,
    ReplyText,
    RepoAccess,
    RunId,
    StateParticipant,
    ToolName,
)
from sparring.schema.changes import ChangeKind, ExcludedFile, ReviewedChange, digest_of
from sparring.schema.checks import CheckResult
from sparring.schema.runs import Needed, Outcome, Request, Spent

# -- What is found -------------------------------------------------------------------------------------------------


FAMILIES_NEEDED = 2
"""Fewer make no review: no other family would notice what one overlooks."""

MOST_REVIEWERS = 8
EXAMINED = 24
"""Default for the findings of a single family that another one examines."""


class DefectClass(StrEnum):
    """Class of a defect."""

    BUG = "bug"
    SECURITY = "security"
    DATA_LOSS = "data_loss"
    CONCURRENCY = "concurrency"
    PERFORMANCE = "performance"
    API = "api"
    TEST = "test"
    DOCS = "docs"
    STYLE = "style"


class DefectSeverity(StrEnum):
    """Severity of a defect, the worst first."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"
    NOTE = "note"

    def is_at_least(self, other: "DefectSeverity") -> bool:
        """Return whether it is as bad as ``other``, or worse."""
        return self.rank <= other.rank

    @property
    def rank(self) -> int:
        """Its place, the worst first."""
        return list(DefectSeverity).index(self)


PathText = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
TitleText = Annotated[str, StringConstraints(min_length=1, max_length=300)]


class ReportedFinding(Record):
    """Finding of a reviewer.

    In JSON ``defect`` is called ``class``.

    Attributes:
        quote: The code at ``line`` to ``end_line``, word for word.
        confidence: From 0 to 1; None if the reviewer gave none that can be read.
    """

    file: PathText
    line: int = Field(ge=1, strict=True)
    end_line: int = Field(ge=1, strict=True)
    quote: ReplyText = Field(min_length=1)
    defect: DefectClass = Field(validation_alias=AliasChoices("class", "defect"))
    severity: DefectSeverity
    title: TitleText
    trigger: ReasonText
    consequence: ReasonText
    fix: ReasonText
    confidence: float | None = Field(default=None, ge=0, le=1, strict=True)


class Examination(StrEnum):
    """Verdict of a cross-examiner on a finding."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNSURE = "unsure"


class CrossExamination(Record):
    """A cross-examiner's answer.

    Attributes:
        quote: Of a confirmation, the code that triggers the defect; of a refutation, the code that prevents it.
    """

    verdict: Examination
    file: PathText
    line: int = Field(ge=1, strict=True)
    quote: ReplyText
    reason: ReasonText


class Anchoring(StrEnum):
    """Result of locating the place that a finding names.

    EXACT: the quote stands there. MOVED: it stands some lines off, and the place is corrected. OUTSIDE: it stands
    there, but the change does not touch it. NO_FILE, NO_QUOTE: the place does not exist, and the finding is struck.
    """

    EXACT = "exact"
    MOVED = "moved"
    OUTSIDE = "outside"
    NO_FILE = "no_file"
    NO_QUOTE = "no_quote"


class CodePlace(Record):
    """Lines of a file with their content.

    Attributes:
        first, last: In the new file; of removed lines, the line before them.
        is_removed: Whether these are lines that the change removes.
    """

    file: str
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    text: str
    is_removed: bool = False


class LocatedPlaces(Record):
    """Places of quotes in the project, in the order of the brief; None for a quote that is not there."""

    places: tuple[CodePlace | None, ...] = ()


class Reporter(Record):
    """Reporter of a finding, with the report.

    Attributes:
        reviewer: Its place among the reviewers of the request, from 1 on.
        anchoring: Result of code for the place that this reviewer named.
        moved_by: Lines between the place that it named and the true one.
    """

    reviewer: int = Field(ge=1)
    report: ReportedFinding
    anchoring: Anchoring
    moved_by: int = 0


class Examined(Record):
    """Examination of a finding by a reviewer of another family.

    Attributes:
        verdict: That of the examiner, UNSURE where its quote is not there or it gave no answer.
        examination: Its answer; None where it failed, or gave no usable answer.
        place: The place of its quote; None where it was not found.
        cause: Why the verdict is not the examiner's own; empty where it is.
    """

    examiner: int = Field(ge=1)
    verdict: Examination
    examination: CrossExamination | None = None
    place: CodePlace | None = None
    cause: str = ""


class FindingState(StrEnum):
    """State of a finding, by rule.

    CONFIRMED: two families found it, or one did and another confirmed it. REFUTED: another refuted it with code that
    is there. STRUCK: it points at nothing. CONTESTED: all others.
    """

    CONFIRMED = "confirmed"
    CONTESTED = "contested"
    REFUTED = "refuted"
    STRUCK = "struck"


class ReviewFinding(Record):
    """A finding as it stands at the end, merged from the reports of several reviewers.

    Attributes:
        id: Made of file, class and the code at the place, so that it is the same in the next review.
        place: Its place; None for a struck one.
        is_outside: Whether the change does not touch that place.
        severity: The worst severity reported; ``defect`` is in the words of its first reporter.
        families: Families of its reporters, in their order.
        dismissed: The reason of an earlier dismissal; empty: there was none.
    """

    id: str = Field(pattern=r"^[0-9a-f]{8}$")
    state: FindingState
    defect: DefectClass
    severity: DefectSeverity
    title: str
    place: CodePlace | None = None
    is_outside: bool = False
    reporters: tuple[Reporter, ...] = Field(min_length=1)
    families: tuple[str, ...]
    examined: Examined | None = None
    dismissed: str = ""


class CodeSurroundings(Record):
    """Lines that distinguish places of a file with the same code.

    Attributes:
        above: The lines that enclose it: the class, the function, the condition.
        nearby: The code right before and right behind it, without comments.
        replaced: The lines that the change removes there.
    """

    above: tuple[str, ...] = ()
    nearby: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()


def finding_id(file: str, defect: DefectClass, code: str, around: CodeSurroundings) -> str:
    """Return the id of a finding: the same as long as the code there and its surroundings are.

    A comment that is added above does not change it, nor do lines elsewhere in the file.
    """
    parts = (code.strip().splitlines(), around.above, around.nearby, around.replaced)
    return digest_of(file, defect, *([line.strip() for line in part] for part in parts))[:8]


# -- The run -------------------------------------------------------------------------------------------------------


class Reviewer(Participant):
    """A tool that reviews. ``family``: that of its model, as far as it was known before it answered."""

    family: str


class Dismissal(Record):
    """Dismissal of a finding by a user who has examined it."""

    id: str = Field(pattern=r"^[0-9a-f]{8}$")
    why: str
    title: str = ""
    file: str = ""
    at: Moment


class Dismissals(Record):
    """``review/dismissed.json``: the dismissed findings of a project."""

    dismissed: tuple[Dismissal, ...] = ()
    schema_version: int = SCHEMA_VERSION


class ReviewRequest(Request):
    """A change and its reviewers.

    Attributes:
        about: The purpose of the change; empty: unknown.
        fail_on: From which severity on a confirmed finding blocks; None: none does.
        examined: Most findings that a reviewer of another family examines, the most severe first.
        dismissed: Findings that were dismissed before.
        authors: The model families that wrote the change; empty: no model is known to have written it.
        checks: Results of the commands that the user has the gate run.
    """

    kind: Literal["review"] = "review"
    change: ReviewedChange
    about: PlainText = ""
    reviewers: tuple[Reviewer, ...] = Field(min_length=1, max_length=MOST_REVIEWERS)
    fail_on: DefectSeverity | None = None
    examined: int = Field(default=EXAMINED, ge=0, le=LIST_LIMIT)
    dismissed: tuple[Dismissal, ...] = ()
    repo_access: RepoAccess = RepoAccess.NONE
    language: Language = "en"
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=300.0, gt=0)
    redactions: int = Field(default=0, ge=0)
    authors: tuple[Author, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Subject of the run: the title of the change."""
        return self.change.title

    def family_of(self, reviewer: int, tool: ToolName, reported: str = "") -> str:
        """The family of the models that answered in that reviewer's place; the name of ``tool``, which did, if unknown.

        ``reported`` is the family of the answer itself, where that is another than was known before.
        """
        if reported:
            return reported
        seats = (self.reviewers[reviewer - 1], *self.reviewers)
        known = next((each.family for each in seats if each.tool == tool), "")
        return known or self.family_of_tool(tool)

    def independence_of(self, reviewer: int, tool: ToolName, model: str | None, reported: str = "") -> Independence:
        """Return whether the tool that answered as that reviewer is independent of the authors; see ``family_of``."""
        seat = self.reviewers[reviewer - 1]
        named = seat.model if tool == seat.tool else None
        family = self.family_of(reviewer, tool, reported)
        return independence(family, named or model, self.authors, is_named=named is not None)

    @property
    def identity(self) -> str:
        """Return what only the same change has, reviewed by the same reviewers under the same rules."""
        gaps = sorted((each.path, each.reason, each.facts) for each in self.change.left_out if each.reason.is_gap)
        return digest_of(self.change.terms, self.change.seen, gaps)

    def needed(self) -> Iterator[Needed]:
        """See ``Request.needed``."""
        for reviewer in self.reviewers:
            participant = Participant(tool=reviewer.tool, model=reviewer.model)
            yield Needed(participant=participant, effort=self.effort, repo_access=self.repo_access)


class ReviewStatus(StrEnum):
    """Ending of a review.

    BLOCKING: a confirmed finding in the change is as severe as what blocks, and not dismissed. FINDINGS: there are
    confirmed or contested ones. CLEAN: two independent families have seen all of it, every reply could be
    read entirely, and no finding is left. INCOMPLETE: neither that nor BLOCKING. FAILED: no reviewer gave a reply.
    """

    BLOCKING = "blocking"
    FINDINGS = "findings"
    CLEAN = "clean"
    INCOMPLETE = "incomplete"
    FAILED = "failed"


class ReviewOutcome(Outcome):
    """Outcome of a review.

    Attributes:
        findings: The most severe first; within a severity the confirmed, the contested, the refuted, the struck.
        answered: For each part of the change, which reviewers answered for it.
        incomplete_reviewers: For each part, which of them gave no answer, or one of which not everything could be used.
        counted: For each part, the families that answered and may count, and whether each is independent of the author.
    """

    kind: Literal["review"] = "review"
    status: ReviewStatus
    findings: tuple[ReviewFinding, ...] = ()
    answered: tuple[tuple[int, ...], ...] = ()
    incomplete_reviewers: tuple[tuple[int, ...], ...] = ()
    counted: tuple[Mapping[str, Independence], ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def has_quorum(self) -> bool:
        """Return whether enough reviewers answered for every part, with usable replies."""
        return not any(self.incomplete_reviewers) and all(map(_is_enough, self.counted))

    @property
    def is_weaker(self) -> bool:
        """Return whether that is so only since a reviewer of the author's family counts, with another model."""
        independent = [[each for each in part.values() if each is Independence.INDEPENDENT] for part in self.counted]
        return self.has_quorum and any(len(each) < FAMILIES_NEEDED for each in independent)

    def finding(self, request: Any) -> str:
        """E.g. ``findings: 2 confirmed, 1 contested``."""
        del request
        counts = ((state, sum(each.state is state for each in self.findings)) for state in FindingState)
        counts_shown = ", ".join(f"{count} {state}" for state, count in counts if count)
        return f"{self.status}: {counts_shown}" if counts_shown else str(self.status)


def _is_enough(families: Mapping[str, Independence]) -> bool:
    """Return whether enough families have seen a part, and one at least that is independent of the author."""
    return len(families) >= FAMILIES_NEEDED and Independence.INDEPENDENT in families.values()


class LastReviewer(StateParticipant):
    """A reviewer that answered, and its independence of the author."""

    family: str
    independence: Independence = Independence.INDEPENDENT


class LastReview(Record):
    """``review/last-review.json`` and a review's ``result.json``; ``--since last`` leaves out what was ``seen``.

    Attributes:
        families: For each part of the change, the families that answered.
        has_quorum: Whether enough reviewers answered for every part, with usable replies; ``seen`` counts only
            then.
    """

    id: RunId
    title: str
    kind: ChangeKind
    base: str | None
    head: str | None
    about: str
    status: ReviewStatus
    fail_on: DefectSeverity | None
    findings: tuple[ReviewFinding, ...]
    reviewers: tuple[LastReviewer, ...]
    answered: tuple[tuple[int, ...], ...]
    families: tuple[tuple[str, ...], ...] = ()
    incomplete_reviewers: tuple[tuple[int, ...], ...] = ()
    has_quorum: bool = False
    is_weaker: bool = False
    authors: tuple[Author, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    files: tuple[str, ...]
    left_out: tuple[ExcludedFile, ...]
    terms: str = ""
    seen: tuple[str, ...]
    effort: Effort
    spent: Spent
    redactions: int
    timestamp: Moment
    notices: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION
