"""Commands that begin a run, made from the formats: their options as arguments and flags, and the shared options."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import NoneType
from typing import Annotated, Any, get_args

import typer
from pydantic.fields import FieldInfo

from sparring.cli import parsing, printing, runs
from sparring.cli.input import Budget, read
from sparring.engine.capabilities import BugBench, Dismissing
from sparring.engine.format import Format
from sparring.formats.registry import FORMATS
from sparring.participants.options import (
    Option,
    choices,
    flag,
    may_be_left_out,
    placeholder,
    plain_default,
    plain_type,
    usual_value,
)

CLI_SETTINGS = frozenset({"sample", "seed", "repairs", "max_tokens", "max_time", "comments"})
"""Shared options that are given with ``--set``."""

_BENCH = f"Measure reviewers on planted bugs: a folder of tables of them, by default {parsing.PLANTED}."
_DRAWN: dict[str, tuple[Any, Any, str]] = {
    "sample": (int, 20, "Planted bugs to draw; 0: all."),
    "seed": (int, 1, "Seed of the draw."),
    "repairs": (
        bool,
        False,
        "Also review the change that removes each bug, to count false alarms.",
    ),
}


def bench_options(format_: Format) -> dict[str, tuple[Any, Any, str]]:
    """Return the options for measurements, if the format has them: type, default and help."""
    bench = format_.capability(BugBench)
    return {bench.option: (str, "", _BENCH), **_DRAWN} if bench else {}


_FULL = "Print the whole report, not only its first lines."
_FIRST = ("preset", "max_cost", "dry_run", "full", "as_json")
"""Shared options on the first screen of a command's help."""
_DRY_RUN = "Report participants, calls and prompt sizes; call no tool. With --full: the first prompt."
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_LIMITS = {
    "max_calls": (int, "Maximum number of calls."),
    "max_tokens": (int, "Stop once this many tokens are used."),
    "max_cost": (float, "Stop once this much is spent, in USD."),
    "max_time": (float, "Stop the run after this many seconds."),
}
_LIMITS_AT_ONCE = {
    "max_tokens": (int, "Refuse longer prompts, by estimate; warn if more were used."),
    "max_cost": (float, "Warn if more was spent, in USD."),
    "max_time": _LIMITS["max_time"],
}
"""Limits of a format that asks all participants at once: spending cannot be checked while they answer."""

SHARED_HELP = {name if name in CLI_SETTINGS else flag(name): help_ for name, (_, help_) in _LIMITS.items()} | {
    "--dry-run": _DRY_RUN,
    "--full": _FULL,
    "--json": parsing.JSON_HELP,
}
"""Shared options of every such command, with their help."""

_VALUES: dict[Any, str] = {str: "FOLDER", int: "N"}
"""Placeholders of the values of options for measurements, by their types."""

MEMORY_COMMANDS = ("dismiss", "dismissed")
"""Second words that name a command of a format with dismissals."""


def commands_of(args: Sequence[str]) -> tuple[str, Any, list[str]]:
    """Return the command of a format that was typed: its name, the command, and the remaining arguments.

    ``dismiss`` and ``dismissed`` are commands only as the first word; a file of that name is typed as ``./dismiss``.
    """
    name, rest = args[0], list(args[1:])
    memory = FORMATS[name].capability(Dismissing)
    if memory and rest and rest[0] in MEMORY_COMMANDS:
        from sparring.cli.reviews import command_of_memory  # noqa: PLC0415 -- other commands need not wait for it

        return f"{name} {rest[0]}", command_of_memory(memory, rest[0]), rest[1:]
    return name, command_of(name), rest


def command_of(name: str) -> Any:
    """Return the command that begins a run of that format."""
    return _command(FORMATS[name])


@cache
def _command(format_: Format) -> Any:
    examples = "\n\n".join(("Examples:", *format_.examples)) if format_.examples else None
    first = [name for name, field in format_.options.model_fields.items() if Option.of(field).is_hinted]
    callback, help_ = _callback(format_), FORMATS.summary(format_.name)
    return parsing.plain_command(callback, format_.name, (*first, *_FIRST), help=help_, epilog=examples)


