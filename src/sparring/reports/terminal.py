"""Output for a terminal: readable reports, and answers side by side.

Rich is imported when something is shown, not before: ``sparring --help`` must not pay for it.
"""

import os
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, TextIO

from sparring.reports.markdown import SideBySide, fitted, joined
from sparring.text.tidying import for_terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

RENDERED_AT_MOST = 100_000
"""Characters that are laid out. Rich takes about a second for 200,000 (measured); more is printed as it is."""


def console_on(stream: TextIO, environment: Mapping[str, str] | None = None) -> "Console":
    """Return a console on ``stream``, which should be a terminal: output to a file does not need Rich.

    ``environment``, by default that of this process, describes the terminal (``TERM``, ``NO_COLOR``).
    """
    from rich.console import Console  # noqa: PLC0415 - see the module's docstring

    environment = os.environ if environment is None else environment
    columns = environment.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) < NARROWEST_SHOWN:  # too narrow for any text, so it is no real width
        environment = {name: value for name, value in environment.items() if name != "COLUMNS"}
    return Console(file=stream, _environ=environment)


NARROWEST_SHOWN = 20
"""Columns below which a width in the environment is ignored."""


def print_markdown(text: str, console: "Console") -> None:
    """Show ``text`` laid out, unless it is too long for that. ``NO_COLOR`` is honoured."""
    if len(text) > RENDERED_AT_MOST:
        print_plain(text, console.file)
        return
    from sparring.reports.layout import PROSE, Document, theme  # noqa: PLC0415 - see the module's docstring

    with console.use_theme(theme()):
        console.print(Document(text), width=min(console.width, PROSE))


def print_first_lines(text: str, console: "Console", *, is_plain: bool) -> None:
    """Show the first lines of a report: the conclusion in colour, in another one where it is doubtful."""
    from sparring.reports.layout import PROSE, Document, theme  # noqa: PLC0415 - see the module's docstring

    with console.use_theme(theme("bold green" if is_plain else "bold yellow")):
        console.print(Document(text, has_rows=True), width=min(console.width, PROSE))


def print_plain(text: str, stream: IO[str]) -> None:
    """Show ``text`` as it is, without what acts on a terminal. Line by line: ten speeches may be 80 MiB."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        stream.write(for_terminal(text[start:end]))
        start = end
    if not text.endswith("\n"):
        stream.write("\n")


NARROWEST = 46
"""Characters of a column below which prose and code are no longer pleasant to read."""

_BETWEEN = 3
"""Characters from one column to the next."""


def print_side_by_side(shown: SideBySide, console: "Console") -> None:
    """Show the texts in columns where there is room for them, else one below the other."""
    print_first_lines(joined(shown.above), console, is_plain=shown.is_plain)
    if not _fits(shown, console.width):
        console.print()
        print_markdown(fitted(shown.stacked, limit=RENDERED_AT_MOST), console)
        return
    from sparring.reports.layout import theme  # noqa: PLC0415 - see the module's docstring

    with console.use_theme(theme()):
        console.print("", _columns(shown), "", sep="\n")
    if shown.below:
        print_markdown(joined(shown.below), console)


def _fits(shown: SideBySide, width: int) -> bool:
    length = sum(len(column.text) for column in shown.columns)
    return 1 < len(shown.columns) <= (width + _BETWEEN) // (NARROWEST + _BETWEEN) and length <= RENDERED_AT_MOST


def _columns(shown: SideBySide) -> "Table":
    from rich import box  # noqa: PLC0415 - see the module's docstring
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from sparring.reports.layout import Document  # noqa: PLC0415

    table = Table(box=box.MINIMAL, expand=True, show_edge=False, pad_edge=False)
    for column in shown.columns:
        table.add_column(Text(column.heading, style="bold"), ratio=1, overflow="fold")  # Rich cuts by itself
    # In a row of their own, so that the answers themselves begin on one line.
    table.add_row(*(Document(column.facts) for column in shown.columns), end_section=True)
    table.add_row(*(Document(column.text) for column in shown.columns))
    return table
