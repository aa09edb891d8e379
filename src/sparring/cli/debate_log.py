"""The log of a debate that others hold, from the command line."""

import typer

from sparring.app import App
from sparring.app.log_writing import EntryWish, append_entry
from sparring.cli.invocation import invocation
from sparring.cli.printing import ErrorReport, ErrorResult, print_json, print_lines, reporting_errors, say
from sparring.errors import ExitCode
from sparring.store.debate_log import Refused


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
