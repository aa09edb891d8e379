"""``sparring serve``: on standard input and output for one host, or over HTTP."""

from pathlib import Path

from sparring.cli.invocation import invocation
from sparring.cli.printing import reporting_errors, say
from sparring.errors import UsageError


def serve_stdio(token_file: Path | None) -> None:
    """Serve the host that has started us."""
    from sparring.server.__main__ import main  # noqa: PLC0415 -- the other way needs none of it

    with reporting_errors(as_json=False):
        if token_file:
            raise UsageError("A token is for who is served over HTTP.", hint="Add --http HOST:PORT.")
    main()


def serve_http(address: str, token_file: Path | None, *, grace_s: float) -> None:
    """Serve whoever comes to ``address`` with the token, until a signal ends us."""
    from sparring.server.http import Bounds, serve  # noqa: PLC0415 -- the other way needs none of it

    with reporting_errors(as_json=False):
        serve(address, token_file, say, bounds=Bounds(grace_s=grace_s), settings=invocation().settings())
