"""What a judge is shown in one order: the sides without their names, and what code found about their citations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from sparring.checks.quotes import Evidence
from sparring.formats.debate.anonymize import Mask, Rewritten, is_named, name_of, sides_in, without_emphasis
from sparring.formats.debate.asks import LedgerBlocks
from sparring.formats.debate.said import Said, as_side
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.debate import SPEAKING_ORDER, CitedArgument, DebateRequest, Order, Side
from sparring.schema.participants import HOST_TOOL, RULE_BASED_TOOL
from sparring.schema.quotes import QuoteFinding, QuoteVerdict

_SHORTEST_QUOTE = 8
"""Letters and digits. Two words can be found in any speech, and are no argument."""

_LONGEST_QUOTE = 1_000
"""Characters. A quote with an ellipsis may reach over a whole speech; then its first part stands for it."""

_BOTH = "that tool"

_WORDS = frozenset({HOST_TOOL, RULE_BASED_TOOL, "auto", "default"})
"""Names that speeches use as words."""


Searchable = Callable[[tuple[str, ...]], Evidence]
"""Prepares texts for being searched. That takes 1 s for a million characters, so whoever can should do it once."""


@dataclass(frozen=True)
class _Place:
    """A place in the speech number ``index`` of a side, as the judge is shown it."""

    index: int
    start: int
    end: int


class Sides:
    """What was said, as a judge sees it in ``order``: within a round Side A first."""

    def __init__(
        self, request: DebateRequest, prompts: PromptLibrary, said: Said, order: Order, searchable: Searchable
    ) -> None:
        self._request = request
        self._prompts = prompts
        self._said = said
        self.order = order
        self._searchable = searchable
        self._ledgers = LedgerBlocks(prompts)

    @cached_property
    def speeches(self) -> tuple[Speech, ...]:
        """Each under the name of its side."""
        return tuple(
            Speech(role=speech.role, round=speech.round, text=masked.text, name=name_of(speech.role, self.order))
            for speech, masked in self._masked
        )

    @cached_property
    def exchanges(self) -> str:
        """The speeches as a prompt shows them, each with what it cites."""
        return "\n".join(self._exchange(speech) for speech in self.speeches).strip()

    def locate(self, side: Side, quote: str) -> CitedArgument | None:
        """Where ``side`` has said ``quote``, in its own words; None when it never has, or it is too little to tell."""
        if sum(character.isalnum() for character in quote) < _SHORTEST_QUOTE:
            return None
        return self._exactly(side, quote) or self._without_emphasis(side, quote)

    def _exactly(self, side: Side, quote: str) -> CitedArgument | None:
        place = _place(self._searchable(tuple(masked.text for _, masked in self._of_side[side])).find(quote))
        return self._argument(side, place) if place else None

    def _without_emphasis(self, side: Side, quote: str) -> CitedArgument | None:
        place = _place(
            self._searchable(tuple(bare.text for bare in self._bare[side])).find(without_emphasis(quote).text)
        )
        if place is None:
            return None
        start, end = self._bare[side][place.index].original_place(place.start, place.end)
        return self._argument(side, _Place(place.index, start, end))

    def _argument(self, side: Side, place: _Place) -> CitedArgument:
        speech, masked = self._of_side[side][place.index]
        start, end = masked.original_place(place.start, place.end)
        return CitedArgument(side=side, round=speech.round, quote=speech.text[start:end])

    @cached_property
    def _bare(self) -> Mapping[Role, list[Rewritten]]:
        return {side: [without_emphasis(masked.text) for _, masked in said] for side, said in self._of_side.items()}

    @cached_property
    def _of_side(self) -> Mapping[Role, list[tuple[Speech, Rewritten]]]:
        """What each side has said: as it is, and as the judge is shown it."""
        return {side: [said for said in self._masked if said[0].role is side] for side in SPEAKING_ORDER}

    @cached_property
    def _masked(self) -> tuple[tuple[Speech, Rewritten], ...]:
        places = {side: place for place, side in enumerate(sides_in(self.order))}
        shown = sorted(self._said.speeches, key=lambda speech: (speech.round, places[as_side(speech.role)]))
        return tuple((speech, self._mask.masked(speech.text)) for speech in shown)

    @cached_property
    def _mask(self) -> Mask:
        """The names of both sides' tools and models.

        A name that the question itself speaks of is part of the matter, and says nothing about who argues.
        """
        names: dict[str, str] = {}
        for side in SPEAKING_ORDER:
            for name in self._names(side):
                stand_in = name_of(side, self.order)
                names[name] = stand_in if names.get(name, stand_in) == stand_in else _BOTH
        question = (self._request.topic, *(part.text for part in self._request.context))
        is_spoken_of = {name: any(is_named(name, text) for text in question) for name in names}
        return Mask({name: stand_in for name, stand_in in names.items() if not is_spoken_of[name]})

    def _names(self, side: Side) -> frozenset[str]:
        participant = self._request.participant(side)
        names = {participant.tool, participant.model or participant.tool, *self._said.models(side)}
        plain = {name.strip().lower() for name in names} - _WORDS
        return frozenset(name for name in plain if len(name) > 1)

    def _exchange(self, speech: Speech) -> str:
        found = self._said.ledger(speech.round, speech.role)
        values = {
            "round": str(speech.round),
            "side": speech.name,
            "speech": speech.text,
            "ledger": self._ledgers.judged(found, self._mask) if found else "",
        }
        return self._prompts.render("debate/side-exchange", values)


def _place(found: QuoteFinding) -> _Place | None:
    """Where a verbatim quote stands. Its parts all stand in one speech, in order."""
    if found.verdict is not QuoteVerdict.VERBATIM:
        return None
    begin, end = found.parts[0], found.parts[-1].end
    return _Place(begin.index, begin.start, end if end - begin.start <= _LONGEST_QUOTE else begin.end)
