"""Options of ``sparring batch``, and the progress display while its rows are judged."""

import inspect
import math
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, TypeVar

import anyio
import typer

from sparring.app import App
from sparring.batch import answers, estimate, outputs, tables
from sparring.batch.job import USUAL_AT_ONCE, USUAL_BY_BATCH, VERIFY, Job, numbers_by_tool, typed_limits
from sparring.batch.running import judge_batch
from sparring.batch.table_output import BatchProgress
from sparring.cli import history, parsing, printing, runs
from sparring.cli.formats import keyword, parameter, with_parameters
from sparring.cli.invocation import invocation
from sparring.cli.parsing import LEDGER_HELP, SETTINGS
from sparring.engine.format import Format
from sparring.errors import ExitCode, UsageError
from sparring.formats.registry import FORMATS
from sparring.participants.options import Option, flag, valid
from sparring.reports.dry_run import table_state_line
from sparring.reports.tables import AGAIN, batch_bar, batch_lines, estimate_lines, progress_line
from sparring.reports.terminal import console_on
from sparring.schema.batch import Manifest
from sparring.schema.pairs import PairStatus
from sparring.schema.runs import Limits, Spent
from sparring.store.history import uncounted

_Texts = list[str] | None
_JSON = "Print the manifest as one JSON object instead of text; progress goes to stderr."

_USUAL = f"{USUAL_AT_ONCE}, with provider_batches {USUAL_BY_BATCH:,}"

OptionSpec = tuple[Any, Any, str, str, str]
"""Type, default, help, placeholder of the value and help panel of an option."""

_OPTIONS: Mapping[str, OptionSpec] = {
    "input": (
        list[str],
        ...,
        "A table, a folder or a pattern of them, or an address (s3://...). Repeatable.",
        "URI",
        "",
    ),
    "output": (str, ..., "The folder, or address, for the shards, the manifest and the page.", "URI", ""),
    "column": (_Texts, None, "Column names: claim=Headline, row_id=..., gold=... Repeatable.", "TEXT", ""),
    "write": (str, "", "What shards are: parquet or jsonl. By default parquet where it can be.", "FORM", SETTINGS),
    "rows_per_shard": (int, 10_000, "Rows of a shard.", "N", SETTINGS),
    "shard": (str, "", "This machine's part of the table, e.g. 2/8: the second of eight.", "I/N", SETTINGS),
    "engine": (str, "local", "local, or ray: many machines.", "ENGINE", SETTINGS),
    "ray_address": (
        str,
        "",
        "The cluster, e.g. ray://head:10001. By default one on this machine.",
        "ADDRESS",
        SETTINGS,
    ),
    "max_time": (float | None, None, "Stop after this many seconds; the next call continues.", "N", SETTINGS),
}
_WITH_MODELS: Mapping[str, OptionSpec] = {
    "ledger": (
        str,
        "",
        LEDGER_HELP,
        "LEDGER",
        SETTINGS,
    ),
    "at_once": (int | None, None, f"Rows judged in parallel. By default {_USUAL}.", "N", SETTINGS),
    "fresh": (bool, False, "Judge rows again that were judged before.", "", SETTINGS),
    "reuse": (
        str,
        "",
        "same-row: reuse answers for a row that was judged with other seats or prompts; reported first.",
        "WHAT",
        SETTINGS,
    ),
    "gate": (str, "", "code: let code decide rows where structure shows it; ask about the others.", "WHAT", ""),
    "estimate": (bool, False, "Judge a sample, estimate cost and time of the whole table, and exit.", "", ""),
    "dry_run": (bool, False, "Report participants, calls and prompt sizes; call no tool.", "", ""),
    "provider_batches": (
        bool,
        False,
        "Ask APIs by their batch interfaces: within a day, at half the price.",
        "",
        SETTINGS,
    ),
    "rpm": (_Texts, None, "Requests per minute of all workers together: openai=500. Repeatable.", "TOOL=N", SETTINGS),
    "tpm": (_Texts, None, "Tokens per minute of all workers together. Repeatable.", "TOOL=N", SETTINGS),
    "tool_at_once": (_Texts, None, "Parallel calls to one tool, on one machine. Repeatable.", "TOOL=N", SETTINGS),
    "max_cost": (str, "", "Start no row once this much is spent, in USD.", "USD", "Limits"),
    "max_calls": (int | None, None, "Start no row after this many calls.", "N", "Limits"),
    "max_tokens": (int | None, None, "Start no row after this many tokens.", "N", SETTINGS),
}
_OF_CHECKS: Mapping[str, OptionSpec] = {
    "at_once": (int, 0, "Processes that check. By default one for each core.", "N", SETTINGS),
}


