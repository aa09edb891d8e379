"""A text as terms: words without their inflection, numbers, and code, which is kept as it is written."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import NamedTuple

from sparring.checks.claims.lexicon import Lexicon, lexicon
from sparring.checks.claims.tokens import Language, Text, without_accents
from sparring.schema.lookups import TextSpan

_TERM = re.compile(r"(?:[^\s`\"|()\[\]{},;!?]++|(?<=[0-9]),(?=[0-9]{3}(?![0-9])))++")
_CODE = re.compile(r"`[^`\n]+`")
_EDGES = ".:'*…"
_TECHNICAL = re.compile(
    r"[_/@$<>=\\~]|(?<=\w)[.:](?=\w)|^--?[a-z]|[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]"
)
_ENDS = re.compile(r"[.!?;\n]")
_BRACKETS = re.compile(r"\([^()]*\)|-LRB-(?:(?!-[LR]RB-).)*-RRB-", re.DOTALL)
_PENN = frozenset({"-LRB-", "-RRB-", "-LSB-", "-RSB-"})
_ENDINGS = (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_VOWELS = frozenset("aeiouy")
_NEVER_DOUBLED = frozenset("aeiousl")
_LETTERS = frozenset("AI")
"""Within a sentence they are names, as that of vitamin A is: the article and the pronoun seldom stand there so."""
_OF = "of"
_SHORTEST = 3
_LONGEST_PHRASE = 6


class Word(NamedTuple):
    """What can be said of a term without its place.

    Attributes:
        lower: The text in small letters.
        key: What is equal for every inflection, and for every letter case.
        is_code: Whether only what is written the same is the same.
        is_content: Whether it has to be accounted for.
        polarity: How it turns what is said into its opposite ("not") or into what is not surely so ("maybe", or its
            own key); nothing for most words.
        may_begin: Whether a phrase may begin with it that says what one word says.
        is_owner: Whether it tells whose the next thing is; "s" where the apostrophe stands alone.
    """

    text: str
    lower: str
    key: str
    is_code: bool
    is_content: bool
    polarity: str
    is_owner: bool
    may_begin: bool = False

    @property
    def is_negation(self) -> bool:
        """Whether with it something else is said than without it."""
        return bool(self.polarity)


class Terms:
    """The terms of a text, in its order.

    Attributes:
        words: Every term.
        starts: Where each stands in the composed text, and ``ends`` up to where.
        sentences: The number of the sentence of each.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        found = _joined(_read(text.composed, text.language), text.language)
        self.words = [term.word for term in found]
        self.starts = [term.start for term in found]
        self.ends = [term.end for term in found]
        self.sentences = [term.sentence for term in found]

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        """Where each key stands; read once for any number of claims."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(self.words):
            found[word.key].append(place)
        return found

    def places_of(self, word: Word) -> Sequence[int]:
        """Where a word of another text stands in this one."""
        there = self._places.get(word.key, ())
        return [place for place in there if self.words[place].text == word.text] if word.is_code else there

    @cached_property
    def begins_sentence(self) -> bool:
        """Whether its first word has a capital: what has none is a part of a sentence, and may begin with a verb."""
        return bool(self.words) and self.words[0].text[0].isupper()

    @cached_property
    def extents(self) -> Sequence[tuple[int, int]]:
        """First term of each sentence, and the one behind its last."""
        begins = [
            place for place, number in enumerate(self.sentences) if not place or self.sentences[place - 1] != number
        ]
        return list(zip(begins, [*begins[1:], len(self.words)], strict=True))

    def outside_brackets(self, begin: int, end: int) -> Sequence[int]:
        """The terms between two others that stand in no brackets."""
        if end - begin < 2:
            return ()
        spans = (match.span() for match in _BRACKETS.finditer(self.text.composed, self.starts[begin], self.ends[end]))
        inside = {
            place
            for start, stop in spans
            for place in range(bisect_left(self.starts, start), bisect_left(self.starts, stop))
        }
        return [place for place in range(begin + 1, end) if place not in inside]

    def places_in(self, stretches: Iterable[tuple[int, int]]) -> Set[int]:
        """The terms that begin in one of some stretches of the composed text."""
        return {
            place
            for start, end in stretches
            for place in range(bisect_left(self.starts, start), bisect_left(self.starts, end))
        }

    def place_at(self, start: int) -> int:
        """The term that has what stands at ``start`` in the composed text; -1 before the first."""
        return bisect_right(self.starts, start) - 1

    def sentence_of(self, place: int) -> tuple[int, int]:
        """First term of the sentence that the one at ``place`` stands in, and the one behind its last."""
        return self.extents[self.sentences[place]]

    def has_comma_before(self, place: int) -> bool:
        """Whether a comma stands between it and the term before it."""
        return "," in self._marks_before(place)

    def is_beside(self, place: int) -> bool:
        """Whether nothing but a space stands between it and the term behind it."""
        return self._marks_before(place + 1) == " "

    def is_divided(self, place: int) -> bool:
        """Whether a semicolon stands right before it."""
        return ";" in self._marks_before(place)

    def _marks_before(self, place: int) -> str:
        return self.text.composed[self.ends[place - 1] : self.starts[place]]

    def may_begin_clause(self, place: int) -> bool:
        """Whether a semicolon stands right before it, or it is a word such as "and"."""
        return self.is_divided(place) or self.words[place].lower in lexicon(self.text.language).clauses

    def is_apart(self, place: int) -> bool:
        """Whether a clause may begin there, or a comma stands before it."""
        return self.has_comma_before(place) or self.may_begin_clause(place)

    def span(self, begin: int, end: int) -> TextSpan:
        """The terms from ``begin`` to before ``end``, of which there is at least one, as they stand in the original."""
        return self.text.span(self.starts[begin], self.ends[end - 1])

    def is_owner(self, place: int) -> bool:
        """Whether what stands there owns what comes behind it: that is another thing."""
        if self.words[place].is_owner or place + 1 == len(self.words) or self.words[place + 1].text != "s":
            return self.words[place].is_owner
        return self.text.composed[self.starts[place + 1] - 1] == "'"  # "1.5 s" are seconds

    def is_part(self, place: int) -> bool:
        """Whether only some of what stands there is told of: "some users", "most of the users"."""
        words, (first, _) = lexicon(self.text.language), self.sentence_of(place)
        before = (self.words[at].lower for at in range(place - 1, first - 1, -1))
        return next((word for word in before if word != _OF and word not in words.determiners), "") in words.parts

    def is_kind(self, place: int) -> bool:
        """Whether it is a common word of content with another right before it, which may tell which kind is meant."""
        begin, _ = self.sentence_of(place)
        if place == begin or not self.words[place].text.islower() or not self.words[place].is_content:
            return False
        before, universals = self.words[place - 1], lexicon(self.text.language).universals
        is_kind = before.is_content and not before.text[0].isdigit() and before.lower not in universals
        return is_kind and self.is_beside(place - 1)

    def head_of(self, place: int) -> int:
        """Of what the term at ``place`` is the owner, behind an "of"; -1 where it is none."""
        return self.place_before(place) - 1 if self.preposition(place) == _OF else -1

    def preposition(self, place: int) -> str:
        """What stands before the term at ``place``, but for articles and the like, if it is a preposition."""
        before = self.place_before(place)
        is_said = before >= 0 and self.sentences[before] == self.sentences[place]
        word = self.words[before].lower if is_said else ""
        return word if word in lexicon(self.text.language).prepositions else ""

    def is_particle(self, place: int) -> bool:
        """Whether it is a preposition of nothing: "it is on", "it is on by default", and not "it is on the disk"."""
        words = lexicon(self.text.language)
        if self.words[place].lower not in words.prepositions:
            return False
        if place + 1 == self.sentence_of(place)[1] or self._marks_before(place + 1).strip():
            return True
        behind = self.words[place + 1].lower
        return behind in words.prepositions or behind in words.clauses or behind in words.relatives

    def place_before(self, place: int) -> int:
        """Where the word before the term at ``place`` stands, but for articles and the like; -1 where there is none."""
        determiners = lexicon(self.text.language).determiners
        while (place := place - 1) >= 0 and self.words[place].lower in determiners:
            pass
        return place


class _Term(NamedTuple):
    """A word with its start and end in the composed text, and the number of its sentence."""

    word: Word
    start: int
    end: int
    sentence: int


def _read(text: str, language: Language) -> list[_Term]:
    """Every word, each by itself."""
    code = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    found: list[_Term] = []
    sentence, last, coded = 0, 0, 0
    for match in _TERM.finditer(text):
        whole = match[0]
        if (said := _said(whole, language)) is None:
            continue
        before, word = said
        start = match.start() + before
        while coded < len(code) and code[coded][1] <= start:
            coded += 1
        if coded < len(code) and code[coded][0] <= start:
            word = _as_code(word.text, language)
        is_apart = start - last > 1 or text[last] == "\n"
        if is_apart and last and not text[start].islower() and _ENDS.search(text, last, start):
            sentence += 1
        if word.text in _LETTERS and found and found[-1].sentence == sentence:
            word = _as_code(word.text, language)
        last = start + len(word.text)
        found.append(_Term(word, start, last, sentence))
    return found


def _joined(terms: Sequence[_Term], language: Language) -> Sequence[_Term]:
    """The ``terms``, with one for every phrase that says what one word says: "turned on" is "enabled"."""
    joined: list[_Term] = []
    behind = 0
    for place, term in enumerate(terms):
        if place < behind:
            continue
        size = _phrase_size(terms, place, language) if term.word.may_begin else 0
        joined.append(_phrase(terms[place : place + size], language) if size else term)
        behind = place + size
    return joined


def _phrase_size(terms: Sequence[_Term], place: int, language: Language) -> int:
    """How many terms from ``place`` on are a phrase of one sentence; 0 where none begins there."""
    there = (term for term in terms[place : place + _LONGEST_PHRASE] if term.sentence == terms[place].sentence)
    lowered = tuple(term.word.lower for term in there)
    phrases = lexicon(language).phrase_starts[lowered[0]]
    return next((len(each) for each in phrases if lowered[: len(each)] == each), 0)


def _phrase(terms: Sequence[_Term], language: Language) -> _Term:
    """One term for those of a phrase."""
    text = " ".join(term.word.text for term in terms)
    lower = text.lower()
    meant = _word(lexicon(language).phrases[tuple(lower.split(" "))], language, is_code=False)
    return _Term(meant._replace(text=text, lower=lower), terms[0].start, terms[-1].end, terms[0].sentence)


@lru_cache(maxsize=1 << 15)
def _said(whole: str, language: Language) -> tuple[int, Word] | None:
    """How many marks stand before the word that is in ``whole``, and the word; None where there is none."""
    term = whole.strip(_EDGES)
    if whole in _PENN or not any(letter.isalnum() for letter in term):
        return None
    return whole.index(term), _word(term, language, is_code=bool(_TECHNICAL.search(term)))


@lru_cache(maxsize=1 << 12)
def _as_code(term: str, language: Language) -> Word:
    return _word(term, language, is_code=True)


def _word(text: str, language: Language, *, is_code: bool) -> Word:
    words, lower = lexicon(language), text.lower()
    is_code = is_code or (lower in words.acronyms and text.isupper())
    key, bare = fold(text, language), lower.removesuffix("'s")
    is_content = is_code or words.plain_forms.get(bare, bare) not in words.functional
    polarity, may_begin = _polarity(text, key, words), lower in words.phrase_starts
    return Word(text, lower, key, is_code, is_content, polarity, bare != lower, may_begin)


def _polarity(text: str, key: str, words: Lexicon) -> str:
    lower = text.lower()
    if lower in words.negations or lower.endswith("n't"):
        return "not"
    if lower in words.hedges and not (text[0].isupper() and lower in words.months):  # "May" is a month
        return "maybe"
    return key if lower in words.doubts or lower in words.pairings or lower in words.open_phrases else ""


@lru_cache(maxsize=1 << 15)
def fold(word: str, language: Language) -> str:
    """A word without letter case, hyphens and inflection; digits without what groups them."""
    lower = word.lower()
    if word[0].isdigit():
        return lower.replace(",", "") if language is Language.ENGLISH else lower
    if language is not Language.ENGLISH:
        return lower
    lower = without_accents(lower).removesuffix("'s").removesuffix("'")
    lower = lower.replace("-", "") or lower
    words = lexicon(language)
    if lower in words.numerals:
        return str(words.numerals[lower])
    return _stem(words.plain_forms.get(lower, lower))


def _stem(word: str) -> str:
    if len(word) <= _SHORTEST or not word.isalpha():
        return word
    stem = next((each for each in _shortened(word) if len(each) >= _SHORTEST and not _VOWELS.isdisjoint(each)), word)
    if len(stem) > _SHORTEST and stem[-1] == stem[-2] and stem[-1] not in _NEVER_DOUBLED:
        stem = stem[:-1]
    return stem.removesuffix("e") if len(stem) > _SHORTEST else stem


def _shortened(word: str) -> Iterator[str]:
    if not word.endswith("ss"):
        yield from (word[: -len(ending)] + put for ending, put in _ENDINGS if word.endswith(ending))
