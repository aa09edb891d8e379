"""The words of a claim, as every passage is held against them."""

from collections.abc import Iterable, Sequence, Set
from functools import cached_property

from sparring.checks.claims.lexicon import Lexicon, lexicon
from sparring.checks.claims.swaps import opposites
from sparring.checks.claims.terms import Terms


class ClaimWords:
    """What the words of a claim are to every passage.

    Attributes:
        keys: What every inflection of a word that has to be accounted for has in common.
    """

    def __init__(self, claim: Terms, places: Iterable[int]) -> None:
        self.claim = claim
        self.keys = {claim.words[at].key for at in places}

    @cached_property
    def spelled(self) -> Set[str]:
        """Every word, in small letters."""
        return {word.lower for word in self.claim.words}

    @cached_property
    def lexicon(self) -> Lexicon:
        """The words of its language."""
        return lexicon(self.claim.text.language)

    def lacks(self, word: str, among: Set[str]) -> bool:
        """Whether it is one ``among`` those, and not in the claim."""
        return word in among and word not in self.spelled

    @cached_property
    def joints(self) -> Sequence[int]:
        """The places at which a word stands that joins, or before which a comma does."""
        claim, joining = self.claim, self.lexicon.clauses | self.lexicon.alternatives
        return [
            at for at, word in enumerate(claim.words) if word.lower in joining or (at and claim.has_comma_before(at))
        ]

    @cached_property
    def opposed(self) -> Set[str]:
        """The keys of words that say the opposite of one of the claim's, and are not in it."""
        pairs = opposites(self.claim.text.language)
        opposed = {other for key in self.keys for other in pairs.get(key, ())}
        return opposed - {word.key for word in self.claim.words}
