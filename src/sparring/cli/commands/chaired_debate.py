"""``sparring chaired-debate``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import (
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

_MINUTE_S = 60


def chaired_debate(  # noqa: PLR0913 -- one parameter an option
    topic: Annotated[
        str, typer.Argument(help="What is argued for and against; `-` reads standard input. By default the config's.")
    ] = "",
    *,
    config: Annotated[str, typer.Option(metavar="PATH", help="Read this instead of config/debate-config.json.")] = "",
    promoter: Annotated[str, typer.Option(help="Tool that argues for it; tool:model names its model.")] = "",
    detractor: Annotated[str, typer.Option(help="Tool that argues against it; must differ from the promoter.")] = "",
    chair: Annotated[str, typer.Option(help="Tool that rules and concludes; by default a third one.")] = "",
    audience: Annotated[str, typer.Option(help="Tool that asks up to two questions a round; by default nobody.")] = "",
    reporter: Annotated[str, typer.Option(help="Tool that writes the summary; by default nobody.")] = "",
    provider: Annotated[str, typer.Option(help="Tool for every seat not named.")] = "",
    min_rounds: Annotated[
        int | None, typer.Option(help="Rebuttal rounds before the chair may find that all is said.")
    ] = None,
    max_rounds: Annotated[int | None, typer.Option(help="Most rebuttal rounds, up to 10; 3 unless told.")] = None,
    time_budget: Annotated[
        float | None, typer.Option(metavar="MINUTES", help="No further round begins after as many minutes of work.")
    ] = None,
    no_web: Annotated[bool, typer.Option("--no-web", help="No debater may search the web.")] = False,
    output_dir: Annotated[
        str, typer.Option(help="Folder below the project for log, transcript, summary and metadata.")
    ] = "",
    effort: Effort = "medium",
    timeout: Annotated[float, typer.Option(help="Seconds for each consultation.")] = 240,
    context: Context = None,
    context_limit: ContextLimit = 256,
    allow_secret_files: SecretFiles = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    as_json: Json = False,
) -> None:
    """Let a chair lead a debate by the rules: claims need sources, and code looks every source up."""
    from sparring.app import ChairedDebateWish, NamedFile
    from sparring.cli.input import Budget, GivenContext
    from sparring.cli.run import run_wish

    wish = ChairedDebateWish(
        topic=topic,
        config=NamedFile(config, is_named_by_user=True) if config else None,
        provider=provider,
        chair=chair,
        promoter=promoter,
        detractor=detractor,
        audience=audience,
        reporter=reporter,
        min_rounds=min_rounds,
        max_rounds=max_rounds,
        time_budget_s=None if time_budget is None else time_budget * _MINUTE_S,
        no_web=no_web,
        output_dir=output_dir,
        effort=effort,
        timeout_s=timeout,
    )
    given = GivenContext(context or [], context_limit, secrets_allowed=allow_secret_files)
    run_wish(lambda: given.chaired_debate(wish), Budget(max_calls, max_tokens, max_cost, max_time), as_json=as_json)
