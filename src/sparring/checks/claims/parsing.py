"""A text as claims are held against it: its terms, settings, numbers and dates, and the words that bound those."""

import re
from collections.abc import Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache

from sparring.checks.claims.dates import DateMention, find_dates
from sparring.checks.claims.lexicon import bounding_words, lexicon
from sparring.checks.claims.quantities import ORDINAL, Quantity, find_quantities
from sparring.checks.claims.settings import Setting, settings_by_key
from sparring.checks.claims.terms import Terms, Word
from sparring.checks.claims.tokens import Language, Text

_LONGEST_KEPT = 8_000
"""Characters; only shorter texts stay in memory, for the next claim about them."""

_BOUND_REACH = 4
_DENIAL_REACH = 30  # terms to each side
_BOUNDING = frozenset({"~", "<", "<=", ">", ">="})

_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,2000}~~")
_UNDONE = re.compile(r"^[ \t]*[-*+] \[ \].*|\b(?:TODO|FIXME)\b.*", re.MULTILINE)
_QUESTION = re.compile(r"(?:^|(?<=[.!?])(?=\s))(?:[^.!?\n]|\.(?=\S))*+\?++(?=[\s\"”'’)\]]|$)", re.MULTILINE)
_UNASSERTED = (("~~",), _STRUCK), (("[ ]", "TODO", "FIXME"), _UNDONE), (("?",), _QUESTION)
"""Each with marks of which it has one; few texts have any."""


def asserted(source: str) -> str:
    """``source`` with blanks for what it does not assert: what is struck through, still to be done, or asked."""
    for marks, unasserted in _UNASSERTED:
        if any(mark in source for mark in marks):
            source = unasserted.sub(lambda found: " " * len(found[0]), source)
    return source


class ParsedText:
    """What stands in one text; each property is read when it is first asked for."""

    def __init__(self, text: str, beside: Language) -> None:
        self.text = Text(text, beside)

    @cached_property
    def terms(self) -> Terms:
        """Its words, as they are compared."""
        return Terms(self.text)

    @cached_property
    def settings(self) -> Mapping[str, Sequence[Setting]]:
        """Its settings, by their keys."""
        return settings_by_key(self.text)

    @cached_property
    def dates(self) -> tuple[DateMention, ...]:
        """Its dates, in its order."""
        return find_dates(self.text)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its other numbers, in its order."""
        taken = frozenset(place for date in self.dates for place in range(date.begin, date.end))
        return find_quantities(self.text, taken)

    @cached_property
    def _measuring(self) -> Set[int]:
        """The terms of which a number or date is made, with its unit and what bounds it."""
        mentions = (*(each for each in self.quantities if each.kind != ORDINAL), *self.dates)
        return self.terms.places_in(self.text.offsets(*stretch_of(self.text, each)) for each in mentions)

    def told_beside(self, begin: int, end: int) -> Sequence[Word]:
        """The words of content from one term to before another that are of no number or date, but for "each"."""
        words, universals = self.terms.words, lexicon(self.text.language).universals
        there = (at for at in range(begin, end) if words[at].is_content and at not in self._measuring)
        return [words[at] for at in there if words[at].lower not in universals]


def parse(text: str, beside: Language = Language.ENGLISH) -> ParsedText:
    """``text``, parsed, with the language of what stands ``beside`` it; short texts are kept for who asks again."""
    return _parse_and_keep(text, beside) if len(text) <= _LONGEST_KEPT else ParsedText(text, beside)


@lru_cache(maxsize=256)
def _parse_and_keep(text: str, beside: Language) -> ParsedText:
    return ParsedText(text, beside)


def stretch_of(text: Text, mention: Quantity | DateMention) -> tuple[int, int]:
    """The tokens of a mention with its unit and what bounds it."""
    begin, end = (mention.first, mention.until) if isinstance(mention, Quantity) else (mention.begin, mention.end)
    is_bound = mention.bound if isinstance(mention, Quantity) else "range" if mention.is_within else mention.window
    if is_bound == "range" and text.lower(begin - 1) in lexicon(text.language).ranges_from:
        return begin - 1, end
    if not is_bound or is_bound == "range":
        return begin, end
    words = _stretching(text.language)
    first = begin
    while first and begin - first < _BOUND_REACH and text.lower(first - 1) in words:
        first -= 1
    last = end
    while last - end < _BOUND_REACH and text.lower(last) in words and text.lower(last) not in {"by", "from", "to"}:
        last += 1
    return first, last if last <= len(text.written) else end


def joined_to(text: Text, mention: Quantity | DateMention) -> str:
    """The word that a hyphen joins to a mention with its unit; empty for none."""
    end = stretch_of(text, mention)[1]
    word = text.lower(end + 1) if text.lower(end) == "-" else ""
    if not word.isalpha():
        return ""
    start, stop = text.offsets(end - 1, end + 2)
    return word if stop - start == sum(map(len, text.written[end - 1 : end + 2])) else ""


def bounds_of(text: Text, mention: Quantity | DateMention) -> tuple[int, int]:
    """Where in the composed text the words stand that bound a mention: the "not" of "not after 1994" denies nothing."""
    bound = mention.bound if isinstance(mention, Quantity) else mention.window
    begin = stretch_of(text, mention)[0] if bound in _BOUNDING else mention.begin
    while bound == "~" and text.lower(begin) in lexicon(text.language).negations:
        begin += 1
    return text.offsets(begin, mention.end)[0], text.offsets(mention.begin, mention.end)[0]


def denials(parsed: ParsedText, mention: Quantity | DateMention) -> int:
    """How often it is denied what stands around a mention, up to the next comma or clause: not by what bounds it."""
    text, terms = parsed.text, parsed.terms
    (start, at), (_, stop) = bounds_of(text, mention), text.offsets(mention.begin, mention.end)
    own, place, negations = terms.places_in([(start, stop)]), terms.place_at(at), lexicon(text.language).negations
    begin, end = terms.sentence_of(place)
    begin, end = max(begin, place - _DENIAL_REACH), min(end, place + _DENIAL_REACH)
    begin = next((each for each in range(place, begin, -1) if terms.is_apart(each)), begin)
    end = next((each for each in range(place + 1, end) if terms.is_apart(each)), end)
    beside = (terms.words[each] for each in range(begin, end) if each not in own)
    return sum(word.polarity == "not" or not negations.isdisjoint(word.lower.split()) for word in beside)


@cache
def _stretching(language: Language) -> frozenset[str]:
    return bounding_words(language) | lexicon(language).fillers


def stands_in_bounds(parsed: ParsedText, begin: int, end: int) -> bool:
    """Whether all from ``begin`` to before ``end`` bounds a number or date, as the "no" of "no more than 17" does."""
    bounded = [stretch_of(parsed.text, each) for each in parsed.quantities if each.bound]
    bounded += [stretch_of(parsed.text, each) for each in parsed.dates if each.window]
    return begin == end or any(first <= begin and end <= until for first, until in bounded)
