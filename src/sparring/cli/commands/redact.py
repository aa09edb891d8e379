"""``sparring redact``."""

from typing import Annotated

import typer


def redact(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print the count as a JSON object, on stderr.")] = False
) -> None:
    """Take secrets out of a text or a log: standard input to standard output, the count to standard error."""
    from sparring.cli.filtering import redact as redact_input

    redact_input(as_json=as_json)
