"""The command line: what can be typed. What a command does stands in the module it hands over to.

Those modules are imported when their command runs, since ``sparring --help`` must not pay for a debate.
"""

import sys
from typing import Annotated, NoReturn

import typer

from sparring.cli.optional_values import CONTINUE, with_values
from sparring.cli.streams import prepare

_EFFORT = "Thinking effort: low, medium, high or max."
_CONTEXT = (
    "Material that goes with it: `diff` (what git says has changed), `file=PATH` (in the project), `stdin` (what is "
    "piped in goes with it anyway; this waits for it however long it takes). May be given several times."
)
_SEE_HELP = "`sparring --help` shows what can be typed."
_MODEL = "Model to ask for; `auto` leaves the choice to the tool."

app = typer.Typer(
    name="sparring",
    help="Somebody for a coding agent to argue with: debates and second opinions between AI tools.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
runs = typer.Typer(no_args_is_help=True, help="Look at runs, and take up interrupted ones.")
app.add_typer(runs, name="runs")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text; progress goes to stderr.")]
Effort = Annotated[str, typer.Option(help=_EFFORT)]
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


def main() -> NoReturn:
    """Entry point of the ``sparring`` script."""
    prepare()
    try:
        code = app(with_values(sys.argv[1:]), standalone_mode=False)
    except typer.TyperException as error:
        # What cannot be parsed is refused like anything else; Typer would draw a box over several lines.
        from sparring.cli.printing import ErrorReport, print_error

        if message := error.format_message().strip():
            sentence = message if message.endswith((".", "?", "!")) else f"{message}."
            print_error(ErrorReport(code="usage", message=sentence, hint=_SEE_HELP), as_json="--json" in sys.argv)
        code = error.exit_code
    sys.exit(code)


@app.command()
def debate(  # noqa: PLR0913 -- one parameter an option
    topic: Annotated[str, typer.Argument(help="What to argue about; `-` reads it from standard input.")],
    *,
    proposer: Annotated[str, typer.Option(help="Tool that takes a position.")] = "",
    challenger: Annotated[str, typer.Option(help="Tool that attacks it; must differ from the proposer.")] = "",
    judge: Annotated[str, typer.Option(help="Tool that gives the verdict; by default a third one.")] = "",
    provider: Annotated[str, typer.Option(help="Tool for every seat not named; `offline` needs nothing.")] = "",
    rounds: Annotated[int, typer.Option(help="Rounds of back and forth, 1 to 5.")] = 2,
    effort: Effort = "medium",
    model_proposer: Annotated[str, typer.Option(help=_MODEL)] = "auto",
    model_challenger: Annotated[str, typer.Option(help=_MODEL)] = "auto",
    model_judge: Annotated[str, typer.Option(help=_MODEL)] = "auto",
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
    """Let two AI tools debate a question and a judge pick a side."""
    from sparring.app import DebateWish
    from sparring.cli.deliberating import run_debate
    from sparring.cli.typed import Budget, Given

    wish = DebateWish(
        topic=topic,
        provider=provider,
        proposer=proposer,
        challenger=challenger,
        judge=judge,
        rounds=rounds,
        effort=effort,
        model_proposer=model_proposer,
        model_challenger=model_challenger,
        model_judge=model_judge,
        timeout_s=timeout,
        repo_access=repo_access,
    )
    given = Given(context or [], context_limit, secrets_allowed=allow_secret_files)
    run_debate(wish, given, Budget(max_calls, max_tokens, max_cost, max_time), as_json=as_json)


@app.command()
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
    model: Annotated[str, typer.Option(help=_MODEL)] = "auto",
    effort: Annotated[str, typer.Option(help=_EFFORT + " By default medium, or that of the session.")] = "",
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
    from sparring.cli.deliberating import run_consult
    from sparring.cli.typed import Budget, Given

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
    given = Given(context or [], context_limit, secrets_allowed=allow_secret_files)
    budget = Budget(tokens=max_tokens, cost_usd=max_cost, wall_s=max_time)
    run_consult(wish, given, budget, as_json=as_json)


@runs.command("list")
def list_(*, as_json: Json = False) -> None:
    """List the runs of this project, newest first."""
    from sparring.cli.browsing import list_runs

    list_runs(as_json=as_json)


@runs.command()
def show(
    run_id: Annotated[str, typer.Argument(help="Id of the run, the beginning of it, or `last`.")],
    *,
    as_json: Json = False,
) -> None:
    """Show the report of a run."""
    from sparring.cli.browsing import show_run

    show_run(run_id, as_json=as_json)


@runs.command()
def resume(
    run_id: Annotated[str, typer.Argument(help="Id of the run, the beginning of it, or `last`.")],
    *,
    as_json: Json = False,
) -> None:
    """Continue an interrupted run where its journal ends."""
    from sparring.cli.deliberating import resume_run

    resume_run(run_id, as_json=as_json)


@app.command()
def doctor(
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Ask each tool a tiny real question.")] = False,
    as_json: Json = False,
) -> None:
    """Say which AI tools are installed and usable, and what to do about the others."""
    from sparring.cli.diagnosing import diagnose

    diagnose(deep=deep, as_json=as_json)


@app.command()
def providers(*, as_json: Json = False) -> None:
    """List who can be asked: kind, family, where each is defined, and whether it is available."""
    from sparring.cli.diagnosing import list_providers

    list_providers(as_json=as_json)


@app.command()
def redact(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print the count as a JSON object, on stderr.")] = False
) -> None:
    """Take secrets out of a text or a log: standard input to standard output, the count to standard error."""
    from sparring.cli.filtering import redact as redact_input

    redact_input(as_json=as_json)


@app.command()
def serve() -> None:
    """Serve the tools over MCP on standard input and output."""
    from sparring.server import main as serve_stdio

    serve_stdio()


@app.callback(invoke_without_command=True)
def _version(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.", is_eager=True)] = False,
) -> None:
    if version:
        from sparring import __version__

        typer.echo(f"sparring {__version__}")
        raise typer.Exit
