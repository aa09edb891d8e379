"""A judge's reply, in the first order and in the second: the winner, and the words of the speeches that support it.

The winner and the arguments decide. The second order only has to show whether the winner stays the same; it asks for
no scores, ratings, agreements or open questions.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeVar, cast, get_args

from pydantic import AfterValidator, BeforeValidator, Field

from sparring.engine.lenient import EACH, LISTED, TEXT, WHOLE, WORD
from sparring.engine.replies import FilledForm, ReplyForm, read_form
from sparring.engine.reply_schemas import FEW, requested
from sparring.formats.debate.speeches import Letter, first_side, side_of, with_roles
from sparring.schema import base, judgement
from sparring.schema.forms import RequestedForm

MOST_CITED = 20
"""1 to 3 arguments are requested. A reply that cites everything gives no reasons for its choice."""

_BOTH_HAVE_MERIT = re.compile(r"\bboth\s+(?:approaches\s+)?have\s+merit\b", re.IGNORECASE)
"""Literally as in the specification, which does not accept it as a verdict."""


def _letter(value: object) -> object:
    """Return the letter of ``**Side A**``; anything else as it is."""
    if not isinstance(value, str):
        return value
    return value.strip(" \t\r\n*_`\"'.").upper().removeprefix("SIDE ")


_Side = Annotated[Letter, BeforeValidator(_letter)]
_Prose = Annotated[str, TEXT]


class CitedWords(ReplyForm):
    """Words that the judge quotes from a side."""

    deciding = ("side", "quote")

    side: _Side
    quote: base.ReplyText


_Cited = Annotated[tuple[CitedWords, ...], AfterValidator(lambda cited: cited[:MOST_CITED])]
_MOST = Field(json_schema_extra={"maxItems": MOST_CITED})


def _as_point(value: object) -> object:
    return {"point": value} if isinstance(value, str) else value


class AgreementForm(ReplyForm):
    """A point that both sides accept according to the judge."""

    deciding = ("point",)

    point: Annotated[str, TEXT, Field(min_length=1)]
    evidence: _Prose = ""


class _Disputed(ReplyForm):
    deciding = ("point",)
    spellings: ClassVar[Mapping[str, str]] = {"side_a": "A", "side_b": "B"}

    point: Annotated[str, TEXT, Field(min_length=1)]
    a: _Prose = Field(default="", alias="A")
    b: _Prose = Field(default="", alias="B")


class _Marks(ReplyForm):
    evidence: Annotated[int, Field(ge=1, le=5), WHOLE]
    reasoning: Annotated[int, Field(ge=1, le=5), WHOLE]
    responsiveness: Annotated[int, Field(ge=1, le=5), WHOLE]
    candor: Annotated[int, Field(ge=1, le=5), WHOLE]


class _BothMarks(ReplyForm):
    spellings: ClassVar[Mapping[str, str]] = {"side_a": "A", "side_b": "B"}

    a: _Marks = Field(alias="A")
    b: _Marks = Field(alias="B")


_Rating = Annotated[judgement.Rating, WORD]


class _Ratings(ReplyForm):
    genuine_disagreement: _Rating
    evidence_quality: _Rating
    challenge_depth: _Rating


class FirstBallot(ReplyForm):
    """A judge's reply in the first order.

    Attributes:
        acts_on: The side whose position to act on, if stated apart from the winner.
    """

    form = "debate_verdict"
    deciding = ("winner", "arguments")
    derived = frozenset({"concessions"})  # most debates have none
    unasked = frozenset({"acts_on"})
    examples = frozenset({"visits fell by forty a day when it closed at six"})

    arguments: Annotated[_Cited, LISTED, Field(json_schema_extra={"minItems": 1, "maxItems": MOST_CITED})]
    unanswered: Annotated[_Cited, EACH, _MOST] = ()
    concessions: Annotated[_Cited, EACH, _MOST] = ()
    scores: _BothMarks | None = None
    quality: _Ratings | None = None
    agreements: Annotated[tuple[Annotated[AgreementForm, BeforeValidator(_as_point)], ...], EACH, FEW] = ()
    disagreements: Annotated[tuple[Annotated[_Disputed, BeforeValidator(_as_point)], ...], EACH, FEW] = ()
    unresolved_questions: Annotated[tuple[Annotated[str, TEXT, Field(min_length=1)], ...], EACH, FEW] = ()
    reasoning: _Prose = ""
    winner: _Side
    recommendation: _Prose = ""
    unless: _Prose = ""
    acts_on: Annotated[str, BeforeValidator(_letter), Field(max_length=200)] = ""

    @classmethod
    def spelled(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """See ``ReplyForm.spelled``; the side to act on and the condition may be in an object of their own."""
        fields = super().spelled(fields)
        acts = fields.pop("act_on", None)
        if isinstance(acts, dict):
            act = cast("dict[str, Any]", acts)
            for ours, theirs in _ACTS.items():
                if theirs in act:
                    fields.setdefault(ours, act[theirs])
        return fields

    @property
    def hedges(self) -> tuple[judgement.Hedge, ...]:
        """Signs that it picks no side after all."""
        hedges: list[judgement.Hedge] = []
        if _BOTH_HAVE_MERIT.search(f"{self.reasoning}\n{self.recommendation}"):
            hedges.append(judgement.Hedge.BOTH)
        if self.acts_on in get_args(Letter) and self.acts_on != self.winner:
            hedges.append(judgement.Hedge.OTHER_SIDE)
        elif not self._acts_on_winner or not self.recommendation or not self.unless:
            hedges.append(judgement.Hedge.NO_DIRECTION)
        return tuple(hedges)

    @property
    def _acts_on_winner(self) -> bool:
        return self.acts_on in {"", self.winner}  # without a side of its own, a recommendation is for the winner

    @property
    def cited(self) -> tuple[CitedWords, ...]:
        """All words that it quotes from the speeches."""
        return (*self.arguments, *self.unanswered, *self.concessions)

    def verdict(self, order: judgement.Order, arguments: tuple[judgement.CitedArgument, ...]) -> judgement.Verdict:
        """Return the verdict that it is if the sides spoke in that ``order``, resting on ``arguments``.

        The ballot speaks of Side A and Side B; the verdict has the roles in their place.
        """
        scores = None
        if self.scores:
            proposer, challenger = _by_role(self.scores.a, self.scores.b, order)
            scores = judgement.SideScores(
                proposer=judgement.Scores(**dict(proposer)), challenger=judgement.Scores(**dict(challenger))
            )
        agreements = [
            judgement.Agreement(point=with_roles(agreed.point, order), evidence=with_roles(agreed.evidence, order))
            for agreed in self.agreements
        ]
        return judgement.Verdict(
            winner=side_of(self.winner, order),
            reasoning=with_roles(self.reasoning, order),
            scores=scores,
            arguments=arguments,
            quality=judgement.Quality(**dict(self.quality)) if self.quality else None,
            agreements=tuple(agreements),
            disagreements=tuple(_disagreement(disputed, order) for disputed in self.disagreements),
            unresolved_questions=tuple(with_roles(question, order) for question in self.unresolved_questions),
            recommendation=with_roles(self.recommendation, order),
            # The condition belongs to the recommendation: one for the other side would be against the winner.
            unless=with_roles(self.unless, order) if self._acts_on_winner else "",
        )


_ACTS = {"acts_on": "side", "unless": "unless"}


class SecondBallot(FirstBallot):
    """A judge's reply in the second order."""

    form = "debate_second_verdict"
    unasked = frozenset(
        {"acts_on", "concessions", "scores", "quality", "agreements", "disagreements", "unresolved_questions"}
    )


_T = TypeVar("_T")


def _by_role(a: _T, b: _T, order: judgement.Order) -> tuple[_T, _T]:
    """Return the values for Side A and Side B in the order of the roles, the proposer first."""
    return (a, b) if first_side(order) is base.Role.PROPOSER else (b, a)


def _disagreement(disputed: _Disputed, order: judgement.Order) -> judgement.Disagreement:
    proposer, challenger = _by_role(with_roles(disputed.a, order), with_roles(disputed.b, order), order)
    return judgement.Disagreement(point=with_roles(disputed.point, order), proposer=proposer, challenger=challenger)


_FORMS = {judgement.Order.PROPOSER_FIRST: FirstBallot, judgement.Order.CHALLENGER_FIRST: SecondBallot}


def form_of(order: judgement.Order) -> RequestedForm:
    """Return the form that a judge has to fill in in that order."""
    return requested(_FORMS[order])


def read_ballot(reply: str, order: judgement.Order) -> FilledForm[FirstBallot]:
    """Return the ballot in a judge's reply.

    Raises:
        UnusableReplyError: There is no ballot, there are two that differ, or the winner or arguments are unreadable.
    """
    return read_form(reply, _FORMS[order])
