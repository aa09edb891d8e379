"""What the judges of a debate say, and how its winner comes about (specification: seed 004)."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import ReasonText, Record, Role, ToolName, answerer_name

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
    """A point both sides hold, and what supports it; empty if the judge did not say."""

    point: ReasonText = Field(min_length=1)
    evidence: ReasonText = ""


class Disagreement(Record):
    """A point the sides do not share, and what each argues; empty if the judge did not say."""

    point: str = Field(min_length=1)
    proposer: str = ""
    challenger: str = ""


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
        scores: None if the judge gave none that can be read, or was not asked for any: in the second order.
        quality: The same.
        arguments: What it rests on and was really made; empty in such a run. Where the winner is ``unsupported``, none
            of them is the winner's.
        unless: The single condition under which to act on the other side's position; empty where none was said.
    """

    winner: Side
    reasoning: str = ""
    scores: SideScores | None = None
    arguments: tuple[CitedArgument, ...] = ()
    quality: Quality | None = None
    agreements: tuple[Agreement, ...]
    disagreements: tuple[Disagreement, ...]
    unresolved_questions: tuple[str, ...]
    recommendation: str = ""
    unless: str = ""


class Order(StrEnum):
    """Which side a judge was shown first, as Side A."""

    PROPOSER_FIRST = "proposer_first"
    CHALLENGER_FIRST = "challenger_first"

    @property
    def spoken(self) -> str:
        """As people write it."""
        return self.value.replace("_", " ")


class Hedge(StrEnum):
    """In what form a judge has picked no side after all.

    NO_DIRECTION: it does not say what to do, or under which condition that would change. OTHER_SIDE: it
    says to act on the position of the side that it did not pick. BOTH: it says, literally, that both have merit.
    """

    NO_DIRECTION = "no_direction"
    OTHER_SIDE = "other_side"
    BOTH = "both"


class Ballot(Record):
    """What one judge decided in one order.

    Attributes:
        judge: Number of the judge, from 1.
        tool: The tool that answered.
        stands_in_for: The judge's own tool, if another one answered in its place.
        struck: Words that the judge cited although nobody has said them.
        unanswered: Challenges that the judge says were left unanswered, as they were put: ``side`` has put them.
        concessions: What the judge says ``side`` has given up, in its words.
        unsaid: Words that it quotes as evidence of an agreement although nobody has said them.
        contrary: The same of words that were said, and say otherwise.
        uncompared: The same of words that were said, and of which code cannot show that they carry the agreement.
        hedges: How it has picked no side after all.
        defaulted: Fields of the reply that decide nothing and could not be read.
    """

    judge: int = Field(ge=1)
    tool: ToolName
    stands_in_for: ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)
    order: Order
    verdict: Verdict
    struck: tuple[str, ...] = ()
    unanswered: tuple[CitedArgument, ...] = ()
    concessions: tuple[CitedArgument, ...] = ()
    unsaid: tuple[str, ...] = ()
    contrary: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    hedges: tuple[Hedge, ...] = ()
    defaulted: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The tool that answered, as in ``Answerer.name``."""
        return answerer_name(self.tool, self.stands_in_for)


class JudgeAbstention(Record):
    """That one judge gave no usable verdict in one order, and why."""

    judge: int = Field(ge=1)
    tool: ToolName
    stands_in_for: ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)
    order: Order
    cause: str

    @property
    def name(self) -> str:
        """The tool that answered, or failed, as in ``Answerer.name``."""
        return answerer_name(self.tool, self.stands_in_for)


class Firmness(StrEnum):
    """How firmly a winner was picked.

    UNANIMOUS: every judge, in both orders. MAJORITY: most of the judges who said the same in both orders. ONE_ORDER:
    by what could be had of the judges, which is no pair of orders. ONE_READER: as above, but sides and judges are all
    the calling agent, or sub-agents of it. ORDER_SENSITIVE: the judge's winner changed with
    the order, and the tie-break decided. TIE_BREAK: the judges were evenly split, and the tie-break decided.
    UNSUPPORTED: judges said the same in both orders, and no argument that any of them cites was made by that side.
    """

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    ONE_ORDER = "one_order"
    ONE_READER = "one_reader"
    ORDER_SENSITIVE = "order_sensitive"
    TIE_BREAK = "tie_break"
    UNSUPPORTED = "unsupported"


class TieBreakStep(StrEnum):
    """The steps of the written tie-break, in their order (design: Debate)."""

    CITATIONS = "citations"
    UNANSWERED = "unanswered"
    BURDEN = "burden"


class TieBreak(Record):
    """Which step decided; ``reason`` is what was counted, in one sentence."""

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
    abstentions: tuple[JudgeAbstention, ...] = ()
    dissent: tuple[int, ...] = ()
