"""``sparring jury``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import MODEL, Effort, Json, MaxCalls, MaxCost, MaxTime, MaxTokens, SecretFiles


def jury(  # noqa: PLR0913 -- one parameter an option
    claim: Annotated[
        str, typer.Argument(help="What is said to say the same as the truth; `-` reads standard input.")
    ] = "",
    *,
    truth: Annotated[
        str, typer.Option(help="What the claim is held against; without it and a file it is what is piped in.")
    ] = "",
    truth_file: Annotated[str, typer.Option(help="A file that holds the truth, UTF-8.")] = "",
    allow_secret_files: SecretFiles = False,
    row_id: Annotated[str, typer.Option(help="What the pair is called where it comes from.")] = "",
    dataset: Annotated[str, typer.Option(help="Where it comes from.")] = "",
    pairs: Annotated[
        str, typer.Option(help="A table (.csv, .tsv, .jsonl) of claims and truths: a verdict for each row, none twice.")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(help="Which column of it is what: claim=Headline, truth=..., row_id=..., dataset=..."),
    ] = None,
    at_once: Annotated[int, typer.Option(help="Rows of it that are judged side by side.")] = 4,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask again for rows that were judged before.")] = False,
    advocate: Annotated[str, typer.Option(help="Tool that argues for faithful; tool:model names its model.")] = "",
    skeptic: Annotated[str, typer.Option(help="Tool that argues for mutated.")] = "",
    fact_checker: Annotated[str, typer.Option(help="Tool that goes through the checklist.")] = "",
    judge: Annotated[str, typer.Option(help="Tool that gives the verdict.")] = "",
    provider: Annotated[str, typer.Option(help="Tool for every seat not named; `offline` needs nothing.")] = "",
    rebuttals: Annotated[int, typer.Option(help="Rounds in which advocate and skeptic answer each other, 0 to 2.")] = 1,
    language: Annotated[str, typer.Option(help="Language of the reasons: en, vi, ...")] = "en",
    effort: Effort = "medium",
    model_advocate: Annotated[str, typer.Option(help=MODEL)] = "auto",
    model_skeptic: Annotated[str, typer.Option(help=MODEL)] = "auto",
    model_fact_checker: Annotated[str, typer.Option(help=MODEL)] = "auto",
    model_judge: Annotated[str, typer.Option(help=MODEL)] = "auto",
    timeout: Annotated[float, typer.Option(help="Seconds for each consultation.")] = 240,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    as_json: Json = False,
) -> None:
    """Let a jury of AI tools decide whether a claim says the same as the truth, and code compare the two."""
    from sparring.app import JuryWish
    from sparring.cli.input import Budget, GivenTruth
    from sparring.cli.pairs import Table, judge_pairs
    from sparring.cli.run import run_wish

    wish = JuryWish(
        claim=claim,
        row_id=row_id,
        dataset=dataset,
        advocate=advocate,
        skeptic=skeptic,
        fact_checker=fact_checker,
        judge=judge,
        provider=provider,
        rebuttals=rebuttals,
        language=language,
        effort=effort,
        model_advocate=model_advocate,
        model_skeptic=model_skeptic,
        model_fact_checker=model_fact_checker,
        model_judge=model_judge,
        timeout_s=timeout,
    )
    budget = Budget(max_calls, max_tokens, max_cost, max_time)
    given = GivenTruth(truth, truth_file, secrets_allowed=allow_secret_files)
    table = Table(pairs, column or (), at_once, is_fresh=fresh)
    if pairs:
        judge_pairs(table, wish, given, budget, as_json=as_json)
    else:
        run_wish(lambda: given.jury(wish), budget, as_json=as_json)
