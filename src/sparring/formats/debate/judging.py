"""What a judge is shown in one order, and what it answers: its verdict, its scores, and the words that it rests on."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, Field, ValidationError

from sparring.checks.claims import carried
from sparring.checks.folding import Folded, fold, letters_in, words_in
from sparring.checks.quotes import Evidence
from sparring.engine.course import as_record, read_object
from sparring.engine.replies import UnusableReplyError
from sparring.formats.debate.asks import DebatePrompts, HeardSpeech
from sparring.formats.debate.speeches import (
    Letter,
    Mask,
    Said,
    as_side,
    first_side,
    is_named,
    name_of,
    side_of,
    sides_in,
    with_roles,
    without_emphasis,
)
from sparring.schema import base, claims, consultation, debate, judgement, lookups
from sparring.text.prose import sentences_around

_SHORTEST_QUOTE = 8
"""Letters and digits. Two words can be found in any speech, and are no argument."""

_LONGEST_QUOTE = 1_000
"""Characters. A quote with an ellipsis may reach over a whole speech; then its first part stands for it."""

_TORN = re.compile(r"(?P<rest>.*[^\s*_`])[\s*_`]*\b(?P<piece>\w{1,100})[\s.…\"'”’*_`]*\Z", re.DOTALL)
"""A quote, and its last word, which may be the beginning of a longer one."""

_AROUND_A_WORD = " \t\r\n*_`"
_TORN_REACH = 16
"""Characters of white space and marks between what is found and the word that was torn."""

_IN_QUOTES = re.compile(r'(?<!\d)"([^"]*)"|“([^“”]*)”')
_LONGEST_COMPARED = 2_000
"""Characters of a sentence, and of what it should carry, that code compares."""

_FEWEST_QUOTED = 4
"""Words, as in what a speech quotes of a file."""

_MOST_QUOTED = 100
"""Quotes of all agreements that are looked up: each is searched for in every speech."""

_BOTH = "that tool"

_WORDS = frozenset({base.HOST_TOOL, base.RULE_BASED_TOOL, "auto", "default"})
"""Names that speeches use as words."""


# Preparing texts takes 1 s for a million characters, and both orders, and every step that looks at the ballots, search
# the same speeches.
_searchable = lru_cache(maxsize=8)(Evidence)


@dataclass(frozen=True)
class _Place:
    """A place in the speech number ``index`` of a side, as the judge is shown it."""

    index: int
    start: int
    end: int


class Sides:
    """What was said, as a judge sees it in ``order``: within a round Side A first."""

    def __init__(
        self, request: debate.DebateRequest, prompts: DebatePrompts, said: Said, order: judgement.Order
    ) -> None:
        self._request = request
        self._prompts = prompts
        self._said = said
        self.order = order

    @cached_property
    def speeches(self) -> tuple[consultation.Speech, ...]:
        """Each under the name of its side."""
        return tuple(
            consultation.Speech(
                role=speech.role, round=speech.round, text=masked.text, name=name_of(speech.role, self.order)
            )
            for speech, masked in self._masked
        )

    @cached_property
    def heard(self) -> tuple[HeardSpeech, ...]:
        """The speeches as a prompt shows them, each with what code found in it."""
        return tuple(
            HeardSpeech(each.round, each.name, each.text, self._prompts.found(each, self._said, self._mask))
            for each in self.speeches
        )

    def locate(self, side: judgement.Side, quote: str) -> judgement.CitedArgument | None:
        """Where ``side`` has said ``quote``, in its own words; None when it never has, or it is too little to tell.

        One that is cut off inside its last word counts without the torn piece, where the speech goes on with that.
        """
        whole = self._located(side, quote)
        torn = None if whole or self._request.edition == 1 else _TORN.match(quote)
        return self._located(side, torn["rest"], torn["piece"]) if torn else whole

    def around(self, said: judgement.CitedArgument) -> str:
        """The sentences that the words of ``said`` stand in."""
        text = next(each.text for each, _ in self._of_side[said.side] if each.round == said.round)
        start = text.index(said.quote)
        return sentences_around(text, start, start + len(said.quote))

    def _located(self, side: judgement.Side, quote: str, torn: str = "") -> judgement.CitedArgument | None:
        """Where ``side`` has said ``quote`` and gone on with a word that begins with ``torn``."""
        if letters_in(quote) < _SHORTEST_QUOTE:
            return None
        if place := _place(tuple(masked.text for _, masked in self._of_side[side]), quote, torn):
            return self._argument(side, place)
        bare = self._bare[side]
        if place := _place(tuple(each.text for each in bare), without_emphasis(quote).text, torn):
            start, end = bare[place.index].original(place.start, place.end)
            return self._argument(side, _Place(place.index, start, end))
        return None

    def _argument(self, side: judgement.Side, place: _Place) -> judgement.CitedArgument:
        speech, masked = self._of_side[side][place.index]
        start, end = masked.original(place.start, place.end)
        return judgement.CitedArgument(side=side, round=speech.round, quote=speech.text[start:end])

    @cached_property
    def _bare(self) -> Mapping[base.Role, list[Folded]]:
        return {side: [without_emphasis(masked.text) for _, masked in said] for side, said in self._of_side.items()}

    @cached_property
    def _of_side(self) -> Mapping[base.Role, list[tuple[consultation.Speech, Folded]]]:
        """What each side has said: as it is, and as the judge is shown it."""
        return {side: [said for said in self._masked if said[0].role is side] for side in debate.SPEAKING_ORDER}

    @cached_property
    def _masked(self) -> tuple[tuple[consultation.Speech, Folded], ...]:
        places = {side: place for place, side in enumerate(sides_in(self.order))}
        shown = sorted(self._said.speeches, key=lambda speech: (speech.round, places[as_side(speech.role)]))
        return tuple((speech, self._mask.masked(speech.text)) for speech in shown)

    @cached_property
    def _mask(self) -> Mask:
        """The names of both sides' tools and models.

        A name that the question itself speaks of is part of the matter, and says nothing about who argues.
        """
        names: dict[str, str] = {}
        for side in debate.SPEAKING_ORDER:
            for name in self._names(side):
                stand_in = name_of(side, self.order)
                names[name] = stand_in if names.get(name, stand_in) == stand_in else _BOTH
        question = (self._request.topic, *(exhibit.text for exhibit in self._request.shown))
        is_spoken_of = {name: any(is_named(name, text) for text in question) for name in names}
        return Mask({name: stand_in for name, stand_in in names.items() if not is_spoken_of[name]})

    def _names(self, side: judgement.Side) -> frozenset[str]:
        participant = self._request.participant(side)
        names = {participant.tool, participant.model or participant.tool, *self._said.models(side)}
        plain = {name.strip().lower() for name in names} - _WORDS
        return frozenset(name for name in plain if len(name) > 1)


def _goes_on(found: lookups.QuoteFinding, texts: tuple[str, ...], torn: str) -> bool:
    """Whether what is found is followed by a longer word that begins with ``torn``."""
    if not found.span:
        return False
    rest = texts[found.span.index][found.span.end : found.span.end + len(torn) + _TORN_REACH]
    after = fold(rest).text.lstrip(_AROUND_A_WORD)
    return after.startswith(fold(torn).text)


def _place(texts: tuple[str, ...], quote: str, torn: str) -> _Place | None:
    """Where a quote stands verbatim. Its parts all stand in one speech, in order."""
    found = _searchable(texts).find(quote)
    if found.verdict is not lookups.QuoteVerdict.VERBATIM or (torn and not _goes_on(found, texts, torn)):
        return None
    begin, end = found.parts[0], found.parts[-1].end
    return _Place(begin.index, begin.start, end if end - begin.start <= _LONGEST_QUOTE else begin.end)


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


_T = TypeVar("_T")
_Side = Annotated[Letter, BeforeValidator(_letter)]


class CitedWords(base.Record):
    """Words that the judge says a side has used."""

    side: _Side
    quote: base.SaidText = Field(min_length=1)


class _Disputed(base.Record):
    point: base.ReasonText = Field(min_length=1)
    a: base.ReasonText = Field(min_length=1, alias="A")
    b: base.ReasonText = Field(min_length=1, alias="B")

    def named(self, order: judgement.Order) -> judgement.Disagreement:
        proposer, challenger = _by_role(with_roles(self.a, order), with_roles(self.b, order), order)
        return judgement.Disagreement(point=with_roles(self.point, order), proposer=proposer, challenger=challenger)


def _by_role(a: _T, b: _T, order: judgement.Order) -> tuple[_T, _T]:
    """What is said of Side A and of Side B: the proposer's first."""
    return (a, b) if first_side(order) is base.Role.PROPOSER else (b, a)


