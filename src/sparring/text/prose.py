"""A text for people as its readers see it: Markdown syntax is blanked out, and every place stays the same.

``Prose.plain`` has the length of the text, so that its offsets are valid in the original.
This is no Markdown parser: it knows what must not be mixed up with a sentence, a quotation or a number (list numbers,
link targets, footnotes, emphasis, markers of quotations), and leaves plain text unchanged. Tables, fenced code and link
definitions belong to no block; a quotation or a claim in them is ignored.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from sparring.text.fences import lines
from sparring.text.words import words

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


class Block(Struct, frozen=True):
    """A paragraph, list item or heading, or (``is_quoted``) a paragraph of a block quotation."""

    start: int
    end: int
    is_quoted: bool = False


class Prose:
    """A text and its readers' view of it.

    Attributes:
        plain: The text with markup blanked out; as long as the original.
        blocks: The places of its prose, in order.
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
        self._fenced = {line.start for line in lines(text) if line.is_fenced}
        self._open: Block | None = None
        self._is_item = False

    def blocks(self) -> Iterator[Block]:
        """Yield every block; afterwards ``lines`` have their markers blanked out, and ``code`` marks lines of code."""
        if header := _FRONT_MATTER.match(self._text):
            self._pass_over(_blank(header[0]))
        while self._place < len(self._text):
            end = self._text.find("\n", self._place) + 1 or len(self._text)
            yield from self._take(self._text[self._place : end])
        yield from self._close()

    def _take(self, line: str) -> Iterator[Block]:
        if self._place in self._fenced:
            yield from self._close()
            self.code.append((self._place, self._place + len(line)))
            self._pass_over(line)
            return
        marker = _QUOTED.match(line)
        begin = marker.end() if marker else 0
        yield from self._line(line, begin, is_quoted=bool(marker))

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
        """Match the marker of a list item. A wrapped line that begins with a number is none, unless a list is open."""
        match = _BULLET.match(rest)
        is_wrapped = self._open is not None and not self._is_item
        return None if match and is_wrapped and match["number"] not in {None, "1"} else match

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
        pieces += (_MARKUP.sub(_visible_text, _without_comments(text[place:start])), text[start:end])
        place = end
    return "".join(pieces)


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    place = 0
    while (start := text.find(_COMMENT_START, place)) >= 0:
        end = text.find(_COMMENT_END, start)
        if end < 0:
            break  # never closed: plain text
        end += len(_COMMENT_END)
        pieces += (text[place:start], _blank(text[start:end]))
        place = end
    return "".join([*pieces, text[place:]])


def _visible_text(markup: re.Match[str]) -> str:
    """Return what a reader sees of ``markup``, in its place: the text of a link, the content of code."""
    kept = markup.lastgroup
    if kept is None:
        return _blank(markup[0])
    length_before = markup.start(kept) - markup.start()
    after = markup.string[markup.end(kept) : markup.end()]
    return " " * length_before + markup[kept] + _blank(after)


def _blank(text: str) -> str:
    return _NOT_BLANK.sub(" ", text)


LONGEST = 2_000
"""Characters; a longer text without an end (a list, a log) is cut at white space."""

