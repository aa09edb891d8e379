"""A batch while it goes on, and what came of it. Rich is imported when a bar is shown, not before."""

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from sparring.reports.runs import spending
from sparring.schema.batch import BatchEstimate, BatchSpent, Manifest
from sparring.schema.pairs import PairStatus
from sparring.schema.runs import Spent

if TYPE_CHECKING:
    from rich.console import Console


class Progress(Protocol):
    """How far a batch has come: its rows, those that were judged before, and what the others have used."""

    rows: int
    there: int
    rejected: int
    calls: int
    cost_usd: float
    unpriced_calls: int


def progress_line(progress: Progress) -> str:
    """E.g. ``1,024 rows, 1,000 of them judged before; 96 calls, $0.1200``."""
    before = f", {progress.there:,} of them judged before" if progress.there else ""
    rejected = f", {progress.rejected:,} rejected" if progress.rejected else ""
    return f"{progress.rows:,} rows{before}{rejected}; {_used(progress)}"


def _used(progress: Progress) -> str:
    cost = "" if progress.unpriced_calls else f", ${progress.cost_usd:.4f}"
    return f"{progress.calls:,} calls{cost}"


def batch_lines(manifest: Manifest, output: str) -> Iterator[str]:
    """What came of a batch, for people: the labels, what is missing, what it used, and where all of it is."""
    counted = ", ".join(f"{count:,} {label}" for label, count in manifest.labels.items())
    yield f"{manifest.rows:,} rows" + (f": {counted}" if counted else "")
    if manifest.contested:
        yield f"- {manifest.contested:,} of these verdicts {'is' if manifest.contested == 1 else 'are'} contested"
    for status, told in _MISSING.items():
        if count := manifest.statuses.get(status, 0):
            yield f"- {count:,} {told}"
    if manifest.rejected:
        yield f"- {manifest.rejected:,} could not be judged: rejected.jsonl says which, and why"
    if not manifest.is_whole:
        yield "- The time was over before all rows were judged; the same command goes on"
    if manifest.spent.calls:
        yield f"Used, in whichever call: {spending(_spent(manifest.spent, manifest.ledger.asked_again))}"
    yield f"Written: {len(manifest.outputs)} {'shard' if len(manifest.outputs) == 1 else 'shards'} in {output}"


def estimate_lines(told: BatchEstimate) -> Iterator[str]:
    """What a batch will cost and take, for people."""
    yield f"{standing_line(told)} {told.sampled} of these were judged now, for ${told.spent_cost_usd:.4f}."
    if not told.sampled:
        return
    calls, tokens, seconds = told.calls, told.tokens, told.seconds
    yield f"Calls: {calls.mean:,.0f} ({calls.low:,.0f} to {calls.high:,.0f})"
    yield f"Tokens: {tokens.mean:,.0f} ({tokens.low:,.0f} to {tokens.high:,.0f})" if tokens.mean else "Tokens: unknown"
    cost = told.cost_usd
    yield f"Cost: ${cost.mean:,.4f} (${cost.low:,.4f} to ${cost.high:,.4f})" if cost else "Cost: unknown"
    yield f"Time: {_time(seconds.mean)} ({_time(seconds.low)} to {_time(seconds.high)}), at this number at once"
    yield f"By a sample of {told.sampled} rows; between the numbers in brackets it lies in 95 of 100 such samples."


class Standing(Protocol):
    """How the rows of a table stand before anybody is asked."""

    @property
    def rows(self) -> int:
        """All of them."""
        ...

    @property
    def judged_before(self) -> int:
        """Under these settings."""
        ...

    @property
    def reused(self) -> int:
        """Judged under others, and taken as they are."""
        ...

    @property
    def rejected(self) -> int:
        """That cannot be judged."""
        ...

    @property
    def left(self) -> int:
        """That will be asked."""
        ...


def standing_line(told: Standing) -> str:
    """E.g. ``Of 1,000 rows 200 were judged before, 300 with other seats or prompts and are taken, 500 are left.``."""
    reused = f", {told.reused:,} with other settings and are taken as they are" if told.reused else ""
    rejected = f", {told.rejected:,} cannot be judged" if told.rejected else ""
    return f"Of {told.rows:,} rows {told.judged_before:,} were judged before{reused}{rejected}, {told.left:,} are left."


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


_MISSING = {
    PairStatus.INCOMPLETE: "are incomplete; the same command asks those again who failed",
    PairStatus.UNJUDGED: "have no verdict; the same command asks again",
    PairStatus.NOT_ASKED: "were not asked: a limit was reached",
}


def _spent(spent: BatchSpent, asked_again: int) -> Spent:
    return Spent(**spent.model_dump(), maybe_paid_twice=asked_again)


class BatchBar:
    """How many rows are done, how fast, and what it has cost. A context manager around a batch.

    However the block is left, the cursor is shown again. How long the table is, nobody knows who streams it.
    """

    def __init__(self, console: "Console", *, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.progress import Progress as Bar  # noqa: PLC0415
        from rich.progress import SpinnerColumn, TextColumn  # noqa: PLC0415

        self._clock = clock
        self._began = clock()
        self._bar = Bar(SpinnerColumn(), TextColumn("{task.description}"), console=console, transient=True)
        self._task = self._bar.add_task("reading", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Show how far it has come."""
        elapsed_s = self._clock() - self._began
        # Those that were judged before come at once, and would make the others look fast.
        asked = progress.rows - progress.there - progress.rejected
        rate = f"; {60 * asked / elapsed_s:,.1f} rows/min" if asked and elapsed_s > 0 else ""
        self._bar.update(self._task, description=progress_line(progress) + rate)
