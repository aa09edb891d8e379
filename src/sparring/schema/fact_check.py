"""A fact-check: its request, the positions of agents, its ending (specification: seed 000)."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from sparring.schema import base, claims, consultation, lookups, runs

CLAIM_LIMIT = 20_000
"""Most characters of a claim. A claim is a sentence or a few; longer texts are evidence."""

FEWEST_AGENTS, MOST_AGENTS, USUAL_AGENTS = 2, 7, 3


class Escalation(StrEnum):
    """When agents debate. AUTO: when round 1 is split or one of its quotes failed."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class ShownPositions(StrEnum):
    """Agents whose positions an agent sees in a debate round; all but OTHERS are controls of an evaluation."""

    OTHERS = "others"
    NONE = "none"
    OTHER_ROW = "other_row"


MOST_SAMPLES = 64
"""Most agents of a request. An evaluation asks more of them, blind, than a single fact-check."""

Rounds = Annotated[int, Field(ge=1, le=5)]
"""The blind round and the debate rounds, together."""


class FactCheckRequest(runs.Request):
    """Request of a fact-check: claim, evidence and agents.

    Attributes:
        evidence: The sources, in the order in which quotes name them by index.
        families: Families of the models of each agent; a tool of unknown family counts as its own.
        shown_positions: The agents whose positions are shown in a debate round.
        other_row_positions: Positions from another row, by seat, where those are shown.
    """

    kind: Literal["fact-check"] = "fact-check"
    claim: base.PlainText = Field(min_length=1, max_length=CLAIM_LIMIT)
    evidence: tuple[consultation.ContextPart, ...] = Field(min_length=1)
    agents: tuple[base.Participant, ...] = Field(max_length=MOST_SAMPLES)  # none where code alone is asked
    max_rounds: Rounds = 3
    escalation: Escalation = Escalation.AUTO
    language: base.Language = "en"
    effort: base.Effort = base.Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    redactions: int = Field(default=0, ge=0)
    families: tuple[str, ...] = ()
    shown_positions: ShownPositions = Field(
        default=ShownPositions.OTHERS, exclude_if=lambda value: value is ShownPositions.OTHERS
    )
    other_row_positions: tuple["Position | None", ...] = Field(default=(), exclude_if=lambda value: not value)
    notices: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Subject of the run: the claim."""
        return self.claim

    def needed(self) -> Iterator[runs.Needed]:
        """See ``Request.needed``."""
        for agent in self.agents:
            yield runs.Needed(participant=agent, effort=self.effort)

    @property
    def material(self) -> Mapping[str, tuple[consultation.ContextPart, ...]]:
        """See ``Request.material``."""
        return {"Evidence": self.evidence}

    def family_of(self, name: str, tool: str) -> str:
        """The family of ``tool``, which answered in the place of the agent of that name; its own name if unknown."""
        own = self.names.index(name)
        seats = [*zip(self.agents, self.families, strict=False)]
        known = next((family for agent, family in (*seats[own : own + 1], *seats) if agent.tool == tool), "")
        return known or self.family_of_tool(tool)

    @property
    def names(self) -> tuple[str, ...]:
        """Names under which agents see each other; the name of a tool would influence them."""
        return tuple(f"Agent {number}" for number in range(1, len(self.agents) + 1))


class PartStatus(StrEnum):
    """Status of a part of the claim by the evidence (specification: Round 1, step 1)."""

    COVERED = "COVERED"
    MISSING = "MISSING"
    CONFLICT = "CONFLICT"


class Issue(StrEnum):
    """Fault of another agent's quote (specification: Round 2+)."""

    IRRELEVANT = "irrelevant"
    NOT_DIRECT = "not_direct"
    WRONG_CONTEXT = "wrong_context"
    MISSES_KEY_PART = "misses_key_part"
    WEAK_CONTRADICTION = "weak_contradiction"
    NO_SUPPORTING_QUOTE = "no_supporting_quote"


class DecisionChange(StrEnum):
    """Decision of an agent about its verdict, as declared (specification: Round 2+)."""

    MAINTAIN = "MAINTAIN"
    CONSIDER_CHANGE = "CONSIDER_CHANGE"
    CHANGE = "CHANGE"


