"""A debate: what it is about, what judges say, how the sides behaved, how it ended (specification: seed 004)."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sparring.schema.base import (
    RULE_BASED_TOOL,
    SCHEMA_VERSION,
    Effort,
    Moment,
    Participant,
    PlainText,
    Record,
    RepoAccess,
    Role,
    RunId,
    StateParticipant,
    ToolName,
)
from sparring.schema.consultation import ContextPart
from sparring.schema.lookups import Ledger, TextSpan
from sparring.schema.runs import Needed, Outcome, Request

Side = Literal[Role.PROPOSER, Role.CHALLENGER]


class Rating(StrEnum):
    """How good a debate was in one respect."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Quality(Record):
    """The three ratings of the specification's synthesis."""

    genuine_disagreement: Rating
    evidence_quality: Rating
    challenge_depth: Rating


class Agreement(Record):
    """A point both sides hold, and what supports it."""

    point: str = Field(min_length=1)
    evidence: str = Field(min_length=1)


class Disagreement(Record):
    """A point the sides do not share, and what each argues."""

    point: str = Field(min_length=1)
    proposer: str = Field(min_length=1)
    challenger: str = Field(min_length=1)


class Scores(Record):
    """What a judge gives one side, 1 (worst) to 5.

    Attributes:
        evidence: Its claims are carried by citations that hold.
        reasoning: Its conclusions follow from them.
        responsiveness: It met what the other side said.
        candor: It conceded what it could not hold, and nothing else.
    """

    evidence: int = Field(ge=1, le=5, strict=True)
    reasoning: int = Field(ge=1, le=5, strict=True)
    responsiveness: int = Field(ge=1, le=5, strict=True)
    candor: int = Field(ge=1, le=5, strict=True)


class SideScores(Record):
    """The scores of both sides."""

    proposer: Scores
    challenger: Scores


class CitedArgument(Record):
    """Words of a speech that a judge rests on. ``quote`` is exactly as the speech of that round has it."""

    side: Side
    round: int = Field(ge=1)
    quote: str = Field(min_length=1)


class Verdict(Record):
    """A judge's synthesis. It always picks a side.

    Attributes:
        scores: None in a run that was judged before there were any.
        arguments: What it rests on and was really made; empty in such a run. Where the winner is ``unsupported``, none
            of them is the winner's.
        unless: The single condition under which to act on the other side's position; empty where none was said.
    """

    winner: Side
    reasoning: str = Field(min_length=1)
    scores: SideScores | None = None
    arguments: tuple[CitedArgument, ...] = ()
    quality: Quality
    agreements: tuple[Agreement, ...]
    disagreements: tuple[Disagreement, ...]
    unresolved_questions: tuple[str, ...]
    recommendation: str = Field(min_length=1)
    unless: str = ""


class Order(StrEnum):
    """Which side a judge was shown first, as Side A."""

    PROPOSER_FIRST = "proposer_first"
    CHALLENGER_FIRST = "challenger_first"


class Hedge(StrEnum):
    """In what form a judge that was asked twice has picked no side.

    NO_DIRECTION: it does not say on whose position to act, and under which condition that would change. OTHER_SIDE: it
    says to act on the position of the side that it did not pick. BOTH: it says, literally, that both have merit.
    """

    NO_DIRECTION = "no_direction"
    OTHER_SIDE = "other_side"
    BOTH = "both"


class Ballot(Record):
    """What one judge decided in one order.

    Attributes:
        judge: Number of the judge, from 1.
        struck: Words that the judge cited although nobody has said them.
        unanswered: Challenges that the judge says were left unanswered, as they were put: ``side`` has put them.
        concessions: What the judge says ``side`` has given up, in its words.
        unsaid: Words that it quotes as evidence of an agreement although nobody has said them.
        hedges: How it has picked no side after all.
    """

    judge: int = Field(ge=1)
    tool: ToolName
    order: Order
    verdict: Verdict
    struck: tuple[str, ...] = ()
    unanswered: tuple[CitedArgument, ...] = ()
    concessions: tuple[CitedArgument, ...] = ()
    unsaid: tuple[str, ...] = ()
    hedges: tuple[Hedge, ...] = ()


class Abstention(Record):
    """That one judge gave no usable verdict in one order, and why."""

    judge: int = Field(ge=1)
    tool: ToolName
    order: Order
    cause: str


