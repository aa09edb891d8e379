"""Judged tables and comparisons as pages, from the command line: which is meant, and where its page is kept."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sparring.cli.history import folder_of
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, print_lines, say
from sparring.errors import StoreError, UsageError
from sparring.reports.comparison import TableComparison, compare_tables, comparison_text
from sparring.reports.page.comparison import runs_page, tables_page
from sparring.reports.page.table import table_page
from sparring.reports.run_comparison import RunComparison, compare_runs, runs_text
from sparring.schema.pairs import JudgedTable
from sparring.schema.runs import Run
from sparring.store.files import StateFolder, refuse_links, replace_file
from sparring.store.history import load_run
from sparring.store.hosts import Place
from sparring.store.tables import find_table, read_table, tables_folder

_RESULTS, _PAGE = ".jsonl", ".html"
_DIGEST_LENGTH = 12


def results_file(name: str) -> Path | None:
    """The results of a table that ``name`` means: a file of them, the page beside them, or an id; None: no table."""
    if Path(name).suffix in {_RESULTS, _PAGE}:
        return invocation().path(name).with_suffix(_RESULTS)
    return find_table(name, *_place().states)


@dataclass(frozen=True)
class TablePage:
    """Where the page of a judged table is, and of what kind its runs are."""

    path: Path
    kind: str


def page_of_table(file: Path) -> TablePage:
    """The page of the results in ``file``: the one kept with them, which knows the name of the table, else a new one.

    That of results from elsewhere is kept among ours.
    """
    place, beside = _place(), file.with_suffix(_PAGE)
    is_ours = any(file.is_relative_to(state) for state in place.states)
    if is_ours and beside.is_file():
        return TablePage(beside, file.parent.parent.name)
    table = read_table(file)
    elsewhere = tables_folder(place.state, table.kind) / f"{file.stem}-{_digest(str(file.resolve()))}{_PAGE}"
    page = _written(beside if is_ours else elsewhere, table_page(table, str(file)), table.kind)
    return TablePage(page, table.kind)


def show_comparison(names: tuple[str, str], *, as_json: bool) -> Path | None:
    """``sparring view --diff``: print what differs, and say where its page is; None where none could be kept."""
    found = _compared(*map(_meant, names))
    is_of_tables = isinstance(found, TableComparison)
    page = tables_page(found) if is_of_tables else runs_page(found)
    if as_json:
        print_json(found)
    else:
        print_lines(comparison_text(found) if is_of_tables else runs_text(found))
    folder = _place().state / found.kind / "comparisons"
    try:
        kept = _written(folder / f"{_digest(*names)}{_PAGE}", page, found.kind)
    except StoreError as error:
        say(f"[WARN] No page of it could be written: {error}")
        return None
    say(f"Page: {kept}")
    return kept


def _meant(name: str) -> JudgedTable | Run:
    file = results_file(name)
    return read_table(file) if file else load_run(folder_of(name))


def _compared(before: JudgedTable | Run, after: JudgedTable | Run) -> TableComparison | RunComparison:
    if isinstance(before, JudgedTable) and isinstance(after, JudgedTable):
        return compare_tables(before, after)
    if isinstance(before, Run) and isinstance(after, Run):
        return compare_runs(before, after)
    raise UsageError("One of them is a table, the other a run: nothing compares them.", hint="Name two of a kind.")


def _written(file: Path, page: str, kind: str) -> Path:
    place = _place()
    state = place.state_of(file)
    refuse_links(state, file.parent)
    StateFolder(state).hide_from_git(state / kind)
    replace_file(file, page.encode())
    return file


def _digest(*said: str) -> str:
    return hashlib.sha256("\0".join(said).encode(errors="replace")).hexdigest()[:_DIGEST_LENGTH]


def _place() -> Place:
    return Place.find(invocation().settings(), None)
