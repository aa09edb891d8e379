"""How many options there are: on the first screens of all helps together, and in all."""

from collections.abc import Iterator
from typing import Any

import typer

from sparring.cli import app
from sparring.cli.formats import command_of
from sparring.cli.parsing import PlainCommand
from sparring.formats.registry import FORMATS

MOST_FIRST, MOST_OF_DEBATE = 60, 12
MOST = 112
"""It only goes down: a new option takes the place of another one."""

OF_EVERY_COMMAND = {"--help", "--help-all", "--quiet", "--version", "--install-completion", "--show-completion"}


def commands(command: Any, context: Any = None) -> Iterator[tuple[Any, Any]]:
    """Every command that can be typed, with its context."""
    here = command.make_context(command.name or "sparring", [], parent=context, resilient_parsing=True)
    if not hasattr(command, "list_commands"):
        yield command, here
        return
    for name in command.list_commands(here):
        is_format = context is None and name in FORMATS
        yield from commands(command_of(name) if is_format else command.get_command(here, name), here)


def options(command: Any, context: Any, *, only_first: bool) -> set[str]:
    found = [each for each in command.get_params(context) if each.param_type_name == "option"]
    is_cut = only_first and isinstance(command, PlainCommand) and command.first
    shown = [each for each in found if not is_cut or each.name in command.first]
    names = (next(name for name in each.opts if name.startswith("--")) for each in shown)
    return set(names) - OF_EVERY_COMMAND


def test_the_options_are_few_and_the_first_screens_show_those_that_most_calls_need() -> None:
    each = list(commands(typer.main.get_command(app)))
    first = set[str]().union(*(options(command, here, only_first=True) for command, here in each))
    every = set[str]().union(*(options(command, here, only_first=False) for command, here in each))
    debate = next(options(command, here, only_first=True) for command, here in each if command.name == "debate")
    assert (len(first) <= MOST_FIRST, len(debate), len(every) <= MOST) == (True, MOST_OF_DEBATE, True), (
        sorted(first),
        len(first),
        len(every),
    )
