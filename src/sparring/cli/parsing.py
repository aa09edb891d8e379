"""Parsing of the command line: completion, help, and the wording of refusals."""

import re
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from functools import cache
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from sparring.cli.invocation import be_quiet, invocation
from sparring.errors import SparringError
from sparring.text.tidying import did_you_mean, no_setting, one_line, setting_name

PLANTED = "tools/mutants"
"""Default folder of the planted bugs that a review is measured on."""

JSON_HELP = "Print one JSON object instead of text; progress goes to stderr."
LEDGER_HELP = "Ledger that stores answers: a file, or postgresql://... By default the project's."
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]


def _without_types(parameters: list[Any]) -> list[Any]:
    """Return the parameters; those without a value show none: ``--json`` and not ``--json <bool>``."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = "true|false" if isinstance(parameter, Setting) else ""
    return parameters


def _silence(value: bool) -> None:  # noqa: FBT001 -- the parser passes it by position
    if value:
        be_quiet()


def _show_all(ctx: typer.Context, value: bool) -> None:  # noqa: FBT001 -- the same
    if value and isinstance(ctx.command, PlainCommand):
        ctx.command.show_all_help(ctx)
        raise typer.Exit


@cache
def _common_options() -> tuple[Any, ...]:
    """Return the options of every command: each has its effect while it is parsed."""
    app = typer.Typer(add_completion=False, context_settings={"help_option_names": []})
    quiet = typer.Option(
        "--quiet",
        "-q",
        callback=_silence,
        expose_value=False,
        help="Print results and errors only: no progress, no notices.",
    )
    all_ = typer.Option("--help-all", callback=_show_all, expose_value=False, is_eager=True, help="Show every option.")

    def common(*, quiet: Annotated[bool, quiet] = False, help_all: Annotated[bool, all_] = False) -> None:
        del quiet, help_all

    app.command()(common)
    command: Any = typer.main.get_command(app)
    return tuple(command.params)


SETTINGS = "Settings: --set NAME=VALUE"
"""Panel of the help. An option that is declared in it is a setting, without a flag of its own."""

Ledger = Annotated[str, typer.Option(metavar="LEDGER", help=LEDGER_HELP, rich_help_panel=SETTINGS)]

SETTINGS_OF_FORMAT = "Settings of the format: --set NAME=VALUE"
"""Panel of the one option that takes every ``NAME=VALUE`` that is not a setting of the command."""

_SET = "--set"


class Setting(TyperOption):
    """An option for rare use, given as ``--set NAME=VALUE``."""

    def add_to_parser(self, parser: Any, ctx: Any) -> None:
        """Leave the parser as it is: a setting is read from the values of ``--set``."""

    def consume_value(self, ctx: Any, opts: Mapping[str, Any]) -> Any:
        """Return the value and its source. Of several values the last one counts, unless the option takes several."""
        values = self._values(ctx.command, _typed_settings(opts))
        given: dict[str, Any] = {self.name: values if self.multiple else values[-1]} if values else {}
        return super().consume_value(ctx, given)

    def _values(self, command: "PlainCommand", typed: Sequence[tuple[str, str]]) -> list[str]:
        if self.rich_help_panel == SETTINGS_OF_FORMAT:
            return [f"{name}={value}" for name, value in typed if name not in command.settings]
        return [value for name, value in typed if name == self.opts[0]]


def _example(setting: Setting) -> str:
    return f"{_SET} {setting.opts[0]}={'true' if setting.is_flag else setting.metavar or 'VALUE'}"


def _as_setting(option: TyperOption) -> Setting:
    # Typer creates the options of a function itself, and accepts no class for them.
    setting: Any = copy(option)
    setting.__class__ = Setting
    setting.opts = [setting_name(name) for name in option.opts]
    return setting


def _typed_settings(opts: Mapping[str, Any]) -> list[tuple[str, str]]:
    pairs = [spelled.partition("=") for spelled in opts.get(_set_option().name) or ()]
    return [(setting_name(name), value) for name, _, value in pairs]


@cache
def _set_option() -> Any:
    """Return the option ``--set``, which commands with settings have."""
    app = typer.Typer(add_completion=False, context_settings={"help_option_names": []})
    option = typer.Option(
        _SET,
        metavar="NAME=VALUE",
        callback=_refuse_unknown_settings,
        expose_value=False,
        autocompletion=_setting_names,
        help="Give a setting (`sparring help settings` lists them). Repeatable.",
    )

    def common(*, set_: Annotated[list[str] | None, option] = None) -> None:
        del set_

    app.command()(common)
    command: Any = typer.main.get_command(app)
    return command.params[0]


def _refuse_unknown_settings(ctx: typer.Context, value: list[str] | None) -> None:
    command: Any = ctx.command
    for spelled in value or ():
        name, sign, _ = spelled.partition("=")
        known = command.settings
        if not sign:
            suggestion = f", such as {_example(known[setting_name(name)])}" if setting_name(name) in known else ""
            raise _Refusal(f"{_SET} takes NAME=VALUE{suggestion}; it is {one_line(repr(spelled), _SHOWN)}.", ctx)
        if setting_name(name) in known:
            continue
        flags = [(param.name, each) for param in command.params for each in param.opts if each.startswith("--")]
        options = {setting_name(flag): flag for _, flag in flags} | dict(flags)  # a field may have a different name
        if typed := options.get(setting_name(name)):
            raise _Refusal(f"{setting_name(name)} is not a setting but an option: {typed}.", ctx)
        if command.takes_others:
            continue
        raise _Refusal(f"{no_setting(name, known)} {WHERE_SETTINGS}", ctx)


WHERE_SETTINGS = "`sparring help settings` lists them."
_SHOWN = 60


class _Refusal(typer.BadParameter):
    """Refusal with the complete message, without the name of an option before it."""

    def format_message(self) -> str:
        return self.message


def _setting_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the settings that begin with ``incomplete``, for a shell."""
    command: Any = ctx.command
    return [f"{name}=" for name in command.settings if name.startswith(setting_name(incomplete))]


