"""Checks of rows by code alone, in one process for each core; no tool is asked, and nothing is stored."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Self

import anyio
from anyio import to_thread

from sparring.batch.results import JudgedRow, Result, nothing_of
from sparring.batch.rows import BatchRow
from sparring.checks.claims import check_claim
from sparring.errors import SparringError
from sparring.processes.current import begin_work, cores, interrupts_deferred, spawning_context
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.lookups import QuoteVerdict, Span
from sparring.schema.pairs import PairStatus

FIELDS = {"claim": ("claim",), "truth": ("truth", "evidence")}
"""The texts of a row, and their usual columns; see ``engine.format.Rows``."""

LABELS = tuple(label.value for label in Label)

_Texts = tuple[str, str] | None
"""A claim and its evidence; None for a row that cannot be checked."""


class ClaimChecks:
    """Checks claims against their evidence in processes that end with the ``with`` block of this object."""

    def __init__(self, processes: int = 0) -> None:
        """Use that many ``processes``; 0: one for each core."""
        self.processes = processes or cores()
        context = spawning_context()
        theirs, self._wanted = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(self.processes, context, initializer=begin_work, initargs=(theirs,))
        self._room: anyio.CapacityLimiter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The results of running checks are not needed any more: the processes end at once, and the pool cleans up.
        self._wanted.close()
        self._pool.shutdown(cancel_futures=True)

    async def judged(self, rows: Sequence[BatchRow]) -> list[JudgedRow]:
        """Check ``rows`` in worker processes; the results are in their order.

        Raises:
            SparringError: A process has died.
        """
        self._room = self._room or anyio.CapacityLimiter(self.processes + 1)
        with interrupts_deferred():  # it may start a process; Ctrl-C goes to this process, which ends it
            future = self._pool.submit(_checked, [None if row.problem else _texts(row) for row in rows])
        try:
            results = await to_thread.run_sync(future.result, limiter=self._room, abandon_on_cancel=True)
        except BrokenProcessPool as error:
            raise SparringError(
                "A process of ours has died.", hint="Was there enough memory? Try --set at_once=1."
            ) from error
        return [JudgedRow(row, result or _refused(row)) for row, result in zip(rows, results, strict=True)]


def _texts(row: BatchRow) -> _Texts:
    return row.texts["claim"], row.texts["truth"]


def _refused(row: BatchRow) -> Result:
    problem = f"Line {row.line} cannot be checked: {row.problem}."
    return nothing_of(PairStatus.REFUSED, PairStatus.REFUSED, problem)


def _checked(rows: Sequence[_Texts]) -> list[Result | None]:
    """Check each row by code; runs in a process of the pool."""
    return [_result(check_claim(texts[0], (texts[1],))) if texts else None for texts in rows]


def _result(check: ClaimCheck) -> Result:
    spans = [check.passage, *(finding.evidence for finding in check.critical_mismatches)]
    return {
        **nothing_of(PairStatus.JUDGED, "", ""),
        "label": check.label.value,
        "votes": [{"seat": "code", "tool": None, "label": check.label.value}],
        "quotes": [_quote(span) for span in spans if span],
        "text": " ".join(finding.why for finding in check.critical_mismatches),
    }


def _quote(span: Span) -> dict[str, Any]:
    return {
        "seat": "code",
        "text": span.text,
        "source": "truth",
        "start": span.start,
        "end": span.end,
        "verdict": QuoteVerdict.VERBATIM.value,
    }
