"""A table whose rows are judged: while it goes on, and what came of it.

Rich is imported when a bar is shown, not before.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sparring.reports.runs import spending
from sparring.schema.pairs import PairStatus, RowResult
from sparring.schema.runs import Spent
from sparring.text.tidying import one_line

if TYPE_CHECKING:
    from rich.console import Console


_NAME_SHOWN = 40
_SUMMARY_SHOWN = 160
_PROBLEM_SHOWN = 400
_FAILURES_SHOWN = 50


def pair_line(result: RowResult) -> str:
    """E.g. ``row 3 (covid-17)  MUTATED 0.90  quantity, time  The claim says "under", the truth "over".``."""
    if not result.word:
        return f"{_name(result)}  {result.status.replace('_', ' ')}: {one_line(result.problem, _PROBLEM_SHOWN)}"
    lost = f"incomplete: {result.problem}" if result.status is PairStatus.INCOMPLETE else ""
    parts = (one_line(part, _SUMMARY_SHOWN) for part in (*result.told, lost, *result.notices))
    return "  ".join((_name(result), *(part for part in parts if part)))


def failures(results: Sequence[RowResult]) -> str:
    """The rows without a verdict, then those whose verdict is not of everybody, a line each; empty without any."""
    without = [result for result in results if not result.word]
    incomplete = [result for result in results if result.status is PairStatus.INCOMPLETE]
    again = "are incomplete; the same command asks those again who failed"
    return "\n".join((*_listed(without, results, "have no verdict"), *_listed(incomplete, results, again)))


def _listed(some: Sequence[RowResult], results: Sequence[RowResult], are: str) -> Iterator[str]:
    if not some:
        return
    yield f"{len(some)} of {len(results)} rows {are}:"
    yield from (f"- {pair_line(result)}" for result in some[:_FAILURES_SHOWN])
    if len(some) > _FAILURES_SHOWN:
        yield f"- and {len(some) - _FAILURES_SHOWN} more"


def totals(results: Sequence[RowResult], spent: Spent) -> str:
    """E.g. ``40 rows: 12 FAITHFUL, 28 MUTATED (8 judged before). Used: 128 calls, 1,500 tokens, $0.0123.``."""
    kinds: dict[str, int] = {}
    for result in results:
        kind = result.word or result.status.replace("_", " ")
        kinds[kind] = kinds.get(kind, 0) + 1
    counted = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    incomplete = sum(result.status is PairStatus.INCOMPLETE for result in results)
    before = sum(result.was_judged_before for result in results)
    aside = ((incomplete, "incomplete"), (before, "judged before"))
    known = ", ".join(f"{number} {what}" for number, what in aside if number)
    return f"{len(results)} rows: {counted}{known and f' ({known})'}. Used: {spending(spent)}."


def _name(result: RowResult) -> str:
    return f"row {result.row}" + (f" ({one_line(result.row_id, _NAME_SHOWN)})" if result.row_id else "")


class PairsBar:
    """How many rows are done, how fast, and what it has cost. A context manager around a table.

    However the block is left, the cursor is shown again. ``is_shared`` tells that standard output is the same terminal:
    what is printed there then goes above the bar.
    """

    def __init__(
        self, console: "Console", *, total: int, is_shared: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        self._clock = clock
        self._began = clock()
        self._asked = 0
        self._bar = Progress(
            TextColumn("judging"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[facts]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            redirect_stdout=is_shared,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=total, facts="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, result: RowResult, spent: Spent) -> None:
        """Count a row."""
        # Those that were judged before come at once, and would make the others look fast.
        self._asked += not result.was_judged_before and result.status is not PairStatus.REFUSED
        elapsed_s = self._clock() - self._began
        rate = f"{60 * self._asked / elapsed_s:.1f} rows/min  " if self._asked and elapsed_s > 0 else ""
        cost = "" if spent.unpriced_calls else f"${spent.cost_usd:.4f}"
        self._bar.update(self._task, advance=1, facts=f"{rate}{cost or f'{spent.calls} calls'}")
