"""Options that several commands share."""

from typing import Annotated

import typer

EFFORT = "Thinking effort: low, medium, high or max."
_CONTEXT = (
    "Material that goes with it: `diff` (what git says has changed), `file=PATH` (in the project), `stdin` (what is "
    "piped in goes with it anyway; this waits for it however long it takes). May be given several times."
)
MODEL = "Model to ask for; `auto` leaves the choice to the tool."

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text; progress goes to stderr.")]
Effort = Annotated[str, typer.Option(help=EFFORT)]
Access = Annotated[str, typer.Option("--repo-access", help="What a tool may see of the project: none, or read.")]
Context = Annotated[list[str] | None, typer.Option("--context", help=_CONTEXT)]
ContextLimit = Annotated[int, typer.Option("--context-limit", help="Most KiB of context, all together.")]
SecretFiles = Annotated[
    bool, typer.Option("--allow-secret-files", help="Hand over files as well whose names are made for secrets.")
]
MaxCalls = Annotated[int | None, typer.Option(help="Most consultations that the run may make.")]
MaxTokens = Annotated[int | None, typer.Option(help="Ask nobody else once this many tokens are used.")]
MaxCost = Annotated[float | None, typer.Option(help="Ask nobody else once this much is spent, in USD.")]
MaxTime = Annotated[float | None, typer.Option(help="End what is under way after this many seconds.")]
