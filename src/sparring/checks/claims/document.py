"""A parsed text: its sentences with their values, and the statements of its structured parts."""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from sparring.checks.claims.items import Item, items_of
from sparring.checks.claims.parsing import sentences
from sparring.checks.claims.parsing.language import Language, recognise
from sparring.checks.claims.parsing.lexicon import Lexicon, lexicon
from sparring.checks.claims.parsing.sentences import SentencePlace
from sparring.checks.claims.parsing.tokens import MARKS, PlainText, Tokens
from sparring.checks.claims.structured.entries import FormatReading
from sparring.checks.claims.structured.reading import read
from sparring.checks.claims.values.reading import find_values
from sparring.checks.claims.values.value import Value

_LONGEST_KEPT = 8_000
"""Characters; only shorter texts stay in memory, for the next claim about them."""


class Sentence:
    """One sentence of a text; each property is computed on first use."""

    def __init__(self, text: PlainText, language: Language, stretch: SentencePlace) -> None:
        # No reference to its document: cycles would cost a quarter of the time in garbage collection.
        self.text, self.language, self.stretch = text, language, stretch

    @cached_property
    def lowered(self) -> str:
        """Return its text in lower case."""
        return self.text.plain[self.stretch.start : self.stretch.end].lower()

    @cached_property
    def tokens(self) -> Tokens:
        """Return its tokens."""
        keeps_accents = self.language is not Language.ENGLISH
        return Tokens(self.text.plain, self.stretch.start, self.stretch.end, keeps_accents=keeps_accents)

    @property
    def words(self) -> frozenset[str]:
        """Return every token except marks, in lower case."""
        return self.tokens.words

    @cached_property
    def keys(self) -> Sequence[str]:
        """Return the tokens in lower case, without marks, in order."""
        return [word for word in self.tokens.lowered if word not in MARKS]

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Return its values, in order."""
        return find_values(self.tokens, self.lexicon)

    @cached_property
    def items(self) -> Sequence[Item]:
        """Return its items, which are compared one by one, in order."""
        return items_of(self.tokens, self.values, self.lexicon)

    @property
    def lexicon(self) -> Lexicon:
        """Return the words of its language."""
        return lexicon(self.language)

    @cached_property
    def reason_not_asserted(self) -> str:
        """Return the reason why the text does not assert it; empty if nothing limits it."""
        return sentences.reason_not_asserted(self.text.plain, self.stretch, self.language)


class ParsedText:
    """A text that is parsed once; every part of it on first use."""

    def __init__(self, plain: PlainText, language: Language) -> None:
        self.plain, self.language = plain, language

    def with_language_of(self, language: Language) -> "ParsedText":
        """Return it in the language of an accompanying text, if its own was not recognised."""
        is_settled = self.language is not Language.OTHER or language is Language.OTHER
        return self if is_settled else ParsedText(self.plain, language)

    @cached_property
    def reading(self) -> FormatReading:
        """Return the statements of its structured parts."""
        return read(self.plain.plain)

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """Return its sentences, in order."""
        return [Sentence(self.plain, self.language, stretch) for stretch in sentences.cut(self.plain.plain)]


def other_sentences(sentence: Sentence, sources: Sequence[ParsedText]) -> Iterator[Sentence]:
    """Yield every sentence of ``sources`` but that one."""
    return (each for source in sources for each in source.sentences if each is not sentence)


def parse(text: str) -> ParsedText:
    """Parse ``text``; short texts are cached, since the next claim is often about the same one."""
    return _parse_and_keep(text) if len(text) <= _LONGEST_KEPT else _parse(text)


def _parse(text: str) -> ParsedText:
    plain = PlainText(text)
    words = frozenset(plain.plain.lower().replace("'", " ").split())
    return ParsedText(plain, recognise(plain.plain, words))


_parse_and_keep = lru_cache(maxsize=32)(_parse)
