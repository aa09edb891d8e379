"""What a vote may rest on: the claim, which its parts hold together and nothing else, and the evidence as it is quoted.

Words are told apart as they are where claims are compared. In scripts without spaces between words they cannot be, and
nobody is asked for what nobody can look up.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sparring.checks.claims import carried, check_claim
from sparring.checks.claims.context import concept
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.terms import Terms, Word
from sparring.checks.claims.tokens import Language, Text, Token
from sparring.checks.quotes import Evidence
from sparring.schema.claims import ClaimCheck, Dimension, Label, Relation, Status
from sparring.schema.fact_check import CheckedPart, Fault, FaultFound, PartStatus, Position
from sparring.schema.lookups import QuoteFinding, QuoteVerdict, Span
from sparring.text.prose import sentences_around
from sparring.text.tidying import one_line

FEWEST_PARTS, MOST_PARTS = 2, 5
"""Specification: Round 1, step 1."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese."""

_SHOWN = 120
"""Characters of a part that a sentence about it repeats."""

_MOST_SHOWN = 20


class WholeClaim:
    """A claim, as the parts of it are held against it."""

    def __init__(self, claim: str) -> None:
        self._claim = claim

    @property
    def is_told_apart(self) -> bool:
        """Whether the words of the claim can be told apart."""
        return not _UNSPACED.search(self._claim)

    def problems(self, parts: Sequence[str]) -> Iterator[str]:
        """What is wrong with ``parts``, in sentences for whoever named them."""
        named = len({key(part) for part in parts})
        if (named < FEWEST_PARTS <= len(self._wanted)) or named > MOST_PARTS:
            yield f"{FEWEST_PARTS} to {MOST_PARTS} different parts are asked for, and there are {named}."
        if words := self.left_out(parts):
            yield f"No part speaks of: {_listed(words)}."
        for part in parts:
            if words := self.foreign_words(part):
                yield f"These words of a part are none of the claim: {_listed(words)}."
            if self.is_turned(part):
                yield f"This part says something else than the claim: {shown(part)}."

    def left_out(self, parts: Sequence[str]) -> tuple[str, ...]:
        """The words of the claim that none of ``parts`` has."""
        return _lacking(self._wanted, [word for part in parts for word in _words(part)])

    def foreign_words(self, part: str) -> tuple[str, ...]:
        """The words of ``part`` that the claim has not."""
        return _lacking(_told_apart(part), self._words)

    def is_turned(self, part: str) -> bool:
        """Whether ``part`` cannot be true together with the claim: it says the opposite, or another number."""
        return _carried(part, self._claim) is Relation.CONFLICTS

    @cached_property
    def _words(self) -> Sequence[Word]:
        return _words(self._claim)

    @cached_property
    def _wanted(self) -> Sequence[Word]:
        return _told_apart(self._claim)


def key(part: str) -> tuple[str, ...]:
    """What is equal for parts that say the same words, in whatever inflection."""
    return tuple(word.key for word in _words(part) if word.is_content or word.is_negation) or (part,)


def added(words: Sequence[str]) -> CheckedPart:
    """The part that holds what was left out; nothing covers it."""
    return CheckedPart(part=", ".join(words), status=PartStatus.MISSING, claimed=PartStatus.MISSING, is_added=True)


def incomplete(words: Sequence[str]) -> FaultFound:
    """That ``words`` were left out."""
    return FaultFound(fault=Fault.INCOMPLETE_PARTS, why=f"No part speaks of: {_listed(words)}.")


def _told_apart(text: str) -> Sequence[Word]:
    words = (word for word in _words(text) if word.is_content or word.is_negation)
    return [word for word in words if not _UNSPACED.search(word.text)]


def _lacking(wanted: Sequence[Word], words: Sequence[Word]) -> tuple[str, ...]:
    """Those of ``wanted`` that are not among ``words``, each once; code only as it is written."""
    written = {word.text for word in words} | {word.text.lower() for word in words}
    keys = {word.key for word in words}
    return tuple(
        dict.fromkeys(
            word.text
            for word in wanted
            if word.text not in written and (word.is_code or not (word.key in keys or word.text.lower() in written))
        )
    )


# Agents name the same parts and quote the same for them, and each is weighed once more when a second reader was heard.
_KEPT = 512


@lru_cache(maxsize=_KEPT)
def _words(part: str) -> Sequence[Word]:
    return Terms(Text(part)).words