class ChangeTrigger(StrEnum):
    """Reason of an agent's change of verdict (specification: Round 2+)."""

    STRONGER_QUOTE = "stronger_quote"
    MISSED_PART = "missed_part"
    CONTEXT_ERROR = "context_error"
    NO_SUPPORTING_QUOTE = "no_supporting_quote"
    NONE = "N/A"


class Fault(StrEnum):
    """Fault of an answer that code has detected.

    None of these is a label; each takes away what it would have carried.

    FABRICATED_QUOTE: nothing like the quote is in the evidence. ALTERED_QUOTE: something like it is.
    CONTRADICTED_PART: by code the quote and its part disagree on a number, a date or a word, yet the part is
    called COVERED. AGREEING_QUOTE: by code the quote supports the part, yet the part is called a CONFLICT.
    OPEN_QUOTE: code can show neither, and no second reader confirms it. MISSING_QUOTE: a part is COVERED or CONFLICT
    without one. FOREIGN_PART: the part is none of the claim. INCOMPLETE_PARTS: the parts leave words of the claim
    out, after two requests. VERDICT_NOT_BY_RULE: the verdict does not follow from the parts, or contradicts the change
    that the agent declares. CHANGE_WITHOUT_NEW_QUOTE: the verdict was changed without a new quote that is
    verbatim. CONFORMED: such a change, to the majority of the round before. MISQUOTED_AGENT: words that the other agent
    never used. MISSTATED_ITSELF: a false statement on its own move or evidence. UNUSABLE_ANSWER: it could
    not be read, or lacked fields, and was requested again.
    """

    FABRICATED_QUOTE = "fabricated_quote"
    ALTERED_QUOTE = "altered_quote"
    CONTRADICTED_PART = "contradicted_part"
    AGREEING_QUOTE = "agreeing_quote"
    OPEN_QUOTE = "open_quote"
    MISSING_QUOTE = "missing_quote"
    FOREIGN_PART = "foreign_part"
    INCOMPLETE_PARTS = "incomplete_parts"
    VERDICT_NOT_BY_RULE = "verdict_not_by_rule"
    CHANGE_WITHOUT_NEW_QUOTE = "change_without_new_quote"
    CONFORMED = "conformed"
    MISQUOTED_AGENT = "misquoted_agent"
    MISSTATED_ITSELF = "misstated_itself"
    UNUSABLE_ANSWER = "unusable_answer"


class FaultFinding(base.Record):
    """A fault, in a sentence for people; ``quote`` is the quote concerned, if any."""

    fault: Fault
    why: str = Field(min_length=1)
    quote: str | None = None


class SecondReading(base.Record):
    """Second reading of a quote by a reader that saw only the part and the quote.

    Attributes:
        by: The reader; ``other_givers`` are the agents that gave part and quote.
        says: OPEN too where there was a ``problem``; else with the ``words`` of the quote that it rests on.
    """

    by: str
    other_givers: tuple[str, ...]
    says: claims.Relation
    words: str | None = None
    problem: str = ""


class CheckedPart(base.Record):
    """A part of the claim as an agent sees it.

    Attributes:
        status: The status that counts: MISSING wherever the quote does not carry the claimed one.
        claimed: Status by the agent.
        quote_finding: The place of its quote in the evidence; None without a quote.
        relation: Relation of the quote to the part, by code; ``reading`` is that of a reader, where code leaves it OPEN
            or a second look contradicts code.
        is_added: Whether code added it, for words of the claim that no part of the agent covers.
    """

    part: str
    status: PartStatus
    claimed: PartStatus
    quote: str | None = None
    quote_finding: lookups.QuoteFinding | None = None
    relation: claims.Relation | None = None
    reading: SecondReading | None = None
    is_added: bool = False

    @property
    def is_against_code(self) -> bool:
        """Return whether the agent and a reader, who saw the result of code, both contradict it."""
        return self.reading is not None and self.relation in {claims.Relation.CARRIES, claims.Relation.CONFLICTS}


