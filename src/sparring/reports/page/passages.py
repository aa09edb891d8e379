"""Foreign text on a page: Markdown, words within a text, lines of code with their numbers.

Nothing in it acts, and displaying it makes no requests. The parser is markdown-it-py, which shows
Markdown on the terminal as well. HTML in a text is text, so are images, and addresses that are no http. A
definition of a link stays in the text. A mark always has words for the meaning of its colour.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from msgspec import Struct

from sparring.reports.page.elements import NOTHING, Html, element, fragment, is_address, scrolled, text
from sparring.reports.page.pictures import badge, status_tone
from sparring.text.tidying import at_words, for_terminal, visible

LONGEST = 200_000
"""Characters of a text that are read as Markdown; a longer one is shown as it was typed."""

_WARNING = re.compile(r"\[(WARN|ERROR)\]")


def prose(markdown: str, *, quoted_in: str | None = None) -> Html:
    """Return ``markdown`` as blocks, its quotations in that language; None: unknown."""
    if len(markdown) > LONGEST:
        return element("pre", markdown, class_="plain")
    return Html(_parser().render(visible(for_terminal(markdown)), {"language": quoted_in}))


def line(markdown: str) -> Html:
    """Return ``markdown`` as inline content, e.g. of a heading."""
    if len(markdown) > LONGEST:
        return text(markdown)
    return Html(_parser().renderInline(visible(for_terminal(markdown))))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    parser.validateLink = is_address
    return parser.enable(["strikethrough", "table"]).disable(["image", "reference"])


class _Renderer(RendererHTML):
    """Writes only what our policy permits: no style in an attribute, no foreign heading in our outline."""

    def heading_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f'<p class="heading {tokens[idx].tag}">'

    def blockquote_open(self, _tokens: Sequence[Token], _idx: int, _options: Any, env: EnvType) -> str:
        return f'<blockquote lang="{escape(env["language"])}">' if env.get("language") else "<blockquote>"

    def heading_close(self, _tokens: Sequence[Token], _idx: int, *_: Any) -> str:
        return "</p>\n"

    def paragraph_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        if tokens[idx].hidden:
            return ""
        return '<p class="warning">' if _WARNING.match(tokens[idx + 1].content) else "<p>"

    def th_open(self, tokens: Sequence[Token], idx: int, _options: Any, _env: Any) -> str:
        # An empty heading of a column is no heading cell.
        return '<th scope="col">' if tokens[idx + 1].content.strip() else "<td>"

    def th_close(self, tokens: Sequence[Token], idx: int, _options: Any, _env: Any) -> str:
        return "</th>\n" if tokens[idx - 1].content.strip() else "</td>\n"

    def td_open(self, _tokens: Sequence[Token], _idx: int, *_: Any) -> str:
        return "<td>"

    def table_open(self, _tokens: Sequence[Token], _idx: int, *_: Any) -> str:
        return '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(self, _tokens: Sequence[Token], _idx: int, *_: Any) -> str:
        return "</table></div>\n"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002 -- theirs
        info = tokens[idx].info.strip()
        named = [element("span", info, class_="info")] if info else []
        code = element("pre", element("code", tokens[idx].content), tabindex="0")
        return f"{element('div', named, code, class_='code').markup}\n"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.fence(tokens, idx, options, env)

    def link_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f'<a href="{escape(_address(tokens[idx]))}" rel="noopener noreferrer nofollow">'

    def link_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        begin = next(index for index in range(idx, -1, -1) if tokens[index].type == "link_open")
        shown = "".join(token.content for token in tokens[begin:idx])
        # A link that reads otherwise than it leads must not deceive: address and title stand behind it.
        texts = (_address(tokens[begin]), str(tokens[begin].attrs.get("title", "")))
        hidden = [text for text in texts if text not in {"", shown}]
        if not hidden:
            return "</a>"
        return f"</a>{element('span', ' (', ', '.join(hidden), ')', class_='address').markup}"


def _address(opening: Token) -> str:
    return str(opening.attrs.get("href", ""))


_AROUND = 240
"""Characters shown before and after a mark; a text that is not much longer is shown whole."""

_WHOLE = 4_000
_LINES_AROUND = 2
_LINE_SHOWN = 400


class Mark(Struct, frozen=True):
    """A marked place in a text: its colour, its comment, and the anchor of this page that it links to."""

    start: int
    end: int
    tone: str
    label: str = ""
    leads_to: str = ""


def marked(whole: str, marks: Iterable[Mark]) -> Html:
    """Return ``whole`` with its marks; of a long text only the surroundings of marks."""
    separate = list(_apart(whole, marks))
    windows = _windows(whole, separate)
    parts: list[Html | str] = []
    for begin, end in windows:
        if begin:
            parts.append(" … ")
        position = begin
        for mark in separate:
            if begin <= mark.start < end:
                parts += [whole[position : mark.start], _mark(whole, mark)]
                position = mark.end
        parts.append(whole[position:end])
    _, last_end = windows[-1]
    if last_end < len(whole):
        parts.append(" …")
    return element("div", parts, class_="passage")


def _apart(whole: str, marks: Iterable[Mark]) -> Iterator[Mark]:
    """The marks in order; of two that overlap, the second begins where the first ends."""
    position = 0
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        start, end = max(mark.start, position), min(mark.end, len(whole))
        if start < end:
            yield Mark(start, end, mark.tone, mark.label, mark.leads_to)
            position = end


def _windows(whole: str, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """Return the stretches of the text that are shown: all of a short one, else the surroundings of the marks."""
    if len(whole) <= _WHOLE or not marks:
        return [(0, min(len(whole), _WHOLE))]
    windows: list[tuple[int, int]] = []
    for mark in marks:
        begin, end = at_words(whole, mark.start - _AROUND, mark.end + _AROUND)
        if windows and begin <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((begin, end))
    return windows


def _mark(whole: str, mark: Mark) -> Html:
    label = element("small", mark.label, class_=f"label {mark.tone}") if mark.label else NOTHING
    if mark.leads_to and mark.label:
        label = element("a", label, href=f"#{mark.leads_to}")
    return fragment(element("mark", whole[mark.start : mark.end], class_=mark.tone), label)


class PassageLine(Struct, frozen=True):
    """A line of code. ``kind`` is ``added``, ``removed`` or empty; ``is_meant`` marks the line concerned."""

    number: int | None
    text: str
    kind: str = ""
    is_meant: bool = False


_SIGNS = {"added": "+", "removed": "−"}


def code_lines(lines: Iterable[PassageLine], *, name: str) -> Html:
    """Lines with their numbers."""
    rows: list[Html] = []
    for code_line in lines:
        classes = [code_line.kind] if code_line.kind else []
        if code_line.is_meant:
            classes.append("meant")
        row = element(
            "tr",
            element("td", "" if code_line.number is None else str(code_line.number), class_="number"),
            element("td", _SIGNS.get(code_line.kind, " "), class_="sign"),
            element("td", code_line.text[:_LINE_SHOWN], " …" if len(code_line.text) > _LINE_SHOWN else ""),
            class_=" ".join(classes) or None,
        )
        rows.append(row)
    table = element("table", element("caption", name), element("tbody", rows), class_="lines")
    return scrolled(name, table)


def excerpt(text: str, *, first: int, begin: int, end: int) -> tuple[PassageLine, ...]:
    """Return those lines of ``text``, whose first one has the number ``first``, with a few around them."""
    numbered = enumerate(text.split("\n"), start=first)
    near = range(begin - _LINES_AROUND, end + _LINES_AROUND + 1)
    return tuple(
        PassageLine(number, line, is_meant=begin <= number <= end) for number, line in numbered if number in near
    )


class CheckedPassage(Struct, frozen=True):
    """A quote or citation with the result of its check.

    Attributes:
        status: ``verified``, ``not found`` or ``unchecked``.
        words: Its words in the speech.
        why: The reason in a few words.
        place: The content of the place that it names.
    """

    status: str
    words: Html
    why: str = ""
    place: Html = NOTHING


def checked_list(title: str, entries: Sequence[CheckedPassage]) -> Html:
    """Return the list of quotes and citations, each with the passage that it was compared with."""
    if not entries:
        return NOTHING
    items: list[Html] = []
    for entry in entries:
        why = element("small", entry.why, class_="why") if entry.why else NOTHING
        status = badge(entry.status, status_tone(entry.status))
        items.append(element("li", status, element("div", entry.words, why, entry.place)))
    return element("details", element("summary", title), element("ul", items, class_="checked"), class_="cited")


def struck(quotes: Iterable[tuple[str, str]]) -> Html:
    """Return quotes that occur nowhere, each with the nearest text instead."""
    items = [element("li", "“", element("del", words), "” ", badge(verdict, "bad")) for words, verdict in quotes]
    return element("ul", items, class_="struck") if items else NOTHING
