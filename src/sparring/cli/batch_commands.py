"""``sparring batch``: one command a format that judges tables, made of its options, and those about ledgers."""

from typing import Annotated, Any

import typer

from sparring.cli.parsing import Json, PlainCommand, PlainGroup


class _Group(PlainGroup):
    """Commands, of which those for formats are made when one is typed: a help must not wait for their options."""

    def list_commands(self, ctx: Any) -> list[str]:
        from sparring.cli.batch import commands

        self.commands = {**commands(), **self.commands}
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            self.list_commands(ctx)
        return super().get_command(ctx, cmd_name)


def show(
    ledger: Annotated[str, typer.Argument(metavar="LEDGER", help="A file, or postgresql://...; `project`: its own.")],
    row: Annotated[str, typer.Argument(metavar="ID", help="The `run` of a row of the output, or its beginning.")],
    *,
    as_json: Json = False,
) -> None:
    """Take the whole run of a row out of a ledger: an ordinary run, with report and page.

    Example: `sparring batch show project 3f2a`
    """
    from sparring.cli.batch import show_row

    show_row(ledger, row, as_json=as_json)


def batch_commands() -> typer.Typer:
    """The group."""
    app = typer.Typer(
        cls=_Group,
        no_args_is_help=True,
        help="Judge every row of a table, however long: nothing is paid twice, and a killed one goes on.",
    )
    app.command(cls=PlainCommand)(show)
    return app