class CheckedRebuttal(base.Record):
    """Rebuttal of another agent, its counter-quote located."""

    agent: str
    their_verdict: claims.Label | None = None
    their_quote: str | None = None
    issue: Issue | None = None
    counter_quote: str | None = None
    quote_finding: lookups.QuoteFinding | None = None


class Movement(StrEnum):
    """Movement of an agent's verdict in a round.

    BLIND: it is the first one. MAINTAINED: as before. CHANGED: by a new quote that is verbatim. CHANGE_REJECTED: it
    was to be changed without one, and stays.
    """

    BLIND = "blind"
    MAINTAINED = "maintained"
    CHANGED = "changed"
    CHANGE_REJECTED = "change_rejected"


class Position(base.Record):
    """Position of an agent after a round.

    Attributes:
        verdict: Its vote under the rules.
        claimed: The verdict that it stated.
        key_quote: Its most important quote; ``key_quote_finding`` is the place of that quote.
        quotes: At most two of its verbatim quotes, for the other agents.
        decision_change, has_new_evidence, changed_from: As it states them, or as code finds them where it states
            nothing. ``brings_new_quote`` is always the result of code.
        has_strong_counterevidence, change_trigger: As it states them; None without a statement.
        reasoning_vi: Its own words, in the requested language. Earlier records have it as ``reason``, and the parts as
            ``parts_checked``.
    """

    round: int = Field(ge=1)
    verdict: claims.Label
    claimed: claims.Label
    movement: Movement
    parts: tuple[CheckedPart, ...] = ()
    key_parts_checked: tuple[str, ...] = Field(
        default=(), validation_alias=AliasChoices("key_parts_checked", "parts_checked")
    )
    key_quote: str | None = None
    key_quote_finding: lookups.QuoteFinding | None = None
    quotes: tuple[str, ...] = ()
    rebuttals: tuple[CheckedRebuttal, ...] = ()
    decision_change: DecisionChange | None = None
    change_trigger: ChangeTrigger | None = None
    has_new_evidence: bool | None = None
    brings_new_quote: bool | None = None
    has_strong_counterevidence: bool | None = None
    changed_from: claims.Label | None = None
    faults: tuple[FaultFinding, ...] = ()
    reasoning_vi: str = Field(default="", validation_alias=AliasChoices("reasoning_vi", "reason"))


class Abstention(base.Record):
    """Abstention of an agent from a round on, with its cause."""

    round: int = Field(ge=1)
    code: consultation.FailureCode
    detail: str


QUORUM = 2
"""Fewest valid votes that make a verdict (design: Fact-check)."""


class Path(StrEnum):
    """Comparison of an agent's blind vote with its debated one.

    KEPT: the same. FIXED: it moved to the final label. FLIPPED: it moved to another one. ABSTAINED: one is missing.
    """

    KEPT = "kept"
    FIXED = "fixed"
    FLIPPED = "flipped"
    ABSTAINED = "abstained"


class AgentPath(base.Record):
    """One agent through the rounds.

    Attributes:
        tool: The last tool that answered for it, which may be a substitute.
        model: As its tool reported it, else as it was requested.
        family: Of the model that answered last, where that is another than was known when the run began.
        blind: Its vote of round 1; None when it abstained.
        debated: Its vote of the last round; None when it abstained.
    """

    name: str
    tool: base.ToolName
    stands_in_for: base.ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)
    model: str | None
    family: str = Field(default="", exclude_if=lambda family: not family)
    positions: tuple[Position, ...] = ()
    abstention: Abstention | None = None
    blind: claims.Label | None
    debated: claims.Label | None
    path: Path

    @property
    def respondent(self) -> base.StateParticipant:
        """The tool that answered last."""
        return base.StateParticipant(tool=self.tool, model=self.model, stands_in_for=self.stands_in_for)


class FactCheckStatus(StrEnum):
    """Ending of a fact-check. NO_QUORUM: too few valid votes, hence no verdict. FAILED: not one."""

    COMPLETED = "completed"
    NO_QUORUM = "no_quorum"
    FAILED = "failed"