@lru_cache(maxsize=_KEPT)
def _checked(part: str, text: str) -> ClaimCheck:
    return check_claim(part, [text])


@lru_cache(maxsize=_KEPT)
def _carried(part: str, quote: str, around: str = "") -> Relation:
    return carried(part, quote, around).relation


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _MOST_SHOWN} more" if len(words) > _MOST_SHOWN else ""
    return ", ".join(words[:_MOST_SHOWN]) + more


def verdict_by_rule(statuses: Sequence[PartStatus]) -> Label:
    """What the parts of a claim make: any CONFLICT refutes, even beside a MISSING one; all COVERED support; else NEI.

    Source: specification (seed 000), Round 1, step 2; design, Fact-check, for a CONFLICT beside a MISSING one.
    """
    if PartStatus.CONFLICT in statuses:
        return Label.REFUTED
    return Label.SUPPORTED if set(statuses) == {PartStatus.COVERED} else Label.NEI


_POSSESSIVE = re.compile("['’]s$")
_ALPHABETS = frozenset({"LATIN", "CYRILLIC", "GREEK"})
_STEM = 5
"""Letters that inflected forms of one word have in common; shorter words must be equal."""

_ENGLISH_ONLY = frozenset(("the", "of", "and", "is", "are", "were", "has", "have", "had", "with", "from", "by", "that"))
_SURELY_SOME = 8
"""An English text of that many words has at least one of these."""

_POINTING_BACK = {
    Language.ENGLISH: frozenset(("it", "its", "he", "his", "she", "her", "they", "their", "this", "these", "those")),
    Language.VIETNAMESE: frozenset(("nó", "ông", "bà", "họ", "này", "đó", "đây")),
}
"""They may stand for anything that was named before."""

_SOME_NUMBER = frozenset(("all", "both", "no", "none", "half", "double", "twice", "triple", "tất", "cả", "nửa"))
"""They say how many without a numeral."""


@dataclass(frozen=True)
class _Matter:
    """What a text is about, and how it is written.

    Attributes:
        language: ``other`` for a longer text that is neither English nor Vietnamese; empty where that is open.
        has_number: Whether it has one, in figures or in words.
        points_back: Whether it speaks of something that another sentence names.
        is_plain: Whether all of its letters are plain ones: a name may be written with marks and without.
    """

    keys: frozenset[str]
    language: str
    script: str
    has_number: bool
    points_back: bool
    is_plain: bool


def says_nothing_of(text: str, *subjects: str) -> bool:
    """Whether ``text`` shares no word of content and no number with any of ``subjects``.

    True for a text that has neither; False where it cannot be told.
    """
    matter = _matter(text)
    if not matter.keys:
        return True
    if matter.points_back:
        return False
    others = [_matter(subject) for subject in subjects]
    return all(_is_comparable(matter, other) and matter.keys.isdisjoint(other.keys) for other in others)


def has_no_number(text: str) -> bool:
    """Whether ``text`` has no number in figures or in words; False where its numerals are not known."""
    matter = _matter(text)
    return not matter.has_number and matter.script == "LATIN" and matter.language != "other"


def _is_comparable(one: _Matter, other: _Matter) -> bool:
    if one.script != other.script or one.script not in _ALPHABETS:
        return False
    if one.language and other.language:
        return one.language == other.language
    return one.is_plain == other.is_plain


@lru_cache(maxsize=_KEPT)
def _matter(text: str) -> _Matter:
    read = Text(text)
    words = [token for token in read.tokens if token.is_word]
    letters = "".join(word.text for word in words)
    return _Matter(
        keys=frozenset(key for token in read.tokens for key in _keys(token, read.language)),
        language=_language(read, words),
        script=unicodedata.name(letters[0], "").partition(" ")[0] if letters else "LATIN",
        has_number=any(_is_number(token, read.language) for token in read.tokens),
        points_back=not read.lowered_words.isdisjoint(_POINTING_BACK[read.language]),
        is_plain=letters.isascii(),
    )


def _language(text: Text, words: list[Token]) -> str:
    if text.language is Language.VIETNAMESE:
        return "vi"
    if any(word.lower in _ENGLISH_ONLY for word in words):
        return "en"
    return "other" if len(words) >= _SURELY_SOME else ""


def _is_number(token: Token, language: Language) -> bool:
    words, word = lexicon(language), token.lower
    is_numeral = word in words.numerals or word in words.ordinals or word in words.scales
    return token.is_digits or is_numeral or word in _SOME_NUMBER