class Firmness(StrEnum):
    """How firmly a winner was picked.

    UNANIMOUS: every judge, in both orders. MAJORITY: most of the judges who said the same in both orders. ONE_ORDER:
    by what could be had of the judges, which is no pair of orders. ORDER_SENSITIVE: the judge's winner changed with
    the order, and the tie-break decided. TIE_BREAK: the judges were evenly split, and the tie-break decided.
    UNSUPPORTED: judges said the same in both orders, and no argument that any of them cites was made by that side.
    """

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    ONE_ORDER = "one_order"
    ORDER_SENSITIVE = "order_sensitive"
    TIE_BREAK = "tie_break"
    UNSUPPORTED = "unsupported"


class TieBreakStep(StrEnum):
    """The steps of the written tie-break, in their order (design: Debate)."""

    CITATIONS = "citations"
    UNANSWERED = "unanswered"
    BURDEN = "burden"


class TieBreak(Record):
    """Which step decided.

    Attributes:
        reason: What was counted, in one sentence.
    """

    step: TieBreakStep
    winner: Side
    reason: str


class Judgement(Record):
    """How the winner came about.

    Attributes:
        order_sensitive: Whether some judge picked another winner when the sides were shown the other way round.
        dissent: Numbers of the judges who stand by the other side.
    """

    winner: Side
    firmness: Firmness
    order_sensitive: bool
    tie_break: TieBreak | None = None
    ballots: tuple[Ballot, ...]
    abstentions: tuple[Abstention, ...] = ()
    dissent: tuple[int, ...] = ()


class SpeechLedger(Record):
    """The ledger of one speech. ``problem`` says why there is none."""

    round: int = Field(ge=1)
    role: Side
    ledger: Ledger | None = None
    problem: str = ""


class VerdictPart(StrEnum):
    """What of a verdict cites something."""

    AGREEMENTS = "agreements"
    RECOMMENDATION = "recommendation"


class VerdictLedger(Record):
    """What one part of the verdict cites. ``problem`` says why that is not known."""

    part: VerdictPart
    ledger: Ledger | None = None
    problem: str = ""


class Withdrawal(TextSpan):
    """Where a side took a concession back, in the words of the speech of that round."""

    round: int = Field(ge=1)


class Concession(TextSpan):
    """What a side gave up, in the words of its speech of that round. ``withdrawn`` is None while it stands."""

    role: Side
    round: int = Field(ge=1)
    withdrawn: Withdrawal | None = None


