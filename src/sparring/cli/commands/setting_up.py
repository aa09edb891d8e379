"""Commands that look at what is installed, and the one that serves it."""

from typing import Annotated

import typer

from sparring.cli.commands.options import Json


def doctor(
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Ask each tool a tiny real question.")] = False,
    as_json: Json = False,
) -> None:
    """Say which AI tools are installed and usable, and what to do about the others."""
    from sparring.cli.diagnosing import diagnose

    diagnose(deep=deep, as_json=as_json)


def providers(*, as_json: Json = False) -> None:
    """List who can be asked: kind, family, where each is defined, and whether it is available."""
    from sparring.cli.diagnosing import list_providers

    list_providers(as_json=as_json)


def serve() -> None:
    """Serve the tools over MCP on standard input and output."""
    from sparring.server.__main__ import main as serve_stdio

    serve_stdio()
