"""Ballots of the judges of a debate, and the rule for its winner (specification: seed 004)."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import ReasonText, Record, Role, ToolName, respondent_name

Side = Literal[Role.PROPOSER, Role.CHALLENGER]


class Rating(StrEnum):
    """Rating of a debate in one respect."""

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
    """Scores that a judge gives one side, 1 (worst) to 5.

    Attributes:
        evidence: Its claims are carried by citations that hold.
        reasoning: Its conclusions follow from them.
        responsiveness: It answered the other side's arguments.
        candor: It conceded what it could not defend, and nothing else.
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
        scores: None if the judge gave none that can be read, or in the second order, where none are requested.
        quality: The same.
        arguments: The arguments that it rests on and that occur in the transcript.
        unless: The single condition under which to act on the other side's position; empty if none was stated.
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
    """Order in which a judge was shown the sides, by the first one, Side A."""

    PROPOSER_FIRST = "proposer_first"
    CHALLENGER_FIRST = "challenger_first"

    @property
    def display_name(self) -> str:
        """As people write it."""
        return self.value.replace("_", " ")


class Hedge(StrEnum):
    """Form in which a judge has picked no side after all.

    NO_DIRECTION: it states neither an action nor the condition that would change it. OTHER_SIDE: it
    recommends the position of the side that it did not pick. BOTH: it states literally that both have merit.
    """

    NO_DIRECTION = "no_direction"
    OTHER_SIDE = "other_side"
    BOTH = "both"


class Ballot(Record):
    """Decision of one judge in one order.

    Attributes:
        judge: Number of the judge, from 1.
        tool: The tool that answered.
        stands_in_for: The judge's own tool, if another one answered in its place.
        struck: Words that the judge cited and that occur in no speech.
        unanswered: Challenges that the judge reports as unanswered, in the words of the ``side`` that raised them.
        has_lost_challenges: Whether some of these could not be read, or occur in no speech.
        concessions: Concessions of ``side`` that the judge reports, in its words.
        unsaid: Words that it quotes as evidence of an agreement and that occur in no speech.
        contrary: Such words that do occur, and state the contrary.
        uncompared: Such words that do occur, and of which code cannot show that they carry the agreement.
        hedges: Forms in which it has picked no side after all.
        defaulted: Fields of the reply that decide nothing and could not be read.
    """

    judge: int = Field(ge=1)
    tool: ToolName
    stands_in_for: ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)
    order: Order
    verdict: Verdict
    struck: tuple[str, ...] = ()
    unanswered: tuple[CitedArgument, ...] = ()
    has_lost_challenges: bool = False
    concessions: tuple[CitedArgument, ...] = ()
    unsaid: tuple[str, ...] = ()
    contrary: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    hedges: tuple[Hedge, ...] = ()
    defaulted: tuple[str, ...] = ()

    @property
    def is_supported(self) -> bool:
        """Return whether it cites an argument that the side it picked has made."""
        return any(argument.side is self.verdict.winner for argument in self.verdict.arguments)

    @property
    def name(self) -> str:
        """The tool that answered, as in ``Respondent.name``."""
        return respondent_name(self.tool, self.stands_in_for)


class JudgeAbstention(Record):
    """One judge's lack of a usable verdict in one order, with its cause."""

    judge: int = Field(ge=1)
    tool: ToolName
    stands_in_for: ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)
    order: Order
    cause: str

    @property
    def name(self) -> str:
        """The tool that answered, or failed, as in ``Respondent.name``."""
        return respondent_name(self.tool, self.stands_in_for)


class Firmness(StrEnum):
    """Firmness of the choice of a winner.

    UNANIMOUS: by every judge, of two or more, in both orders. BOTH_ORDERS: by the only judge with a vote, in both
    orders. MAJORITY: by most of the judges with one choice in both orders. ONE_ORDER: not every judge could be asked
    with its reasons in both orders, and no ballot that is missing could have changed the winner. ONE_READER: as above,
    but sides and judges are all the calling agent, or sub-agents of it. UNOPPOSED: as above, but the challenger named
    no flaw in any round, or gave up a concern without evidence. ORDER_SENSITIVE: the judge's winner changed
    with the order, and the tie-break decided. TIE_BREAK: the judges were evenly split, and the tie-break decided.
    UNDECIDED: there is no winner.
    """

    UNANIMOUS = "unanimous"
    BOTH_ORDERS = "both_orders"
    MAJORITY = "majority"
    ONE_ORDER = "one_order"
    ONE_READER = "one_reader"
    UNOPPOSED = "unopposed"
    ORDER_SENSITIVE = "order_sensitive"
    TIE_BREAK = "tie_break"
    UNDECIDED = "undecided"


class TieBreakStep(StrEnum):
    """The steps of the written tie-break, in their order (design: Debate)."""

    CITATIONS = "citations"
    UNANSWERED = "unanswered"


class TieBreak(Record):
    """The step that separated the sides; ``reason`` is the count in one sentence."""

    step: TieBreakStep
    winner: Side
    reason: str


class Judgement(Record):
    """The result of the ballots.

    Attributes:
        winner: None where the debate is undecided.
        order_sensitive: Whether some judge picked another winner when the sides were shown the other way round.
        tie_break: The step that the winner needs; None where the votes are enough, or nothing separates the sides.
        dissent: Numbers of the judges who stand by the other side.
    """

    winner: Side | None
    firmness: Firmness
    order_sensitive: bool
    tie_break: TieBreak | None = None
    ballots: tuple[Ballot, ...]
    abstentions: tuple[JudgeAbstention, ...] = ()
    dissent: tuple[int, ...] = ()
