"""``sparring debate``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import (
    MODEL,
    Access,
    Context,
    ContextLimit,
    Effort,
    Json,
    MaxCalls,
    MaxCost,
    MaxTime,
    MaxTokens,
    SecretFiles,
)


def debate(  # noqa: PLR0913 -- one parameter an option
    topic: Annotated[str, typer.Argument(help="What to argue about; `-` reads it from standard input.")],
    *,
    proposer: Annotated[str, typer.Option(help="Tool that takes a position.")] = "",
    challenger: Annotated[str, typer.Option(help="Tool that attacks it; must differ from the proposer.")] = "",
    judge: Annotated[str, typer.Option(help="Tool that gives the verdict; by default a third one.")] = "",
    judges: Annotated[
        str, typer.Option(help="A panel of up to 5 instead: claude,codex:MODEL,gemini. Most of them decide.")
    ] = "",
    devil: Annotated[str, typer.Option(help="Tool that argues both sides, instead of two tools.")] = "",
    provider: Annotated[str, typer.Option(help="Tool for every seat not named.")] = "",
    rounds: Annotated[int, typer.Option(help="Rounds of back and forth, 1 to 5.")] = 2,
    blind_openings: Annotated[
        bool,
        typer.Option("--blind-openings", help="Both sides open without hearing the other; takes 2 rounds or more."),
    ] = False,
    effort: Effort = "medium",
    model_proposer: Annotated[str, typer.Option(help=MODEL)] = "auto",
    model_challenger: Annotated[str, typer.Option(help=MODEL)] = "auto",
    model_judge: Annotated[str, typer.Option(help=MODEL)] = "auto",
    timeout: Annotated[float, typer.Option(help="Seconds for each consultation.")] = 240,
    repo_access: Access = "none",
    context: Context = None,
    context_limit: ContextLimit = 256,
    allow_secret_files: SecretFiles = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    as_json: Json = False,
) -> None:
    """Let two AI tools debate a question, code check what they cite, and a blind judge pick a side."""
    from sparring.app import DebateWish
    from sparring.cli.input import Budget, GivenContext
    from sparring.cli.run import run_wish

    wish = DebateWish(
        topic=topic,
        provider=provider,
        proposer=proposer,
        challenger=challenger,
        judge=judge,
        judges=judges,
        devil=devil,
        blind_openings=blind_openings,
        rounds=rounds,
        effort=effort,
        model_proposer=model_proposer,
        model_challenger=model_challenger,
        model_judge=model_judge,
        timeout_s=timeout,
        repo_access=repo_access,
    )
    given = GivenContext(context or [], context_limit, secrets_allowed=allow_secret_files)
    run_wish(lambda: given.debate(wish), Budget(max_calls, max_tokens, max_cost, max_time), as_json=as_json)
