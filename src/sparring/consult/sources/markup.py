"""Cut HTML into tags and text, as its standard does.

What is not closed (a comment, a tag, a quoted attribute) swallows the rest, as it does in a browser. So nothing is ever
read twice, whatever comes; the standard library's parser begins anew behind each ``<``, which takes hours for a few
megabytes of them.
"""

import html
import re
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Tag:
    """A tag.

    Attributes:
        name: In small letters.
        closes: Whether it is an end tag.
        is_empty: Whether it ends with a slash, which HTML ignores and SVG does not.
        is_hidden: Whether its element is not to be shown; ``until-found`` is shown as soon as somebody looks for it.
    """

    name: str
    closes: bool = False
    is_empty: bool = False
    is_hidden: bool = False


class Markup:
    """A page, read once from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def next(self) -> Tag | str | None:
        """The next tag, or the next piece of text as a reader sees it; None at the end."""
        while self._place < len(self._text):
            start = self._text.find("<", self._place)
            if start != self._place:
                return unescaped(self._taken(start))
            if _TAG.match(self._text, start):
                return self._tag()
            if not _COMMENT.match(self._text, start):
                self._place += 1
                return "<"
            self._pass_comment()
        return None

    def raw(self, name: str) -> str:
        """What stands before the end tag of ``name``, tags or not; to be asked for behind its start tag."""
        found = re.compile(rf"</{re.escape(name)}(?=[{_SPACE}/>])", re.IGNORECASE).search(self._text, self._place)
        return self._taken(found.start() if found else -1)

    def _taken(self, end: int) -> str:
        begin, self._place = self._place, end if end >= 0 else len(self._text)
        return self._text[begin : self._place]

    def _pass_comment(self) -> None:
        end = "-->" if self._text.startswith("<!--", self._place) else ">"
        found = self._text.find(end, self._place + 2)
        self._place = found + len(end) if found >= 0 else len(self._text)

    def _tag(self) -> Tag | None:
        """The tag that begins here; None, and the end, when it is not closed."""
        closes = self._text[self._place + 1] == "/"
        self._place += 2 if closes else 1
        name = self._match(_NAME).lower()
        is_hidden = False
        while self._place < len(self._text):
            gap = self._match(_GAP)
            if self._text.startswith(">", self._place):
                self._place += 1
                return Tag(name, closes, gap.endswith("/"), is_hidden)
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
        found = pattern.match(self._text, self._place)
        if found is None:
            return ""
        self._place = found.end()
        return found[0]


def unescaped(text: str) -> str:
    """``text`` with its character references resolved."""
    return html.unescape(_LONG_NUMBER.sub("\ufffd", text))
