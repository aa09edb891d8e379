"""What can be typed, a module for each command. What a command does stands in the module it hands over to.

Those modules are imported when their command runs, since ``sparring --help`` must not pay for a debate.
"""

import typer

from sparring.cli.commands.demo import demo
from sparring.cli.commands.installing import install, uninstall
from sparring.cli.commands.log import append
from sparring.cli.commands.redact import redact
from sparring.cli.commands.runs import list_, resume, show
from sparring.cli.commands.setting_up import doctor, providers, serve
from sparring.cli.commands.verify import claims, quotes, text

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Make every command a command of ``app``, in the order in which the help lists them behind the formats."""
    verify = typer.Typer(no_args_is_help=True, help="Check quotes and claims by code; nobody is asked.")
    for command in (claims, quotes, text):
        verify.command()(command)
    app.add_typer(verify, name="verify")
    runs = typer.Typer(no_args_is_help=True, help="Look at runs, and take up interrupted ones.")
    runs.command("list")(list_)
    for command in (show, resume):
        runs.command()(command)
    app.add_typer(runs, name="runs")
    log = typer.Typer(no_args_is_help=True, help="The log of a chaired debate, for agents that hold one themselves.")
    log.command()(append)
    app.add_typer(log, name="log")
    for command in (demo, install, uninstall, doctor, providers, redact, serve):
        app.command()(command)
