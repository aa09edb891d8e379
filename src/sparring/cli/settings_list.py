"""``sparring help settings``: every setting of every command, from their declarations."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from sparring.cli.formats import command_of
from sparring.cli.parsing import PlainCommand
from sparring.formats.registry import FORMATS


class ListedSetting(Struct, frozen=True):
    """Setting as the list shows it.

    Attributes:
        name: The name that ``--set`` takes.
        value: Placeholder of its value.
        help: Help text with the default.
        commands: The commands that take it with this help.
    """

    name: str
    value: str
    help: str
    commands: tuple[str, ...]


def commands_with_paths(root: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every command that can be typed, with the words that name it."""
    if not hasattr(root, "list_commands"):
        yield " ".join(path), root
        return
    context = root.make_context(path[-1] if path else "sparring", [], resilient_parsing=True)
    for name in root.list_commands(context):
        command = command_of(name) if not path and name in FORMATS else root.get_command(context, name)
        yield from commands_with_paths(command, (*path, name))


def listed_settings(root: Any) -> tuple[ListedSetting, ...]:
    """Return the settings of all commands below ``root``, sorted by name."""
    commands = dict[tuple[str, str, str], list[str]]()
    for path, command in commands_with_paths(root):
        if not isinstance(command, PlainCommand):
            continue
        context = command.make_context(command.name, [], resilient_parsing=True)
        command.get_params(context)
        for name, setting in command.settings.items():
            default = setting.get_default(context)
            usual = f" By default {default:,}." if isinstance(default, int) and default > 1 else ""
            usual = f" By default {default}." if isinstance(default, float | str) and default else usual
            help_ = setting.help or ""
            value = setting.metavar or "VALUE"
            commands.setdefault((name, value, help_ if "By default" in help_ else help_ + usual), []).append(path)
    return tuple(sorted((ListedSetting(*key, tuple(paths)) for key, paths in commands.items()), key=lambda s: s.name))


def settings_text(root: Any) -> str:
    """Return the list as plain text."""
    blocks = (
        f"{each.name}={each.value}\n    {each.help}\n    {', '.join(each.commands)}\n" for each in listed_settings(root)
    )
    return "Settings, for rare needs. Give one with --set NAME=VALUE.\n\n" + "\n".join(blocks)