class _BothScores(base.Record):
    a: judgement.Scores = Field(alias="A")
    b: judgement.Scores = Field(alias="B")


class _ActOn(base.Record):
    side: _Side
    unless: base.ReasonText = Field(min_length=1)


def _direction(value: object) -> object:
    """``value`` if it is one: what has another form says nothing, and leaves the rest of the reply as it is."""
    try:
        return _ActOn.model_validate(value, extra="ignore")
    except ValidationError:
        return None


_BOTH_HAVE_MERIT = re.compile(r"\bboth\s+(?:approaches\s+)?have\s+merit\b", re.IGNORECASE)
"""Literally as in the specification, which says that it is no verdict."""


_Cited = Annotated[tuple[CitedWords, ...], Field(max_length=MOST_CITED)]
_LISTED = Field(max_length=base.LIST_LIMIT)


class Reply(base.Record):
    """A judge's reply. Which side a letter stands for depends on the order that the judge was shown."""

    winner: _Side
    reasoning: base.ReasonText = Field(min_length=1)
    scores: Annotated[_BothScores, BeforeValidator(_by_letter)]
    arguments: tuple[CitedWords, ...] = Field(min_length=1, max_length=MOST_CITED)
    unanswered: Annotated[_Cited, base.EMPTY_IF_NULL]
    concessions: Annotated[_Cited, base.EMPTY_IF_NULL] = ()
    quality: Annotated[judgement.Quality, BeforeValidator(_labels)]
    agreements: Annotated[tuple[judgement.Agreement, ...], _LISTED, base.EMPTY_IF_NULL]
    disagreements: Annotated[tuple[Annotated[_Disputed, BeforeValidator(_by_letter)], ...], _LISTED, base.EMPTY_IF_NULL]
    unresolved_questions: Annotated[tuple[base.ReasonText, ...], _LISTED, base.EMPTY_IF_NULL]
    recommendation: base.ReasonText = Field(min_length=1)
    act_on: Annotated[_ActOn | None, BeforeValidator(_direction)] = None

    @property
    def hedges(self) -> tuple[judgement.Hedge, ...]:
        """In what form it picks no side after all."""
        hedges = [judgement.Hedge.BOTH] if _BOTH_HAVE_MERIT.search(f"{self.reasoning}\n{self.recommendation}") else []
        if self.act_on is None:
            hedges.append(judgement.Hedge.NO_DIRECTION)
        elif self.act_on.side != self.winner:
            hedges.append(judgement.Hedge.OTHER_SIDE)
        return tuple(hedges)

    @property
    def cited(self) -> tuple[CitedWords, ...]:
        """All words that it says a side has used."""
        return (*self.arguments, *self.unanswered, *self.concessions)

    def verdict(self, order: judgement.Order, arguments: tuple[judgement.CitedArgument, ...]) -> judgement.Verdict:
        """The verdict that it is in that order, resting on ``arguments``."""
        named = partial(with_roles, order=order)
        proposer, challenger = _by_role(self.scores.a, self.scores.b, order)
        return judgement.Verdict(
            winner=side_of(self.winner, order),
            reasoning=named(self.reasoning),
            scores=judgement.SideScores(proposer=proposer, challenger=challenger),
            arguments=arguments,
            quality=self.quality,
            agreements=tuple(
                judgement.Agreement(point=named(agreed.point), evidence=named(agreed.evidence))
                for agreed in self.agreements
            ),
            disagreements=tuple(disputed.named(order) for disputed in self.disagreements),
            unresolved_questions=tuple(map(named, self.unresolved_questions)),
            recommendation=named(self.recommendation),
            unless=named(self.act_on.unless) if self.act_on and self.act_on.side == self.winner else "",
        )


