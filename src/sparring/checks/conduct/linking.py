"""Which concession a withdrawal takes back."""

import re
from dataclasses import dataclass
from itertools import islice

_MOST_COMPARED = 100
"""Standing concessions, the latest, among which a withdrawal is looked for: nobody means one of more."""

_WORD = re.compile(r"[^\W\d_]\w*")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|ly|e)\Z")
_ROUND = re.compile(r"\bround\s+(\d{1,2})\b", re.IGNORECASE)
_EVERY = re.compile(r"\b(?:all|both|every|each)\b[^.]{0,40}\bconce\w+", re.IGNORECASE)
_TALK = """
    a about absolutely accept accepted admit admitted admittedly again agree agreed agreement all also am an and any are
    argument as at back be because been but by can cannot catch challenge challenger claim concede conceded conceding
    concern concession concessions concur contrary correct could did do does earlier enough error every fair first for
    from fully further good grant granted had happily has have hereby here how however i if in is it its last longer me
    mea mistake mistaken much must my no none not nothing now objection of on one only or our own partly point points
    position previous proposer quite readily retract retracted right round said should side so stand taken take that the
    their them then there therefore these they this those to too true valid very walk was we well were what when which
    while will with withdraw withdrawn wrong yes you your
"""


def _stem(word: str) -> str:
    return _ENDING.sub("", word.lower())


_SAYS_NOTHING = frozenset(_stem(word) for word in _TALK.split())


def content_words(text: str) -> frozenset[str]:
    """What ``text`` is about: its words but for those of which any talk of conceding is made."""
    return frozenset(stem for word in _WORD.findall(text) if len(stem := _stem(word)) > 1 and stem not in _SAYS_NOTHING)


@dataclass(frozen=True)
class _Given:
    round: int
    words: frozenset[str]


class Standing:
    """The concessions of one side that stand, each with its place in a list of the caller's."""

    def __init__(self) -> None:
        self._standing: dict[int, _Given] = {}

    def add(self, place: int, round_: int, text: str) -> None:
        """Remember a concession made in ``round_``."""
        self._standing[place] = _Given(round_, content_words(text))

    def take_back(self, withdrawal: str) -> tuple[int, ...]:
        """The places of those that these words take back, which stand no longer; none if it cannot be told which.

        The one that shares most words of content, the latest of equals. Without a word in common only one that stands
        alone, or stands alone in the round that is named.
        """
        meant = tuple(self._standing) if _EVERY.search(withdrawal) else self._meant(withdrawal)
        for place in meant:
            del self._standing[place]
        return meant

    def _meant(self, withdrawal: str) -> tuple[int, ...]:
        rounds = {int(number) for number in _ROUND.findall(withdrawal)}
        recent = dict(islice(reversed(self._standing.items()), _MOST_COMPARED))
        candidates = {place: given for place, given in recent.items() if given.round in rounds} or recent
        words = content_words(withdrawal)
        shared = {place: len(words & given.words) for place, given in candidates.items()}
        best = max(shared, key=lambda place: shared[place], default=None)
        is_clear = best is not None and (shared[best] > 0 or len(candidates) == 1)
        return (best,) if best is not None and is_clear else ()
