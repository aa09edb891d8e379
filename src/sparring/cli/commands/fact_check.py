"""``sparring fact-check``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import Effort, Json, MaxCalls, MaxCost, MaxTime, MaxTokens, SecretFiles


def fact_check(  # noqa: PLR0913 -- one parameter an option
    claim: Annotated[str, typer.Argument(help="What is checked; `-` reads it from standard input.")],
    *,
    evidence: Annotated[
        list[str] | None,
        typer.Option(
            help="A text that the claim is held against. May be given several times. What is piped in is evidence as "
            "well; `-` waits for it however long it takes."
        ),
    ] = None,
    evidence_file: Annotated[
        list[str] | None, typer.Option(help="A file of evidence, UTF-8. May be given several times.")
    ] = None,
    evidence_limit: Annotated[int, typer.Option(help="Most KiB of evidence, all together.")] = 1024,
    allow_secret_files: SecretFiles = False,
    agents: Annotated[
        str,
        typer.Option(help="Who checks, 2 to 7: claude,codex:MODEL,claude. By default three of different families."),
    ] = "",
    provider: Annotated[str, typer.Option(help="Tool for every agent; `offline` needs nothing.")] = "",
    count: Annotated[int | None, typer.Option(help="How many agents, 2 to 7, where none are named.")] = None,
    max_rounds: Annotated[int, typer.Option(help="The blind round and the debate rounds together, 1 to 5.")] = 3,
    escalation: Annotated[
        str,
        typer.Option(
            help="When agents debate: auto (when they disagree or a quote is not in the evidence), always, never."
        ),
    ] = "auto",
    language: Annotated[str, typer.Option(help="Language of the reasons: en, vi, ...")] = "en",
    effort: Effort = "medium",
    timeout: Annotated[float, typer.Option(help="Seconds for each consultation.")] = 240,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    as_json: Json = False,
) -> None:
    """Let several AI tools check a claim against evidence, and code check their quotes."""
    from sparring.app import FactCheckWish
    from sparring.cli.input import Budget, GivenEvidence
    from sparring.cli.run import run_wish

    wish = FactCheckWish(
        claim=claim,
        agents=agents,
        provider=provider,
        count=count,
        max_rounds=max_rounds,
        escalation=escalation,
        language=language,
        effort=effort,
        timeout_s=timeout,
    )
    given = GivenEvidence(evidence or [], evidence_file or [], evidence_limit, secrets_allowed=allow_secret_files)
    run_wish(lambda: given.fact_check(wish), Budget(max_calls, max_tokens, max_cost, max_time), as_json=as_json)
