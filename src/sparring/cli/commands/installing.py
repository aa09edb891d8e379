"""``sparring install`` and ``sparring uninstall``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import Json

_HOSTS = "claude, codex, copilot, gemini, opencode, vscode, cursor; one or several."

Hosts = Annotated[list[str] | None, typer.Argument(help=_HOSTS, metavar="HOST")]
Everywhere = Annotated[bool, typer.Option("--all", help="Every host that is on this machine.")]
User = Annotated[bool, typer.Option("--user", help="For you, in every project (the default).")]
Project = Annotated[bool, typer.Option("--project", help="For everybody in this project.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the diff of every file and write nothing.")]


def install(
    hosts: Hosts = None,
    *,
    everywhere: Everywhere = False,
    user: User = False,
    project: Project = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Give a host (Claude Code, Codex, ...) the server, the skills and the commands."""
    from sparring.cli.setup import install_hosts, scope_of

    scope = scope_of(user=user, project=project, as_json=as_json)
    install_hosts(hosts or [], everywhere=everywhere, scope=scope, dry_run=dry_run, as_json=as_json)


def uninstall(
    hosts: Hosts = None,
    *,
    everywhere: Everywhere = False,
    user: User = False,
    project: Project = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take out of a host what `sparring install` put there, and nothing else."""
    from sparring.cli.setup import scope_of, uninstall_hosts

    scope = scope_of(user=user, project=project, as_json=as_json)
    uninstall_hosts(hosts or [], everywhere=everywhere, scope=scope, dry_run=dry_run, as_json=as_json)
