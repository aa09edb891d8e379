"""The command ``sparring evaluate``; it imports the module that does its work when it is called."""

from typing import Annotated

import typer

from sparring.cli.parsing import SETTINGS, SETTINGS_OF_FORMAT, Json, Ledger

EVALUATE_EXAMPLES = """Examples:

sparring evaluate rows.csv --with claude,codex,gemini --plan

sparring evaluate --example --with claude,codex,gemini"""


def evaluate(  # noqa: PLR0913 -- an option is a parameter
    rows: Annotated[str, typer.Argument(metavar="ROWS", help="A table with a column `gold` (or `label`).")] = "",
    *,
    example: Annotated[bool, typer.Option("--example", help="Evaluate 200 generated rows with proven labels.")] = False,
    format_: Annotated[str, typer.Option("--format", metavar="FORMAT", help="fact-check or jury.")] = "fact-check",
    arms: Annotated[
        str,
        typer.Option(metavar="ARM,ARM", help="single, vote, self, revise, placebo, debate; single:TOOL and self:TOOL."),
    ] = "single,vote,debate",
    budget: Annotated[
        str,
        typer.Option(
            metavar="UNIT", help="Unit in which all arms cost the same: calls, tokens or usd.", rich_help_panel=SETTINGS
        ),
    ] = "calls",
    against: Annotated[
        str, typer.Option(metavar="ARM", help="Arm that the others are compared with.", rich_help_panel=SETTINGS)
    ] = "",
    margin: Annotated[
        float, typer.Option(metavar="SHARE", help="Largest loss that counts as no worse.", rich_help_panel=SETTINGS)
    ] = 0.03,
    group: Annotated[
        str,
        typer.Option(metavar="COLUMN", help="Show results for each value of this column.", rich_help_panel=SETTINGS),
    ] = "",
    gate: Annotated[str, typer.Option(metavar="WHAT", help="code: add an arm that lets code decide first.")] = "",
    plan: Annotated[bool, typer.Option("--plan", help="Write the plan and call no tool.")] = False,
    look: Annotated[
        str,
        typer.Option(
            metavar="N,N", help="Rows after which it may stop early, e.g. 100,200,400.", rich_help_panel=SETTINGS
        ),
    ] = "",
    seed: Annotated[
        int, typer.Option(metavar="N", help="Seed of the row order and of further samples.", rich_help_panel=SETTINGS)
    ] = 1,
    output: Annotated[str, typer.Option(metavar="DIR", help="Folder for plan, figures, rows and page.")] = "evaluation",
    participants: Annotated[str, typer.Option("--with", metavar="TOOL,TOOL", help="Participants of the format.")] = "",
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--any-other",
            metavar="VALUE",
            help="An option or a setting of the format.",
            rich_help_panel=SETTINGS_OF_FORMAT,
        ),
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Column names: claim=Headline. Repeatable.")
    ] = None,
    ledger: Ledger = "",
    at_once: Annotated[
        int | None, typer.Option(metavar="N", help="Rows judged in parallel. By default 64.", rich_help_panel=SETTINGS)
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Judge rows again that were judged before.", rich_help_panel=SETTINGS)
    ] = False,
    max_calls: Annotated[int | None, typer.Option(metavar="N", help="Maximum of calls of all arms.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum of tokens of all arms.", rich_help_panel=SETTINGS)
    ] = None,
    max_cost: Annotated[str, typer.Option(metavar="USD", help="Maximum cost of all arms.")] = "",
    asserts: Annotated[
        str, typer.Option("--assert", metavar="WHAT", help="no-worse: exit code 1 unless the rows show it.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Compare ways of asking at equal cost, on labelled rows of your own.

    The first line is one of four sentences: better, no worse within the margin and cheaper, worse, or how many rows
    are needed.
    """
    from sparring.cli.evaluate import TypedOptions
    from sparring.cli.evaluate import evaluate as run_evaluation

    typed = TypedOptions(
        rows=rows,
        example=example,
        format=format_,
        arms=arms,
        budget=budget,
        against=against,
        margin=margin,
        group=group,
        gate=gate,
        plan=plan,
        look=look,
        seed=seed,
        output=output,
        participants=participants,
        option=options or (),
        column=column or (),
        ledger=ledger,
        at_once=at_once,
        fresh=fresh,
        max_calls=max_calls,
        max_tokens=max_tokens,
        max_cost=max_cost,
        asserts=asserts,
    )
    run_evaluation(typed, as_json=as_json)
