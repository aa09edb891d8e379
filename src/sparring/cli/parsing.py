"""Commands and groups of them as the help shows them, and what a shell completes."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sparring.cli.invocation import invocation
from sparring.errors import SparringError

PLANTED = "tests/mutants"
"""The folder of planted bugs that a review is measured on, unless another is named."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text; progress goes to stderr.")]

User = Annotated[bool, typer.Option("--user", help="For you, in every project (the default).")]
Project = Annotated[bool, typer.Option("--project", help="For everybody in this project.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change in which file, and write nothing.")]
Diff = Annotated[bool, typer.Option("--diff", help="The same, with every line that would change.")]


def _without_types(parameters: list[Any]) -> list[Any]:
    """The parameters, of which those that take no value show none: ``--json`` and not ``--json <bool>``."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


class PlainCommand(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As the parser and the help need them."""
        return _without_types(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """Several commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As the parser and the help need them."""
        return _without_types(super().get_params(ctx))


def run_ids(incomplete: str) -> list[str]:
    """The runs of the project whose ids begin so, newest first, for a shell."""
    from sparring.store.history import list_runs  # noqa: PLC0415 -- a help needs none of it
    from sparring.store.hosts import Place  # noqa: PLC0415 -- the same

    try:
        runs = list_runs(*Place.find(invocation().settings(), None).states)
    except SparringError:
        return []
    return [name for name in ("last", *(run.run_id for run in runs)) if name.startswith(incomplete)]


def tool_names(incomplete: str) -> list[str]:
    """The tools whose names complete the last one of a list, for a shell; whether they are installed is not asked."""
    from sparring.providers.known import load_providers  # noqa: PLC0415 -- the same

    try:
        known = load_providers(invocation().settings().provider_dir).specs
    except SparringError:
        return []
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in known if name.startswith(begun)]


KnownRun = Annotated[
    str, typer.Argument(autocompletion=run_ids, help="Id of the run, the beginning or the end of it, or `last`.")
]