def _keys(token: Token, language: Language) -> Iterator[str]:
    """What has to be equal in two texts for the token to be in both; nothing for small words and marks."""
    words = lexicon(language)
    if token.is_digits:
        yield token.lower.rstrip("stndrh").replace(",", "").replace(".", "").replace(" ", "")
    elif token.is_word and token.lower not in words.small and (len(token.text) > 1 or token.is_capitalised):
        word = _POSSESSIVE.sub("", token.lower)
        yield from (concept(word), token.text.lower())  # a short text's language is open, and with it its accents
        if len(word) >= _STEM:
            yield word[:_STEM]
        if word in words.numerals:
            yield str(words.numerals[word])


_EXCERPT = 1_000
"""Characters of a quote that others are shown: whoever quotes a whole source must not fill their prompts with it."""

_GAP = " … "
_REACH = 80  # characters in which the neighbouring words are looked for
_BEFORE = re.compile(r"(?<!\S)(?:\S*[^\s.!?;]\s+){0,3}\Z")
_AFTER = re.compile(r"\A(?:,?\s+[^\s.!?;]+(?:\.[^\s.!?;]+)*){0,2}")
_ENDS = (".", "!", "?", ";")


@dataclass(frozen=True)
class Cited:
    """A quote that was looked up.

    Attributes:
        quote: As the agent has it.
        context: The evidence's words where it stands with those just before and behind it, in the same sentence: a
            quote is not to gain by what was cut off, such as "over" before a number or "not" before a word.
        fault: Why it carries nothing, if it does not.
    """

    quote: str
    found: QuoteFinding
    context: str
    fault: FaultFound | None

    @property
    def is_verbatim(self) -> bool:
        """Whether it stands in the evidence, whatever it says there."""
        return self.found.verdict is QuoteVerdict.VERBATIM

    @property
    def excerpt(self) -> str:
        """The evidence's own words, as others are shown them: all, or the beginning, which is verbatim too."""
        whole = words_of(self.found)
        if len(whole) <= _EXCERPT:
            return whole
        begin = self.found.parts[0].text
        return begin if len(begin) <= _EXCERPT else begin[:_EXCERPT].rpartition(" ")[0] or begin[:_EXCERPT]


def words_of(found: QuoteFinding) -> str:
    """The evidence's own words where a verbatim quote stands; what was wrapped around them is left out."""
    return _GAP.join(part.text for part in found.parts)


def context_of(found: QuoteFinding, sources: Sequence[str]) -> str:
    """The same with up to three words before and two behind each piece, as far as the sentence goes."""
    return _GAP.join(_widened(part, sources[part.index]) for part in found.parts)


def _widened(span: Span, source: str) -> str:
    before = _BEFORE.search(source[max(0, span.start - _REACH) : span.start])
    behind = None if span.text.endswith(_ENDS) else _AFTER.match(source[span.end : span.end + _REACH])
    return f"{before[0] if before else ''}{span.text}{behind[0] if behind else ''}"


@dataclass(frozen=True)
class OpenQuote:
    """A part of a claim and the sentence, or sentences, of the evidence that were quoted for or against it."""

    part: str
    passage: str


_FAR = 2_000
"""Characters around a quote in which the sentence that it stands in begins and ends."""

_NUMBERS = frozenset({Dimension.QUANTITY, Dimension.TIME})


