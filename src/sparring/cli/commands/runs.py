"""``sparring runs``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import Json


def list_(*, as_json: Json = False) -> None:
    """List the runs of this project, newest first."""
    from sparring.cli.logs import list_runs

    list_runs(as_json=as_json)


def show(
    run_id: Annotated[str, typer.Argument(help="Id of the run, the beginning of it, or `last`.")],
    *,
    as_json: Json = False,
) -> None:
    """Show the report of a run."""
    from sparring.cli.logs import show_run

    show_run(run_id, as_json=as_json)


def resume(
    run_id: Annotated[str, typer.Argument(help="Id of the run, the beginning of it, or `last`.")],
    *,
    as_json: Json = False,
) -> None:
    """Continue an interrupted run where its journal ends."""
    from sparring.cli.run import resume_run

    resume_run(run_id, as_json=as_json)
