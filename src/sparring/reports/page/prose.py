"""Markdown of speakers as HTML: nothing in it acts, and nothing is asked of anybody because it is looked at.

The parser is markdown-it-py, which shows Markdown on the terminal as well. HTML in a text is text, so are images, and
addresses that are no http. What a definition of a link would take out of the text stays in it.
"""

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from sparring.reports.page.elements import Html, element, is_address, text
from sparring.text.tidying import for_terminal, visible

LONGEST = 200_000
"""Characters of a text that are read as Markdown; a longer one is shown as it was typed."""

_TOLD = re.compile(r"\[(WARN|ERROR)\]")


def prose(markdown: str, *, quoted_in: str | None = None) -> Html:
    """``markdown`` as blocks, its quotations in that language; None: nobody knows."""
    if len(markdown) > LONGEST:
        return element("pre", markdown, class_="plain")
    return Html(_parser().render(visible(for_terminal(markdown)), {"language": quoted_in}))


def line(markdown: str) -> Html:
    """``markdown``, of which only what stands within a line is read, e.g. a heading."""
    if len(markdown) > LONGEST:
        return text(markdown)
    return Html(_parser().renderInline(visible(for_terminal(markdown))))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    parser.validateLink = is_address
    return parser.enable(["strikethrough", "table"]).disable(["image", "reference"])


class _Renderer(RendererHTML):
    """Writes what our policy allows: no style in an attribute, no heading of somebody else in our outline."""

    def heading_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f'<p class="heading {tokens[idx].tag}">'

    def blockquote_open(self, _tokens: Sequence[Token], _idx: int, _options: Any, env: EnvType) -> str:
        return f'<blockquote lang="{escape(env["language"])}">' if env.get("language") else "<blockquote>"

    def heading_close(self, _tokens: Sequence[Token], _idx: int, *_: Any) -> str:
        return "</p>\n"

    def paragraph_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        if tokens[idx].hidden:
            return ""
        return '<p class="warning">' if _TOLD.match(tokens[idx + 1].content) else "<p>"

    def th_open(self, tokens: Sequence[Token], idx: int, _options: Any, _env: Any) -> str:
        # A heading of a column that says nothing is none.
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
        begin = next(place for place in range(idx, -1, -1) if tokens[place].type == "link_open")
        shown = "".join(token.content for token in tokens[begin:idx])
        beside = [
            each
            for each in (_address(tokens[begin]), str(tokens[begin].attrs.get("title", "")))
            if each not in {"", shown}
        ]
        return f"</a>{element('span', ' (', ', '.join(beside), ')', class_='address').markup}" if beside else "</a>"


def _address(opening: Token) -> str:
    return str(opening.attrs.get("href", ""))
