"""``sparring consult``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import EFFORT, MODEL, Access, Context, ContextLimit, Json, MaxTime, SecretFiles
from sparring.cli.optional_values import CONTINUE


def consult(  # noqa: PLR0913 -- one parameter an option
    question: Annotated[str, typer.Argument(help="What to ask; `-` reads it from standard input.")],
    *,
    tool: Annotated[
        str,
        typer.Option(
            "--tool",
            "--provider",
            help="Tool to ask, or several: claude,codex. A model of its own: claude:MODEL. By default the first one.",
        ),
    ] = "",
    model: Annotated[str, typer.Option(help=MODEL)] = "auto",
    effort: Annotated[str, typer.Option(help=EFFORT + " By default medium, or that of the session.")] = "",
    count: Annotated[int, typer.Option(help="How often each tool is asked, side by side; 1 to 5.")] = 1,
    session: Annotated[
        str,
        typer.Option(
            CONTINUE,
            metavar="[SESSION]",
            help="Go on with the last session, with answer 2 of the last several (2), or with the session of an id.",
        ),
    ] = "",
    repo_access: Access = "none",
    context: Context = None,
    context_limit: ContextLimit = 256,
    allow_secret_files: SecretFiles = False,
    timeout: Annotated[float, typer.Option(help="Seconds until a consultation is ended.")] = 120,
    max_tokens: Annotated[
        int | None, typer.Option(help="Ask nobody if the prompts are longer, by estimate; warn if more were used.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(help="Warn if more was spent, in USD.")] = None,
    max_time: MaxTime = None,
    as_json: Json = False,
) -> None:
    """Ask AI tools for a second opinion: one, several side by side, or one several times."""
    from sparring.app import ConsultWish
    from sparring.cli.input import Budget, GivenContext
    from sparring.cli.run import run_wish

    wish = ConsultWish(
        question=question,
        tool=tool,
        model=model,
        effort=effort,
        timeout_s=timeout,
        session=session,
        count=count,
        repo_access=repo_access,
    )
    given = GivenContext(context or [], context_limit, secrets_allowed=allow_secret_files)
    budget = Budget(tokens=max_tokens, cost_usd=max_cost, wall_s=max_time)
    run_wish(lambda: given.consult(wish), budget, as_json=as_json)
