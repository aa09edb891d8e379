"""What a judge's reply says, field by field, and whether what it cites was ever said.

The judge knows the sides by letters only. A spelling is forgiven (``side a``, ``High``), fields that we do not know are
ignored, and nothing is made up: a verdict is to rest on the debate and on nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field

from sparring.engine.replies import as_record, read_object
from sparring.formats.debate.anonymize import Letter, first_side, side_of, with_roles
from sparring.formats.debate.sides import Sides
from sparring.schema.base import Record, Role
from sparring.schema.debate import (
    Agreement,
    CitedArgument,
    Disagreement,
    Order,
    Quality,
    Scores,
    Side,
    SideScores,
    Verdict,
)

MOST_CITED = 20
"""1 to 3 arguments are asked for. A reply that cites everything rests on nothing."""


def _letter(value: object) -> object:
    return value.strip().upper().removeprefix("SIDE ") if isinstance(value, str) else value


def _object(value: object) -> dict[Any, Any] | None:
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else None


def _by_letter(value: object) -> object:
    """``value`` with keys such as ``Side A`` or ``a`` spelled as letters, other keys as they are."""
    if (found := _object(value)) is None:
        return value
    return {letter if (letter := _letter(key)) in ("A", "B") else key: each for key, each in found.items()}


def _labels(value: object) -> object:
    if (found := _object(value)) is None:
        return value
    return {key: str(label).strip().lower() for key, label in found.items()}


_Side = Annotated[Letter, BeforeValidator(_letter)]


class Cited(Record):
    """Words that the judge says a side has used."""

    side: _Side
    quote: str = Field(min_length=1)


class _Disputed(Record):
    point: str = Field(min_length=1)
    a: str = Field(min_length=1, alias="A")
    b: str = Field(min_length=1, alias="B")


class _BothScores(Record):
    a: Scores = Field(alias="A")
    b: Scores = Field(alias="B")


class Reply(Record):
    """A judge's reply. Which side a letter stands for depends on the order that the judge was shown."""

    winner: _Side
    reasoning: str = Field(min_length=1)
    scores: Annotated[_BothScores, BeforeValidator(_by_letter)]
    arguments: tuple[Cited, ...] = Field(min_length=1, max_length=MOST_CITED)
    unanswered: tuple[Cited, ...] = Field(max_length=MOST_CITED)
    concessions: tuple[Cited, ...] = Field(default=(), max_length=MOST_CITED)
    quality: Annotated[Quality, BeforeValidator(_labels)]
    agreements: tuple[Agreement, ...]
    disagreements: tuple[Annotated[_Disputed, BeforeValidator(_by_letter)], ...]
    unresolved_questions: tuple[str, ...]
    recommendation: str = Field(min_length=1)

    @property
    def cited(self) -> tuple[Cited, ...]:
        """All words that it says a side has used."""
        return (*self.arguments, *self.unanswered, *self.concessions)

    def verdict(self, order: Order, arguments: tuple[CitedArgument, ...]) -> Verdict:
        """The verdict that it is in that order, resting on ``arguments``; there must be one at least."""
        roles = _Roles(order)
        return Verdict(
            winner=side_of(self.winner, order),
            reasoning=roles.named(self.reasoning),
            scores=roles.scores(self.scores),
            arguments=arguments,
            quality=self.quality,
            agreements=tuple(
                Agreement(point=roles.named(agreed.point), evidence=roles.named(agreed.evidence))
                for agreed in self.agreements
            ),
            disagreements=tuple(roles.disagreement(disputed) for disputed in self.disagreements),
            unresolved_questions=tuple(roles.named(question) for question in self.unresolved_questions),
            recommendation=roles.named(self.recommendation),
        )


def read_reply(reply: str) -> Reply:
    """The JSON object that a judge was asked for.

    Raises:
        UnusableReplyError: There is none, or it is no verdict.
    """
    return as_record(read_object(reply), Reply)


class _Roles:
    """Puts the sides in the places of the letters."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._is_proposer_first = first_side(order) is Role.PROPOSER

    def named(self, text: str) -> str:
        return with_roles(text, self._order)

    def scores(self, scores: _BothScores) -> SideScores:
        proposer, challenger = (scores.a, scores.b) if self._is_proposer_first else (scores.b, scores.a)
        return SideScores(proposer=proposer, challenger=challenger)

    def disagreement(self, disputed: _Disputed) -> Disagreement:
        a, b = self.named(disputed.a), self.named(disputed.b)
        proposer, challenger = (a, b) if self._is_proposer_first else (b, a)
        return Disagreement(point=self.named(disputed.point), proposer=proposer, challenger=challenger)


@dataclass(frozen=True)
class Checked:
    """A reply whose citations were looked up.

    Attributes:
        arguments: What was really said, in the words of the transcript.
        unanswered: The same, of the challenges that it says were left unanswered.
        concessions: The same, of what it says a side has given up.
        invented: What nobody, or the other side, has said.
    """

    reply: Reply
    winner: Side
    arguments: tuple[CitedArgument, ...]
    unanswered: tuple[CitedArgument, ...]
    concessions: tuple[CitedArgument, ...]
    invented: tuple[Cited, ...]

    @property
    def supports_winner(self) -> bool:
        """Whether it cites an argument that the side it picked has made."""
        return any(argument.side is self.winner for argument in self.arguments)


def check(reply: Reply, sides: Sides) -> Checked:
    """``reply`` with every citation looked up in what that side has said."""
    return Checked(
        reply=reply,
        winner=side_of(reply.winner, sides.order),
        arguments=_located(reply.arguments, sides),
        unanswered=_located(reply.unanswered, sides),
        concessions=_located(reply.concessions, sides),
        invented=tuple(cited for cited in reply.cited if not _locate(cited, sides)),
    )


def _located(cited: Iterable[Cited], sides: Sides) -> tuple[CitedArgument, ...]:
    found = (_locate(each, sides) for each in cited)
    return tuple(dict.fromkeys(argument for argument in found if argument))


def _locate(cited: Cited, sides: Sides) -> CitedArgument | None:
    return sides.locate(side_of(cited.side, sides.order), cited.quote)
