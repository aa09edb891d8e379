"""Commands for setup and serving; each imports ``setup`` when it is called."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.parsing import SETTINGS, Json, PlainCommand, PlainGroup

Hosts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="HOST", help="claude, codex, copilot, gemini, opencode, agy, vscode, cursor; several; or all."
    ),
]
GatedHost = Annotated[str, typer.Argument(metavar="HOST", help="claude, codex, copilot, gemini or opencode.")]
Project = Annotated[
    bool, typer.Option("--project", help="Install for this project. By default for your user, in every project.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show which files would change, and write nothing.")]
Diff = Annotated[bool, typer.Option("--diff", help="Dry run that shows every changed line.")]
Key = Annotated[
    str,
    typer.Argument(metavar="KEY", help="An option by its name, for all commands or for one: effort, debate.rounds."),
]


def _add_hosts_command(change: str) -> Callable[..., None]:
    """Return the command ``install`` or ``uninstall``."""

    def command(
        hosts: Hosts = None,
        *,
        project: Project = False,
        dry_run: DryRun = False,
        diff: Diff = False,
        as_json: Json = False,
    ) -> None:
        from sparring.cli.setup import change_hosts

        change_hosts(
            change,
            hosts or [],
            project=project,
            dry_run=dry_run,
            diff=diff,
            as_json=as_json,
        )

    return command


def _add_gate_command(change: str) -> Callable[..., None]:
    """Return the command ``gate install`` or ``gate uninstall``."""

    def command(
        host: GatedHost,
        *,
        project: Project = False,
        dry_run: DryRun = False,
        diff: Diff = False,
        as_json: Json = False,
    ) -> None:
        from sparring.cli.setup import change_hosts

        change_hosts(f"gate {change}", [host], project=project, dry_run=dry_run, diff=diff, as_json=as_json)

    return command


def doctor(
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Ask each tool a short real question.")] = False,
    host: Annotated[str, typer.Option(metavar="HOST", help="Check instead whether this host finds the server.")] = "",
    as_json: Json = False,
) -> None:
    """Show which AI tools are ready, and how to set up the others."""
    from sparring.cli.setup import diagnose, diagnose_host

    if host:
        diagnose_host(host, as_json=as_json)
    else:
        diagnose(deep=deep, as_json=as_json)


def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the provider.")] = "",
    target: Annotated[
        str, typer.Argument(metavar="PROGRAM|URL", help="A command that prints an answer, or a server's address.")
    ] = "",
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="For a server its model; for a program the family of its model.")
    ] = "",
    *,
    as_json: Json = False,
) -> None:
    """Write a first provider file; asks for missing values.

    Examples: `sparring init mine "my-program --quiet"`, `sparring init local http://127.0.0.1:8080/v1 qwen3`
    """
    from sparring.cli.setup import write_provider

    write_provider(name, target, model, as_json=as_json)


def models(*, as_json: Json = False) -> None:
    """List the available models and tools, ready ones first."""
    from sparring.cli.setup import list_providers

    list_providers(as_json=as_json)


def serve(
    *,
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Serve over HTTP at this address; port 0 picks one.")
    ] = "",
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File with the bearer token that HTTP clients must send.", rich_help_panel=SETTINGS
        ),
    ] = None,
    grace: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Seconds that runs have to finish on shutdown, over HTTP.",
            rich_help_panel=SETTINGS,
        ),
    ] = 30,
) -> None:
    """Serve the tools over MCP on standard input and output, or over HTTP."""
    from sparring.cli.setup import serve_http, serve_stdio

    if http:
        serve_http(http, token_file, grace_s=grace)
    else:
        serve_stdio(token_file)


def path() -> None:
    """Print the path of the configuration file."""
    from sparring.cli.setup import show_path

    show_path()


def show_config(*, as_json: Json = False) -> None:
    """Show all defaults."""
    from sparring.cli.setup import show_all

    show_all(as_json=as_json)


def get(key: Key) -> None:
    """Print the default of one option; exit code 1 if there is none."""
    from sparring.cli.setup import show_value

    show_value(key)


def set_(key: Key, value: Annotated[str, typer.Argument(metavar="VALUE", help="Shell command.")]) -> None:
    """Set the default of an option. Options of a call override it.

    Examples: `sparring config set judge claude`, `sparring config set debate.rounds 3`
    """
    from sparring.cli.setup import set_value

    set_value(key, value)


def unset(key: Key) -> None:
    """Remove a default."""
    from sparring.cli.setup import unset_value

    unset_value(key)


def run(
    host: GatedHost,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="stop or plan.")],
) -> None:
    """Answer the hook of a host, which sends its input on standard input."""
    from sparring.cli.setup import answer_host

    answer_host(host, event)


def register_hosts(app: typer.Typer) -> None:
    """Register ``install`` and ``uninstall`` with ``app``."""
    for change, help_ in (
        ("install", "Give a host (Claude Code, Codex, ...) the server, the skills and the commands."),
        ("uninstall", "Remove from a host what `sparring install` added, and nothing else."),
    ):
        app.command(change, cls=PlainCommand, help=help_)(_add_hosts_command(change))


def config_commands() -> typer.Typer:
    """Return the group ``sparring config``, in the order of its help."""
    config = typer.Typer(
        cls=PlainGroup, no_args_is_help=True, help="Defaults of your own for the options of every run."
    )
    config.command("show", cls=PlainCommand)(show_config)
    config.command("set", cls=PlainCommand)(set_)
    for command in (get, unset, path):
        config.command(cls=PlainCommand)(command)
    return config


def gate_commands() -> typer.Typer:
    """Return the group ``sparring gate``, in the order of its help."""
    gate = typer.Typer(
        cls=PlainGroup, no_args_is_help=True, help="Block a host's agent until a review has no blocking findings."
    )
    for change, help_ in (
        ("install", "Make a host request a review before its agent stops and before a plan is accepted."),
        ("uninstall", "Remove from a host what `sparring gate install` added, and nothing else."),
    ):
        gate.command(change, cls=PlainCommand, help=help_)(_add_gate_command(change))
    gate.command(cls=PlainCommand)(run)
    return gate