def _callback(format_: Format) -> Callable[..., None]:
    limits = _LIMITS_AT_ONCE if format_.asks_at_once else _LIMITS
    extra, exports = bench_options(format_), runs.export_options(format_)

    def begin(**typed: Any) -> None:
        as_json, requested = typed.pop("as_json"), {name: typed.pop(name) for name in exports}
        with printing.reporting_errors(as_json=as_json):
            wanted = runs.Display(as_json, typed.pop("full"), runs.export_targets(format_, requested, as_json=as_json))
        is_dry = typed.pop("dry_run")
        budget = Budget(**{name: typed.pop(name) for name in limits})
        how = {name: typed.pop(name) for name in extra}
        bench = format_.capability(BugBench)
        if bench and how[bench.option]:
            from sparring.cli.reviews import measure  # noqa: PLC0415 -- the same

            measure(format_, how[bench.option], how, typed, budget, as_json=wanted.as_json, is_dry=is_dry)
        else:
            runs.run_options(lambda: read(format_.options, typed), budget, wanted, is_dry=is_dry)

    def panel(name: str, usual: str) -> str:
        return parsing.SETTINGS if name in CLI_SETTINGS else usual

    parameters = {name: parameter(name, field) for name, field in format_.options.model_fields.items()}
    parameters |= {
        name: keyword(
            name,
            kind,
            help_,
            default=default,
            metavar=_VALUES.get(kind),
            rich_help_panel=panel(name, "Measuring"),
        )
        for name, (kind, default, help_) in extra.items()
    }
    parameters |= {
        name: keyword(name, kind | None, help_, default=None, metavar="N", rich_help_panel=panel(name, "Limits"))
        for name, (kind, help_) in limits.items()
    }
    parameters |= {
        name: keyword(name, str, help_, default="", metavar=value, rich_help_panel=panel(name, "For other programs"))
        for name, (value, help_) in exports.items()
    }
    parameters |= {"dry_run": keyword("dry_run", bool, _DRY_RUN, default=False, rich_help_panel="Limits")}
    parameters |= {"full": keyword("full", bool, _FULL, "-v", "--full", default=False)}
    parameters |= {"as_json": keyword("as_json", bool, parsing.JSON_HELP, "--json", default=False)}
    return with_parameters(begin, parameters.values())


def with_parameters(callback: Callable[..., None], parameters: Iterable[inspect.Parameter]) -> Callable[..., None]:
    """Return ``callback``, which takes any keywords, with a signature of these parameters for Typer."""
    signature = inspect.Signature(list(parameters))
    callback.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    callback.__annotations__ = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    return callback


def parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    """Return a field of the options as a parameter for Typer."""
    option, kind = Option.of(field), _typed(field)
    if option.is_subject:
        default = inspect.Parameter.empty if field.is_required() else plain_default(field) or _nothing(kind)
        annotation = typer.Argument(help=option.help, metavar=name.upper())
        return inspect.Parameter(name, _KEYWORD, default=default, annotation=Annotated[kind, annotation])
    # An option that was not typed must be recognizable, since the user's own default then applies.
    kind = kind if NoneType in get_args(kind) else kind | None
    annotation: dict[str, Any] = {"metavar": placeholder(field), "rich_help_panel": _panel(name, option)}
    if option.names_tools:
        annotation["autocompletion"] = parsing.tool_names
    elif option.value == "SEAT=TOOL":
        annotation["autocompletion"] = parsing.seats_with(option.examples)
    flags = option.flags or (flag(name),)
    return keyword(name, kind, option.help + usual_value(field), *flags, default=None, **annotation)


_SHOWN_TO_THEM = ("context", "max_kib", "evidence", "exhibits", "allow_secret", "repo_access", "truth", "claim")


def _panel(name: str, option: Option) -> str:
    """Return the heading under which the help lists an option."""
    if option.is_setting:
        return parsing.SETTINGS
    if "TOOL" in option.value or name.startswith("model") or name == "count":
        return "Participants"
    return "Context" if name.startswith(_SHOWN_TO_THEM) else "Course"


def _typed(field: FieldInfo) -> Any:
    """Return the type for Typer: a repeatable flag is a list; choices are checked by the options."""
    kind = plain_type(field)
    if kind == tuple[str, ...]:
        return list[str] | None
    return kind | None if may_be_left_out(field) and not choices(field) else kind


def _nothing(kind: Any) -> Any:
    return None if NoneType in get_args(kind) else kind()


def keyword(name: str, kind: Any, help_: str, *flags: str, default: Any, **more: Any) -> inspect.Parameter:
    """Return a flag; ``more`` is passed to Typer."""
    option = typer.Option(*(flags or (flag(name),)), help=help_, **more)
    return inspect.Parameter(name, _KEYWORD, default=default, annotation=Annotated[kind, option])