class PlainCommand(TyperCommand):
    """A command.

    Attributes:
        first: The names of the options on the first screen of its help; empty: all of them.
        settings: Its settings by name.
        takes_others: Whether it also takes settings of other names.
    """

    first: frozenset[str] = frozenset()

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        panels = {SETTINGS, SETTINGS_OF_FORMAT}
        self.params = [
            _as_setting(each) if isinstance(each, TyperOption) and each.rich_help_panel in panels else each
            for each in self.params
        ]
        settings = [each for each in self.params if isinstance(each, Setting)]
        self.settings = {each.opts[0]: each for each in settings if each.rich_help_panel == SETTINGS}
        self.takes_others = len(settings) > len(self.settings)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters as the parser and the help need them."""
        set_ = [_set_option()] if self.settings else []
        return _without_types([*super().get_params(ctx), *set_, *_common_options()])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the first screen: examples, then the options that most calls need."""
        if not self.first:
            super().format_help(ctx, formatter)
            return
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)))
        formatter.write_paragraph()
        formatter.write_text(cleandoc(self.help or ""))
        examples = [line for line in (self.epilog or "").splitlines() if line.startswith("sparring ")]
        if examples:
            with formatter.section("Examples"):
                for example in examples:
                    formatter.write(f"  {example}\n")
        parameters = self.get_params(ctx)
        records = [each.get_help_record(ctx) for each in parameters if each.param_type_name == "argument"]
        if arguments := [(name.partition(" <")[0], help_) for name, help_ in filter(None, records)]:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [each for each in parameters if each.param_type_name == "option" and not isinstance(each, Setting)]
        shown = [each for each in options if each.name in self.first or "--help" in each.opts]
        with formatter.section("Options"):
            formatter.write_dl([record for each in shown if (record := each.get_help_record(ctx))])
        formatter.write_paragraph()
        more = len({each.opts[0] for each in options}) - len(shown)
        settings = f" and {len(self.settings)} settings" if self.settings else ""
        formatter.write_text(f"`{ctx.command_path} --help-all` shows {more} more options{settings}.")

    def show_all_help(self, ctx: Any) -> None:
        """Print every option, by panel."""
        formatter = ctx.make_formatter()
        super().format_help(ctx, formatter)
        typer.echo(formatter.getvalue(), nl=False)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse ``args``, in which a text may begin with a dash."""
        options = [each for each in self.get_params(ctx) if each.param_type_name == "option" and not each.is_flag]
        valued = frozenset(name for option in options for name in (*option.opts, *option.secondary_opts))
        return super().parse_args(ctx, texts_last(args, valued))


def texts_last(arguments: Sequence[str], valued: Container[str]) -> list[str]:
    """Return ``arguments`` with the texts after ``--`` if one of them would be parsed as an option.

    An argument that begins with a dash and contains white space is a text, such as the question ``- [ ] is it done?``;
    names of options contain none.

    Args:
        arguments: Arguments of one command.
        valued: Names of its options that take a value.
    """
    options: list[str] = []
    texts: list[str] = []
    rest = deque(arguments)
    while rest:
        argument = rest.popleft()
        if argument == "--":
            texts += rest
            break
        if argument == "-" or not argument.startswith("-") or _SPACE.search(argument.partition("=")[0]):
            texts.append(argument)
            continue
        options.append(argument)
        if argument in valued and rest:
            options.append(rest.popleft())
    return [*options, "--", *texts] if any(text.startswith("-") and text != "-" for text in texts) else [*arguments]


_SPACE = re.compile(r"\s")


class PlainGroup(TyperGroup):
    """Group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters as the parser and the help need them."""
        return _without_types(super().get_params(ctx))


def command_with_first(*first: str) -> type[PlainCommand]:
    """Return a class of commands whose help has these options on its first screen."""
    return type("FirstCommand", (PlainCommand,), {"first": frozenset(first)})


def plain_command(
    callback: Callable[..., None], name: str | None = None, first: Iterable[str] = (), **settings: Any
) -> Any:
    """Return ``callback`` as a stand-alone command; ``first`` as in ``PlainCommand``, ``more`` is passed to Typer."""
    app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
    app.command(name, cls=PlainCommand, **settings)(callback)
    command: Any = typer.main.get_command(app)
    command.first = frozenset(first)
    return command


def run_ids(incomplete: str) -> list[str]:
    """Return the ids of the project's runs that begin with ``incomplete``, newest first, for a shell."""
    from sparring.store.history import list_runs  # noqa: PLC0415 -- a help needs none of it
    from sparring.store.hosts import Place  # noqa: PLC0415 -- the same

    try:
        runs = list_runs(Place.find(invocation().settings(), None))
    except SparringError:
        return []
    return [name for name in ("last", *(run.run_id for run in runs)) if name.startswith(incomplete)]