_FIRST = (
    *("input", "output", "column", "participants", "preset", "gate", "estimate", "dry_run", "max_cost"),
    "as_json",
)
"""The options on the first screen of the help."""

BATCH_OPTIONS: Mapping[str, tuple[Any, str]] = {
    name if panel == SETTINGS else flag(name): (default, help_)
    for name, (_, default, help_, _, panel) in {**_OPTIONS, **_WITH_MODELS}.items()
}
"""Options that are not of a format, as typed, and settings by name; each with its default and help."""


def commands() -> dict[str, Any]:
    """Return the commands by name: one for each format that judges tables, and one for checks by code alone."""
    formats = {name: FORMATS[name] for name in FORMATS}
    return {**{name: _command(each) for name, each in formats.items() if each.rows}, VERIFY: _command(None)}


@cache
def _command(format_: Format | None) -> Any:
    name = format_.name if format_ else VERIFY
    help_ = FORMATS.summary(name) if format_ else "Check claims against their evidence by code; no model is called."
    example = f"Example:\n\nsparring batch {name} --input claims.csv --output checked"
    return parsing.plain_command(_callback(name, format_), name, _FIRST, help=help_, epilog=example)


def _callback(name: str, format_: Format | None) -> Callable[..., None]:
    own: dict[str, OptionSpec] = {**_OPTIONS, **(_WITH_MODELS if format_ else _OF_CHECKS)}

    def begin(**typed: Any) -> None:
        as_json = typed.pop("as_json")
        how = {each: typed.pop(each) for each in own}
        run_batch(name, typed, how, as_json=as_json)

    parameters = {each: _keyword(each, spec) for each, spec in own.items()}
    parameters |= {
        each: parameter(each, field) for each, field in _options_of_all_rows(format_).items() if each not in own
    }
    parameters |= {"as_json": keyword("as_json", bool, _JSON, "--json", default=False)}
    return with_parameters(begin, parameters.values())


def _options_of_all_rows(format_: Format | None) -> dict[str, Any]:
    """Return the options that apply to every row: all but the fields of a row and the options that replace them."""
    if format_ is None or format_.rows is None:
        return {}
    of_row = {*format_.rows.texts(dict.fromkeys(format_.rows.fields, "")), *format_.rows.row_names}
    fields = format_.options.model_fields
    return {name: field for name, field in fields.items() if not of_row & {name, Option.of(field).file_of}}


def _keyword(name: str, spec: OptionSpec) -> inspect.Parameter:
    kind, default, help_, value, panel = spec
    typed: dict[str, Any] = {"metavar": value} if value else {}
    if panel:
        typed["rich_help_panel"] = panel
    return keyword(name, kind, help_, default=default, **typed)


def run_batch(name: str, options: Mapping[str, Any], settings: Mapping[str, Any], *, as_json: bool) -> None:
    """Judge every row; exit code 4 when rows lack a verdict or a participant's answer, 1 when none has a verdict."""
    with printing.reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        job = _job(name, options, settings)
        if settings.get("estimate"):
            _print_estimate(app, job, as_json=as_json)
            return
        if settings.get("dry_run"):
            expected = _run_interruptible(
                lambda: estimate.expected_of(app, job, printing.print_notice), as_json=as_json
            )
            runs.print_dry_run(expected, as_json=as_json)
            return
        if job.reuses_rows:
            state = _run_interruptible(lambda: estimate.count_rows(app, job, printing.print_notice), as_json=as_json)
            printing.print_notice(table_state_line(state))
        with _progress_display() as watch:
            hint = runs.WAY_ON if name != VERIFY else AGAIN
            manifest = _run_interruptible(
                lambda: judge_batch(app, job, watch, printing.print_notice), hint, as_json=as_json
            )
        limits = Limits(cost_usd=job.limits.max_cost_usd, tokens=job.limits.max_tokens)
        for notice in uncounted(limits, Spent(**dict(manifest.spent))):
            printing.print_notice(notice)
        printing.print_result(manifest, lambda _: _summary(manifest, job, app), as_json=as_json)
        raise typer.Exit(_exit_code(manifest))


def _summary(manifest: Manifest, job: Job, app: App) -> str:
    """Return the result of a batch for people, with the causes why rows lack a verdict or a vote."""
    is_complete = set(manifest.statuses) <= {PairStatus.JUDGED}
    causes = () if is_complete or not manifest.rows else outputs.causes_of_gaps(job.output, app.settings.cwd)
    return "\n".join(batch_lines(manifest, job.output, causes))


