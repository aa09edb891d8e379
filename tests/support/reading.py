"""Markdown as a reader's program takes it, to see what of it acts."""

from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct

_MARKDOWN = MarkdownIt("commonmark").enable(["strikethrough", "table"])

INERT = frozenset({"text", "softbreak", "hardbreak", "strong_open", "strong_close", "code_inline"})
"""Tokens of our own lines: no link, image, emphasis or HTML."""


class Read(Struct, frozen=True):
    """A parsed text: the blocks of it that stand in no quotation."""

    outside: tuple[Token, ...]

    @property
    def headings(self) -> list[str]:
        """The headings outside of quotations, e.g. ``## Run``."""
        pairs = pairwise(self.outside)
        return [f"{opened.markup} {text.content}" for opened, text in pairs if opened.type == "heading_open"]


def read(markdown: str) -> Read:
    """``markdown`` parsed."""
    outside, depth = list[Token](), 0
    for block in _MARKDOWN.parse(markdown):
        depth += block.nesting if block.tag == "blockquote" else 0
        outside += [] if depth else [block]
    return Read(tuple(outside))


def block_types(blocks: tuple[Token, ...]) -> set[str]:
    return {block.type for block in blocks}


def inline_types(blocks: tuple[Token, ...]) -> set[str]:
    return {token.type for block in blocks for token in block.children or ()}
