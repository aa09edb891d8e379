"""Places in a source, shown in their surroundings.

All text is escaped, so that an asterisk or a backtick in a source is shown as one; line ends in it become spaces, and
the offsets say where the original is. What is marked begins a line of its own wherever white space is before it, or
where the marks of bold type would not work: between a letter and a punctuation mark.
"""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from sparring.reports.foreign import literal
from sparring.schema.spans import TextSpan
from sparring.text.tidying import for_terminal, one_line

_AROUND = 80
"""Characters shown before and after what is marked."""

_NAME_SHOWN = 100
_CUT = "…"


def highlighted(source: str, spans: Sequence[TextSpan]) -> str:
    """A block quotation of ``spans``, in their order in ``source``, in bold, with a few words around them."""
    passages = [_before(source, spans[0].start), source[spans[0].start : spans[0].end]]
    for span, following in pairwise(spans):
        passages += _between(source, span.end, following.start), source[following.start : following.end]
    passages = [for_terminal(passage) for passage in (*passages, _after(source, spans[-1].end))]
    shown = ""
    for place, passage in enumerate(passages):
        is_marked = place % 2 == 1
        join = _joint(passages[place - 1], passage, marked_first=not is_marked) if place else ""
        shown += join + (_bold(passage) if is_marked else literal(passage))
    return "\n".join(f"> {line}" for line in shown.split("\n") if line)


def reference(name: str, span: TextSpan) -> str:
    """E.g. ``source.md, 120–186``: characters of the source; the second number is the first that is not meant."""
    return f"{literal(one_line(name, _NAME_SHOWN))}, {span.start}–{span.end}"


def _bold(text: str) -> str:
    shown = literal(text)
    return f"**{shown}**" if shown else ""


def _joint(left: str, right: str, *, marked_first: bool) -> str:
    """What goes between a marked passage and its neighbour: a line end, or nothing where that would part a word."""
    if not left or not right or left[-1].isspace() or right[0].isspace():
        return "\n"
    inside, outside = (left[-1], right[0]) if marked_first else (right[0], left[-1])
    return "" if inside.isalnum() or unicodedata.category(outside).startswith("P") else "\n"


def _before(source: str, start: int) -> str:
    text = source[max(0, start - _AROUND) : start]
    if start <= _AROUND:
        return text
    words = text.split(maxsplit=1)
    return f"{_CUT} {words[1] if len(words) > 1 else text}"


def _after(source: str, end: int) -> str:
    text = source[end : end + _AROUND]
    if end + _AROUND >= len(source):
        return text
    words = text.rsplit(maxsplit=1)
    return f"{words[0] if len(words) > 1 else text} {_CUT}"


def _between(source: str, end: int, start: int) -> str:
    if start - end <= 2 * _AROUND:
        return source[end:start]
    return f"{_after(source, end)} {source[start - _AROUND : start]}"
