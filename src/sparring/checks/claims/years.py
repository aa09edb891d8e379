"""Whether four digits are a year: "in 1301" and "the 1990 film" are, "there were 1301 cases" is not."""

import re

from sparring.checks.claims.context import concept
from sparring.checks.claims.lexicon import Lexicon, concepts
from sparring.checks.claims.tokens import Text
from sparring.checks.claims.windows import read_window

YEAR = re.compile(r"[1-9][0-9]{3}")

_LAST_YEAR = 2100  # from there on only where nothing but a year can stand
_AFTER_MARKS = frozenset("(-/,;.:")
_SEASON = "#seasons"


def is_year(text: Text, place: int, words: Lexicon) -> bool:
    """Whether the token at ``place`` is a year that stands alone."""
    if not YEAR.fullmatch(text.word(place)) or not _may_stand(text, place, words):
        return False
    before, after = text.lower(place - 1), text.lower(place + 1)
    surely = before in words.surely_year_after
    is_counted = after.isalpha() and not text.word(place + 1)[0].isupper()
    if int(text.word(place)) > _LAST_YEAR and (not surely or is_counted):
        return False
    if before in words.currencies or after in words.scales or after == "%" or "/" in {before, after}:
        return False
    if _is_one_thing(text, place + 1, words):
        return True
    counted = concepts().counted
    one, other = (concept(text.lower(place + step)) for step in (1, 2))
    is_joined = after.isalpha() and after not in words.small  # "1301 confirmed cases", but "in 1648 and killed"
    return one not in counted and (surely or other not in counted or not is_joined)


def is_of_a_name(text: Text, end: int, words: Lexicon) -> bool:
    """Whether a year before ``end`` names something: what comes after "the 1990 film" need not come after 1990."""
    return _is_one_thing(text, end, words) and concept(text.lower(end)) != _SEASON


def _may_stand(text: Text, place: int, words: Lexicon) -> bool:
    before = text.lower(place - 1)
    may_follow = before in words.year_after or before in _AFTER_MARKS or before in words.months
    return place == 0 or may_follow or bool(read_window(text, place, words))


def _is_one_thing(text: Text, place: int, words: Lexicon) -> bool:
    """Whether a thing that can be counted stands there in the singular, and an article before the number."""
    word = text.lower(place)
    name = concepts().names.get(word, "")
    is_singular = name in concepts().counted and concepts().names.get(f"{word}s") == name
    return is_singular and text.lower(place - 2) in words.articles