def _print_estimate(app: App, job: Job, *, as_json: bool) -> None:
    estimated = _run_interruptible(lambda: estimate.estimated(app, job, printing.print_notice), as_json=as_json)
    printing.print_result(estimated, lambda result: "\n".join(estimate_lines(result)), as_json=as_json)


T = TypeVar("T")


def _run_interruptible(work: Callable[[], Awaitable[T]], hint: str = runs.WAY_ON, *, as_json: bool) -> T:
    """Return the result of ``work``; end the call if a signal stopped it."""
    done = anyio.run(runs.until_done_or_stopped, work)
    if done is None:
        printing.print_stopped(hint, as_json=as_json)
    return done


def _job(name: str, options: Mapping[str, Any], settings: Mapping[str, Any]) -> Job:
    def one_of(option: str, *words: str) -> Any:
        if settings.get(option, words[0]) not in words:
            raise UsageError(f"{option} takes {' or '.join(filter(None, words))}, and not {settings[option]!r}.")
        return settings.get(option, words[0])

    limits = valid(
        lambda: typed_limits(
            max_calls=settings.get("max_calls"),
            max_tokens=settings.get("max_tokens"),
            max_cost=settings.get("max_cost"),
            rpm=numbers_by_tool("rpm", settings.get("rpm") or ()),
            tpm=numbers_by_tool("tpm", settings.get("tpm") or ()),
            at_once=numbers_by_tool("tool_at_once", settings.get("tool_at_once") or ()),
        )
    )
    wall_s = settings["max_time"]
    if wall_s is not None and not 0 < wall_s < math.inf:
        raise UsageError("max_time must be greater than 0, and finite.")
    is_check = name == VERIFY
    if settings["rows_per_shard"] < 1 or (is_check and settings["at_once"] < 0):
        raise UsageError("rows_per_shard and at_once must be 1 or more.")
    if settings["ray_address"] and settings["engine"] == "local":
        raise UsageError("ray_address names a cluster, and the engine is local.", hint="Add --set engine=ray.")
    form: Literal["", "parquet", "jsonl"] = one_of("write", "", "parquet", "jsonl")
    return Job(
        kind=name,
        inputs=settings["input"],
        output=settings["output"],
        options={each: value for each, value in options.items() if value is not None},
        columns=settings["column"] or (),
        form=form or ("parquet" if find_spec("pyarrow") else "jsonl"),
        ledger=settings.get("ledger", ""),
        shard=tables.Shard.parse(settings["shard"]) if settings["shard"] else tables.WHOLE,
        rows_per_shard=settings["rows_per_shard"],
        at_once=None if is_check else settings["at_once"],
        processes=settings["at_once"] if is_check else 0,
        limits=limits,
        wall_s=wall_s,
        is_fresh=settings.get("fresh", False),
        reuses_rows=one_of("reuse", "", "same-row") == "same-row",
        is_gated=one_of("gate", "", "code") == "code",
        by_batch=settings.get("provider_batches", False),
        engine=one_of("engine", "local", "ray"),
        address=settings["ray_address"],
    )


@contextmanager
def _progress_display() -> Generator[Callable[[BatchProgress], None]]:
    """Show progress on stderr: a bar on a terminal, else an occasional line."""
    call = invocation()
    stderr = call.streams.stderr
    console = console_on(stderr, call.environment) if stderr.isatty() and not call.is_quiet else None
    if console and not console.is_dumb_terminal:
        with batch_bar(console, clock=call.clock) as on_bar:
            yield on_bar
        return
    shown_at = call.clock()

    def show(progress: BatchProgress) -> None:
        nonlocal shown_at
        if call.clock() - shown_at >= _EVERY_S:
            shown_at = call.clock()
            printing.print_notice(progress_line(progress))

    yield show


_EVERY_S = 10.0


def _exit_code(manifest: Manifest) -> ExitCode:
    statuses = manifest.statuses
    if manifest.is_whole and not manifest.rejected and set(statuses) <= {PairStatus.JUDGED}:
        return ExitCode.DONE
    judged = statuses.get(PairStatus.JUDGED, 0) + statuses.get(PairStatus.INCOMPLETE, 0)
    return ExitCode.NO_VERDICT if judged else ExitCode.FAILED


def show_row(address: str, row: str, *, as_json: bool) -> None:
    """Export the run of ``row`` from the ledger at ``address`` into the project, and show it."""
    with printing.reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        run_id = answers.export_row_run(app, "" if address == PROJECT else address, row).header.run_id
    history.show_run(run_id, as_json=as_json)


PROJECT = "project"
"""Word for the project's own ledger."""
