"""Options: how many there are, on the first screens and in all; and settings, typed as ``--set NAME=VALUE``."""

from pathlib import Path, PurePath
from typing import Any

import pytest
import typer

from sparring.cli import app
from sparring.cli.formats import MEMORY_COMMANDS
from sparring.cli.parsing import PlainCommand, Setting
from sparring.cli.reviews import command_of_memory
from sparring.cli.settings_list import commands_with_paths, listed_settings
from sparring.engine.capabilities import Dismissing
from sparring.formats.registry import FORMATS
from sparring.participants.options import Option
from support.workbench import Workbench

MOST_FIRST, MOST_OF_DEBATE = 49, 12
MOST = 60
"""It only goes down: a new option takes the place of another one."""

OF_EVERY_COMMAND = {"--help", "--help-all", "--quiet", "--version", "--install-completion", "--show-completion"}

ROOT: Any = typer.main.get_command(app)
COMMANDS: dict[str, Any] = dict(commands_with_paths(ROOT)) | {
    f"{name} {word}": command_of_memory(memory, word)
    for name in FORMATS
    if (memory := FORMATS[name].capability(Dismissing))
    for word in MEMORY_COMMANDS
}
SETTINGS = [
    pytest.param(path, name, id=f"{path} {name}")
    for path, command in COMMANDS.items()
    if isinstance(command, PlainCommand)
    for name in command.settings
]
NEEDED = {"input": ("--input", "i"), "output": ("--output", "o")}


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


def context_of(command: Any) -> Any:
    return command.make_context(command.name, [], resilient_parsing=True)


def options(command: Any, *, only_first: bool) -> set[str]:
    params = command.get_params(context_of(command))
    typed = [each for each in params if each.param_type_name == "option" and not isinstance(each, Setting)]
    is_cut = only_first and isinstance(command, PlainCommand) and command.first
    shown = [each for each in typed if not is_cut or each.name in command.first]
    return {next(name for name in each.opts if name.startswith("--")) for each in shown} - OF_EVERY_COMMAND


def test_the_options_are_few_and_the_first_screens_show_those_that_most_calls_need() -> None:
    first = set[str]().union(*(options(command, only_first=True) for command in COMMANDS.values()))
    every = set[str]().union(*(options(command, only_first=False) for command in COMMANDS.values()))
    debate = options(COMMANDS["debate"], only_first=True)
    assert len(debate) == MOST_OF_DEBATE, sorted(debate)
    assert len(first) <= MOST_FIRST, (
        f"{len(first)} options on first screens; declare one with is_hinted=False: {sorted(first)}"
    )
    assert len(every) <= MOST, f"{len(every)} options; declare a rare one with is_setting=True: {sorted(every)}"


def given(path: str, *typed: str) -> dict[str, Any]:
    """Return what the function of a command receives."""
    command = COMMANDS[path]
    arguments = [each for each in command.params if each.param_type_name == "argument" and each.required]
    needed = [word for each in command.params if each.required for word in NEEDED.get(each.name, ())]
    context = command.make_context(command.name, [*needed, *typed, "--", *("a" for _ in arguments)])
    return context.params


def shown(value: object) -> str:
    """Return a parsed value as it is typed."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case _:
            return str(value)


@pytest.mark.parametrize(("path", "name"), SETTINGS)
def test_a_setting_reaches_its_command_under_its_name(path: str, name: str) -> None:
    setting = COMMANDS[path].settings[name]
    first, last = ("false", "true") if setting.is_flag else ("3", "7")
    for spelled in (name, name.replace("_", "-"), f"--{name}"):
        value = given(path, "--set", f"{spelled}={first}", "--set", f"{spelled}={last}")[setting.name]
        if setting.multiple:
            assert [shown(each) for each in value] == [first, last]
        else:
            assert shown(value) == last
    assert given(path)[setting.name] in (None, (), [], setting.default)


def test_a_value_may_hold_an_equals_sign_or_be_empty() -> None:
    assert given("batch jury", "--set", "rpm=openai=500")["rpm"] == ["openai=500"]
    assert given("batch jury", "--set", "ledger=")["ledger"] == ""
    assert given("serve", "--set", "token_file=a=b")["token_file"] == PurePath("a=b")


def test_an_evaluation_takes_settings_of_its_own_and_of_its_format() -> None:
    typed = given("evaluate", "--set", "margin=0.1", "--set", "max-rounds=2", "--set", "timeout_s=9")
    assert (typed["margin"], typed["options"]) == (0.1, ["max_rounds=2", "timeout_s=9"])


def test_the_list_of_settings_shows_each_of_them_with_its_commands(bench: Workbench) -> None:
    listed = {(path, each.name) for each in listed_settings(ROOT) for path in each.commands}
    assert listed == {(path, name) for path, name in (param.values for param in SETTINGS)}
    done = bench.run("help", "settings")
    assert (done.code, [name for _, name in sorted(listed) if f"\n{name}=" not in done.out]) == (0, [])


@pytest.mark.parametrize("path", ["debate", "batch fact-check", "evaluate", "serve", "runs retry", "log append"])
def test_the_whole_help_of_a_command_lists_its_settings(bench: Workbench, path: str) -> None:
    every = bench.run(*path.split(), "--help-all").out
    assert [name for name in COMMANDS[path].settings if f"│   {name} " not in every] == []


@pytest.mark.parametrize("format_", list(FORMATS))
def test_a_setting_of_a_format_has_the_name_that_it_has_in_the_configuration_and_over_mcp(format_: str) -> None:
    fields = {name: Option.of(field) for name, field in FORMATS[format_].options.model_fields.items()}
    own = {name for name, option in fields.items() if option.is_setting}
    assert own <= COMMANDS[format_].settings.keys()
    assert {option.typed(name) for name, option in fields.items() if name in own} == {(name,) for name in own}
