"""Commands that look at what is installed, and the one that serves it."""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.commands.options import Json


def doctor(
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Ask each tool a tiny real question.")] = False,
    host: Annotated[str, typer.Option(metavar="HOST", help="Look at this host instead: does it find the server?")] = "",
    as_json: Json = False,
) -> None:
    """Say which AI tools are installed and usable, and what to do about the others."""
    from sparring.cli.setup import diagnose, diagnose_host

    if host:
        diagnose_host(host, as_json=as_json)
    else:
        diagnose(deep=deep, as_json=as_json)


def providers(*, as_json: Json = False) -> None:
    """List who can be asked: kind, family, where each is defined, and whether it is available."""
    from sparring.cli.setup import list_providers

    list_providers(as_json=as_json)


def serve(
    *,
    http: Annotated[str, typer.Option(metavar="HOST:PORT", help="Serve over HTTP there; port 0 is any.")] = "",
    token_file: Annotated[Path | None, typer.Option(help="File of the token that callers over HTTP must show.")] = None,
    grace: Annotated[float, typer.Option(min=0, help="Seconds that runs have to finish at the end, over HTTP.")] = 30,
) -> None:
    """Serve the tools over MCP on standard input and output, or over HTTP."""
    from sparring.cli.serving import serve_http, serve_stdio

    if http:
        serve_http(http, token_file, grace_s=grace)
    else:
        serve_stdio(token_file)
