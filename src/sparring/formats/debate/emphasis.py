"""Emphasis and code marks taken out of a speech, and of a quote of it.

Whoever quotes Markdown leaves its marks out as often as not; the words are the same. What may be meant by a mark
stays: stars between digits or letters, and underscores inside a name.
"""

import re

from sparring.formats.debate.rewriting import Rewritten, rewritten

_MARKS = re.compile(
    r"""
      `++
    | (?<![\w*]) \*++ (?=\S) | (?<=[^\s*]) \*++ (?!\w)      # stars: opening, closing
    | (?<!\w) _++ (?=[^\W_]) | (?<=[^\W_]) _++ (?!\w)       # underscores: the same
    """,
    re.VERBOSE,
)


def without_emphasis(text: str) -> Rewritten:
    """``text`` without its marks."""
    return rewritten(text, ((found.start(), found.end(), "") for found in _MARKS.finditer(text)))