_END = re.compile(  # the marks first, then the text before them: most characters are skipped at once
    r"[.!?…。！？](?:(?<=[。！？])[」』”’]*|(?<=[.!?…])(?<![.!?…][.!?…])[.!?…]*+[\"'”’»)\]]*(?=\s))"
)
_WORD_BEFORE = re.compile(r"(?:^|(?<=[\s(\[\"'“‘«]))[^\W\d_][\w.]*\Z")
_BLANK = re.compile(r"\n[ \t]*\n")
_REACH = 16
_FOLLOWING = re.compile(r"\s*[\"'“‘«(\[]*(\S)")
_ABBREVIATION = re.compile(
    r"""
    mr | mrs | ms | dr | prof | st | sr | jr | rev | gen | col | lt | capt | sgt | gov | sen | rep | pres | hon | vs |
    no | nos | vol | vols | fig | figs | eq | ch | sec | pp | art | ed | eds | approx | ca | cf | al | inc | ltd | co |
    corp | dept | est | jan | feb | mar | apr | jun | jul | aug | sep | sept | oct | nov | dec | tp | ts | gs | pgs |
    ths | bs | ks
    """,
    re.VERBOSE | re.IGNORECASE,
)


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences in ``text[start:end]``, except those without a letter or digit.

    A sentence ends with ``.``, ``!``, ``?`` or an ellipsis before white space, unless the next word begins in small
    letters or the full stop belongs to an abbreviation or an initial; in scripts without spaces with their own full
    stop. In doubt two sentences stay one: that only adds words to a comparison.
    """
    begin = start
    for stop in (*_stops(text, start, end), end):
        while stop - begin > LONGEST:
            cut = max(text.rfind(space, begin + 1, begin + LONGEST) for space in " \n\t")
            cut = cut if cut > begin else begin + LONGEST
            yield from _trimmed(text, begin, cut)
            begin = cut
        yield from _trimmed(text, begin, stop)
        begin = stop


def sentences_around(text: str, start: int, end: int) -> str:
    """Return the sentences of ``text`` that contain ``text[start:end]``, with their ends; a blank line ends one too."""
    paragraph_start = max((match.end() for match in _BLANK.finditer(text, 0, start)), default=0)
    blank_after = _BLANK.search(text, end)
    paragraph_end = blank_after.start() if blank_after else len(text)
    first, last = start, end
    for sentence_start, sentence_end in sentences(text, paragraph_start, paragraph_end):
        if sentence_start < end and sentence_end > start:
            first, last = min(first, sentence_start), max(last, sentence_end)
    return text[first:last]


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    for match in _END.finditer(text, start, end):
        following = _FOLLOWING.match(text, match.end(), end)
        if following and not following[1].islower() and not _is_abbreviated(text, start, match):
            yield match.end()


def _is_abbreviated(text: str, start: int, end: re.Match[str]) -> bool:
    if end[0] != ".":
        return False
    match = _WORD_BEFORE.search(text[max(start, end.start() - _REACH) : end.start()])
    word = match[0] if match else ""
    is_initial = len(word) == 1 and word.isupper()
    return is_initial or "." in word or bool(_ABBREVIATION.fullmatch(word))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece[:1].isalnum() or any(character.isalnum() for character in piece):
        yield start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


FEWEST_WORDS = 3

_PASSAGE = re.compile(
    r"""
      (?<![\w"])"(?P<straight>[^\s"][^"]*)(?<=\S)"(?!\w)
    | “(?P<curly>[^“”]+)”
    | „(?P<low>[^„“”"]+)[“”"]
    | «(?P<angular>[^«»]+)»
    | 「(?P<corner>[^「」]+)」
    """,
    re.VERBOSE,
)
_CODE = re.compile(r"`[^`\n]+`")
# "the third," he said: typesetters put the comma inside, whether or not it is quoted.
_LENT = ",;:"
_ATTRIBUTION = re.compile(r"\n[ \t]*(?:--|[—–―])[^\n]*\Z")
_CALLOUT = re.compile(r"\s*\[!\w+\]")


def quotations(prose: Prose) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each quotation, in marks or as a block, without its marks, in order.

    Marks are matched within a paragraph. Texts too short for a quotation (a term, a name, an ironic
    word), and texts in code, are skipped. Single marks are not read: they are apostrophes as well.
    """
    for block in prose.blocks:
        passages = _whole(prose, block) if block.is_quoted else _passages(prose, block)
        for start, end in passages:
            if len(words(prose.plain[start:end])) >= FEWEST_WORDS:
                yield start, end


def _whole(prose: Prose, block: Block) -> Iterator[tuple[int, int]]:
    """Yield a block quotation without a last line with its source, unless it is a call-out, which is no quotation."""
    text = prose.plain[block.start : block.end]
    if not _CALLOUT.match(text):
        text_only = _ATTRIBUTION.sub("", text.rstrip())
        lead = len(text_only) - len(text_only.lstrip())
        yield block.start + lead, block.start + len(text_only.rstrip())


def _passages(prose: Prose, block: Block) -> Iterator[tuple[int, int]]:
    text = prose.plain[block.start : block.end]
    code = [match.span() for match in _CODE.finditer(prose.text[block.start : block.end])]
    for match in _PASSAGE.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        if not any(begin < end and start < stop for begin, stop in code):
            while end > start and (text[end - 1].isspace() or text[end - 1] in _LENT):
                end -= 1
            inner = text[start:end]
            lead = len(inner) - len(inner.lstrip())
            yield block.start + start + lead, block.start + end
