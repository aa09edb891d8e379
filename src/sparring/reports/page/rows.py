"""A list of rows on a page, of any length: the script keeps in the document only what is visible, filters and sorts.

The rows are data, of which the script makes elements with nothing but text in them. Without it the first rows are a
plain table: all 10,000 would make the page a third larger, and readers with a script would not need them.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

from sparring.reports.comparison import ComparedRow
from sparring.reports.page.elements import NOTHING, Html, document, element, footer, grid, header, lines
from sparring.schema.pairs import RowResult
from sparring.text.tidying import for_terminal, one_line, visible

PLAIN_ROWS = 500
"""Rows of the table that is there without a script."""

_LINE_SHOWN = 300

Kind = Literal["number", "name", "badge", "badges", "share", "money", "line"]
"""Kind of a cell: ``name`` opens its row, ``line`` takes the remaining width."""

Cell = str | int | float | None | Sequence[str]


class TableColumn(Struct, frozen=True):
    """A column.

    Attributes:
        title: Its heading.
        kind: Form of its cells.
        is_facet: Whether rows can be filtered by its values.
        may_be_empty: Whether it is left out when it is empty in all rows.
    """

    title: str
    kind: Kind
    is_facet: bool = False
    may_be_empty: bool = False


class ListedRow(Struct, frozen=True):
    """A row: its cells in the order of the columns, and details with headings for the opened row."""

    cells: Sequence[Cell]
    more: Sequence[tuple[str, str]] = ()


class RowList(Struct, frozen=True):
    """The rows of a page.

    Attributes:
        whole: The file with all of them, for readers without a script.
        tones: Colours of badges by their words; each is a class of the style sheet.
    """

    columns: Sequence[TableColumn]
    rows: Sequence[ListedRow]
    whole: str
    tones: Mapping[str, str] = field(default_factory=dict[str, str])

    def shown(self) -> Html:
        """Return the content before the script runs: the place of the rows, and a plain table without scripts."""
        plain = element("noscript", *self._plain())
        title = element("h2", "Rows", class_="part")
        search = element(
            "input", type="search", id="search", placeholder="Search the rows", aria_label="Search the rows"
        )
        count = element("p", "", id="count", role="status")
        bar = element("div", search, count, id="facets", class_="filters", hidden=True)
        return element("section", title, bar, element("div", id="list"), plain, id="rows")

    def data(self) -> dict[str, object]:
        """Return the data that the script reads."""
        return {
            "columns": [
                {"title": column.title, "kind": column.kind, "facet": column.is_facet, "width": self._width(place)}
                for place, column in enumerate(self.columns)
            ],
            "tones": self.tones,
            "rows": [
                [[_clean(cell) for cell in row.cells], [[title, _clean(text)] for title, text in row.more if text]]
                for row in self.rows
            ],
        }

    def _width(self, place: int) -> str:
        kind = self.columns[place].kind
        longest = max((len(str(row.cells[place] or "")) for row in self.rows), default=0)
        widths = {
            "number": "3.5rem",
            "name": f"{max(4.0, min(0.52 * longest + 0.75, 9.0)):.1f}rem",
            "badge": f"{max(4.0, min(0.5 * longest + 2.25, 14.0)):.1f}rem",
            "badges": "10.5rem",
            "share": "3rem",
            "money": "4.5rem",
        }
        return widths.get(kind, "minmax(8rem, 1fr)")

    def _plain(self) -> tuple[Html, ...]:
        body = [element("tr", *map(self._cell, self.columns, row.cells)) for row in self.rows[:PLAIN_ROWS]]
        left = len(self.rows) - PLAIN_ROWS
        rest = element("p", f"The other {left:,} rows are in {self.whole}.") if left > 0 else NOTHING
        return grid("Rows", (column.title for column in self.columns), body), rest

    def _cell(self, column: TableColumn, cell: Cell) -> Html:
        number = column.kind in {"number", "share", "money"}
        return element("td", cell_text(column.kind, cell), class_="number" if number else None)


def cell_text(kind: Kind, cell: Cell) -> str:
    """A cell in words; the script spells it alike."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, int | float):
        return {"share": f"{cell:.2f}", "money": f"${cell:.4f}"}.get(kind, f"{cell:,}")
    return one_line(cell, _LINE_SHOWN) if isinstance(cell, str) else ", ".join(cell)


def row_name(row: RowResult | ComparedRow) -> str:
    """Return the name of a row."""
    return "/".join(name for name in (row.dataset, row.row_id) if name) or f"row {row.row}"


def _clean(cell: Cell) -> object:
    return visible(for_terminal(cell)) if isinstance(cell, str) else cell


PARTS = (("conclusion", "Conclusion"), ("rows", "Rows"))
"""Parts of a page with rows."""


def page_of(
    title: str,
    about: str,
    *parts: Html,
    made_from: str,
    rows: RowList | None = None,
    places: Sequence[tuple[str, str]] = PARTS,
) -> str:
    """The page of a table or a comparison; ``places`` are its parts by their anchors, its ``rows`` come last."""
    main = element("main", *parts, rows.shown() if rows else NOTHING, id="main")
    return document(
        title,
        lines(header(about, places), main, footer(made_from)),
        data=rows.data() if rows else None,
        styles=("page.css", "table.css"),
        scripts=("table.js",) if rows else (),
    )


def page_subject(kind: str, view: str) -> str:
    """Return the subject of a page: the kind of the runs, and its view of them."""
    return f"{kind.replace('-', ' ')}, {view}"


def facts(pairs: Sequence[tuple[str, str]]) -> Html:
    """Return the facts next to a conclusion, each with its name."""
    entries = (
        element("div", element("h2", name), element("p", value), class_="fact") for name, value in pairs if value
    )
    return element("aside", *entries, class_="aside", aria_label="Facts")
