"""What the files say about a citation, and the words around it that change what may be said."""

import re
from dataclasses import dataclass

from sparring.schema.citations import CitationStatus

_DENIED = re.compile(
    r"\b(?:(?:does|do|did|is|are|was|can)(?: not|n't|not) (?:exist|hold|there|be found|contain|occur|stand)|not found|"
    r"no such|non-?existent|missing|fabricated|invented)\b",
    re.IGNORECASE,
)
_PROPOSED = re.compile(
    r"\b(?:add|adding|create|creating|introduce|introducing|new|rename|move|would|could|should|such as|for example|"
    r"propose|proposed|proposing|suggest\w*|recommend\w*|instead|replace|replacing|let's|let us|switch to)\b|\be\.g\.",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"\b(?:there (?:is|are|was|were) no|no such(?: \w+)?(?: as)?|nothing (?:called|named)|lacks(?: an?)?)"
    r"(?: \w+){0,2} ?[`\"“]*\Z",
    re.IGNORECASE,
)
_DENIED_BEHIND = re.compile(
    r"[`\"”]* ?(?:(?:does|do|did)(?: not|n't|n’t) exist|is (?:fabricated|invented|nonexistent|non-existent))",
    re.IGNORECASE,
)
_REACH = 60


@dataclass(frozen=True)
class Finding:
    """What the files say, and why in a few words."""

    status: CitationStatus
    reason: str


def verified(reason: str) -> Finding:
    """It is there."""
    return Finding(CitationStatus.VERIFIED, reason)


def not_found(reason: str) -> Finding:
    """It is not there."""
    return Finding(CitationStatus.NOT_FOUND, reason)


def unchecked(reason: str) -> Finding:
    """Nobody can say, or nobody has looked."""
    return Finding(CitationStatus.UNCHECKED, reason)


def is_denied(sentence: str) -> bool:
    """Whether the sentence says of something that it is not there."""
    return bool(_DENIED.search(sentence))


def is_proposed(sentence: str) -> bool:
    """Whether the sentence speaks of what might be."""
    return bool(_PROPOSED.search(sentence))


def is_denied_right_here(line: str, start: int, end: int) -> bool:
    """Whether the very thing at ``line[start:end]`` is said not to exist."""
    before = line[max(start - _REACH, 0) : start]
    return bool(_DENIED_BEFORE.search(before) or _DENIED_BEHIND.match(line, end))