def read_reply(reply: str) -> Reply:
    """The JSON object that a judge was asked for.

    Raises:
        UnusableReplyError: There is none, or it is no verdict.
    """
    return as_record(read_object(reply), Reply)


def is_verdict(reply: str) -> bool:
    """Whether it is one that can be read."""
    try:
        read_reply(reply)
    except UnusableReplyError:
        return False
    return True


@dataclass(frozen=True)
class Checked:
    """A reply whose citations were looked up: what was really said, in the words of the transcript.

    Attributes:
        invented: What nobody, or the other side, has said.
        agreed: Words between quotation marks in the evidence of its agreements, by what they are to these; under None
            what nobody has said.
    """

    reply: Reply
    winner: judgement.Side
    arguments: tuple[judgement.CitedArgument, ...]
    unanswered: tuple[judgement.CitedArgument, ...]
    concessions: tuple[judgement.CitedArgument, ...]
    invented: tuple[CitedWords, ...]
    agreed: Mapping[claims.Relation | None, tuple[str, ...]]

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
        agreed=_agreed(reply.agreements, sides),
    )


def _agreed(agreements: Iterable[judgement.Agreement], sides: Sides) -> dict[claims.Relation | None, tuple[str, ...]]:
    found: dict[claims.Relation | None, dict[str, None]] = {relation: {} for relation in (None, *claims.Relation)}
    quoted = ((agreed.point, quote) for agreed in agreements for quote in _quoted(agreed.evidence))
    for point, quote in islice(quoted, _MOST_QUOTED):
        found[_relation(point, quote, sides)][quote] = None
    return {relation: tuple(quotes) for relation, quotes in found.items()}


def _quoted(evidence: str) -> Iterable[str]:
    """The words between quotation marks, each once; too few to be an argument may be a manner."""
    found = (quote for marked in _IN_QUOTES.finditer(evidence) for quote in marked.groups())
    return dict.fromkeys(quote for quote in found if quote and words_in(quote) >= _FEWEST_QUOTED)


def _relation(point: str, quote: str, sides: Sides) -> claims.Relation | None:
    """What ``quote``, where somebody has said it, is to the agreement on ``point``; None where nobody has."""
    said = next(filter(None, (sides.locate(side, quote) for side in debate.SPEAKING_ORDER)), None)
    if said is None:
        return None
    around = sides.around(said)
    if len(point) > _LONGEST_COMPARED or len(around) > _LONGEST_COMPARED:
        return claims.Relation.OPEN
    return carried(point, said.quote, around).relation


def _located(cited: Iterable[CitedWords], sides: Sides) -> tuple[judgement.CitedArgument, ...]:
    return tuple(dict.fromkeys(filter(None, (_locate(each, sides) for each in cited))))


def _locate(cited: CitedWords, sides: Sides) -> judgement.CitedArgument | None:
    return sides.locate(side_of(cited.side, sides.order), cited.quote)
