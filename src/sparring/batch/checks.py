"""Checks of rows by code alone, in one process for each core; no tool is asked, and nothing is stored."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, cast

import anyio
from anyio import to_thread

from sparring.batch.results import JudgedRow, Result, unjudged_result
from sparring.batch.rows import BatchRow
from sparring.checks.claims import check_claim
from sparring.errors import SparringError
from sparring.processes.current import begin_work, core_count, deferring_interrupts, spawning_context
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.lookups import QuoteVerdict, Span
from sparring.schema.pairs import PairStatus

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext

FIELDS = {"claim": ("claim",), "truth": ("truth", "evidence")}
"""The texts of a row, and their usual columns; see ``engine.format.Rows``."""

LABELS = tuple(label.value for label in Label)

_Texts = tuple[str, str] | None
"""A claim and its evidence; None for a row that cannot be checked."""


class ClaimChecks:
    """Checks claims against their evidence in processes that end with the ``with`` block of this object.

    Each process has a pipe of its own. A pool of ``concurrent.futures`` shares one: a process that is ended while it
    writes a result leaves half a message in it, and its reader waits for the other half forever.
    """

    def __init__(self, processes: int = 0) -> None:
        """Use up to that many ``processes``; 0: one for each core."""
        self.processes = processes or core_count()
        self._context = spawning_context()
        self._started = list[_Checker]()
        self._idle = list[_Checker]()
        self._room: anyio.Semaphore | None = None
        self._threads: anyio.CapacityLimiter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The results of running checks are not needed any more.
        for checker in self._started:
            checker.end()

    async def judged(self, rows: Sequence[BatchRow]) -> list[JudgedRow]:
        """Check ``rows`` in a worker process; the results are in their order.

        Raises:
            SparringError: The process has died.
        """
        self._room = self._room or anyio.Semaphore(self.processes)
        self._threads = self._threads or anyio.CapacityLimiter(self.processes)
        texts = [None if row.problem else _texts(row) for row in rows]
        async with self._room:
            checker = self._idle.pop() if self._idle else self._start()
            try:
                results = await to_thread.run_sync(checker.check, texts, limiter=self._threads, abandon_on_cancel=True)
            except (EOFError, OSError) as error:
                raise SparringError(
                    "A worker process has died.", hint="Was there enough memory? Try --set at_once=1."
                ) from error
            self._idle.append(checker)
        return [JudgedRow(row, result or _refused(row)) for row, result in zip(rows, results, strict=True)]

    def _start(self) -> "_Checker":
        checker = _Checker(self._context)
        self._started.append(checker)
        return checker


class _Checker:
    """A process that checks blocks of rows, one after the other."""

    def __init__(self, context: "SpawnContext") -> None:
        self._connection, theirs = context.Pipe()
        with theirs, deferring_interrupts():  # Ctrl-C goes to this process, which ends the other one
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            self._process.start()

    def check(self, rows: Sequence[_Texts]) -> list[Result | None]:
        """Return the results of ``rows``; raises ``EOFError`` or ``OSError`` if the process has ended."""
        self._connection.send(rows)
        return cast("list[Result | None]", self._connection.recv())

    def end(self) -> None:
        """End the process, whatever it is doing. A thread in ``check`` then gets an error."""
        self._process.kill()
        self._process.join()


def _serve(connection: "Connection[list[Result | None], Sequence[_Texts]]") -> None:
    """Check blocks of rows in this process until no more can come."""
    begin_work()
    with suppress(EOFError, BrokenPipeError):
        while True:
            connection.send(_checked(connection.recv()))


def _texts(row: BatchRow) -> _Texts:
    return row.texts["claim"], row.texts["truth"]


def _refused(row: BatchRow) -> Result:
    problem = f"Line {row.line} cannot be checked: {row.problem}."
    return unjudged_result(PairStatus.REFUSED, PairStatus.REFUSED, problem)


def _checked(rows: Sequence[_Texts]) -> list[Result | None]:
    """Check each row by code."""
    return [_result(check_claim(texts[0], (texts[1],))) if texts else None for texts in rows]


def _result(check: ClaimCheck) -> Result:
    spans = [check.passage, *(finding.evidence for finding in check.critical_mismatches)]
    return {
        **unjudged_result(PairStatus.JUDGED, "", ""),
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
