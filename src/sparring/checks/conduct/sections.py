"""The entries under a heading such as "Concessions", each of which gives something up without saying so again."""

import re
from collections.abc import Iterator, Sequence

from sparring.checks.conduct.passages import Passage

_SECTION = re.compile(
    r"\W*(?:\d{1,2}(?:\.\d{1,2})?[.)]?\s+)?(?:(?:my|our|key|explicit|main|necessary|full|partial|what)\s+)?"
    r"(?:concessions?|what\s+I\s+concede|I\s+concede|points?\s+(?:that\s+)?(?:I\s+)?concede[d]?|"
    r"conceded(?:\s+points?)?|points?\s+of\s+concession|where\s+(?:you\s+are|the\s+(?:challenger|proposer)\s+is)\s+right)"
    r"(?:\s+(?:I\s+make|made))?\W*",
    re.IGNORECASE,
)
"""A heading under which each entry is given up."""

_EMPTY_ENTRY = re.compile(
    r"\W*(?:none|nothing|no\b|n/a|not\b)|.{0,120}?\b(?:not\s+conceded?|reject|deny|disagree)\b|.{0,80}?"
    r"\b(?:you|they|proposer|challenger|opponent)\s+(?:(?:has|have|had|now|also|already)\s+){0,2}"
    r"(?:conced|admit|accept|grant|withdr)",
    re.IGNORECASE | re.DOTALL,
)
"""An entry there that gives nothing up, or tells what the other side has given up."""


def entries(passages: Sequence[Passage]) -> Iterator[Passage]:
    """The list items of such sections; of one without a list its paragraphs."""
    for position, title in enumerate(passages):
        if title.is_title and not title.is_item and _SECTION.fullmatch(title.words):
            section = list(_below(title, passages, position + 1))
            items = [passage for passage in section if passage.is_item]
            yield from (entry for entry in items or section if not _EMPTY_ENTRY.match(entry.words))


def _below(title: Passage, passages: Sequence[Passage], first: int) -> Iterator[Passage]:
    """What stands under a title: up to the next one; under one that is no heading only a list."""
    for passage in (passages[position] for position in range(first, len(passages))):
        ends = passage.is_heading if title.is_heading else passage.is_heading or not passage.is_item
        if ends or (passage.is_title and not passage.is_item and _SECTION.fullmatch(passage.words)):
            return
        if not passage.is_title or passage.is_item:
            yield passage
