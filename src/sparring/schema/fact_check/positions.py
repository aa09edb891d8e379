"""Where agents stand: what they said in a round, and how much of it counts."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Record
from sparring.schema.claims import Label
from sparring.schema.consultation import FailureCode
from sparring.schema.quotes import QuoteFinding


class PartStatus(StrEnum):
    """What the evidence does for a part of the claim (specification: Round 1, step 1)."""

    COVERED = "COVERED"
    MISSING = "MISSING"
    CONFLICT = "CONFLICT"


def verdict_by_rule(statuses: Sequence[PartStatus]) -> Label:
    """What the parts of a claim make: any CONFLICT refutes, even beside a MISSING one; all COVERED support; else NEI.

    Source: specification (seed 000), Round 1, step 2; design, Fact-check, for a CONFLICT beside a MISSING one.
    """
    if PartStatus.CONFLICT in statuses:
        return Label.REFUTED
    return Label.SUPPORTED if set(statuses) == {PartStatus.COVERED} else Label.NEI


class Issue(StrEnum):
    """What is wrong with another agent's quote (specification: Round 2+)."""

    IRRELEVANT = "irrelevant"
    NOT_DIRECT = "not_direct"
    WRONG_CONTEXT = "wrong_context"
    MISSES_KEY_PART = "misses_key_part"
    WEAK_CONTRADICTION = "weak_contradiction"
    NO_SUPPORTING_QUOTE = "no_supporting_quote"


class DecisionChange(StrEnum):
    """What an agent says it does with its verdict (specification: Round 2+)."""

    MAINTAIN = "MAINTAIN"
    CONSIDER_CHANGE = "CONSIDER_CHANGE"
    CHANGE = "CHANGE"


class ChangeTrigger(StrEnum):
    """Why an agent changes its verdict (specification: Round 2+)."""

    STRONGER_QUOTE = "stronger_quote"
    MISSED_PART = "missed_part"
    CONTEXT_ERROR = "context_error"
    NO_SUPPORTING_QUOTE = "no_supporting_quote"
    NONE = "N/A"


class Fault(StrEnum):
    """What code has caught an answer at. None of these is a label; each takes away what it would have carried.

    FABRICATED_QUOTE: nothing like the quote is in the evidence. ALTERED_QUOTE: something like it is. UNRELATED_QUOTE:
    it is there, but says nothing of its part. CONTRADICTED_PART: by code the quote and its part do not agree on a
    number, a date or a word, yet the part is called COVERED. MISSING_QUOTE: a part is COVERED or CONFLICT without one.
    FOREIGN_PART: the part is none of the claim. VERDICT_NOT_BY_RULE: the verdict does not follow from the parts, or is
    not what the agent says it does with the one before.
    CHANGE_WITHOUT_NEW_QUOTE: the verdict was changed without a new quote that is verbatim. CONFORMED: such a change,
    to what most others said the round before. MISQUOTED_AGENT: another agent never said that. UNUSABLE_ANSWER: it
    could not be read, and was asked for again.
    """

    FABRICATED_QUOTE = "fabricated_quote"
    ALTERED_QUOTE = "altered_quote"
    UNRELATED_QUOTE = "unrelated_quote"
    CONTRADICTED_PART = "contradicted_part"
    MISSING_QUOTE = "missing_quote"
    FOREIGN_PART = "foreign_part"
    VERDICT_NOT_BY_RULE = "verdict_not_by_rule"
    CHANGE_WITHOUT_NEW_QUOTE = "change_without_new_quote"
    CONFORMED = "conformed"
    MISQUOTED_AGENT = "misquoted_agent"
    UNUSABLE_ANSWER = "unusable_answer"


class FaultFound(Record):
    """A fault, in a sentence for people; ``quote`` is what it is about, if it is about one."""

    fault: Fault
    why: str = Field(min_length=1)
    quote: str | None = None


class CheckedPart(Record):
    """A part of the claim as an agent sees it.

    Attributes:
        status: What counts: MISSING wherever the quote does not carry what was claimed.
        claimed: What the agent said.
        found: Where its quote is in the evidence; None without a quote.
    """

    part: str = Field(min_length=1)
    status: PartStatus
    claimed: PartStatus
    quote: str | None = None
    found: QuoteFinding | None = None


class CheckedRebuttal(Record):
    """What an agent says against another one, its counter-quote located."""

    agent: str
    their_verdict: Label | None = None
    their_quote: str | None = None
    issue: Issue | None = None
    counter_quote: str | None = None
    found: QuoteFinding | None = None


class Movement(StrEnum):
    """What became of an agent's verdict in a round.

    BLIND: it is the first one. MAINTAINED: as before. CHANGED: by a new quote that is verbatim. CHANGE_REJECTED: it
    was to be changed without one, and stays.
    """

    BLIND = "blind"
    MAINTAINED = "maintained"
    CHANGED = "changed"
    CHANGE_REJECTED = "change_rejected"


class Position(Record):
    """Where an agent stands after a round.

    Attributes:
        verdict: Its vote: what the rules let stand.
        claimed: What it said.
        key_quote: The quote that it rests on most; ``key_quote_found`` says where that is.
        quotes: At most two of its quotes that are verbatim, as the other agents are shown them.
        reason: Its own words, in the language asked for (the specification's ``reasoning_vi``).
    """

    round: int = Field(ge=1)
    verdict: Label
    claimed: Label
    movement: Movement
    parts: tuple[CheckedPart, ...] = ()
    parts_checked: tuple[str, ...] = ()
    key_quote: str | None = None
    key_quote_found: QuoteFinding | None = None
    quotes: tuple[str, ...] = ()
    rebuttals: tuple[CheckedRebuttal, ...] = ()
    decision_change: DecisionChange | None = None
    change_trigger: ChangeTrigger | None = None
    faults: tuple[FaultFound, ...] = ()
    reason: str = ""


class Abstention(Record):
    """That an agent has no vote from a round on, and why."""

    round: int = Field(ge=1)
    code: FailureCode
    detail: str
