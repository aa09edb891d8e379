"""What stands around a date and tells how it is meant: before it, since it; or whose date it is."""

from sparring.checks.claims.context import concept
from sparring.checks.claims.lexicon import Lexicon, Window
from sparring.checks.claims.tokens import Text

_REACH = 3
_FILLERS_REACH = 8
_FILLING_MARKS = frozenset("-(")


def read_window(text: Text, begin: int, words: Lexicon) -> Window:
    """What the words before the token at ``begin`` make of the date there."""
    before = text.lowered[max(0, begin - _FILLERS_REACH) : begin]
    while before and before[-1] in words.date_fillers | _FILLING_MARKS and before[-2:] != ["as", "of"]:
        before.pop()
    for length in range(_REACH, 0, -1):
        if sign := words.windows.get(tuple(before[-length:])):
            return sign
    return ""


def read_owner(text: Text, begin: int, end: int, words: Lexicon) -> frozenset[str]:
    """The concepts of the name that a date stands behind in brackets; nothing for every other date."""
    if text.word(begin - 1) != "(" or text.word(end) != ")":
        return frozenset()
    place = begin - 2
    while text.word(place)[:1].isupper() or text.lower(place) in words.small:
        place -= 1
    name = range(place + 1, begin - 1)
    proper = (each for each in name if text.word(each)[0].isupper() and text.lower(each) not in words.small)
    return frozenset(concept(text.lower(each)) for each in proper)