class Grounds:
    """What there is to rest a verdict on.

    Attributes:
        whole: What the parts of the claim are held against; None where they need not hold all of it.
    """

    def __init__(self, claim: str, sources: Sequence[str], whole: WholeClaim | None) -> None:
        self._claim = claim
        self._sources = sources
        self.whole = whole

    def look_up(self, quote: str, part: str = "") -> Cited:
        """``quote`` in the evidence, given for or against ``part`` of the claim, or the whole of it."""
        found = self._evidence.find(quote)
        context = context_of(found, self._sources)
        return Cited(quote, found, context, self._fault(quote, found, context, part))

    def contradiction(self, cited: Cited, part: str = "") -> str:
        """Why the words of ``cited`` cannot be true together with ``part``, or the whole claim; else empty.

        Only what code sees for sure: a number, a date or a changed word.
        """
        # A piece of a sentence may have another number than the sentence has for the same.
        text = self.passage(cited.found) if self.whole else cited.context
        return next((each.why for each in _checked(part or self._claim, text).critical_mismatches), "")

    def misfit(self, cited: Cited, part: str) -> FaultFound | None:
        """Why ``cited``, which has no fault of its own, cannot cover ``part``; None when it may."""
        if against := self.contradiction(cited, part):
            why = f"{shown(part)} is called COVERED by a quote that says otherwise. {against}"
            return FaultFound(fault=Fault.CONTRADICTED_PART, why=why, quote=cited.quote)
        if self._is_without_number(cited, part):
            why = f"{shown(part)} has a number, and the quote that it is called COVERED by has none."
            return FaultFound(fault=Fault.UNRELATED_QUOTE, why=why, quote=cited.quote)
        return None

    def relation(self, cited: Cited, part: str) -> Relation:
        """What ``cited``, which stands in the evidence, is to ``part``, by code: itself, or else its whole sentence.

        Pieces of several sentences are left open: what joins them stands nowhere.
        """
        around, *more = self._sentences(cited.found)
        if more:
            return Relation.OPEN
        by_itself = _carried(part, words_of(cited.found), around)
        return _carried(part, around) if by_itself is Relation.OPEN else by_itself

    def passage(self, found: QuoteFinding) -> str:
        """The sentences in which a quote stands, as a second reader is shown them."""
        return _GAP.join(self._sentences(found))

    def opposite(self, cited: Cited, part: str) -> str:
        """Why ``cited``, which by code conflicts with ``part``, does so."""
        texts = (words_of(cited.found), self.passage(cited.found))
        return next((each.why for text in texts for each in _checked(part, text).critical_mismatches), "")

    def _sentences(self, found: QuoteFinding) -> list[str]:
        return list(dict.fromkeys(self._sentence(piece) for piece in found.parts))

    def _sentence(self, piece: Span) -> str:
        begin = max(0, piece.start - _FAR)
        near = self._sources[piece.index][begin : piece.end + _FAR]
        return sentences_around(near, piece.start - begin, piece.end - begin)

    def foreignness(self, part: str) -> str:
        """Why ``part`` is none of the claim, to go on from its name; empty when it is one."""
        if says_nothing_of(part, self._claim) and not Evidence([self._claim]).locate(part):
            return "has no word and no number in common with the claim."
        return "says something else than the claim." if self.whole and self.whole.is_turned(part) else ""

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence(self._sources)

    def _is_without_number(self, cited: Cited, part: str) -> bool:
        findings = _checked(part, cited.context).findings
        is_asked = any(each.dimension in _NUMBERS and each.evidence is None for each in findings)
        return is_asked and has_no_number(cited.context)

    def _fault(self, quote: str, found: QuoteFinding, context: str, part: str) -> FaultFound | None:
        if found.nearest:
            why = f"The evidence has something else there: {found.nearest.difference}"
            return FaultFound(fault=Fault.ALTERED_QUOTE, why=why, quote=quote)
        if found.verdict is not QuoteVerdict.VERBATIM:
            return FaultFound(fault=Fault.FABRICATED_QUOTE, why="The evidence has nothing like it.", quote=quote)
        if self.whole:
            return None  # whether it says anything of the part, code or a second reader has to show
        if says_nothing_of(words_of(found), part or self._claim, self._claim) and not self._is_told(part, context):
            subjects = f"{shown(part)} or with the claim" if part else "the claim"
            why = f"It has no word and no number in common with {subjects}."
            return FaultFound(fault=Fault.UNRELATED_QUOTE, why=why, quote=quote)
        return None

    def _is_told(self, part: str, context: str) -> bool:
        """Whether a number or date of ``part`` can be held against one in ``context``: 1922 against "after 1921"."""
        findings = _checked(part or self._claim, context).findings
        return any(each.evidence and each.status is not Status.MISSING for each in findings)


def shown(part: str) -> str:
    """``part`` between quotation marks, as a sentence about it repeats it."""
    return f'"{one_line(part, _SHOWN)}"'


def quotes_of(position: Position) -> Iterator[tuple[str, QuoteFinding]]:
    """What an agent quotes in a round, and what became of it."""
    pairs = [(part.quote, part.found) for part in position.parts]
    pairs += [(position.key_quote, position.key_quote_found)]
    pairs += [(each.counter_quote, each.found) for each in position.rebuttals]
    yield from ((quote, found) for quote, found in pairs if quote and found)