def tool_names(incomplete: str) -> list[str]:
    """Return the completions of the last name in a list of tools, for a shell; tools may be missing on this machine."""
    from sparring.providers.known import load_providers  # noqa: PLC0415 -- the same

    try:
        known = load_providers(invocation().settings().provider_dir).specs
    except SparringError:
        return []
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in known if name.startswith(begun)]


def seats_with(seats: Sequence[str]) -> Callable[[str], list[str]]:
    """Return what completes ``SEAT=TOOL`` for a shell; ``seats`` are its beginnings."""

    def completed(incomplete: str) -> list[str]:
        seat, sign, tool = incomplete.partition("=")
        if sign:
            return [f"{seat}={each}" for each in tool_names(tool)]
        return [each for each in seats if each.startswith(incomplete)]

    return completed


KnownRun = Annotated[
    str, typer.Argument(autocompletion=run_ids, help="Id of the run, the beginning or the end of it, or `last`.")
]


# Some options have an optional value: ``--continue`` alone means the last session, ``--repo`` this folder.
# Typer has no such options, so the value is inserted before it parses.
_LEFT_OUT = {"--continue": "last", "--repo": ".", "--bench": PLANTED}


def with_values(arguments: Sequence[str]) -> list[str]:
    """Return ``arguments`` with the omitted values inserted.

    A value is omitted if the next argument is an option, a question (it contains white space), or missing.
    """
    completed: list[str] = []
    for position, argument in enumerate(arguments):
        if argument == "--":
            return [*completed, *arguments[position:]]
        following = arguments[position + 1] if position + 1 < len(arguments) else "-"
        is_left_out = following.startswith("-") or len(following.split()) != 1
        value = _LEFT_OUT.get(argument) if is_left_out else None
        completed.append(f"{argument}={value}" if value else argument)
    return completed


