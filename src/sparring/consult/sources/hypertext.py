"""What a reader sees of an HTML page: blocks line by line, inline elements in the words that they stand in.

No layout is made: what a style sheet hides is read, what a script would write is not.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from sparring.consult.sources.markup import Markup, Tag, unescaped

_BLOCKS_TEXT = """
    address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html input label legend li main menu nav ol optgroup option p
    pre search section select summary table tbody td textarea tfoot th thead tr ul
"""
_BLOCKS = frozenset(_BLOCKS_TEXT.split())
_VOID_TEXT = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_TEXT.split())
_SWALLOWED = frozenset({"iframe", "noembed", "noframes", "script", "style", "xmp"})
_ENDS_PARAGRAPH_TEXT = """
    address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 h2
    h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul
"""
_ENDS_PARAGRAPH = frozenset(_ENDS_PARAGRAPH_TEXT.split())
_CELLS = frozenset({"td", "th"})
_ROWS = frozenset({*_CELLS, "tr"})
_PARTS = frozenset({*_ROWS, "tbody", "thead", "tfoot"})
_ENDED_BY = {
    "li": frozenset({"li"}),
    **dict.fromkeys(("dd", "dt"), frozenset({"dd", "dt"})),
    **dict.fromkeys(("option", "optgroup"), frozenset({"option"})),
    **dict.fromkeys(_CELLS, _CELLS),
    "tr": _ROWS,
    **dict.fromkeys(("tbody", "thead", "tfoot"), _PARTS),
}
"""Elements that a start tag ends, since their end tags may be left out."""

_UNSEEN_IN_DRAWINGS = frozenset({"defs", "desc", "metadata", "script", "style", "title"})

_MARKER = re.compile(r"\s*\[(?:\d{1,3}|[a-z]{1,2}|(?:n|nb|note) \d{1,3})\]\s*")
"""A reference mark, as encyclopedias set them between words. Nobody quotes them."""

_MARKER_PIECES = 12
_MARKER_LENGTH = 20
_SPACES = re.compile(r"\s+")

MOST_PIECES = 600_000
"""Tags, and texts between them, that are read: seconds of work, and more than the longest articles have."""


@dataclass(frozen=True)
class Hypertext:
    """What there is to read.

    Attributes:
        is_whole: False when the page says that something is seen with scripts only, or has too many elements.
    """

    title: str
    text: str
    is_whole: bool


class _Open(NamedTuple):
    name: str
    hides: bool
    at: int


def read_hypertext(page: str, *, most_pieces: int = MOST_PIECES) -> Hypertext:
    """What a reader sees of ``page``, its title first. Nothing is raised, and nothing recurs, whatever it holds."""
    return _Reading(Markup(page)).read(most_pieces)


class _Reading:
    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        self._pieces: list[str] = []
        self._open: list[_Open] = []
        self._names: Counter[str] = Counter()
        self._hiding = 0
        self._title = ""
        self._needs_scripts = False

    def read(self, most_pieces: int) -> Hypertext:
        read = 0
        while read < most_pieces and (piece := self._markup.next()) is not None:
            read += 1
            if isinstance(piece, str):
                self._say(piece)
            elif piece.closes:
                self._end(piece.name)
            else:
                self._start(piece)
        lines = ("".join([self._title, "\n", *self._pieces])).split("\n")
        text = "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)
        return Hypertext(self._title, text, is_whole=read < most_pieces and not self._needs_scripts)

    def _say(self, text: str) -> None:
        if not self._hiding:
            self._pieces.append(_SPACES.sub(" ", text))

    def _break_line(self, name: str) -> None:
        if name in _BLOCKS and not self._hiding:
            self._pieces.append("\n")

    def _start(self, tag: Tag) -> None:
        if self._is_drawing():
            if not tag.is_empty:
                self._push(tag, hides=tag.is_hidden or tag.name in _UNSEEN_IN_DRAWINGS)
            return
        self._end_implied(tag.name)
        self._break_line(tag.name)
        if tag.name in _VOID or self._took_raw(tag):
            return
        self._push(tag, hides=tag.is_hidden or tag.name == "template")

    def _took_raw(self, tag: Tag) -> bool:
        """Whether the element holds no tags, and has been dealt with."""
        if tag.name in _SWALLOWED:
            self._markup.raw(tag.name)
        elif tag.name == "noscript":
            self._needs_scripts = "javascript" in self._markup.raw(tag.name).lower() or self._needs_scripts
        elif tag.name == "title":
            title = " ".join(unescaped(self._markup.raw(tag.name)).split())
            self._title = self._title or title
        elif tag.name == "textarea":
            content = unescaped(self._markup.raw(tag.name))
            self._say("" if tag.is_hidden else content)
        else:
            return False
        return True

    def _push(self, tag: Tag, *, hides: bool) -> None:
        self._open.append(_Open(tag.name, hides, len(self._pieces)))
        self._names[tag.name] += 1
        self._hiding += hides

    def _pop(self) -> str:
        closed = self._open.pop()
        self._names[closed.name] -= 1
        self._hiding -= closed.hides
        if closed.name == "sup" and self._is_marker(closed.at):
            del self._pieces[closed.at :]
        return closed.name

    def _is_marker(self, begin: int) -> bool:
        pieces = self._pieces[begin:] if len(self._pieces) - begin <= _MARKER_PIECES else []
        # Not joined before it is known to be short: thousands of elements may end behind the same long text.
        return sum(map(len, pieces)) <= _MARKER_LENGTH and bool(_MARKER.fullmatch("".join(pieces)))

    def _end(self, name: str) -> None:
        if self._names[name]:
            while self._pop() != name:
                pass
        self._break_line(name)

    def _end_implied(self, name: str) -> None:
        if name in _ENDS_PARAGRAPH and self._names["p"]:
            self._end("p")
        ended = _ENDED_BY.get(name, frozenset[str]())
        while self._open and self._open[-1].name in ended:
            self._pop()

    def _is_drawing(self) -> bool:
        return self._names["svg"] > 0 or self._names["math"] > 0