class Decision(StrEnum):
    """Rule by which the votes of the last round make the label.

    UNANIMOUS: all the same. MAJORITY: more than half. PLURALITY: the most, but not more than half. SPLIT: two labels
    have the most, so that the label is NEI. BY_CODE: there are no votes, and it is what code finds.
    """

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    PLURALITY = "plurality"
    SPLIT = "split"
    BY_CODE = "by_code"


class StopReason(StrEnum):
    """Reason for which there was no further round.

    NOT_ESCALATED: ``escalation`` called for no debate. STABLE: unanimous, and no vote changed in the last round.
    MAX_ROUNDS: the rounds are used up. NO_QUORUM: too few agents are left. BY_CODE: no agents were requested.
    """

    NOT_ESCALATED = "not_escalated"
    STABLE = "stable"
    MAX_ROUNDS = "max_rounds"
    NO_QUORUM = "no_quorum"
    BY_CODE = "by_code"


class Tally(base.Record):
    """The valid votes of one round, and those that are missing."""

    supported: int = Field(default=0, ge=0)
    refuted: int = Field(default=0, ge=0)
    nei: int = Field(default=0, ge=0)
    abstained: int = Field(default=0, ge=0)


class DoubtKind(StrEnum):
    """Kind of weakness of a label.

    ONE_QUOTE: every vote for it rests on one quote that code could not show. UNSHOWN_QUOTE: some vote does. ONE_READER:
    such a quote was read by one tool alone, twice. ONE_FAMILY: all votes for it come from one family of models.
    AGAINST_CODE: code contradicts the reading of a quote. PARTS_NOT_COMPARED: code cannot compare its words.
    PARTS_NOT_JOINED: no one sentence carries all parts.
    """

    ONE_QUOTE = "one_quote"
    UNSHOWN_QUOTE = "unshown_quote"
    ONE_READER = "one_reader"
    ONE_FAMILY = "one_family"
    AGAINST_CODE = "against_code"
    PARTS_NOT_COMPARED = "parts_not_compared"
    PARTS_NOT_JOINED = "parts_not_joined"


class Doubt(base.Record):
    """Doubt about a label, in a sentence for people."""

    kind: DoubtKind
    why: str = Field(min_length=1)


class FactCheckOutcome(runs.Outcome):
    """The end of a fact-check.

    Attributes:
        label: None without a quorum, and then only.
        blind: The votes of round 1.
        debated: The votes of the last round.
        check: Result of code alone for claim and evidence.
        is_contested: Whether the label is SUPPORTED and that of ``check`` REFUTED, or the other way round.
    """

    kind: Literal["fact-check"] = "fact-check"
    status: FactCheckStatus
    label: claims.Label | None = None
    decision: Decision | None = None
    stop_reason: StopReason
    rounds_completed: int = Field(ge=0)
    blind: Tally
    debated: Tally
    agents: tuple[AgentPath, ...]
    check: claims.ClaimCheck
    is_contested: bool = False
    doubts: tuple[Doubt, ...] = ()
    notices: tuple[str, ...] = ()

    def finding(self, request: FactCheckRequest) -> str:
        """The label."""
        del request
        return self.label or ""


class LastFactCheck(base.Record):
    """``fact-check/last-fact-check.json`` and the ``result.json`` of a fact-check. Spans name evidence by index."""

    id: base.RunId
    claim: str
    evidence: tuple[consultation.ContextSize, ...]
    status: FactCheckStatus
    label: claims.Label | None
    decision: Decision | None
    stop_reason: StopReason
    rounds_completed: int
    max_rounds: int
    escalation: Escalation
    language: base.Language
    effort: base.Effort
    blind: Tally
    debated: Tally
    agents: tuple[AgentPath, ...]
    check: claims.ClaimCheck
    is_contested: bool
    doubts: tuple[Doubt, ...] = ()
    spent: runs.Spent
    redactions: int
    timestamp: base.Moment
    notices: tuple[str, ...] = ()
    schema_version: int = base.SCHEMA_VERSION
