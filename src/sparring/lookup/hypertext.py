"""Visible text of an HTML page: blocks line by line, inline elements within their words.

There is no layout: text that a style sheet hides is read, text that a script would write is not. Only character sets
that pages really use are known: some of Python's codecs are slow, decompress, or are no text.

Markup is cut into tags and text as its standard does. An unclosed part (a comment, a tag, a quoted attribute)
swallows the rest, as it does in a browser. So no input is read twice; the standard library's parser
starts again after each ``<``, which takes hours for a few megabytes of them.
"""

import codecs
import html
import re
from collections import Counter
from contextlib import suppress
from typing import NamedTuple

from msgspec import Struct

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

# By the name that Python gives them. Those with a wider sibling are read as that, as browsers do.
_READ_AS = {
    "utf-8": "utf-8",
    "utf-16": "utf-16-le",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "shift_jis": "cp932",
    "cp932": "cp932",
    "euc_kr": "cp949",
    "cp949": "cp949",
    "tis-620": "cp874",
    **{
        name: name
        for name in (
            *("big5", "big5hkscs", "euc_jp", "iso2022_jp", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp866"),
            *(f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
            *("cp874", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
        )
    },
}
_NOT_LIKE_ASCII = frozenset({"utf-16-le", "utf-16-be", "iso2022_jp"})
"""A text in one of these may be valid UTF-8 and mean something else."""

_LABEL = re.compile(r"[A-Za-z0-9_:.-]{1,40}")
_BEGINNING = 4096
"""Bytes in which a page may name its own character set; browsers read the first 1024."""

_OWN_NAME = re.compile(
    rb"""<meta\b[^<>]{0,300}?\bcharset\s*=\s*["']?\s*([\w:.-]{1,40})|<\?xml\b[^<>]{0,100}?\bencoding\s*=\s*["']([\w:.-]{1,40})""",
    re.IGNORECASE,
)


def decode(body: bytes, charset: str, *, is_markup: bool) -> str:
    """Return the characters of ``body``; undecodable bytes are replaced.

    ``charset`` is its character set by the header. A byte order mark takes precedence, and so does
    valid UTF-8: servers and pages are wrong far more often than other text is valid UTF-8 by accident.
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body.removeprefix(mark).decode(encoding, "replace")
    encoding = _read_as(charset)
    if encoding is None and is_markup:
        encoding = _declared_in(body)
    encoding = encoding or "utf-8"
    if encoding not in _NOT_LIKE_ASCII:
        with suppress(UnicodeDecodeError):
            return body.decode("utf-8")
    return body.decode(encoding, "replace")


def _declared_in(body: bytes) -> str | None:
    """Return the encoding that the page declares; None if it declares none that is known.

    It was readable so far, so it is not UTF-16, which some declare all the same.
    """
    match = _OWN_NAME.search(body[:_BEGINNING])
    if match is None:
        return None
    name = match[1] or match[2]
    encoding = _read_as(name.decode("ascii", "replace"))
    return "utf-8" if encoding in {"utf-16-le", "utf-16-be"} else encoding


def _read_as(name: str) -> str | None:
    if not _LABEL.fullmatch(name):
        return None
    bare = name.lower().removeprefix("x-").removesuffix("-i")
    for label in (bare, bare.replace("windows-", "cp")):  # Python does not know all names that browsers know
        with suppress(LookupError):
            return _READ_AS.get(codecs.lookup(label).name)
    return None


_SPACE = " \t\n\r\f"
_NAME = re.compile(rf"[A-Za-z][^{_SPACE}/>]*+")
_GAP = re.compile(rf"[{_SPACE}/]*+")
_ATTRIBUTE = re.compile(rf"=?[^{_SPACE}/>=]*+")
_EQUALS = re.compile(rf"[{_SPACE}]*+=[{_SPACE}]*+")
_BARE_VALUE = re.compile(rf"[^{_SPACE}>]*+")
_TAG = re.compile(r"</?[A-Za-z]")
_COMMENT = re.compile(r"<[!?/]")

_LONG_NUMBER = re.compile(r"&#[0-9]{9,}+;?")
"""No character has so large a number, and Python refuses to read one of thousands of digits."""


class _Tag(Struct, frozen=True):
    """A tag.

    Attributes:
        name: In small letters.
        closes: Whether it is an end tag.
        is_empty: Whether it ends with a slash, which HTML ignores and SVG does not.
        is_hidden: Whether its element is hidden; ``until-found`` is not, because a search in the page shows it.
    """

    name: str
    closes: bool = False
    is_empty: bool = False
    is_hidden: bool = False


class _Markup:
    """A page, read once from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def next(self) -> _Tag | str | None:
        """Return the next tag, or the next piece of text as a reader sees it; None at the end."""
        while self._place < len(self._text):
            start = self._text.find("<", self._place)
            if start != self._place:
                return _unescaped(self._taken(start))
            if _TAG.match(self._text, start):
                return self._tag()
            if not _COMMENT.match(self._text, start):
                self._place += 1
                return "<"  # a sign of the text
            self._pass_comment()
        return None

    def raw(self, name: str) -> str:
        """Return the text before the end tag of ``name``, tags or not; to be called behind its start tag."""
        match = re.compile(rf"</{re.escape(name)}(?=[{_SPACE}/>])", re.IGNORECASE).search(self._text, self._place)
        return self._taken(match.start() if match else -1)

    def _taken(self, end: int) -> str:
        """Return the text up to ``end``, and continue there; -1 is the end of the page."""
        begin = self._place
        self._place = end if end >= 0 else len(self._text)
        return self._text[begin : self._place]

    def _pass_comment(self) -> None:
        end = "-->" if self._text.startswith("<!--", self._place) else ">"
        end_at = self._text.find(end, self._place + 2)
        self._place = end_at + len(end) if end_at >= 0 else len(self._text)

    def _tag(self) -> _Tag | None:
        """Return the tag that begins at this place; None, and the page has ended, when it is not closed."""
        closes = self._text[self._place + 1] == "/"
        self._place += 2 if closes else 1
        name = self._match(_NAME).lower()
        is_hidden = False
        while self._place < len(self._text):
            gap = self._match(_GAP)
            if self._text.startswith(">", self._place):
                self._place += 1
                return _Tag(name, closes, gap.endswith("/"), is_hidden)
            attribute = self._match(_ATTRIBUTE).lower()
            value = self._value() if self._match(_EQUALS) else ""
            is_hidden = is_hidden or (attribute == "hidden" and value.lower() != "until-found")
        return None

    def _value(self) -> str:
        quote = self._text[self._place : self._place + 1]
        if quote not in {'"', "'"}:
            return self._match(_BARE_VALUE)
        self._place += 1
        value = self._taken(self._text.find(quote, self._place))
        self._place += 1
        return value

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._place)
        if match is None:
            return ""
        self._place = match.end()
        return match[0]


def _unescaped(text: str) -> str:
    """Return ``text`` with its character references resolved."""
    return html.unescape(_LONG_NUMBER.sub("\ufffd", text))


_BLOCKS_TEXT = """
    address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html input label legend li main menu nav ol optgroup option p
    pre search section select summary table tbody td textarea tfoot th thead tr ul
"""
_BLOCKS = frozenset(_BLOCKS_TEXT.split())
_VOID_TEXT = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_TEXT.split())
_WITHOUT_TAGS = frozenset({"iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp"})
"""Elements in which everything up to their end tag is text, of which a reader sees only some."""

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
"""A reference mark, as encyclopedias set them between words. It is never part of a quote."""

_EXPONENT = re.compile(r"[-−+]?[0-9]+")
_RAISED = str.maketrans("0123456789-−+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺")
_MARKER_PIECES = 12
_MARKER_LENGTH = 20
_SPACES = re.compile(r"\s+")

MOST_PIECES = 600_000
"""Tags, and texts between them, that are read: seconds of work, and more than the longest articles have."""


class Hypertext(Struct, frozen=True):
    """Readable text of an HTML page.

    Attributes:
        is_whole: False when the page needs scripts to be seen, or has too many elements.
    """

    title: str
    text: str
    is_whole: bool


class _Open(NamedTuple):
    name: str
    hides: bool
    at: int


def read_hypertext(page: str, *, most_pieces: int = MOST_PIECES) -> Hypertext:
    """Return the visible text of ``page``, its title first.

    Raises nothing, and does not recurse, with any input.
    """
    return _Reading(_Markup(page)).read(most_pieces)


class _Reading:
    def __init__(self, markup: _Markup) -> None:
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
                self._append_text(piece)
            elif piece.closes:
                self._end(piece.name)
            else:
                self._start(piece)
        raw_lines = "".join([self._title, "\n", *self._pieces]).split("\n")
        lines = [" ".join(line.split()) for line in raw_lines]
        text = "\n".join(line for line in lines if line)
        return Hypertext(self._title, text, is_whole=read < most_pieces and not self._needs_scripts)

    def _append_text(self, text: str) -> None:
        if not self._hiding:
            self._pieces.append(_SPACES.sub(" ", text))

    def _break_line(self, name: str) -> None:
        if name in _BLOCKS and not self._hiding:
            self._pieces.append("\n")

    def _start(self, tag: _Tag) -> None:
        if self._is_drawing():
            if not tag.is_empty:
                self._push(tag, hides=tag.is_hidden or tag.name in _UNSEEN_IN_DRAWINGS)
            return
        self._end_implied(tag.name)
        self._break_line(tag.name)
        if tag.name in _VOID or self._skip_raw_element(tag):
            return
        self._push(tag, hides=tag.is_hidden or tag.name == "template")

    def _skip_raw_element(self, tag: _Tag) -> bool:
        """Return whether the element holds no tags, and has been dealt with."""
        if tag.name not in _WITHOUT_TAGS:
            return False
        content = self._markup.raw(tag.name)
        if tag.name == "noscript":
            # Such as "You need to enable JavaScript to run this app."
            self._needs_scripts = self._needs_scripts or "javascript" in content.lower()
        elif tag.name == "title":
            self._title = self._title or " ".join(_unescaped(content).split())
        elif tag.name == "textarea":
            self._append_text("" if tag.is_hidden else _unescaped(content))
        return True

    def _push(self, tag: _Tag, *, hides: bool) -> None:
        self._open.append(_Open(tag.name, hides, len(self._pieces)))
        self._names[tag.name] += 1
        self._hiding += hides

    def _pop(self) -> str:
        closed = self._open.pop()
        self._names[closed.name] -= 1
        self._hiding -= closed.hides
        if closed.name == "sup":
            self._raise(closed.at)
        return closed.name

    def _raise(self, begin: int) -> None:
        """Leave a reference mark out, and keep an exponent apart from its number: 10⁵ is not 105."""
        # Not joined before it is known to be short: thousands of elements may end after the same long text.
        if len(self._pieces) - begin > _MARKER_PIECES:
            return
        pieces = self._pieces[begin:]
        if sum(map(len, pieces)) > _MARKER_LENGTH:
            return
        raised = "".join(pieces)
        if _MARKER.fullmatch(raised):
            del self._pieces[begin:]
        elif _EXPONENT.fullmatch(raised) and begin and self._pieces[begin - 1][-1:].isdecimal():
            self._pieces[begin:] = [raised.translate(_RAISED)]

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
