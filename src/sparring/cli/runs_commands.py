"""What is typed to look at runs and to take up interrupted ones."""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.parsing import Json, KnownRun, PlainCommand, PlainGroup, run_ids, tool_names
from sparring.errors import UsageError

KnownRuns = Annotated[
    list[str], typer.Argument(metavar="RUN_ID...", autocompletion=run_ids, help="Ids, or the beginnings of them.")
]
Kind = Annotated[str, typer.Option(metavar="KIND", help="debate, consult, fact-check, jury, review or chaired-debate.")]


def list_(
    word: Annotated[str, typer.Argument(help="Only runs in whose subject, id or result it stands.")] = "",
    *,
    kind: Kind = "",
    state: Annotated[
        str, typer.Option(metavar="STATE", help="running, interrupted, finished, or how it ended: failed, unjudged ...")
    ] = "",
    limit: Annotated[int, typer.Option(metavar="N", help="Most that are listed; 0 lists all.")] = 20,
    as_json: Json = False,
) -> None:
    """List the runs of this project, newest first: when, what, who has won, what it cost.

    Examples: `sparring runs list retry`, `sparring runs list --kind debate --state interrupted`
    """
    from sparring.cli.history import Filter, show_list

    show_list(Filter(word, kind, state), limit=max(limit, 0), as_json=as_json)


def show(
    run_id: KnownRun,
    *,
    as_json: Json = False,
) -> None:
    """Show the report of a run."""
    from sparring.cli.history import show_run

    show_run(run_id, as_json=as_json)


def rm(
    runs: KnownRuns,
    *,
    as_json: Json = False,
) -> None:
    """Remove runs, with all that was said in them. The last results (`last-*.json`) stay."""
    from sparring.cli.history import remove_runs

    remove_runs(runs, as_json=as_json)


def prune(
    *,
    older_than: Annotated[str, typer.Option(metavar="AGE", help="Those that began longer ago: 12h, 30d, 8w.")] = "",
    keep: Annotated[int | None, typer.Option(metavar="N", min=0, help="All but the newest N.")] = None,
    kind: Kind = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Remove old runs, but none that is at work. Asks first.

    Examples: `sparring runs prune --older-than 30d`, `sparring runs prune --kind consult --keep 100 --yes`
    """
    from sparring.cli.history import Pruning, prune_runs

    prune_runs(Pruning(older_than, keep, kind), is_sure=yes, as_json=as_json)


def export(
    run_id: KnownRun,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="md|html|json|…",
            help="The report, its page, the record; of a review sarif, github, gitlab.",
        ),
    ] = "md",
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="By default standard output.")] = None,
) -> None:
    """Write the report, the page or the record of a run to a file, or to standard output.

    Example: `sparring runs export last --format json --output retries.json`
    """
    from sparring.cli.history import export_run

    export_run(run_id, form, output)


def resume(
    run_id: KnownRun,
    *,
    as_json: Json = False,
) -> None:
    """Continue an interrupted run where its journal ends."""
    from sparring.cli.runs import resume_run

    resume_run(run_id, as_json=as_json)


def retry(
    run_id: KnownRun,
    *,
    substitute: Annotated[
        str,
        typer.Option(
            metavar="TOOL", autocompletion=tool_names, help="Tool that answers where that of a seat fails for good."
        ),
    ] = "",
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Take what stands before the break of a journal that is damaged.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Ask those again who failed in a run that has ended, in a new run that takes over all that was answered.

    Nothing that was answered is asked, or paid, again.
    """
    from sparring.cli.runs import retry_run

    retry_run(run_id, substitute=substitute, salvages=salvage, as_json=as_json)


def watch(run_id: KnownRun) -> None:
    """Follow a run from another terminal: what was said, then each speech as it comes. Ctrl-C ends only that."""
    from sparring.cli.watch import watch_run

    watch_run(run_id)


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
    from sparring.cli.pages import follow_page, show_comparison, show_page
    from sparring.cli.printing import reporting_errors

    with reporting_errors(as_json=as_json):
        if live and (as_json or diff):
            raise UsageError("What goes on has no --json and no --diff.", hint="Leave out --live, or the other.")
        if diff:
            show_comparison(diff, opens=not only_print, as_json=as_json)
        elif not (live and follow_page(run_id, opens=not only_print)):
            show_page(run_id, opens=not only_print, as_json=as_json)


def runs_commands() -> typer.Typer:
    """``sparring runs``, in the order in which its help lists them."""
    runs = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="Look at runs, and take up interrupted ones.")
    runs.command("list", cls=PlainCommand)(list_)
    for command in (show, watch, resume, retry, export, rm, prune):
        runs.command(cls=PlainCommand)(command)
    return runs