_SENTENCES = (
    (r"No such command '(.*?)'\.?(?: Did you mean '(.*?)'\?)?.*", "There is no command {0}."),
    (r"Missing (?:argument|parameter):? '?(.*?)'?\.?", "{0} is missing."),
    (r"Missing option '(.*?)'.*", "{0} is missing."),
    (
        r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)",
        "Unexpected: {0}. Put a text of several words in quotation marks.",
    ),
    (r"Option '(.*?)' requires an argument\.?", "{0} needs a value."),
    (r"Option '(.*?)' requires (\d+) arguments\.?", "{0} needs {1} values."),
    (r"Option '(.*?)' does not take a value\.?", "{0} takes no value."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*is not one of (.*?)\.?", "{0} must be one of {1}."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*(?:valid integer|int\b).*", "{0} must be a whole number."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*(?:valid number|float\b).*", "{0} must be a number."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*(?:valid boolean|bool\b).*", "{0} must be true or false."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*greater than or equal to (-?[\d.]+).*", "{0} must be at least {1}."),
    (r"Invalid value for '(.*?)'(?: / '.*?')*: .*less than or equal to (-?[\d.]+).*", "{0} must be at most {1}."),
)
"""Messages of the parser with their replacements."""


def refusal(error: Any) -> tuple[str, str]:
    """Return the message about the arguments, and where to find help."""
    context = getattr(error, "ctx", None)
    typed = "sparring" if context is None else context.command_path
    return _sentence(error, context), f"`{typed} --help` shows what can be typed."


_DASH = "Put `--` before a text that begins with a dash, or pipe it in with `-`."


def _sentence(error: Any, context: Any) -> str:
    settings: Mapping[str, Setting] = getattr(getattr(context, "command", None), "settings", {})
    if option := getattr(error, "option_name", "") if "No such option" in error.format_message() else "":
        known = [name for param in context.command.params for name in param.opts] if context else []
        if setting := settings.get(setting_name(option)):
            return f"There is no option {option}. It is a setting: {_example(setting)}."
        known = [name for name in known if name.startswith("-")]
        suggestion = _other_spelling(option, known) or f"{did_you_mean(option, [*known, '--help'])} {_DASH}"
        return f"There is no option {option}.{suggestion}"
    message = error.format_message().strip()
    for pattern, sentence in _SENTENCES:
        if match := re.fullmatch(pattern, message, re.DOTALL):
            name, *rest = match.groups()
            suggestion = f" Did you mean {_alternatives(rest[0])}?" if "command" in sentence and rest[0] else ""
            return sentence.format(name if name in settings else _display_name(name), *rest) + suggestion
    return message if message.endswith((".", "?", "!")) else f"{message}."


def _other_spelling(option: str, known: Container[str]) -> str:
    """Return how a participant is named, or a table given, if ``option`` looks like that, else an empty string."""
    from sparring.schema.base import Role  # noqa: PLC0415 -- a help needs none of it

    name = option.removeprefix("--").removeprefix("model-")
    if "--seat" in known and name.replace("-", "_") in set(Role):
        model = ":MODEL" if option.startswith("--model-") else ""
        return f" Choose the provider with --seat {name}=PROVIDER{model}."
    if "--with" in known and name in _PARTICIPANTS:
        return " Choose the providers with --with PROVIDER,PROVIDER."
    return " `sparring batch` judges tables." if name == "input" else ""


_PARTICIPANTS = frozenset({"provider", "providers", "tool", "tools", "agents", "reviewers", "participants", "devil"})
"""Names of the participants, as people spell them."""


def _alternatives(quoted: str) -> str:
    """Return one of several names that Typer lists: ``debate', 'batch``."""
    return " or ".join(quoted.split("', '"))


def _display_name(name: str) -> str:
    """Return an option as typed, an argument in capitals as in the help, and anything else as typed."""
    return name.upper() if re.fullmatch(r"[a-z]+(?:_[a-z]+)+|topic|claim|question|hosts?|word", name) else name
