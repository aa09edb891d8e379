"""``sparring view``: the page of a run, made and shown."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from sparring.cli.invocation import invocation
from sparring.cli.parsing import Json, KnownRun


class PageKept(BaseModel):
    """What ``sparring view --json`` prints. ``status`` is how the run ended, or how it stands."""

    run_id: str
    path: Path
    format: str
    status: str


def view(
    run_id: KnownRun = "last",
    *,
    only_print: Annotated[bool, typer.Option("--print", help="Open nothing, only print where it is.")] = False,
    as_json: Json = False,
) -> None:
    """Open the page of a run in the browser, and print its path. It is one file, which needs nothing else.

    Examples: `sparring view`, `sparring view last --print`
    """
    from sparring.cli.printing import print_json, print_lines, reporting_errors

    with reporting_errors(as_json=as_json):
        kept = _kept(run_id)
        if as_json:
            print_json(kept)
            return
        print_lines(f"{kept.path}\n")
        if not only_print and invocation().streams.stdout.isatty():
            show(str(kept.path))


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
