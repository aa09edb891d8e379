"""A text for people as its readers see it: what Markdown adds is blanked out, and every place stays where it was.

``plain`` has the length of the text, so that whatever is found in it stands at the same offsets in the original. This
is no Markdown parser: it knows what a sentence, a quotation and a number must not be mixed up with (list numbers, link
targets, footnotes, emphasis, markers of quotations), and reads plain text as it is. Tables, fenced code and link
definitions belong to no block; a quotation or a claim in them is passed over.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_QUOTED = re.compile(r"[ ]{0,3}>(?:[ ]{0,3}>)*[ ]?")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?=[ \t])")
_RULE = re.compile(r"[ ]{0,3}([-*_=])(?:[ \t]*\1)*[ \t]*\Z")
_TABLE_ROW = re.compile(r"[ \t]*\||[ \t:-]*+\|[ \t|:-]*+\Z")
_DEFINITION = re.compile(r"[ ]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]*\S+")
_FOOTNOTE = re.compile(r"[ ]{0,3}\[\^[^\[\]\n]{1,50}\]:")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|(?P<number>\d{1,3})[.)])(?=[ \t])")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:(?:[\w\"'.-]+:|[ \t#-]|\r?$).*\n)*?---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)

_MARKUP = re.compile(
    r"""
      !?\[(?P<link>[^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:"[^"]*"|'[^']*'))?\)  # [text](address "title")
    | \[(?P<reference>[^\[\]]*)\]\[[^\[\]]*\]                                  # [text][reference]
    | \[\^[^\[\]\s]{1,50}\] | \[\d{1,3}(?:[ ]?[,–-][ ]?\d{1,3})*\]             # footnotes and numbered sources
    | <?https?://[^\s<>()\[\]"”“]+(?<![.,;:!?])>?
    | </?[A-Za-z][^<>]{0,300}>
    | `(?P<code>[^`\n]+)`
    | (?<![\w*])\*{1,3}(?=[^\s*]) | (?<=[^\s*])\*{1,3}(?![\w*])
    | (?<![\w_])_{1,3}(?=[^\s_]) | (?<=[^\s_])_{1,3}(?![\w_])
    """,
    re.VERBOSE,
)
_COMMENT_START, _COMMENT_END = "<!--", "-->"
_NOT_BLANK = re.compile(r"\S")


@dataclass(frozen=True)
class Block:
    """A paragraph, list item or heading, or (``is_quoted``) a paragraph of a block quotation."""

    start: int
    end: int
    is_quoted: bool = False


class Prose:
    """A text and what its readers see of it.

    Attributes:
        plain: The text with markup blanked out; as long as the original.
        blocks: Where its prose stands, in order.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        scan = _Scan(text)
        self.blocks = tuple(scan.blocks())
        self.plain = _without_markup("".join(scan.lines), scan.code)

    def line_at(self, offset: int) -> int:
        """The number of the line in which ``offset`` is, from 1."""
        return bisect_left(self._line_ends, offset) + 1

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]


class _Scan:
    """One pass over the lines of a text."""

    def __init__(self, text: str) -> None:
        self.lines: list[str] = []
        self.code: list[tuple[int, int]] = []
        self._text = text
        self._place = 0
        self._fence = ""
        self._open: Block | None = None
        self._is_item = False

    def blocks(self) -> Iterator[Block]:
        """Every block; afterwards ``lines`` have their markers blanked out, and ``code`` says where code is."""
        if header := _FRONT_MATTER.match(self._text):
            self._pass_over(_blank(header[0]))
        while self._place < len(self._text):
            end = self._text.find("\n", self._place) + 1 or len(self._text)
            yield from self._take(self._text[self._place : end])
        yield from self._close()

    def _take(self, line: str) -> Iterator[Block]:
        mark = _FENCE.match(line)
        if self._fence or mark:
            yield from self._close()
            self.code.append((self._place, self._place + len(line)))
            self._toggle(mark[1] if mark else "")
            self._pass_over(line)
            return
        marker = _QUOTED.match(line)
        begin = marker.end() if marker else 0
        yield from self._line(line, begin, is_quoted=bool(marker))

    def _toggle(self, mark: str) -> None:
        if not self._fence:
            self._fence = mark
        elif mark.startswith(self._fence):
            self._fence = ""

    def _line(self, line: str, begin: int, *, is_quoted: bool) -> Iterator[Block]:
        rest = line[begin:]
        if not rest.strip() or _is_no_prose(rest):
            yield from self._close()
            self._pass_over(_blank(line[:begin]) + (_blank(rest) if _is_rule(rest) else rest))
            return
        markers = [match for match in (_HEADING.match(rest), self._bullet(rest), _FOOTNOTE.match(rest)) if match]
        if markers or (self._open is not None and self._open.is_quoted is not is_quoted):
            yield from self._close()
        skipped = begin + max((marker.end() for marker in markers), default=0)
        self._is_item = self._is_item or any(marker.re is _BULLET for marker in markers)
        self._extend(len(line.rstrip("\r\n")), skipped, is_quoted=is_quoted)
        self._pass_over(_blank(line[:skipped]) + line[skipped:])
        if any(marker.re is _HEADING for marker in markers):
            yield from self._close()

    def _bullet(self, rest: str) -> re.Match[str] | None:
        """The marker of a list item. A wrapped line that begins with a number is none, unless a list is open."""
        found = _BULLET.match(rest)
        is_wrapped = self._open is not None and not self._is_item
        return None if found and is_wrapped and found["number"] not in {None, "1"} else found

    def _extend(self, length: int, skipped: int, *, is_quoted: bool) -> None:
        start = self._open.start if self._open else self._place + skipped
        self._open = Block(start, self._place + length, is_quoted)

    def _close(self) -> Iterator[Block]:
        if self._open:
            yield self._open
        self._open = None
        self._is_item = False

    def _pass_over(self, line: str) -> None:
        self.lines.append(line)
        self._place += len(line)


def _is_no_prose(line: str) -> bool:
    is_definition = _DEFINITION.match(line) and not _FOOTNOTE.match(line)
    return bool(_is_rule(line) or _TABLE_ROW.match(line.rstrip("\r\n")) or is_definition)


def _is_rule(line: str) -> bool:
    return bool(_RULE.match(line.rstrip("\r\n")))


def _without_markup(text: str, code: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    place = 0
    for start, end in (*code, (len(text), len(text))):
        pieces += (_MARKUP.sub(_seen, _without_comments(text[place:start])), text[start:end])
        place = end
    return "".join(pieces)


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    place = 0
    while (start := text.find(_COMMENT_START, place)) >= 0 and (end := text.find(_COMMENT_END, start)) >= 0:
        pieces += (text[place:start], _blank(text[start : end + len(_COMMENT_END)]))
        place = end + len(_COMMENT_END)
    return "".join([*pieces, text[place:]])


def _seen(markup: re.Match[str]) -> str:
    kept = markup.lastgroup
    if kept is None:
        return _blank(markup[0])
    before, after = markup.start(kept) - markup.start(), markup.end() - markup.end(kept)
    return " " * before + markup[kept] + _blank(markup[0][len(markup[0]) - after :])


def _blank(text: str) -> str:
    return _NOT_BLANK.sub(" ", text)
