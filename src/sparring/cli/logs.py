"""``sparring runs`` and ``sparring log``: looking at runs, and writing into the log of a debate."""

import typer
from pydantic import BaseModel

from sparring.app import App
from sparring.app.log_writing import EntryWish, append_entry
from sparring.cli.invocation import invocation
from sparring.cli.printing import ErrorReport, ErrorResult, print_json, print_lines, print_report, reporting_errors, say
from sparring.errors import ExitCode
from sparring.formats.reports import report, result
from sparring.reports.listings import runs_list
from sparring.schema.runs import RunSummary
from sparring.store.debate_log import Refused


class RunList(BaseModel):
    """What ``sparring runs list --json`` prints."""

    runs: tuple[RunSummary, ...]


def list_runs(*, as_json: bool) -> None:
    """``sparring runs list``."""
    with reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        runs = app.runs()
        if as_json:
            print_json(RunList(runs=runs))
        elif runs:
            print_lines(runs_list(runs))
        else:
            say(f'No runs in {app.place.state}. Begin one: sparring debate "..."')


def show_run(run_id: str, *, as_json: bool) -> None:
    """``sparring runs show``."""
    with reporting_errors(as_json=as_json):
        run = App(invocation().settings()).run(run_id)
        for notice in run.notices:
            say(notice)
        if as_json:
            print_json(result(run) if run.outcome else run)
        else:
            print_report(report(run))


def append_to_log(wish: EntryWish, *, as_json: bool) -> None:
    """``sparring log append``: the seq on standard output and nothing else; what is refused on standard error."""
    with reporting_errors(as_json=as_json):
        written = append_entry(wish, App(invocation().settings()))
    if isinstance(written, Refused):
        if as_json:
            print_json(ErrorResult(error=ErrorReport(code="refused", message=" ".join(written.reasons), hint="")))
        for reason in written.reasons:
            say(reason)
        raise typer.Exit(ExitCode.USAGE)
    if as_json:
        print_json(written)
    else:
        print_lines(f"{written.seq}\n")
