"""The command line: how it is parsed and refused. What can be typed stands in ``commands``."""

import sys
from typing import Annotated, NoReturn

import typer

from sparring.cli.commands import register
from sparring.cli.optional_values import with_values
from sparring.cli.streams import prepare

_SEE_HELP = "`sparring --help` shows what can be typed."

app = typer.Typer(
    name="sparring",
    help="Somebody for a coding agent to argue with: debates and second opinions between AI tools.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
register(app)


def main() -> NoReturn:
    """Entry point of the ``sparring`` script."""
    prepare()
    try:
        code = app(with_values(sys.argv[1:]), standalone_mode=False)
    except typer.TyperException as error:
        # What cannot be parsed is refused like anything else; Typer would draw a box over several lines.
        from sparring.cli.printing import ErrorReport, print_error

        if message := error.format_message().strip():
            sentence = message if message.endswith((".", "?", "!")) else f"{message}."
            print_error(ErrorReport(code="usage", message=sentence, hint=_SEE_HELP), as_json="--json" in sys.argv)
        code = error.exit_code
    sys.exit(code)


@app.callback(invoke_without_command=True)
def _version(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.", is_eager=True)] = False,
) -> None:
    if version:
        from sparring import __version__

        typer.echo(f"sparring {__version__}")
        raise typer.Exit
