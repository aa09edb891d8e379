"""A quote that was looked up, and the words around it where it stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparring.schema.fact_check import FaultFound
from sparring.schema.quotes import QuoteFinding, QuoteVerdict
from sparring.schema.spans import Span

_EXCERPT = 1_000
"""Characters of a quote that others are shown: whoever quotes a whole source must not fill their prompts with it."""

_GAP = " … "
_REACH = 80  # characters in which the neighbouring words are looked for
_BEFORE = re.compile(r"(?<!\S)(?:\S*[^\s.!?;]\s+){0,3}\Z")
_AFTER = re.compile(r"\A(?:,?\s+[^\s.!?;]+(?:\.[^\s.!?;]+)*){0,2}")
_ENDS = (".", "!", "?", ";")


@dataclass(frozen=True)
class Cited:
    """A quote that was looked up.

    Attributes:
        quote: As the agent has it.
        context: The evidence's words where it stands with those just before and behind it, in the same sentence: a
            quote is not to gain by what was cut off, such as "over" before a number or "not" before a word.
        fault: Why it carries nothing, if it does not.
    """

    quote: str
    found: QuoteFinding
    context: str
    fault: FaultFound | None

    @property
    def is_verbatim(self) -> bool:
        """Whether it stands in the evidence, whatever it says there."""
        return self.found.verdict is QuoteVerdict.VERBATIM

    @property
    def excerpt(self) -> str:
        """The evidence's own words, as others are shown them: all, or the beginning, which is verbatim too."""
        whole = words_of(self.found)
        if len(whole) <= _EXCERPT:
            return whole
        begin = self.found.parts[0].text
        return begin if len(begin) <= _EXCERPT else begin[:_EXCERPT].rpartition(" ")[0] or begin[:_EXCERPT]


def words_of(found: QuoteFinding) -> str:
    """The evidence's own words where a verbatim quote stands; what was wrapped around them is left out."""
    return _GAP.join(part.text for part in found.parts)


def context_of(found: QuoteFinding, sources: Sequence[str]) -> str:
    """The same with up to three words before and two behind each piece, as far as the sentence goes."""
    return _GAP.join(_widened(part, sources[part.index]) for part in found.parts)


def _widened(span: Span, source: str) -> str:
    before = _BEFORE.search(source[max(0, span.start - _REACH) : span.start])
    behind = None if span.text.endswith(_ENDS) else _AFTER.match(source[span.end : span.end + _REACH])
    return f"{before[0] if before else ''}{span.text}{behind[0] if behind else ''}"
