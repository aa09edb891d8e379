"""``sparring jury --input``, ``sparring fact-check --input``: a batch whose verdicts are printed as they arrive.

This is the short form of ``sparring batch``: the same ledger, the same rows, and a line for each row, in order.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import typer
from msgspec import Struct, field

from sparring.app import App
from sparring.batch.engine import rows_of
from sparring.batch.estimate import expected_of
from sparring.batch.job import Job, LimitRules
from sparring.batch.judging import MOST_AT_ONCE, Judging
from sparring.batch.rows import SAMPLE
from sparring.cli.input import Budget
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json_line, print_lines, reporting_errors, say, tell_stopped
from sparring.cli.runs import WAY_ON, tell_dry_run, until_done_or_stopped
from sparring.engine.format import Format
from sparring.errors import ExitCode, StoreError, UsageError
from sparring.reports.page.table import table_page
from sparring.reports.tables import by_code_line, failures, pair_line, pairs_bar, totals
from sparring.reports.terminal import console_on
from sparring.schema.base import utc_now
from sparring.schema.batch import DecidedByCode
from sparring.schema.pairs import JudgedTable, PairStatus, RowResult
from sparring.schema.runs import Spent
from sparring.store.history import uncounted
from sparring.store.tables import judged_table, keep_table, new_table_id, tables_folder

Show = Callable[[RowResult, Spent], None]


def judge_table(
    format_: Format, how: Mapping[str, Any], typed: Mapping[str, Any], budget: Budget, *, as_json: bool, is_dry: bool
) -> None:
    """Judge every row; exit code 4 when rows lack a verdict or a participant's answer, 1 when none has a verdict.

    ``how`` has the options of the table, ``typed`` those that apply to every row; with ``is_dry`` only the estimate is
    printed.
    """
    with reporting_errors(as_json=as_json):
        _refuse_texts(format_, typed)
        if not 1 <= how["at_once"] <= MOST_AT_ONCE:
            raise UsageError(f"The number of rows judged at once must be 1 to {MOST_AT_ONCE}; it is {how['at_once']}.")
        call = invocation()
        app = App(call.settings())
        job = _job(format_, how, typed, budget)
        if is_dry:
            tell_dry_run(anyio.run(expected_of, app, job, say), as_json=as_json)
            return
        judging = Judging(app, job, format_)
        results = _PrintedResults(as_json=as_json or not call.streams.stdout.isatty())
        with _watching(judging.count, results) as show:
            done = anyio.run(until_done_or_stopped, lambda: _judge(judging, results, show))
        if failed := failures(results.results):
            say(failed)
        for notice in uncounted(budget.limits(), judging.spent):
            say(notice)
        say(totals(results.results, judging.spent))
        if job.is_gated:
            say(by_code_line(_decided_by_code(results.results), len(results.results), judging.spent.calls))
        if results.results:
            say(_kept(app.place.state, judged_table(Path(job.inputs[0]).name, format_.name, results.results)))
        if not done:
            tell_stopped(WAY_ON, as_json=False)
        raise typer.Exit(_exit_code(results.results))


def _decided_by_code(results: Sequence[RowResult]) -> DecidedByCode:
    decided = [each for each in results if each.word and each.key and not each.spent.calls]
    labelled = [each for each in decided if each.gold is not None]
    right = sum(each.word == each.gold for each in labelled)
    return DecidedByCode(rows=len(decided), with_gold=len(labelled), right=right)


def _job(format_: Format, how: Mapping[str, Any], typed: Mapping[str, Any], budget: Budget) -> Job:
    limits = budget.limits()
    if how["gate"] not in {"", "code"}:
        raise UsageError(f"--gate takes code, and not {how['gate']!r}.")
    return Job(
        what=format_.name,
        inputs=[how["input"]],
        output="",
        options={name: value for name, value in typed.items() if value is not None},
        columns=how["column"] or (),
        at_once=how["at_once"],
        limits=LimitRules(max_cost_usd=limits.cost_usd, max_calls=limits.calls, max_tokens=limits.tokens),
        wall_s=limits.wall_s,
        is_fresh=how["fresh"],
        is_gated=how["gate"] == "code",
    )


def _kept(state: Path, table: JudgedTable) -> str:
    """Keep the results with their page, and return its location. Every verdict was printed and kept before."""
    table_id = new_table_id(table.kind, utc_now())
    try:
        results = tables_folder(state, table.kind) / f"{table_id}.jsonl"
        return f"Page: {keep_table(state, table_id, table, table_page(table, str(results)))}"
    except StoreError as error:
        return f"[WARN] The rows are judged, but no page of them could be written: {error}"


def _refuse_texts(format_: Format, typed: Mapping[str, Any]) -> None:
    """Refuse texts, or files of texts, together with a table."""
    rows = rows_of(format_)
    names = [name for text in rows.texts(dict.fromkeys(rows.fields, SAMPLE)) for name in (text, f"{text}_file")]
    if any(typed.get(name) for name in names):
        raise UsageError(f"Give either a claim with its {names[2]}, or --input.")


async def _judge(judging: Judging, results: "_PrintedResults", show: Show) -> bool:
    async def tell(result: RowResult) -> None:
        results.tell(result)
        show(result, judging.spent)

    await judging.judge(tell, say)
    return True


class _PrintedResults(Struct):
    """Results that have been printed."""

    as_json: bool
    results: list[RowResult] = field(default_factory=list[RowResult])

    def tell(self, result: RowResult) -> None:
        self.results.append(result)
        if self.as_json:
            print_json_line(result)
        else:
            print_lines(pair_line(result))


@contextmanager
def _watching(count: int, results: _PrintedResults) -> Generator[Show]:
    """Progress on stderr: a bar on a terminal, unless JSON goes to the same one, else a line for each row."""
    call = invocation()
    stderr, is_shared = call.streams.stderr, call.streams.stdout.isatty()
    console = (
        console_on(stderr, call.environment)
        if stderr.isatty() and not (call.is_quiet or (is_shared and results.as_json))
        else None
    )
    if console and not console.is_dumb_terminal:
        with pairs_bar(console, total=count, is_shared=is_shared, clock=call.clock) as show:
            yield show
    else:
        yield lambda result, _: say(f"{result.row}/{count}  {pair_line(result)}")


def _exit_code(results: Sequence[RowResult]) -> ExitCode:
    if all(result.status is PairStatus.JUDGED for result in results):
        return ExitCode.DONE
    return ExitCode.NO_VERDICT if any(result.word for result in results) else ExitCode.FAILED
