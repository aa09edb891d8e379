"""Words of a claim that a sentence in another language turns into their opposite: before and after, first and last."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from sparring.checks.claims.crossing.phrasebook import Found, Phrasebook, plain
from sparring.checks.claims.lexicon import reversals
from sparring.checks.claims.tokens import Language, Text


class Side(NamedTuple):
    """One side of a pair of opposites."""

    pair: str
    is_opposite: bool

    @property
    def opposite(self) -> "Side":
        """The other side."""
        return Side(self.pair, not self.is_opposite)


class Reversal(NamedTuple):
    """Words of the claim, and those of the sentence that say the opposite, as token ranges."""

    claim: tuple[int, int]
    evidence: tuple[int, int]


def find_reversals(claim: Text, evidence: Text, begin: int, end: int) -> Iterator[Reversal]:
    """Where the sentence from ``begin`` to before ``end`` of ``evidence`` says the opposite of a word of ``claim``.

    Both must have as many words of the pair, and the claim more of the one side: then nothing was only left out.
    """
    ours, theirs = _sides(claim, 0, len(claim.lowered)), _sides(evidence, begin, end)
    said, there = _count(ours), _count(theirs)
    for side in said:
        other = side.opposite
        is_turned = said[side] > there[side] and said[other] < there[other]
        if is_turned and said[side] + said[other] == there[side] + there[other]:
            yield _reversal(side, ours, theirs)


def _reversal(side: Side, ours: Sequence[Found[Side]], theirs: Sequence[Found[Side]]) -> Reversal:
    one = [each for each in ours if each.meaning == side][-1]
    other = [each for each in theirs if each.meaning == side.opposite][-1]
    return Reversal((one.begin, one.end), (other.begin, other.end))


def _count(found: Iterable[Found[Side]]) -> Counter[Side]:
    return Counter(each.meaning for each in found)


def _sides(text: Text, begin: int, end: int) -> list[Found[Side]]:
    words = [plain(word, text.language) for word in text.lowered[begin:end]]
    found = _phrases(text.language).find(words)
    return [Found(each.begin + begin, each.end + begin, each.meaning) for each in found if each.meaning]


@cache
def _phrases(language: Language) -> Phrasebook[Side | None]:
    table = reversals()
    sides = {
        _plain(phrase, language): Side(pair, is_opposite)
        for pair, words in table.pairs.items()
        for is_opposite, phrases in zip((False, True), words[language], strict=True)
        for phrase in phrases
    }
    return Phrasebook(dict.fromkeys((_plain(phrase, language) for phrase in table.neutral[language]), None) | sides)


def _plain(phrase: str, language: Language) -> tuple[str, ...]:
    return tuple(plain(word, language) for word in phrase.split())
