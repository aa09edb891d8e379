"""What can be typed behind ``sparring gate``; what each does stands in ``gate``, imported when it runs."""

from typing import Annotated

import typer

from sparring.cli.parsing import Diff, DryRun, Json, PlainCommand, PlainGroup, Project, User

Host = Annotated[str, typer.Argument(metavar="HOST", help="claude, codex, copilot, gemini or opencode.")]


def install(
    host: Host,
    *,
    user: User = False,
    project: Project = False,
    dry_run: DryRun = False,
    diff: Diff = False,
    as_json: Json = False,
) -> None:
    """Have a host ask for a review before its agent stops, and before a plan is accepted."""
    from sparring.cli.gate import install_hooks
    from sparring.cli.setup import scope_of, shown_of

    scope = scope_of(user=user, project=project, as_json=as_json)
    install_hooks(host, scope=scope, shown=shown_of(dry_run, diff), as_json=as_json)


def uninstall(
    host: Host,
    *,
    user: User = False,
    project: Project = False,
    dry_run: DryRun = False,
    diff: Diff = False,
    as_json: Json = False,
) -> None:
    """Take out of a host what `sparring gate install` put there, and nothing else."""
    from sparring.cli.gate import uninstall_hooks
    from sparring.cli.setup import scope_of, shown_of

    scope = scope_of(user=user, project=project, as_json=as_json)
    uninstall_hooks(host, scope=scope, shown=shown_of(dry_run, diff), as_json=as_json)


def run(
    host: Host,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="stop or plan.")],
) -> None:
    """Answer a host that asks: what its hook calls, with what the host says on standard input."""
    from sparring.cli.gate import answer_host

    answer_host(host, event)


def gate_commands() -> typer.Typer:
    """The commands, in the order in which the help lists them."""
    gate = typer.Typer(
        cls=PlainGroup, no_args_is_help=True, help="Hold a host's agent back until a review finds nothing that blocks."
    )
    for command in (install, uninstall, run):
        gate.command(cls=PlainCommand)(command)
    return gate
