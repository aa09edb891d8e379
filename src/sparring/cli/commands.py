"""Commands that do not begin a run; each imports the module that does its work when it is called.

Those modules are imported when their command runs, since ``sparring --help`` must not pay for a debate.
"""

from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sparring.cli.audit_judge import audit_judge
from sparring.cli.evaluate_command import EVALUATE_EXAMPLES, evaluate
from sparring.cli.parsing import (
    SETTINGS,
    Json,
    KnownRun,
    PlainCommand,
    PlainGroup,
    command_with_first,
    run_ids,
    tool_names,
)
from sparring.cli.setup_commands import config_commands, doctor, gate_commands, init, models, register_hosts, serve
from sparring.errors import UsageError

SecretFiles = Annotated[
    bool,
    typer.Option(
        "--allow-secret-files",
        help="Also include files whose names suggest secrets.",
        rich_help_panel=SETTINGS,
    ),
]


_ROWS = "A file of one JSON object a line; `-` is standard input."

Rows = Annotated[str, typer.Argument(metavar="FILE", help=_ROWS)]
Summary = Annotated[bool, typer.Option("--json", help="Print the summary as a JSON object, on stderr.")]


_VERIFIED = {
    "claims": """Check claims against their evidence: JSONL in, JSONL out, line by line.

    In: {"id", "claim", "evidence": ["text", ...]}; other fields are ignored.
    Out: {"id", "label", "hints", "findings"}, in the order of the rows. Code labels
    what structure shows; the rest is NEI with hints. With --with, a model reads
    that, and its label counts with words that code finds in the evidence ("reading").
    For a row that cannot be checked: {"line", "id", "error"}.
    """,
    "quotes": """Look quotes up in their evidence: JSONL in, JSONL out, line by line.

    In: {"id", "evidence": ["text", ...], "quote"}; other fields are ignored.
    Out: {"id", "verdict", "index", "start", "end", "nearest"}, in the order of
    the rows. For a row that cannot be checked: {"line", "id", "error"}.
    """,
    "carries": """Decide whether quotes support parts of claims: JSONL in, JSONL out, line by line.

    In: {"id", "part", "quote", "evidence": ["text", ...]}; other fields are ignored.
    Out: {"id", "relation", "hints", "verdict"}, in the order of the rows; relation is
    carries, conflicts or open; verdict is that of the quote, open if not verbatim.
    For a row that cannot be checked: {"line", "id", "error"}.
    """,
}
_ROW_CODES = "Exit codes: 0 every row was checked, 1 some were not, 2 usage."


Reader = Annotated[
    str,
    typer.Option(
        "--with",
        metavar="TOOL",
        autocompletion=tool_names,
        help="Ask this tool about the claims that code leaves open, in batches.",
    ),
]


def claims(rows: Rows = "-", *, reader: Reader = "", as_json: Summary = False) -> None:
    """Compare claims with their evidence by code and, on request, by a reader."""
    from sparring.cli.filters import verify_rows

    verify_rows("claims", rows, as_json=as_json, reader=reader)


def _verified_rows(kind: str) -> Callable[..., None]:
    if kind == "claims":
        return claims

    def command(rows: Rows = "-", *, as_json: Summary = False) -> None:
        from sparring.cli.filters import verify_rows

        verify_rows(kind, rows, as_json=as_json)

    return command


