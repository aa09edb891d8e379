"""A parsed text: its sentences with their values, and what its structured parts state."""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from sparring.checks.claims.items import Item, items_of
from sparring.checks.claims.parsing import sentences
from sparring.checks.claims.parsing.language import Language, recognised
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
    """One sentence of a text; each property is read when it is first asked for."""

    def __init__(self, text: PlainText, language: Language, stretch: SentencePlace) -> None:
        # No reference to its document: cycles would cost a quarter of the time in garbage collection.
        self.text, self.language, self.stretch = text, language, stretch

    @cached_property
    def lowered(self) -> str:
        """It in small letters."""
        return self.text.plain[self.stretch.start : self.stretch.end].lower()

    @cached_property
    def tokens(self) -> Tokens:
        """Its tokens."""
        keeps_accents = self.language is not Language.ENGLISH
        return Tokens(self.text.plain, self.stretch.start, self.stretch.end, keeps_accents=keeps_accents)

    @property
    def words(self) -> frozenset[str]:
        """Every token but marks, in small letters."""
        return self.tokens.words

    @cached_property
    def keys(self) -> Sequence[str]:
        """The tokens in small letters, without marks, in order."""
        return [word for word in self.tokens.lowered if word not in MARKS]

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its values, in order."""
        return find_values(self.tokens, self.lexicon)

    @cached_property
    def items(self) -> Sequence[Item]:
        """Its items, which are compared one by one, in order."""
        return items_of(self.tokens, self.values, self.lexicon)

    @property
    def lexicon(self) -> Lexicon:
        """The words of its language."""
        return lexicon(self.language)

    @cached_property
    def limit(self) -> str:
        """The reason why it is not asserted where it stands; empty if nothing limits it."""
        return sentences.limit(self.text.plain, self.stretch, self.language)


class ParsedText:
    """A text that is parsed once; every part of it when it is first asked for."""

    def __init__(self, plain: PlainText, language: Language) -> None:
        self.plain, self.language = plain, language

    def in_language_of(self, language: Language) -> "ParsedText":
        """Return it in the language of a text beside it, if none was recognised in it."""
        is_settled = self.language is not Language.OTHER or language is Language.OTHER
        return self if is_settled else ParsedText(self.plain, language)

    @cached_property
    def reading(self) -> FormatReading:
        """The statements of its structured parts."""
        return read(self.plain.plain)

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """Its sentences, in order."""
        return [Sentence(self.plain, self.language, stretch) for stretch in sentences.cut(self.plain.plain)]


def other_sentences(sentence: Sentence, sources: Sequence[ParsedText]) -> Iterator[Sentence]:
    """Yield every sentence of ``sources`` but that one."""
    return (each for source in sources for each in source.sentences if each is not sentence)


def parse(text: str) -> ParsedText:
    """Return ``text``, parsed; short texts are kept, since the next claim is often about the same."""
    return _parse_and_keep(text) if len(text) <= _LONGEST_KEPT else _parse(text)


def _parse(text: str) -> ParsedText:
    plain = PlainText(text)
    words = frozenset(plain.plain.lower().replace("'", " ").split())
    return ParsedText(plain, recognised(plain.plain, words))


_parse_and_keep = lru_cache(maxsize=32)(_parse)
