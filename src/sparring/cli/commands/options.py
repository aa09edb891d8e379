"""Options that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text; progress goes to stderr.")]
SecretFiles = Annotated[
    bool, typer.Option("--allow-secret-files", help="Hand over files as well whose names are made for secrets.")
]