def text(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The text, as Markdown or plain; `-` is standard input.")],
    *,
    evidence: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Evidence to check it against. Repeatable.")
    ] = None,
    repo: Annotated[
        str, typer.Option(metavar="[DIR]", help="Look up its citations in this project; by default the current one.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Check an AI's answer or an article against a repository and evidence.

    claude -p "How do we retry?" | sparring verify text - --repo

    With --repo: files, lines, names, code and commits that are not there. With
    --evidence: each sentence, and each quotation (three words or more in
    quotation marks, and block quotations). Nothing is sent anywhere; files are
    shown with what is in them, secrets too, as `cat` would show them.

    Exit codes: 0 nothing is wrong, 1 something cited is not there, a critical
    mismatch, or a quotation that is not in the evidence as it stands, 2 usage.
    """
    from sparring.cli.filters import verify_text

    verify_text(file, evidence or [], repo, as_json=as_json)


def append(  # noqa: PLR0913 -- the specification's log writer has these arguments, in this order
    phase: Annotated[str, typer.Argument(metavar="PHASE", help="opening, rebuttal, closing, conclusion or system.")],
    speaker: Annotated[
        str, typer.Argument(metavar="SPEAKER", help="promoter, detractor, chair, audience, verifier or reporter.")
    ],
    type_: Annotated[
        str, typer.Argument(metavar="TYPE", help="opening_statement, new_point, rebuttal, conjecture, ...")
    ],
    content_file: Annotated[
        str, typer.Argument(metavar="CONTENT_FILE", help="File with the text; `-` is standard input.")
    ],
    sources: Annotated[
        str,
        typer.Argument(
            metavar="SOURCES", help='A JSON array: [{"url": ..., "title": ..., "accessed": ..., "quote": ...}].'
        ),
    ] = "null",
    rebuttal_to_seq: Annotated[
        str, typer.Argument(metavar="REBUTTAL_TO_SEQ", help="The entry that a rebuttal answers.")
    ] = "null",
    target_seq: Annotated[
        str, typer.Argument(metavar="TARGET_SEQ", help="The entry that a challenge, a ruling or a check is about.")
    ] = "null",
    *,
    log: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="Log file. By default debate-log.jsonl in the folder of config/debate-config.json, or shared/.",
            rich_help_panel=SETTINGS,
        ),
    ] = "",
    allow_secret_files: SecretFiles = False,
    as_json: Json = False,
) -> None:
    """Append an entry to the log of a debate, and print its seq.

    For agents that debate outside of sparring. What the rules of the chaired
    debate refuse is not written: a line on stderr for each reason. Several
    processes may write at once.

    Exit codes: 0 written, 2 refused.
    """
    from sparring.app.log_writing import EntryRequest
    from sparring.cli.history import append_to_log
    from sparring.cli.input import STDIN, all_input

    request = EntryRequest(
        phase=phase,
        speaker=speaker,
        type=type_,
        content=all_input() if content_file == STDIN else "",
        content_file="" if content_file == STDIN else content_file,
        secrets_allowed=allow_secret_files,
        sources=sources,
        rebuttal_to_seq=rebuttal_to_seq,
        target_seq=target_seq,
        log=log,
    )
    append_to_log(request, as_json=as_json)


def demo(
    what: Annotated[
        Literal["debate", "review", "fact-check", "jury", "verify"],
        typer.Argument(metavar="WHAT", help="What is shown."),
    ] = "debate",
    *,
    output: Annotated[str, typer.Option(metavar="FOLDER", help="Output folder.")] = "sparring-demo",
    as_json: Json = False,
) -> None:
    """Show what sparring does in seconds: scripted speakers, an example project, no AI tool.

    debate: two sides, a judge, and what code finds of what they cite.
    review: two reviewers look blind, an invented line is sent back, and each tries to refute the other.
    fact-check: three agents disagree about a claim, and one quote is altered.
    jury: a claim against the text it is drawn from, and a judge who overlooks a difference at first.
    verify: what an AI's answer cites and the project has not.
    """
    from sparring.cli.demo import demonstrate

    demonstrate(what, output, as_json=as_json)


def redact(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print the count as a JSON object, on stderr.")] = False
) -> None:
    """Remove secrets from a text or log: standard input to standard output, the count to standard error."""
    from sparring.cli.filters import redact as redact_input

    redact_input(as_json=as_json)


class _Group(PlainGroup):
    """Commands; one of a format is built when it is typed, so that the help need not load its options."""

    def list_commands(self, ctx: Any) -> list[str]:
        from sparring.cli.batch import commands

        self.commands = {**commands(), **self.commands}
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            self.list_commands(ctx)
        return super().get_command(ctx, cmd_name)


def show_row(
    ledger: Annotated[str, typer.Argument(metavar="LEDGER", help="A file, or postgresql://...; `project`: its own.")],
    row: Annotated[str, typer.Argument(metavar="ID", help="The `run` of a row of the output, or its beginning.")],
    *,
    as_json: Json = False,
) -> None:
    """Export the run of a row from a ledger: an ordinary run with report and page.

    Example: `sparring batch show project 3f2a`
    """
    from sparring.cli.batch import show_row as show_run_of

    show_run_of(ledger, row, as_json=as_json)


def batch_commands() -> typer.Typer:
    """Return the group ``sparring batch``."""
    app = typer.Typer(
        cls=_Group,
        no_args_is_help=True,
        help="Judge every row of a table of any size; a restart continues and pays for nothing twice.",
    )
    app.command("show", cls=PlainCommand)(show_row)
    return app


KnownRuns = Annotated[
    list[str], typer.Argument(metavar="RUN_ID...", autocompletion=run_ids, help="Ids, or their beginnings.")
]
Kind = Annotated[str, typer.Option(metavar="KIND", help="debate, consult, fact-check, jury, review or chaired-debate.")]


def list_(
    word: Annotated[str, typer.Argument(help="Only runs whose subject, id or result contains this.")] = "",
    *,
    kind: Kind = "",
    state: Annotated[
        str, typer.Option(metavar="STATE", help="running, interrupted, finished, or how it ended: failed, unjudged ...")
    ] = "",
    limit: Annotated[int, typer.Option(metavar="N", help="Maximum to list; 0 lists all.")] = 20,
    as_json: Json = False,
) -> None:
    """List the runs of this project, newest first, with time, subject, result and cost.

    Examples: `sparring runs list retry`, `sparring runs list --kind debate --state interrupted`
    """
    from sparring.cli.history import Filter, show_list

    show_list(Filter(word, kind, state), limit=max(limit, 0), as_json=as_json)


def show(
    run_id: KnownRun,
    *,
    as_json: Json = False,
) -> None:
    """Show the report of a run."""
    from sparring.cli.history import show_run

    show_run(run_id, as_json=as_json)


def rm(
    runs: KnownRuns,
    *,
    as_json: Json = False,
) -> None:
    """Remove runs with their transcripts. The last results (`last-*.json`) stay."""
    from sparring.cli.history import remove_runs

    remove_runs(runs, as_json=as_json)


def prune(
    *,
    older_than: Annotated[str, typer.Option(metavar="AGE", help="Remove runs older than this: 12h, 30d, 8w.")] = "",
    keep: Annotated[int | None, typer.Option(metavar="N", min=0, help="Keep the newest N.")] = None,
    kind: Kind = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Remove old runs, except running ones. Asks first.

    Examples: `sparring runs prune --older-than 30d`, `sparring runs prune --kind consult --keep 100 --yes`
    """
    from sparring.cli.history import Pruning, prune_runs

    prune_runs(Pruning(older_than, keep, kind), is_sure=yes, as_json=as_json)


def export(
    run_id: KnownRun,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="md|html|json|…",
            help="The report, its page, the record; of a review sarif, github, gitlab.",
        ),
    ] = "md",
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="By default standard output.")] = None,
) -> None:
    """Write the report, the page or the record of a run to a file, or to standard output.

    Example: `sparring runs export last --format json --output retries.json`
    """
    from sparring.cli.history import export_run

    export_run(run_id, form, output)