class FlagKind(StrEnum):
    """What is told of a speech.

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


class Convergence(StrEnum):
    """Whether the challenger conceded anything by a mark: nothing, by what it cites, or without citing anything for it.

    UNCHECKED: it did, in a speech whose citations were not looked up.
    """

    NONE = "none"
    UNCHECKED = "unchecked"
    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class Conduct(Record):
    """What code has found in the marks of both sides."""

    concessions: tuple[Concession, ...] = ()
    flags: tuple[Flag, ...] = ()
    convergence: Convergence = Convergence.NONE


TOPIC_LIMIT = 100_000
"""Most characters of a topic. A topic is a question; material belongs into context."""

MOST_JUDGES = 5

SPEAKING_ORDER: tuple[Literal[Role.PROPOSER], Literal[Role.CHALLENGER]] = (Role.PROPOSER, Role.CHALLENGER)
"""Who speaks in a round, in this order."""


EDITION = 2
"""Of the rules by which new debates are held."""

Rounds = Annotated[int, Field(ge=1, le=5)]
"""How often each side speaks."""


class DebateRequest(Request):
    """What a debate is about and who takes part.

    Attributes:
        context: Material that both sides and the judge see.
        judge: The first judge, who also makes the summaries.
        panel: Further judges.
        timeout_s: Seconds for each consultation.
        repo_access: What both sides may see of the project; the judge sees what they say of it.
        blind_openings: Both sides open without hearing the other.
        devil: One tool may argue both sides, as the devil's advocate of itself.
        edition: The rules that it is held by. A run begun under the first ends under them: torn quotes count for
            nothing, nobody wins without support, what a verdict cites is not looked up, and none is called hedged.
        notices: What the user should know about how the request was completed, e.g. whose judge was chosen.
    """

    kind: Literal["debate"] = "debate"
    topic: PlainText = Field(min_length=1, max_length=TOPIC_LIMIT)
    context: tuple[ContextPart, ...] = ()
    proposer: Participant
    challenger: Participant
    judge: Participant
    panel: tuple[Participant, ...] = Field(default=(), max_length=MOST_JUDGES - 1)
    rounds: Rounds = 2
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    repo_access: RepoAccess = RepoAccess.NONE
    blind_openings: bool = False
    devil: bool = False
    edition: Literal[1, 2] = 1
    notices: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _sides_differ(self) -> Self:
        is_one = self.proposer.tool == self.challenger.tool
        if is_one and not self.devil and self.proposer.tool != RULE_BASED_TOOL:
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
    def judges(self) -> tuple[Participant, ...]:
        """All judges, in their order."""
        return (self.judge, *self.panel)

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.topic

    def needed(self) -> Iterator[Needed]:
        """See ``Request.needed``."""
        for side in (self.proposer, self.challenger):
            yield Needed(participant=side, effort=self.effort, repo_access=self.repo_access)
        for judge in self.judges:  # who sees nothing of the project
            yield Needed(participant=judge, effort=self.effort)

    @property
    def material(self) -> Mapping[str, tuple[ContextPart, ...]]:
        """See ``Request.material``."""
        return {"Context": self.context}

    def participant(self, role: Role) -> Participant:
        """Who sits in ``role``."""
        seats = {Role.PROPOSER: self.proposer, Role.CHALLENGER: self.challenger, Role.JUDGE: self.judge}
        return seats[role]


class DebateStatus(StrEnum):
    """How a debate ended.

    COMPLETED: all rounds, verdict. INCOMPLETE: a later consultation failed, verdict from the completed rounds.
    UNCONTESTED: the challenger failed in round 1, the proposer's position stands alone, no verdict.
    UNJUDGED: the rounds are there, the judge failed. FAILED: nothing to show.
    """

    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    UNCONTESTED = "uncontested"
    UNJUDGED = "unjudged"
    FAILED = "failed"


class DebateOutcome(Outcome):
    """The end of a debate.

    Attributes:
        notices: Lines for the reader, among them the literal ``[WARN]`` and ``[ERROR]`` messages of the specification.
        incomplete_round: The round that was broken off, if one was.
        judgement: How the verdict's winner came about.
        ledgers: What each speech cites, in the order of speaking.
        verdict_ledgers: What the verdict names as evidence of its agreements, and what its recommendation cites.
    """

    kind: Literal["debate"] = "debate"
    status: DebateStatus
    rounds_completed: int = Field(ge=0, le=5)
    verdict: Verdict | None = None
    judgement: Judgement | None = None
    ledgers: tuple[SpeechLedger, ...] = ()
    verdict_ledgers: tuple[VerdictLedger, ...] = ()
    conduct: Conduct = Conduct()
    incomplete_round: int | None = None
    notices: tuple[str, ...] = ()


class Exchange(Record):
    """One speech as the state file keeps it."""

    round: int
    role: Side
    tool: ToolName
    response: str
    duration_ms: int


class StateVerdict(Record):
    """The verdict as the state file keeps it: the specification's five fields, ours beside them."""

    winner: ToolName
    reasoning: str
    agreements: tuple[str, ...]
    disagreements: tuple[str, ...]
    recommendation: str
    unless: str = ""
    winner_role: Side
    quality: Quality
    unresolved_questions: tuple[str, ...]
    scores: SideScores | None = None


class LastDebate(Record):
    """``debate/last-debate.json``: exactly the specification's fields, then ours.

    Attributes:
        id: ``debate-{ISO timestamp}-{4 char random hex}``.
    """

    id: RunId
    topic: str
    proposer: StateParticipant
    challenger: StateParticipant
    effort: Effort
    rounds_completed: int
    max_rounds: int
    status: DebateStatus
    exchanges: tuple[Exchange, ...]
    verdict: StateVerdict | None
    timestamp: Moment
    schema_version: int = SCHEMA_VERSION
    judge: StateParticipant
    panel: tuple[StateParticipant, ...] = ()
    blind_openings: bool = False
    devil: bool = False
    judgement: Judgement | None = None
    ledgers: tuple[SpeechLedger, ...] = ()
    verdict_ledgers: tuple[VerdictLedger, ...] = ()
    conduct: Conduct = Conduct()
    incomplete_round: int | None = None
    notices: tuple[str, ...] = ()
