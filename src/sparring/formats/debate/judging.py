"""The debate as a judge sees it in one order, and the places of the words that a judge quotes from a side."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from msgspec import Struct

from sparring.checks.claims import check_support
from sparring.checks.folding import Folded, fold
from sparring.checks.quotes import Evidence
from sparring.formats.debate.prompts import DebatePrompts, ShownSpeech
from sparring.formats.debate.replies import AgreementForm, CitedWords, FirstBallot
from sparring.formats.debate.speeches import (
    DebateState,
    Mask,
    as_side,
    is_named,
    name_of,
    side_of,
    sides_in,
    without_emphasis,
)
from sparring.schema import base, claims, consultation, debate, judgement, lookups
from sparring.text.prose import sentences_around
from sparring.text.words import letters_in, words_in

_SHORTEST_QUOTE = 8
"""Letters and digits. Two words can be found in any speech, and are no argument."""

_LONGEST_QUOTE = 1_000
"""Characters. A quote with an ellipsis may cover a whole speech; then its first part represents it."""

_TORN = re.compile(r"(?P<rest>.*[^\s*_`])[\s*_`]*\b(?P<piece>\w{1,100})[\s.…\"'”’*_`]*\Z", re.DOTALL)
"""A quote, and its last word, which may be the beginning of a longer one."""

_AROUND_A_WORD = " \t\r\n*_`"
_TORN_REACH = 16
"""Characters of white space and punctuation allowed between the match and the truncated word."""

_IN_QUOTES = re.compile(r'(?<!\d)"([^"]*)"|“([^“”]*)”')
_LONGEST_COMPARED = 2_000
"""Characters of a sentence, and of the quote that should support it, that code compares."""

_FEWEST_QUOTED = 4
"""Words; the same minimum as for a speech's quotes from a file."""

_MOST_QUOTED = 100
"""Quotes of all agreements that are looked up: each is searched for in every speech."""

_BOTH = "that tool"

_WORDS = frozenset({base.HOST_TOOL, base.RULE_BASED_TOOL, "auto", "default"})
"""Names that speeches use as common words."""


# Preparing texts takes 1 s for a million characters; both orders, and every step that reads the ballots, search the
# same speeches.
_searchable = lru_cache(maxsize=8)(Evidence)


class _Place(Struct, frozen=True):
    """A place in the speech number ``index`` of a side, as the judge is shown it."""

    index: int
    start: int
    end: int


class LocatedWords(Struct, frozen=True):
    """Words of a side, with their place in the speech ``text``."""

    argument: judgement.CitedArgument
    text: str
    start: int

    @property
    def sentences(self) -> str:
        """The sentences that contain the words."""
        return sentences_around(self.text, self.start, self.start + len(self.argument.quote))