def resume(
    run_id: KnownRun,
    *,
    as_json: Json = False,
) -> None:
    """Continue an interrupted run where its journal ends."""
    from sparring.cli.runs import resume_run

    resume_run(run_id, as_json=as_json)


def retry(
    run_id: KnownRun,
    *,
    substitute: Annotated[
        str,
        typer.Option(metavar="TOOL", autocompletion=tool_names, help="Tool that answers in place of one that failed."),
    ] = "",
    salvage: Annotated[
        bool,
        typer.Option(
            "--salvage",
            help="Keep the part of a damaged journal before the damage.",
            rich_help_panel=SETTINGS,
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Retry the failed calls of a finished run, in a new run that reuses all its answers.

    Nothing that was answered is asked, or paid, again.
    """
    from sparring.cli.runs import retry_run

    retry_run(run_id, substitute=substitute, salvages=salvage, as_json=as_json)


def watch(run_id: KnownRun) -> None:
    """Follow a run from another terminal: earlier turns, then each new one. Ctrl-C stops only the display."""
    from sparring.cli.runs import watch_run

    watch_run(run_id)


def note(
    run_id: KnownRun,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Text that both sides will see.")],
    *,
    as_json: Json = False,
) -> None:
    """Send both sides of a debate a note, which they see before their next turn."""
    from sparring.cli.runs import note_run

    note_run(run_id, text, as_json=as_json)


def ask(
    run_id: KnownRun,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Seat or tool to ask: proposer, judge-2, claude.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The question.")],
    *,
    as_json: Json = False,
) -> None:
    """Ask one participant of a finished run about it: a consultation that knows the report."""
    from sparring.cli.runs import ask_run

    ask_run(run_id, seat, text, as_json=as_json)


def view(
    run_id: KnownRun = "last",
    *,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="Compare two runs of one format, or two judged tables."),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Follow a running run; Ctrl-C stops only the display.")] = False,
    only_print: Annotated[bool, typer.Option("--print", help="Print its path instead of opening it.")] = False,
    as_json: Json = False,
) -> None:
    """Open the page of a run, or of a judged table, in the browser, and print its path. It is one file.

    A run is named by its id, a table by the folder that `sparring batch` wrote.

    Examples: `sparring view`, `sparring view last --print`, `sparring view --live`, `sparring view --diff ID ID`
    """
    from sparring.cli.pages import follow_page, show_comparison, show_page
    from sparring.cli.printing import reporting_errors

    with reporting_errors(as_json=as_json):
        if live and (as_json or diff):
            raise UsageError("--live has no --json and no --diff.", hint="Leave out --live, or the other.")
        if diff:
            show_comparison(diff, opens=not only_print, as_json=as_json)
        elif not (live and follow_page(run_id, opens=not only_print)):
            show_page(run_id, opens=not only_print, as_json=as_json)


def help_of_command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="The command, e.g. `runs list`; or `settings`.")
    ] = None,
) -> None:
    """Show the help of a command, or the list of `settings` that `--set` takes."""
    from sparring.cli import show_help, show_settings

    if words == ["settings"]:
        show_settings()
    else:
        show_help(words or ())


def runs_commands() -> typer.Typer:
    """Return the group ``sparring runs``, in the order of its help."""
    runs = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="List, show, resume and retry runs.")
    runs.command("list", cls=PlainCommand)(list_)
    first: dict[object, tuple[str, ...]] = {
        retry: ("substitute", "as_json"),
        prune: ("older_than", "kind", "yes", "as_json"),
    }
    for command in (show, watch, note, ask, resume, retry, export, rm, prune):
        runs.command(cls=command_with_first(*first.get(command, ())))(command)
    return runs


def register(app: typer.Typer) -> None:
    """Register every command with ``app``, in the order in which the help lists them after the formats."""
    verify = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="Check quotes and claims by code.")
    for kind, help_ in _VERIFIED.items():
        verify.command(kind, cls=PlainCommand, help=f"{cleandoc(help_)}\n\n{_ROW_CODES}")(_verified_rows(kind))
    verify.command(cls=PlainCommand)(text)
    app.add_typer(verify, name="verify")
    app.add_typer(batch_commands(), name="batch")
    first = ("example", "format_", "arms", "participants", "gate", "plan", "output", "asserts")
    app.command(cls=command_with_first(*first, "max_cost", "as_json"), epilog=EVALUATE_EXAMPLES)(evaluate)
    first = ("tool", "seat", "input_", "output", "dry_run", "max_cost", "as_json")
    app.command("audit-judge", cls=command_with_first(*first))(audit_judge)
    app.add_typer(runs_commands(), name="runs")
    app.add_typer(config_commands(), name="config")
    app.add_typer(gate_commands(), name="gate")
    log = typer.Typer(
        cls=PlainGroup, no_args_is_help=True, help="The log of a chaired debate, for agents that run one themselves."
    )
    log.command(cls=command_with_first("as_json"))(append)
    app.add_typer(log, name="log")
    for command in (view, demo):
        app.command(cls=PlainCommand)(command)
    register_hosts(app)
    for command in (models, init, doctor, redact):
        app.command(cls=PlainCommand)(command)
    app.command(cls=command_with_first("http"))(serve)
    app.command("help", cls=PlainCommand)(help_of_command)
