"""Words of a speech that a judge can rest on: verbatim, and long enough to be found again."""

import re
from collections.abc import Iterable, Iterator, Sequence

from sparring.consult.offline.reading import HeardSpeech, Point

_LONGEST = 400
_FEWEST_CHARACTERS = 8
"""Letters and digits; less than that can be found in any speech."""

_MOST_ARGUMENTS = 3
_SENTENCE_END = re.compile(r"[.!?…][)\"”*_`]*(?=\s)")
_WHITE_SPACE = re.compile(r"\s")


def best_quotes(speeches: Sequence[HeardSpeech]) -> tuple[str, ...]:
    """What carries a side's case: up to three points, those with most verified citations first.

    Without any that is verified it is the first thing that was said at all; nothing if that is too little to quote.
    """
    verified = sorted((point for point in _points(speeches) if point.verified), key=_weight, reverse=True)
    if verified:
        return tuple(quotes(verified))[:_MOST_ARGUMENTS]
    said = (*(point.said for point in _points(speeches)), *(speech.text for speech in speeches))
    return tuple(quote for words in said if (quote := cut(words)))[:1]


def strongest(speeches: Sequence[HeardSpeech]) -> Point | None:
    """The point that quotes the most from the repository; the earliest of equals."""
    return max((point for point in _points(speeches) if point.verified), key=_weight, default=None)


def quotes(points: Iterable[Point]) -> Iterator[str]:
    """The points word for word, without those that are too short; none twice."""
    return iter(dict.fromkeys(quote for point in points if (quote := cut(point.said))))


def cut(words: str) -> str:
    """The beginning of ``words``, up to the end of a sentence where there is one; empty if it is too short to quote."""
    kept = words.strip()
    if len(kept) > _LONGEST:
        ends = [match.end() for match in _SENTENCE_END.finditer(kept, 0, _LONGEST)]
        ends = ends or [match.start() for match in _WHITE_SPACE.finditer(kept, 0, _LONGEST)]
        kept = kept[: ends[-1] if ends else 0].strip()  # half a word is no quotation
    return kept if sum(character.isalnum() for character in kept) >= _FEWEST_CHARACTERS else ""


def _points(speeches: Sequence[HeardSpeech]) -> Iterator[Point]:
    return (point for speech in speeches for point in speech.points)


def _weight(point: Point) -> tuple[int, bool]:
    return len(point.verified), bool(point.verified[0].citation.quoted)
