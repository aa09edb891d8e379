"""A debate: its subject, the conduct of the sides, and its ending (specification: seed 004)."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sparring.schema import base
from sparring.schema.consultation import ContextPart, Exhibit
from sparring.schema.judgement import Judgement, Quality, Side, SideScores, Verdict
from sparring.schema.lookups import CitationLedger, TextSpan
from sparring.schema.runs import Needed, Outcome, Request, Seated, Spent


class SpeechLedger(base.Record):
    """The ledger of one speech. ``problem`` is the reason why there is none."""

    round: int = Field(ge=1)
    role: Side
    ledger: CitationLedger | None = None
    problem: str = ""


class VerdictPart(StrEnum):
    """Part of a verdict that has citations."""

    AGREEMENTS = "agreements"
    RECOMMENDATION = "recommendation"


class VerdictLedger(base.Record):
    """Citations of one part of the verdict. ``problem`` is the reason why they are not known."""

    part: VerdictPart
    ledger: CitationLedger | None = None
    problem: str = ""


class Withdrawal(TextSpan):
    """Withdrawal of a concession, in the words of the speech of that round."""

    round: int = Field(ge=1)


class Concession(TextSpan):
    """Concession of a side, in the words of its speech of that round. ``withdrawn`` is None while it stands."""

    role: Side
    round: int = Field(ge=1)
    withdrawn: Withdrawal | None = None


class FlagKind(StrEnum):
    """Kind of remark on a speech.

    PRAISE: it applauds the other side; only in runs of before 0.2, where code still guessed at it.
    UNSUPPORTED_AGREEMENT: it concedes, and cites nothing for it.
    """

    PRAISE = "praise"
    UNSUPPORTED_AGREEMENT = "unsupported_agreement"


class Flag(TextSpan):
    """One such place, in the words of the speech of that round."""

    kind: FlagKind
    role: Side
    round: int = Field(ge=1)


class SpeechRule(StrEnum):
    """Rules for a speech that code checks; the prompt of the speech states each.

    FLAW: a response names one. LEAD: nothing comes before it. ALTERNATIVE: a response proposes one. RISK: a response
    that concedes states what remains. CONCERN: a follow-up names a flaw, or certifies that a concern is resolved.
    EVIDENCE: it cites something for what it certifies. NEW: a speech does not consist of sentences that its speaker has
    used before.
    """

    FLAW = "flaw"
    LEAD = "lead"
    ALTERNATIVE = "alternative"
    RISK = "risk"
    CONCERN = "concern"
    EVIDENCE = "evidence"
    NEW = "new"


class BrokenRule(base.Record):
    """Rule that a speech breaks although it was returned for it once."""

    round: int = Field(ge=1)
    role: Side
    rule: SpeechRule


class Convergence(StrEnum):
    """Concessions of the challenger by marks: none, with citations, or without any citation.

    UNCHECKED: it did, in a speech whose citations were not looked up.
    """

    NONE = "none"
    UNCHECKED = "unchecked"
    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class Conduct(base.Record):
    """Findings of code in the marks of both sides."""

    concessions: tuple[Concession, ...] = ()
    flags: tuple[Flag, ...] = ()
    convergence: Convergence = Convergence.NONE


TOPIC_LIMIT = 100_000
"""Most characters of a topic. A topic is a question; material belongs into context."""

MOST_JUDGES = 5

SPEAKING_ORDER: tuple[Literal[base.Role.PROPOSER], Literal[base.Role.CHALLENGER]] = (
    base.Role.PROPOSER,
    base.Role.CHALLENGER,
)
"""Roles that speak in a round, in this order."""


Rounds = Annotated[int, Field(ge=1, le=5)]
"""Number of speeches of each side."""


class DebateRequest(Request):
    """Request of a debate: topic and participants.

    Attributes:
        context: Material that both sides and the judge see.
        judge: The first judge, who also makes the summaries.
        panel: The judges other than the first one.
        further_judge: A judge of another family, asked only where the others leave the debate undecided.
        exhibits: Exhibits that code gathered for the topic; their numbers continue after the parts of ``context``.
        repo_access: Access of both sides to the project; the judge sees only their speeches.
        readers: The sides that may open files of the project where not both may.
        blind_openings: Whether both sides open without seeing the other's opening.
        devil: Whether one tool may argue both sides, as its own devil's advocate.
    """

    kind: Literal["debate"] = "debate"
    topic: base.PlainText = Field(min_length=1, max_length=TOPIC_LIMIT)
    context: tuple[ContextPart, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    proposer: base.Participant
    challenger: base.Participant
    judge: base.Participant
    panel: tuple[base.Participant, ...] = Field(default=(), max_length=MOST_JUDGES - 1)
    further_judge: base.Participant | None = None
    rounds: Rounds = 2
    effort: base.Effort = base.Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    repo_access: base.RepoAccess = base.RepoAccess.NONE
    readers: tuple[Side, ...] = ()
    blind_openings: bool = False
    devil: bool = False
    notices: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _sides_differ(self) -> Self:
        is_one = self.proposer.tool == self.challenger.tool
        if is_one and not self.devil and self.proposer.tool != base.RULE_BASED_TOOL:
            raise ValueError(f"proposer and challenger must be different tools, both are {self.proposer.tool!r}")
        if self.devil and not is_one:
            raise ValueError("the devil's advocate is the same tool on both sides")
        return self

    @model_validator(mode="after")
    def _blind_openings_are_answered(self) -> Self:
        if self.blind_openings and self.rounds == 1:
            raise ValueError("blind openings need a second round, in which the sides answer each other")
        return self

    @property
    def judges(self) -> tuple[base.Participant, ...]:
        """The judges of every debate on this request, in their order."""
        return (self.judge, *self.panel)

    @property
    def possible_judges(self) -> tuple[base.Participant, ...]:
        """``judges``, then the further one if there is one."""
        return (*self.judges, *((self.further_judge,) if self.further_judge else ()))

    @property
    def is_one_reader(self) -> bool:
        """True if the calling agent, or sub-agents of it, sit in every seat."""
        return {self.proposer.tool, self.challenger.tool, *(judge.tool for judge in self.judges)} == {base.HOST_TOOL}

    @property
    def subject(self) -> str:
        """Subject of the run: the topic."""
        return self.topic

    def needed(self) -> Iterator[Needed]:
        """See ``Request.needed``."""
        for role in SPEAKING_ORDER:
            yield Needed(participant=self.participant(role), effort=self.effort, repo_access=self.access(role))
        for judge in self.judges:  # who sees nothing of the project
            yield Needed(participant=judge, effort=self.effort)

    def rivals(self, role: base.Role, number: int = 0) -> tuple[Seated, ...]:
        """Return the other side unless one tool argues both, and of a judge the rest of the panel."""
        if role is base.Role.JUDGE:
            judges = enumerate(self.judges, start=1)
            others = ((each, judge) for each, judge in judges if each != (number or 1))
            return tuple(Seated(role=role, number=each, tool=judge.tool) for each, judge in others)
        sides = () if self.devil else (side for side in SPEAKING_ORDER if side is not role)
        return tuple(Seated(role=side, tool=self.participant(side).tool) for side in sides)

    @property
    def judged(self) -> Mapping[base.Role, tuple[base.Role, base.Role]]:
        """See ``Request.judged``."""
        return {base.Role.JUDGE: SPEAKING_ORDER}

    @property
    def material(self) -> Mapping[str, tuple[ContextPart, ...]]:
        """See ``Request.material``."""
        return {"Context": self.context}

    @property
    def shown(self) -> tuple[Exhibit, ...]:
        """All exhibits in the order of their numbers: the parts of ``context``, whole, then the gathered ones."""
        given = (
            Exhibit(number=number, path=part.name, last=part.text.removesuffix("\n").count("\n") + 1, text=part.text)
            for number, part in enumerate(self.context, start=1)
        )
        return (*given, *self.exhibits)

    def access(self, role: base.Role) -> base.RepoAccess:
        """Return the access to the project of the participant in ``role``."""
        if role in self.readers:
            return base.RepoAccess.READ
        return base.RepoAccess.NONE if role is base.Role.JUDGE else self.repo_access

    def reads(self, role: base.Role) -> bool:
        """Return whether ``role`` can open files of the project; the calling agent has tools of its own."""
        return self.access(role) is base.RepoAccess.READ or self.participant(role).tool == base.HOST_TOOL

    def could_cite(self, role: base.Role) -> bool:
        """Return whether ``role`` saw anything of the project, as exhibits or files: else it had no place to cite."""
        return bool(self.shown) or self.reads(role)

    def participant(self, role: base.Role) -> base.Participant:
        """Return the participant in ``role``."""
        seats = {base.Role.PROPOSER: self.proposer, base.Role.CHALLENGER: self.challenger, base.Role.JUDGE: self.judge}
        return seats[role]


class DebateStatus(StrEnum):
    """Ending of a debate.

    COMPLETED: all rounds, verdict. INCOMPLETE: a later consultation failed, verdict from the completed rounds.
    UNCONTESTED: the challenger failed in round 1, the proposer's position stands alone, no verdict.
    UNJUDGED: the rounds are there, the judge failed. UNDECIDED: there are ballots, and no winner follows from them.
    FAILED: nothing to show.
    """

    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    UNCONTESTED = "uncontested"
    UNJUDGED = "unjudged"
    UNDECIDED = "undecided"
    FAILED = "failed"


class DebateOutcome(Outcome):
    """The end of a debate.

    Attributes:
        notices: Lines for the reader, among them the literal ``[WARN]`` and ``[ERROR]`` messages of the specification.
        incomplete_round: The round that was interrupted, if any.
        judgement: The result of the judges' ballots; None where there is none.
        ledgers: The citations of each speech, in the order of speaking.
        winner_tool: The tools that spoke for the winner, as ``Respondent.name`` has them; empty: the tool of the seat.
        verdict_ledgers: Citations of the verdict: evidence of its agreements, and those of its recommendation.
        broken_rules: Rules that speeches break even after they were returned.
    """

    kind: Literal["debate"] = "debate"
    status: DebateStatus
    rounds_completed: int = Field(ge=0, le=5)
    verdict: Verdict | None = None
    judgement: Judgement | None = None
    winner_tool: str = Field(default="", exclude_if=lambda name: not name)
    ledgers: tuple[SpeechLedger, ...] = ()
    verdict_ledgers: tuple[VerdictLedger, ...] = ()
    conduct: Conduct = Conduct()
    broken_rules: tuple[BrokenRule, ...] = ()
    incomplete_round: int | None = None
    notices: tuple[str, ...] = ()

    def finding(self, request: DebateRequest) -> str:
        """Side with the stronger argument."""
        if self.verdict is None:
            return ""
        tool = self.winner_tool or request.participant(self.verdict.winner).tool
        return f"{tool} ({self.verdict.winner})"


class Exchange(base.Record):
    """One speech as the state file keeps it."""

    round: int
    role: Side
    tool: base.ToolName
    stands_in_for: base.ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)
    response: str
    duration_ms: int


class StateVerdict(base.Record):
    """The verdict in the state file: the specification's five fields, with further ones of ours."""

    winner: base.ToolName
    reasoning: str
    agreements: tuple[str, ...]
    disagreements: tuple[str, ...]
    recommendation: str
    unless: str = ""
    winner_role: Side
    quality: Quality | None
    unresolved_questions: tuple[str, ...]
    scores: SideScores | None = None


class StateExhibit(base.Record):
    """Exhibit as the state file keeps it: its place without its content."""

    number: int
    path: str
    first: int
    last: int


class LastDebate(base.Record):
    """``debate/last-debate.json``: exactly the specification's fields, then ours."""

    id: base.RunId
    topic: str
    proposer: base.StateParticipant
    challenger: base.StateParticipant
    effort: base.Effort
    rounds_completed: int
    max_rounds: int
    status: DebateStatus
    exchanges: tuple[Exchange, ...]
    verdict: StateVerdict | None
    timestamp: base.Moment
    schema_version: int = base.SCHEMA_VERSION
    judge: base.StateParticipant
    panel: tuple[base.StateParticipant, ...] = ()
    blind_openings: bool = False
    devil: bool = False
    exhibits: tuple[StateExhibit, ...] = ()
    judgement: Judgement | None = None
    ledgers: tuple[SpeechLedger, ...] = ()
    verdict_ledgers: tuple[VerdictLedger, ...] = ()
    conduct: Conduct = Conduct()
    broken_rules: tuple[BrokenRule, ...] = ()
    incomplete_round: int | None = None
    spent: Spent = Spent()
    notices: tuple[str, ...] = ()