class Sides:
    """Speeches as a judge sees them in ``order``: within a round Side A first."""

    def __init__(
        self, request: debate.DebateRequest, prompts: DebatePrompts, state: DebateState, order: judgement.Order
    ) -> None:
        self._request = request
        self._prompts = prompts
        self._state = state
        self.order = order

    @cached_property
    def speeches(self) -> tuple[consultation.Speech, ...]:
        """Each one below the name of its side."""
        return tuple(
            consultation.Speech(
                role=speech.role, round=speech.round, text=masked.text, name=name_of(speech.role, self.order)
            )
            for speech, masked in self._masked
        )

    @cached_property
    def shown(self) -> tuple[ShownSpeech, ...]:
        """The speeches as a prompt shows them, each with the findings of code."""
        shown: list[ShownSpeech] = []
        for speech in self.speeches:
            remarks = self._prompts.remarks(speech, self._state, self._mask)
            shown.append(ShownSpeech(speech.round, speech.name, speech.text, remarks))
        return tuple(shown)

    def locate(self, side: judgement.Side, quote: str) -> LocatedWords | None:
        """Return the place of ``quote`` in the speeches of ``side``; None if it is absent or too short.

        A quote that ends inside a word matches without that last piece if the speech continues with such a word.
        """
        whole = self._located(side, quote)
        if whole:
            return whole
        torn = _TORN.match(quote)
        return self._located(side, torn["rest"], torn["piece"]) if torn else None

    def _located(self, side: judgement.Side, quote: str, torn: str = "") -> LocatedWords | None:
        """Return the place of ``quote`` in the speeches of ``side``, continued by a word that begins with ``torn``."""
        if letters_in(quote) < _SHORTEST_QUOTE:
            return None
        place = _place(tuple(masked.text for _, masked in self._of_side[side]), quote, torn)
        if place:
            return self._at(side, place)
        # Judges drop marks of emphasis that stand inside a quote, and add others.
        bare = self._bare[side]
        place = _place(tuple(text.text for text in bare), without_emphasis(quote).text, torn)
        if place:
            start, end = bare[place.index].original(place.start, place.end)
            return self._at(side, _Place(place.index, start, end))
        return None

    def _at(self, side: judgement.Side, place: _Place) -> LocatedWords:
        speech, masked = self._of_side[side][place.index]
        start, end = masked.original(place.start, place.end)
        argument = judgement.CitedArgument(side=side, round=speech.round, quote=speech.text[start:end])
        return LocatedWords(argument, speech.text, start)

    @cached_property
    def _bare(self) -> Mapping[base.Role, list[Folded]]:
        return {
            side: [without_emphasis(masked.text) for _, masked in speeches] for side, speeches in self._of_side.items()
        }

    @cached_property
    def _of_side(self) -> Mapping[base.Role, list[tuple[consultation.Speech, Folded]]]:
        """Speeches of each side: the original, and the masked text that the judge is shown."""
        return {
            side: [(speech, masked) for speech, masked in self._masked if speech.role is side]
            for side in debate.SPEAKING_ORDER
        }

    @cached_property
    def _masked(self) -> tuple[tuple[consultation.Speech, Folded], ...]:
        places = {side: place for place, side in enumerate(sides_in(self.order))}
        shown = sorted(self._state.speeches, key=lambda speech: (speech.round, places[as_side(speech.role)]))
        return tuple((speech, self._mask.masked(speech.text)) for speech in shown)

    @cached_property
    def _mask(self) -> Mask:
        """The names of both sides' tools and models.

        A name that the question itself contains belongs to the subject and does not reveal a speaker.
        """
        names: dict[str, str] = {}
        for side in debate.SPEAKING_ORDER:
            for name in self._names(side):
                stand_in = name_of(side, self.order)
                is_of_both = names.get(name, stand_in) != stand_in
                names[name] = _BOTH if is_of_both else stand_in
        question = (self._request.topic, *(exhibit.text for exhibit in self._request.shown))
        of_subject = {name for name in names if any(is_named(name, text) for text in question)}
        return Mask({name: stand_in for name, stand_in in names.items() if name not in of_subject})

    def _names(self, side: judgement.Side) -> frozenset[str]:
        participant = self._request.participant(side)
        names = {participant.tool, participant.model or participant.tool}
        for respondent in self._state.respondents_for(side):
            names |= {respondent.tool, respondent.model or respondent.tool}
        plain = {name.strip().lower() for name in names} - _WORDS
        return frozenset(name for name in plain if len(name) > 1)


def _is_continued(finding: lookups.QuoteFinding, texts: tuple[str, ...], torn: str) -> bool:
    """Return whether a longer word that begins with ``torn`` follows the match."""
    if not finding.span:
        return False
    rest = texts[finding.span.index][finding.span.end : finding.span.end + len(torn) + _TORN_REACH]
    after = fold(rest).text.lstrip(_AROUND_A_WORD)
    return after.startswith(fold(torn).text)


