"""What can be typed beside the commands that begin a run; what each does stands in the module it hands over to.

Those modules are imported when their command runs, since ``sparring --help`` must not pay for a debate.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.cli.batch_commands import batch_commands
from sparring.cli.config_commands import config_commands
from sparring.cli.gate_commands import gate_commands
from sparring.cli.parsing import (
    PLANTED,
    Diff,
    DryRun,
    Json,
    PlainCommand,
    PlainGroup,
    Project,
    User,
)
from sparring.cli.runs_commands import runs_commands, view

# Some options have a value that may be left out: ``--continue`` alone means the last session, ``--repo`` this folder.
# Typer has no such options, so the value is put in before it looks.
CONTINUE = "--continue"
_LEFT_OUT = {CONTINUE: "last", "--repo": ".", "--bench": PLANTED}


def with_values(arguments: Sequence[str]) -> list[str]:
    """``arguments`` with the value put in where it was left out.

    That is where the next argument is an option, is a question (it holds white space), or is not there.
    """
    completed: list[str] = []
    for position, argument in enumerate(arguments):
        if argument == "--":
            return [*completed, *arguments[position:]]
        following = arguments[position + 1] if position + 1 < len(arguments) else "-"
        is_left_out = following.startswith("-") or len(following.split()) != 1
        value = _LEFT_OUT.get(argument) if is_left_out else None
        completed.append(f"{argument}={value}" if value else argument)
    return completed


SecretFiles = Annotated[
    bool, typer.Option("--allow-secret-files", help="Hand over files as well whose names are made for secrets.")
]


_ROWS = "A file of one JSON object a line; `-` is standard input."

Rows = Annotated[str, typer.Argument(metavar="FILE", help=_ROWS)]
Summary = Annotated[bool, typer.Option("--json", help="Print the summary as a JSON object, on stderr.")]
Jobs = Annotated[
    int, typer.Option(metavar="N", min=1, max=256, help="Processes; with several, answers come in batches.")
]


def claims(rows: Rows = "-", *, jobs: Jobs = 1, as_json: Summary = False) -> None:
    """Hold claims against their evidence: JSONL in, JSONL out, a line for a line, as it comes.

    In: {"id", "claim", "evidence": ["text", ...]}; other fields are ignored.
    Out: {"id", "label", "uncovered", "findings"}, in the order of the rows.
    For a row that cannot be checked: {"line", "id", "error"}.

    Exit codes: 0 every row was checked, 1 some were not, 2 usage.
    """
    from sparring.cli.filters import verify_rows

    verify_rows("claims", rows, jobs=jobs, as_json=as_json)


def quotes(rows: Rows = "-", *, jobs: Jobs = 1, as_json: Summary = False) -> None:
    """Look quotes up in their evidence: JSONL in, JSONL out, a line for a line, as it comes.

    In: {"id", "evidence": ["text", ...], "quote"}; other fields are ignored.
    Out: {"id", "verdict", "index", "start", "end", "nearest"}, in the order of
    the rows. For a row that cannot be checked: {"line", "id", "error"}.

    Exit codes: 0 every row was checked, 1 some were not, 2 usage.
    """
    from sparring.cli.filters import verify_rows

    verify_rows("quotes", rows, jobs=jobs, as_json=as_json)


def carries(rows: Rows = "-", *, jobs: Jobs = 1, as_json: Summary = False) -> None:
    """Say whether quotes carry parts of claims: JSONL in, JSONL out, a line for a line, as it comes.

    In: {"id", "part", "quote", "evidence": ["text", ...]}; other fields are ignored.
    Out: {"id", "relation", "uncovered", "verdict"}, in the order of the rows; relation is
    carries, conflicts or open; verdict is that of the quote, open if not verbatim.
    For a row that cannot be checked: {"line", "id", "error"}.

    Exit codes: 0 every row was checked, 1 some were not, 2 usage.
    """
    from sparring.cli.filters import verify_rows

    verify_rows("carries", rows, jobs=jobs, as_json=as_json)


def text(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The text, as Markdown or plain; `-` is standard input.")],
    *,
    evidence: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="What it is held against. May be given several times.")
    ] = None,
    repo: Annotated[
        str, typer.Option(metavar="[DIR]", help="Look up what it cites of the project there; by default in this one.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Check an AI's answer, or an article: what it cites of a repository, what it says against evidence.

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
    phase: Annotated[str, typer.Argument(metavar="PHASE", help="opening, rebuttal, closing or conclusion.")],
    speaker: Annotated[
        str, typer.Argument(metavar="SPEAKER", help="promoter, detractor, chair, audience, verifier or reporter.")
    ],
    type_: Annotated[
        str, typer.Argument(metavar="TYPE", help="opening_statement, new_point, rebuttal, conjecture, ...")
    ],
    content_file: Annotated[
        str, typer.Argument(metavar="CONTENT_FILE", help="The file that holds the text; `-` is standard input.")
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
            help="By default debate-log.jsonl in the output_dir of config/debate-config.json, else in shared/.",
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
    from sparring.app.log_writing import EntryWish
    from sparring.cli.debate_log import append_to_log
    from sparring.cli.input import STDIN, all_input

    wish = EntryWish(
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
    append_to_log(wish, as_json=as_json)


def demo(
    what: Annotated[
        Literal["debate", "fact-check", "verify"],
        typer.Argument(metavar="WHAT", help="What is shown."),
    ] = "debate",
    *,
    into: Annotated[str, typer.Option(metavar="FOLDER", help="Where its files are written.")] = "sparring-demo",
    as_json: Json = False,
) -> None:
    """Show what sparring does, in seconds: scripted speakers, a small example project, nobody is asked.

    debate: two sides, a judge, and what code finds of what they cite.
    fact-check: three agents disagree about a claim, and one quote is altered.
    verify: what an AI's answer cites and the project has not.
    """
    from sparring.cli.demo import demonstrate

    demonstrate(what, into, as_json=as_json)


def redact(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print the count as a JSON object, on stderr.")] = False
) -> None:
    """Take secrets out of a text or a log: standard input to standard output, the count to standard error."""
    from sparring.cli.filters import redact as redact_input

    redact_input(as_json=as_json)


_HOSTS = "claude, codex, copilot, gemini, opencode, vscode, cursor; one or several."

Hosts = Annotated[list[str] | None, typer.Argument(help=_HOSTS, metavar="HOST")]
Everywhere = Annotated[bool, typer.Option("--all", help="Every host that is on this machine.")]


def install(
    hosts: Hosts = None,
    *,
    everywhere: Everywhere = False,
    user: User = False,
    project: Project = False,
    dry_run: DryRun = False,
    diff: Diff = False,
    as_json: Json = False,
) -> None:
    """Give a host (Claude Code, Codex, ...) the server, the skills and the commands."""
    from sparring.cli.setup import install_hosts, scope_of, shown_of

    scope = scope_of(user=user, project=project, as_json=as_json)
    install_hosts(hosts or [], everywhere=everywhere, scope=scope, shown=shown_of(dry_run, diff), as_json=as_json)


def uninstall(
    hosts: Hosts = None,
    *,
    everywhere: Everywhere = False,
    user: User = False,
    project: Project = False,
    dry_run: DryRun = False,
    diff: Diff = False,
    as_json: Json = False,
) -> None:
    """Take out of a host what `sparring install` put there, and nothing else."""
    from sparring.cli.setup import scope_of, shown_of, uninstall_hosts

    scope = scope_of(user=user, project=project, as_json=as_json)
    uninstall_hosts(hosts or [], everywhere=everywhere, scope=scope, shown=shown_of(dry_run, diff), as_json=as_json)


def doctor(
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Ask each tool a tiny real question.")] = False,
    host: Annotated[str, typer.Option(metavar="HOST", help="Look at this host instead: does it find the server?")] = "",
    as_json: Json = False,
) -> None:
    """Say which AI tools are installed and usable, and what to do about the others."""
    from sparring.cli.setup import diagnose, diagnose_host

    if host:
        diagnose_host(host, as_json=as_json)
    else:
        diagnose(deep=deep, as_json=as_json)


def providers(*, as_json: Json = False) -> None:
    """List who can be asked: kind, family, where each is defined, and whether it is available."""
    from sparring.cli.setup import list_providers

    list_providers(as_json=as_json)


def serve(
    *,
    http: Annotated[str, typer.Option(metavar="HOST:PORT", help="Serve over HTTP there; port 0 is any.")] = "",
    token_file: Annotated[Path | None, typer.Option(help="File of the token that callers over HTTP must show.")] = None,
    grace: Annotated[float, typer.Option(min=0, help="Seconds that runs have to finish at the end, over HTTP.")] = 30,
) -> None:
    """Serve the tools over MCP on standard input and output, or over HTTP."""
    from sparring.cli.setup import serve_http, serve_stdio

    if http:
        serve_http(http, token_file, grace_s=grace)
    else:
        serve_stdio(token_file)


__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Make every command a command of ``app``, in the order in which the help lists them behind the formats."""
    verify = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="Check quotes and claims by code; nobody is asked.")
    for command in (claims, quotes, carries, text):
        verify.command(cls=PlainCommand)(command)
    app.add_typer(verify, name="verify")
    app.add_typer(batch_commands(), name="batch")
    app.add_typer(runs_commands(), name="runs")
    app.add_typer(config_commands(), name="config")
    app.add_typer(gate_commands(), name="gate")
    log = typer.Typer(
        cls=PlainGroup, no_args_is_help=True, help="The log of a chaired debate, for agents that hold one themselves."
    )
    log.command(cls=PlainCommand)(append)
    app.add_typer(log, name="log")
    for command in (view, demo, install, uninstall, doctor, providers, redact, serve):
        app.command(cls=PlainCommand)(command)
