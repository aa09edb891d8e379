"""Markdown on a terminal: headings at the left margin, warnings in colour. Imports Rich; see ``terminal``."""

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, Paragraph, TableElement
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from sparring.text.tidying import for_terminal, visible

PROSE = 100
"""Most columns of prose: longer lines are hard to read, however wide the terminal is."""

_WARNING = r"(?m)^\[(?:WARN|ERROR)\][^\n]*"
_ROW_NAME = r"(?m)^[A-Z][a-z]+(?: [a-z]+){0,2}:(?= )"


class _LeftHeading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        yield text


class _Prose(Paragraph):
    def __init__(self, *, has_rows: bool) -> None:
        super().__init__("left")
        self._has_rows = has_rows

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> "_Prose":  # noqa: ARG003 -- Rich's
        return cls(has_rows=isinstance(markdown, Document) and markdown.has_rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text: Text = self.text
        if self._has_rows:
            text.highlight_regex(_ROW_NAME, "bold")
        text.highlight_regex(_WARNING, "yellow")
        yield text


class _WholeTable(TableElement):
    """Rich cuts a word that is wider than its column; it goes over several lines here."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            for column in table.columns if isinstance(table, Table) else ():
                column.overflow = "fold"
            yield table


class Document(Markdown):
    """Markdown for a console; ``has_rows``: lines of its paragraphs begin with names of their content."""

    elements = {  # noqa: RUF012 -- Rich's
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "paragraph_open": _Prose,
        "table_open": _WholeTable,
    }

    def __init__(self, text: str, *, has_rows: bool = False) -> None:
        # Without hyperlinks each address is shown next to its text, so that neither can pose as the other.
        super().__init__("", hyperlinks=False)
        self.has_rows = has_rows
        # Rich's own parser drops text that looks like HTML; a ``Vec<T>`` in a speech would be shown as ``Vec``.
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self.parsed = parser.parse(visible(for_terminal(text)).rstrip("\n"))


def theme(headline: str = "bold") -> Theme:
    """Return the theme for Markdown, with its first heading in the style ``headline``."""
    # A transcript is mostly quotations, and pages in magenta are hard to read.
    return Theme({"markdown.block_quote": "none", "markdown.h1": headline})
