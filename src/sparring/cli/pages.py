"""Pages from the command line: find, write and open them."""

import hashlib
import sys
from pathlib import Path

import anyio
from pydantic import BaseModel

from sparring.app.artifacts import keep_page
from sparring.cli.history import current_place, folder_of
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, print_lines, print_notice
from sparring.errors import StoreError, UsageError
from sparring.formats.views import page
from sparring.processes.children import find_program, leave_running
from sparring.reports import comparison
from sparring.reports.page.comparison import runs_page, tables_page
from sparring.schema.pairs import JudgedTable
from sparring.schema.runs import Run, RunStatus
from sparring.store import files, history

_PAGE, _MANIFESTS, _TABLE_PAGES = ".html", "_manifest*.json", "table*.html"
_DIGEST_LENGTH = 12


class StoredPage(BaseModel):
    """JSON that ``sparring view --json`` prints.

    ``status`` is the outcome or the status of the run; a table is ``judged``.
    """

    run_id: str
    path: Path
    format: str
    status: str


def show_page(name: str, *, opens: bool, as_json: bool) -> None:
    """Print the path of the page of a run or a judged table, and open it in an interactive session."""
    output = _output_folder(name)
    kept = _page_of_table(output) if output else _page_of_run(name)
    if as_json:
        print_json(kept)
        return
    print_lines(f"{kept.path}\n")
    _open(str(kept.path), wanted=opens)


def follow_page(run_id: str, *, opens: bool) -> bool:
    """Serve the page of a run until the run is over and that was displayed; False at once if the run is not active."""
    from sparring.app import App  # noqa: PLC0415 -- a page on disk needs neither this nor a server
    from sparring.server.live import serve_page  # noqa: PLC0415
    from sparring.server.stop_signals import StopSignals  # noqa: PLC0415

    folder = folder_of(run_id)
    if history.load_run(folder).status is not RunStatus.RUNNING:
        return False

    def hello(address: str) -> None:
        print_lines(f"{address}\n")
        _open(address, wanted=opens)

    async def serve() -> bool:
        with StopSignals() as asked:
            return await serve_page(folder, asked, hello, note=App(invocation().settings()).note)

    is_over = anyio.run(serve)
    print_notice(
        f"The run is over; its page: sparring view {folder.name}"
        if is_over
        else "Stopped showing it; the run continues."
    )
    return True


def show_comparison(names: tuple[str, str], *, opens: bool, as_json: bool) -> None:
    """Print the differences and the path of their page, and open the page in an interactive session."""
    compared = _compared(*map(_load_named, names))
    is_of_tables = isinstance(compared, comparison.TableComparison)
    page = tables_page(compared) if is_of_tables else runs_page(compared)
    if as_json:
        print_json(compared)
    else:
        print_lines(comparison.comparison_text(compared) if is_of_tables else comparison.runs_text(compared))
    folder = current_place().state / compared.kind / "comparisons"
    try:
        kept = _written(folder / f"{_digest(*names)}{_PAGE}", page, compared.kind)
    except StoreError as error:
        print_notice(f"[WARN] No page of it could be written: {error}")
        return
    print_notice(f"Page: {kept}")
    _open(str(kept), wanted=opens and not as_json)


def _output_folder(name: str) -> Path | None:
    """Return the folder of a batch's output that ``name`` is; None if it is none."""
    folder = invocation().path(name)
    return folder if any(folder.glob(_MANIFESTS)) else None


def _page_of_run(run_id: str) -> StoredPage:
    """Write the page again: an older one may be of an older version, or of less of the run."""
    folder = folder_of(run_id)
    run = history.load_run(folder)
    status = run.outcome.status if run.outcome else run.status
    return StoredPage(
        run_id=run.header.run_id, path=keep_page(page(run), folder), format=run.header.kind, status=str(status.value)
    )


def _page_of_table(folder: Path) -> StoredPage:
    """Return the page that a batch has written next to its shards, or next to those of its first share."""
    page = min(folder.glob(_TABLE_PAGES), default=None)
    if page is None:
        raise UsageError(
            f"{folder} contains no page of a table.", hint="Run the batch again: it pays for nothing again."
        )
    from sparring.batch.outputs import read_manifest  # noqa: PLC0415 -- the page of a run needs no batch

    return StoredPage(run_id=folder.name, path=page, format=read_manifest(str(folder), folder).format, status="judged")


def _load_named(name: str) -> JudgedTable | Run:
    if _output_folder(name) is None:
        return history.load_run(folder_of(name))
    from sparring.batch.outputs import read_table  # noqa: PLC0415 -- the same

    return read_table(name, invocation().path("."))


def _compared(
    before: JudgedTable | Run, after: JudgedTable | Run
) -> comparison.TableComparison | comparison.RunComparison:
    if isinstance(before, JudgedTable) and isinstance(after, JudgedTable):
        return comparison.compare_tables(before, after)
    if isinstance(before, Run) and isinstance(after, Run):
        return comparison.compare_runs(before, after)
    raise UsageError("One of them is a table, the other a run: nothing compares them.", hint="Name two of a kind.")


def _written(file: Path, page: str, kind: str) -> Path:
    place = current_place()
    state = place.state_of(file)
    files.refuse_links(state, file.parent)
    files.StateFolder(state).hide_from_git(state / kind)
    files.replace_file(file, page.encode())
    return file


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()[:_DIGEST_LENGTH]


def _open(target: str, *, wanted: bool) -> None:
    """Open a file or an address with the desktop's program, if there are a terminal and a desktop."""
    program = _opener() if wanted and invocation().streams.stdout.isatty() else None
    if program:
        leave_running([program, target], invocation().environment)


def _opener() -> str | None:
    """Return the program that opens a page; None without a desktop."""
    environment = invocation().environment
    if sys.platform in {"darwin", "win32"}:
        return find_program("open" if sys.platform == "darwin" else "explorer", environment.get("PATH"))
    has_desktop = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return find_program("xdg-open", environment.get("PATH")) if has_desktop else None
