"""A name in the place of another: is it somebody or something else?

"Bacon" where the evidence has "Costner" is; "Korean" for "Korea", "US" for "United States" or a name that the evidence
has elsewhere too is not, for all that a reader without a map can tell.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from sparring.checks.claims.lexicon import Lexicon
from sparring.checks.claims.tokens import Text, Token

_ALIKE = 0.6
"""From which likeness of letters on two names may be spellings of one: Faroes, Faeroes."""


_LONGEST = 40
"""Letters; comparing two names takes the product of their lengths."""


def is_another_name(said: Sequence[Token], there: Sequence[Token], sources: Sequence[Text], words: Lexicon) -> bool:
    """Whether both are names, of different things, and the one that is ``said`` stands nowhere in ``sources``."""
    if not _is_name(said, words) or not _is_name(there, words):
        return False
    if all(any(token.lower in source.lowered_words for source in sources) for token in said):
        return False
    return not _may_be_the_same([token.lower for token in said], [token.lower for token in there])


def _is_name(tokens: Sequence[Token], words: Lexicon) -> bool:
    proper = [token for token in tokens if token.lower not in words.small]
    return bool(proper) and all(token.is_capitalised and token.lower not in words.months for token in proper)


def _may_be_the_same(one: Sequence[str], other: Sequence[str]) -> bool:
    initials = {"".join(word[0] for word in words) for words in (one, other)}
    if not initials.isdisjoint({"".join(one), "".join(other)}):
        return True
    return any(_is_spelled_alike(mine, theirs) for mine in one for theirs in other)


def _is_spelled_alike(one: str, other: str) -> bool:
    return max(len(one), len(other)) > _LONGEST or SequenceMatcher(None, one, other).ratio() >= _ALIKE
