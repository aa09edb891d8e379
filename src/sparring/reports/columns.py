"""A consultation on a terminal: several answers side by side where the terminal is wide enough, else one below another.

Rich is imported when something is shown, as in ``terminal``.
"""

from typing import TYPE_CHECKING

from sparring.reports.consultation.answered import FinishedConsult
from sparring.reports.consultation.citations import citations_table
from sparring.reports.consultation.markdown import answer_facts, answer_heading, decision, introduction
from sparring.reports.fitting import joined
from sparring.reports.terminal import RENDERED_AT_MOST, laid_out, print_markdown, theme
from sparring.schema.runs import Run

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NARROWEST = 46
"""Characters of a column below which prose and code are no longer pleasant to read."""

_BETWEEN = 3
"""Characters from one column to the next."""


def print_consultation(run: Run, console: "Console") -> None:
    """Show the answers of a finished consultation, and what else the reader must know.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    consultation = FinishedConsult.of(run)
    if not _fits(consultation, console.width):
        print_markdown(decision(run, limit=RENDERED_AT_MOST), console)
        return
    print_markdown(joined(introduction(consultation)), console)
    with console.use_theme(theme()):
        console.print("", _columns(consultation), "", sep="\n")
    if table := citations_table(consultation):
        print_markdown(f"## Who cited what\n\n{table}", console)


def _fits(consultation: FinishedConsult, width: int) -> bool:
    columns = len(consultation.answers)
    length = sum(len(each.turn.answer.response) for each in consultation.answers if each.turn.answer)
    return 1 < columns <= (width + _BETWEEN) // (NARROWEST + _BETWEEN) and length <= RENDERED_AT_MOST


def _columns(consultation: FinishedConsult) -> "Table":
    from rich import box  # noqa: PLC0415 - see the module's docstring
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.MINIMAL, expand=True, show_edge=False, pad_edge=False)
    for each in consultation.answers:
        table.add_column(Text(answer_heading(each), style="bold"), ratio=1)
    # In a row of their own, so that the answers themselves begin on one line.
    table.add_row(*(laid_out(answer_facts(each)) for each in consultation.answers), end_section=True)
    table.add_row(*(laid_out(each.turn.answer.response if each.turn.answer else "") for each in consultation.answers))
    return table