def _place(texts: tuple[str, ...], quote: str, torn: str) -> _Place | None:
    """Return the place of a verbatim quote, all of whose parts are in one speech, in order."""
    finding = _searchable(texts).find(quote)
    if finding.verdict is not lookups.QuoteVerdict.VERBATIM:
        return None
    if torn and not _is_continued(finding, texts, torn):
        return None
    first, end = finding.parts[0], finding.parts[-1].end
    if end - first.start > _LONGEST_QUOTE:
        end = first.end
    return _Place(first.index, first.start, end)


class CheckedReply(Struct, frozen=True):
    """A reply whose citations were looked up, with the matching words of the transcript.

    Attributes:
        invented: Quotes that no speech of the quoted side contains.
        agreed: Words between quotation marks in the evidence of agreements, by their relation to the agreement; the
            key None has the words that no side used.
    """

    reply: FirstBallot
    winner: judgement.Side
    arguments: tuple[judgement.CitedArgument, ...]
    unanswered: tuple[judgement.CitedArgument, ...]
    concessions: tuple[judgement.CitedArgument, ...]
    invented: tuple[CitedWords, ...]
    agreed: Mapping[claims.Relation | None, tuple[str, ...]]

    @property
    def lost_challenges(self) -> bool:
        """Return whether it reports unanswered challenges that no side made."""
        return any(cited in self.invented for cited in self.reply.unanswered)

    @property
    def supports_winner(self) -> bool:
        """Return whether it cites an argument that its picked side made."""
        return any(argument.side is self.winner for argument in self.arguments)


def check(reply: FirstBallot, sides: Sides) -> CheckedReply:
    """``reply`` with every citation looked up in the speeches of the cited side."""
    return CheckedReply(
        reply=reply,
        winner=side_of(reply.winner, sides.order),
        arguments=_located(reply.arguments, sides),
        unanswered=_located(reply.unanswered, sides),
        concessions=_located(reply.concessions, sides),
        invented=tuple(cited for cited in reply.cited if not _locate(cited, sides)),
        agreed=_agreed(reply.agreements, sides),
    )


def _agreed(agreements: Iterable[AgreementForm], sides: Sides) -> dict[claims.Relation | None, tuple[str, ...]]:
    """Return the quotes in the evidence of agreements, each once, by their relation to the agreement."""
    by_relation: dict[claims.Relation | None, list[str]] = {relation: [] for relation in (None, *claims.Relation)}
    quoted = [(agreed.point, quote) for agreed in agreements for quote in _quoted(agreed.evidence)]
    for point, quote in quoted[:_MOST_QUOTED]:
        quotes = by_relation[_relation(point, quote, sides)]
        if quote not in quotes:
            quotes.append(quote)
    return {relation: tuple(quotes) for relation, quotes in by_relation.items()}


def _quoted(evidence: str) -> Iterable[str]:
    """The words between quotation marks, each once; too few to be an argument may be a manner."""
    quotes = [quote for marked in _IN_QUOTES.finditer(evidence) for quote in marked.groups() if quote]
    return dict.fromkeys(quote for quote in quotes if words_in(quote) >= _FEWEST_QUOTED)


def _relation(point: str, quote: str, sides: Sides) -> claims.Relation | None:
    """Return how ``quote`` relates to the agreement on ``point``; None if no side used these words."""
    proposer, challenger = debate.SPEAKING_ORDER
    located = sides.locate(proposer, quote) or sides.locate(challenger, quote)
    if located is None:
        return None
    around = located.sentences
    if len(point) > _LONGEST_COMPARED or len(around) > _LONGEST_COMPARED:
        return claims.Relation.OPEN
    return check_support(point, located.argument.quote, around).relation


def _located(cited: Iterable[CitedWords], sides: Sides) -> tuple[judgement.CitedArgument, ...]:
    arguments = [_locate(words, sides) for words in cited]
    return tuple(dict.fromkeys(argument for argument in arguments if argument))


def _locate(cited: CitedWords, sides: Sides) -> judgement.CitedArgument | None:
    located = sides.locate(side_of(cited.side, sides.order), cited.quote)
    return located.argument if located else None
