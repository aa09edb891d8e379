"""Whether a sentence says by itself what its words could say: it may ask, deny, suppose or set a condition."""

import re
from collections.abc import Sequence

from sparring.checks.conduct.cues import Cue, find

_REACH = 100
"""Characters before a cue that can take its meaning away."""

_UNREAL = re.compile(
    r"(?:\b(?:if|unless|whether|suppose|supposing|assume|assuming|until|imagine|lest|not|never|cannot|nor|neither|"
    r"when|before|said|nobody|hardly|refuse|refused|decline|declined|"
    r"without|instead of|rather than|doubt|denies|nếu|không|"
    r"(?:you|they|he|she|me|challenger|proposer|side|opponent|critic)\s+(?:\w+\s+){0,2}"
    r"(?:think|claim|believe|insist|say|argue|assert|assume|suggest|conclude|pretend|want|imply|implie)(?:s|d|ed|ing)?"
    r")\b|n't\b)(?! only\b)[^,;:.!?()—–]*\Z",
    re.IGNORECASE,
)
"""What comes before in the same clause and takes the meaning out of a cue."""

_CLAUSE_BREAK = re.compile(r"[,;:.!?()—–]|\b(?:but|yet|however|although|though|because|since|and)\b", re.IGNORECASE)

_CONDITION_BEFORE = re.compile(
    r"(?:\A|[,;:.(—–])\W*(?:(?:then|but|and|only)\s+)?(?:if|unless|once)\b(?!\s+(?:anything|again|more|only)\b)",
    re.IGNORECASE,
)
_CONDITION_AFTER = re.compile(
    r"\s+(?:(?:the|this|that|your)\s+point\s+|this\s+|it\s+|right\s+)?(?:only\s+)?(?:if|once|when|unless)\b",
    re.IGNORECASE,
)
"""A concession on a condition is an offer."""


def says(cues: Sequence[Cue], words: str) -> bool:
    """Whether a sentence says what one of ``cues`` stands for, and neither asks, nor denies, nor supposes it."""
    if words.rstrip(" )*_'\"").endswith("?"):
        return False
    return any(_is_meant(words, cue) for cue in find(cues, words))


def _is_meant(words: str, cue: re.Match[str]) -> bool:
    clause = _CLAUSE_BREAK.split(words[max(0, cue.start() - _REACH) : cue.start()])[-1]
    is_conditional = _CONDITION_BEFORE.search(words, 0, cue.start()) or _CONDITION_AFTER.match(words, cue.end())
    return not is_conditional and not _UNREAL.search(clause)
