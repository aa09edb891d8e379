"""Lines about batches: progress and results.

Rich is imported when a bar is shown, not before.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING, Protocol

from sparring.reports.dry_run import table_state_line
from sparring.reports.runs import number_of, spending_text
from sparring.schema.batch import BatchEstimate, DecidedByCode, Manifest
from sparring.schema.pairs import PairStatus
from sparring.schema.runs import Spent

if TYPE_CHECKING:
    from rich.console import Console


class TableProgress(Protocol):
    """Progress of a batch: its rows, those judged before, and the usage of the others."""

    rows: int
    existing: int
    rejected: int
    calls: int
    cost_usd: float
    unpriced_calls: int


def progress_line(progress: TableProgress) -> str:
    """E.g. ``1,024 rows, 1,000 of them judged before; 96 calls, $0.1200``."""
    before = f", {progress.existing:,} of them judged before" if progress.existing else ""
    rejected = f", {progress.rejected:,} rejected" if progress.rejected else ""
    cost = "" if progress.unpriced_calls else f", ${progress.cost_usd:.4f}"
    return f"{number_of(progress.rows, 'row')}{before}{rejected}; {number_of(progress.calls, 'call')}{cost}"


_MISSING = {
    PairStatus.INCOMPLETE: "are incomplete; the same command retries only the failed calls",
    PairStatus.UNJUDGED: "have no verdict; the same command retries them",
    PairStatus.NOT_ASKED: "were not judged: a limit was reached",
}


AGAIN = "Checks by code are not stored: the same command starts over."


def batch_lines(manifest: Manifest, output: str, causes: Sequence[str] = ()) -> Iterator[str]:
    """Yield the result of a batch, for people: the labels, missing rows and their causes, the usage, the files."""
    labels = ", ".join(f"{count:,} {label}" for label, count in manifest.labels.items())
    yield number_of(manifest.rows, "row") + (f": {labels}" if labels else "")
    if manifest.contested:
        yield f"- {manifest.contested:,} of these verdicts {'is' if manifest.contested == 1 else 'are'} contested"
    if manifest.by_code.rows:
        yield f"- {by_code_line(manifest.by_code, manifest.rows, manifest.spent.calls)}"
    for status, phrase in _MISSING.items():
        count = manifest.statuses.get(status, 0)
        if count:
            yield f"- {count:,} {phrase}"
    yield from causes
    if manifest.rejected:
        yield f"- {manifest.rejected:,} could not be judged: see rejected.jsonl"
    if not manifest.is_whole:
        goes_on = f". {AGAIN}" if manifest.format == "verify" else "; the same command continues"
        yield f"- Time ran out before all rows were judged{goes_on}"
    if manifest.spent.calls:
        spent = Spent(**manifest.spent.model_dump(), maybe_paid_twice=manifest.ledger.asked_again)
        yield f"Used, in all starts: {spending_text(spent)}"
    yield from _limit_lines(manifest)
    written = f"Written: {number_of(len(manifest.outputs), 'shard')} in {output}"
    is_local = "://" not in output
    if manifest.outputs and is_local:
        written += f"; `sparring view {quote(output)}` opens the page"
    yield written


def by_code_line(decided: DecidedByCode, rows: int, calls: int) -> str:
    """Return what deciding rows by code has saved, and risked, in a sentence without its end.

    Args:
        decided: The rows that code decided.
        rows: All rows of the table.
        calls: Calls for the others, by which the saving is estimated.
    """
    line = f"{decided.rows:,} decided by code, without a model"
    asked = rows - decided.rows
    if calls and asked > 0:
        line += f", which saved about {calls * decided.rows / asked:,.0f} calls"
    if decided.with_gold:
        line += f"; of {decided.with_gold:,} with a gold label it has {decided.right:,} right"
    elif decided.rows:
        line += "; without gold labels its accuracy is unknown"
    return line


def _limit_lines(manifest: Manifest) -> Iterator[str]:
    """Yield by how much limits were exceeded, and amounts that they could not count."""
    limits = manifest.limits
    exceeded: list[str] = []
    if limits.exceeded_calls:
        exceeded.append(f"{limits.exceeded_calls:,} calls")
    if limits.exceeded_tokens:
        exceeded.append(f"{limits.exceeded_tokens:,} tokens")
    if limits.exceeded_cost_usd:
        exceeded.append(f"${limits.exceeded_cost_usd:,.4f}")
    if exceeded:
        amounts = ", ".join(exceeded)
        yield f"[WARN] The limits were exceeded by {amounts}: answers used more than was estimated."
    lost = manifest.ledger.lost
    if lost:
        yield f"{number_of(lost, 'request')} may have been paid for without an answer: the process was killed."


def estimate_lines(estimate: BatchEstimate) -> Iterator[str]:
    """Yield the estimated cost and time of a batch, for people."""
    price = "an unknown price" if estimate.spent_cost_usd is None else f"${estimate.spent_cost_usd:.4f}"
    spent = f"with {number_of(estimate.spent_calls, 'call')}, for {price}"
    yield f"{table_state_line(estimate)} {estimate.sampled} of these were judged now, {spent}."
    if estimate.problem:
        yield f"[WARN] {estimate.problem}"
    calls, tokens, cost, seconds = estimate.calls, estimate.tokens, estimate.cost_usd, estimate.seconds
    if not (estimate.sampled and calls and seconds):
        yield "The rest is unknown: no row of the sample was judged." if estimate.remaining else ""
        return
    yield f"Calls: {calls.mean:,.0f} ({calls.low:,.0f} to {calls.high:,.0f})"
    yield f"Tokens: {tokens.mean:,.0f} ({tokens.low:,.0f} to {tokens.high:,.0f})" if tokens else "Tokens: unknown"
    yield f"Cost: ${cost.mean:,.4f} (${cost.low:,.4f} to ${cost.high:,.4f})" if cost else "Cost: unknown"
    yield f"Time: {_time(seconds.mean)} ({_time(seconds.low)} to {_time(seconds.high)}), at this number at once"
    sample = number_of(estimate.sampled, "row")
    yield f"By a sample of {sample}; between the numbers in brackets it lies in 95 of 100 such samples."


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def batch_bar(
    console: "Console", *, clock: Callable[[], float] = time.monotonic
) -> Generator[Callable[[TableProgress], None]]:
    """Show how many rows are done, how fast, and the cost so far; the yielded function takes the present progress.

    On every exit, the cursor is shown again. The length of a streamed table is unknown.
    """
    from rich.progress import Progress as Bar  # noqa: PLC0415
    from rich.progress import SpinnerColumn, TextColumn  # noqa: PLC0415

    began = clock()

    def show(progress: TableProgress) -> None:
        elapsed_s = clock() - began
        asked = progress.rows - progress.existing - progress.rejected
        rate = f"; {60 * asked / elapsed_s:,.1f} rows/min" if asked and elapsed_s > 0 else ""
        bar.update(task, description=progress_line(progress) + rate)

    with Bar(SpinnerColumn(), TextColumn("{task.description}"), console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield show
