"""What a number or date is about: the words around it, each weighing less the further away it stands."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from sparring.checks.claims.lexicon import concepts, lexicon
from sparring.checks.claims.tokens import Text

# Found by trying on half of the development pages (bench/claims).
_PER_WORD = 0.9
_PER_COMMA = 0.75
_PER_NUMBER = 0.6
_PER_SENTENCE = 0.35
_REACH = 25
_EXCLUDED_REACH = 8
_ENDINGS = ("ing", "ed", "es", "s")
_SHORTEST_STEM = 4
_HOME = "#home"


@lru_cache(maxsize=1 << 14)
def concept(word: str) -> str:
    """One name for all words of the same meaning, or the word without its ending."""
    if name := concepts().names.get(word):
        return name
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much two surroundings have in common, from 0."""
    return sum(weight * other[name] for name, weight in one.items() if name in other)


class Surroundings:
    """The concepts of a text, read once for all of its numbers and dates."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._words = lexicon(text.language)
        self._concepts = _concepts_of_tokens(text)

    def of(self, begin: int, end: int) -> dict[str, float]:
        """The concepts around the tokens from ``begin`` to before ``end`` with their weights, from 0 to 1."""
        found: dict[str, float] = {}
        self._walk(range(begin - 1, max(-1, begin - 1 - _REACH), -1), found)
        self._walk(range(end, min(len(self._concepts), end + _REACH)), found)
        return found

    def _walk(self, places: Iterable[int], found: dict[str, float]) -> None:
        weight = 1.0
        for place in places:
            token, name = self._text.tokens[place], self._concepts[place]
            if token.text in {".", ";"}:
                weight *= _PER_SENTENCE
            elif token.text in {",", "(", ")"} or token.lower in self._words.turns:
                weight *= _PER_COMMA
            elif token.is_digits:
                weight *= _PER_NUMBER
            elif name:
                found[name] = max(weight, found.get(name, 0.0))
                weight *= _PER_WORD


@lru_cache(maxsize=4)  # dates and quantities of a text are read one after the other
def _concepts_of_tokens(text: Text) -> tuple[str, ...]:
    return tuple(_read_concepts(text))


def _read_concepts(text: Text) -> Iterator[str]:
    """The concept of each token, or nothing for marks and small words."""
    small, excluded = lexicon(text.language).small, -1
    for place, token in enumerate(text.tokens):
        name = concept(token.lower) if token.is_word and token.lower not in small else ""
        if token.lower == "outside":
            excluded = place + _EXCLUDED_REACH
        elif token.is_digits:
            excluded = -1
        # "outside the United States and Canada" is not about them
        yield "" if name == _HOME and place <= excluded else name
