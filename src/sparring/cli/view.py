"""``sparring view``: the page of a run, of a judged table or of what differs between two, made and shown."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from sparring.cli.invocation import invocation
from sparring.cli.parsing import Json, KnownRun
from sparring.errors import UsageError


class PageKept(BaseModel):
    """What ``sparring view --json`` prints. ``status`` is how the run ended, or how it stands; a table is judged."""

    run_id: str
    path: Path
    format: str
    status: str


def view(
    run_id: KnownRun = "last",
    *,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="Compare two runs of one format, or two judged tables."),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Show a run while it goes on; Ctrl-C ends only that.")] = False,
    only_print: Annotated[bool, typer.Option("--print", help="Open nothing, only print where it is.")] = False,
    as_json: Json = False,
) -> None:
    """Open the page of a run, or of a judged table, in the browser, and print its path. It is one file.

    A table is named by the id or the file of its results, a run by its id.

    Examples: `sparring view`, `sparring view last --print`, `sparring view --live`, `sparring view --diff ID ID`
    """
    from sparring.cli.printing import print_json, print_lines, reporting_errors

    with reporting_errors(as_json=as_json):
        if live and (as_json or diff):
            raise UsageError("What goes on has no --json and no --diff.", hint="Leave out --live, or the other.")
        if diff:
            _show_difference(diff, only_print=only_print, as_json=as_json)
            return
        if live and _followed(run_id, opens=not only_print):
            return
        kept = _kept_table(run_id) or _kept(run_id)
        if as_json:
            print_json(kept)
            return
        print_lines(f"{kept.path}\n")
        if not only_print and invocation().streams.stdout.isatty():
            show(str(kept.path))


def _show_difference(names: tuple[str, str], *, only_print: bool, as_json: bool) -> None:
    from sparring.cli.comparison import show_comparison

    page = show_comparison(names, as_json=as_json)
    if page and not (only_print or as_json) and invocation().streams.stdout.isatty():
        show(str(page))


def _kept_table(name: str) -> PageKept | None:
    from sparring.cli.comparison import page_of_table, results_file

    file = results_file(name)
    if file is None:
        return None
    page = page_of_table(file)
    return PageKept(run_id=page.path.stem, path=page.path, format=page.kind, status="judged")


def _followed(run_id: str, *, opens: bool) -> bool:
    """Serve the page of a run until it is over and has been seen; whether it goes on at all."""
    import anyio

    from sparring.cli.history import folder_of
    from sparring.cli.printing import print_lines, say
    from sparring.schema.runs import RunStatus
    from sparring.server.endings import Endings
    from sparring.server.live import serve_page
    from sparring.store.history import load_run

    folder = folder_of(run_id)
    if load_run(folder).status is not RunStatus.RUNNING:
        return False

    def hello(address: str) -> None:
        print_lines(f"{address}\n")
        if opens and invocation().streams.stdout.isatty():
            show(address)

    async def serve() -> bool:
        with Endings() as asked:
            return await serve_page(folder, asked, hello)

    is_over = anyio.run(serve)
    how = f"The run is over; its page: sparring view {folder.name}" if is_over else "No longer shown. The run goes on."
    say(how)
    return True


def _kept(run_id: str) -> PageKept:
    """The page, made anew: an older one is of an older version, or of less of the run."""
    from sparring.app.keeping import keep_page
    from sparring.cli.history import folder_of
    from sparring.store.history import load_run

    folder = folder_of(run_id)
    run = load_run(folder)
    status = run.outcome.status if run.outcome else run.status
    return PageKept(
        run_id=run.header.run_id, path=keep_page(run, folder), format=run.header.kind, status=str(status.value)
    )


def show(target: str) -> bool:
    """Open a file, or an address, as a click would; whether there is a desktop that does."""
    from sparring.providers.cli.process import leave_running

    program = _opener()
    if program:
        leave_running([program, target], invocation().environment)
    return program is not None


def _opener() -> str | None:
    """What opens it; None where there is no desktop."""
    from sparring.providers.cli.process import find_program

    environment = invocation().environment
    if sys.platform in {"darwin", "win32"}:
        return find_program("open" if sys.platform == "darwin" else "explorer", environment.get("PATH"))
    has_desktop = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return find_program("xdg-open", environment.get("PATH")) if has_desktop else None
