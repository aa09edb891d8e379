"""What can be typed behind ``sparring config``; what each does stands in ``config``, imported when it runs."""

from typing import Annotated

import typer

from sparring.cli.parsing import Json, PlainCommand, PlainGroup

Key = Annotated[
    str,
    typer.Argument(metavar="KEY", help="An option by its name, for all commands or for one: effort, debate.rounds."),
]


def path() -> None:
    """Print where the configuration is."""
    from sparring.cli.config import show_path

    show_path()


def show_config(*, as_json: Json = False) -> None:
    """Show what is set."""
    from sparring.cli.config import show_all

    show_all(as_json=as_json)


def get(key: Key) -> None:
    """Print the default of one option; exit code 1 where none is set."""
    from sparring.cli.config import show_value

    show_value(key)


def set_(key: Key, value: Annotated[str, typer.Argument(metavar="VALUE", help="As it would be typed.")]) -> None:
    """Set the default of an option. What is typed in a call goes before it.

    Examples: `sparring config set judge claude`, `sparring config set debate.rounds 3`
    """
    from sparring.cli.config import set_value

    set_value(key, value)


def unset(key: Key) -> None:
    """Take a default out again."""
    from sparring.cli.config import unset_value

    unset_value(key)


def config_commands() -> typer.Typer:
    """The commands, in the order in which the help lists them."""
    config = typer.Typer(
        cls=PlainGroup, no_args_is_help=True, help="Defaults of your own for the options of every run."
    )
    config.command("show", cls=PlainCommand)(show_config)
    config.command("set", cls=PlainCommand)(set_)
    for command in (get, unset, path):
        config.command(cls=PlainCommand)(command)
    return config
