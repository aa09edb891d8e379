"""``sparring verify claims`` and ``quotes``: filters from JSONL to JSONL, a line for a line, as it comes."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from typing import TypeVar, cast

import typer

from sparring.app.verification import answer_claim, quote_answers, read_row, refused_row
from sparring.cli.invocation import invocation
from sparring.cli.printing import reporting_errors, say
from sparring.cli.streams import writing_result
from sparring.cli.typed import STDIN
from sparring.cli.verifying.lines import LINE_LIMIT, Line, numbered_lines
from sparring.errors import ExitCode, SparringError, UsageError
from sparring.schema.claims import Label
from sparring.schema.quotes import QuoteVerdict
from sparring.schema.verification import (
    ClaimAnswer,
    ClaimRow,
    NamedRow,
    QuoteAnswer,
    QuoteRow,
    RefusedRow,
    RowCount,
    RowProblem,
)

R = TypeVar("R", bound=NamedRow)
Answer = ClaimAnswer | QuoteAnswer | RefusedRow
_TOO_LONG = f"The line has more than {LINE_LIMIT // 1024 // 1024} MiB."


def verify_claims(file: str, *, as_json: bool) -> None:
    """Answer every row of claims; exit code 1 when some could not be checked."""
    tally = _Tally(tuple(Label))
    _filter(file, lambda line: _answered(line, ClaimRow, answer_claim), tally, as_json=as_json)


def verify_quotes(file: str, *, as_json: bool) -> None:
    """Answer every row of quotes; exit code 1 when some could not be checked."""
    tally, answer = _Tally(tuple(QuoteVerdict)), quote_answers()
    _filter(file, lambda line: _answered(line, QuoteRow, answer), tally, as_json=as_json)


@dataclass
class _Tally:
    """What was answered so far; ``kinds`` are the answers there can be, in the order in which they are told."""

    kinds: tuple[str, ...]
    found: Counter[str] = field(default_factory=Counter[str])
    errors: int = 0

    def take(self, answer: Answer) -> None:
        match answer:
            case ClaimAnswer():
                self.found[answer.label] += 1
            case QuoteAnswer():
                self.found[answer.verdict] += 1
            case RefusedRow():
                self.errors += 1

    @property
    def count(self) -> RowCount:
        found = {kind: self.found[kind] for kind in self.kinds}
        return RowCount(rows=self.found.total() + self.errors, found=found, errors=self.errors)


def _filter(file: str, answered: Callable[[Line], Answer], tally: _Tally, *, as_json: bool) -> None:
    with reporting_errors(as_json=False):  # standard output belongs to the answers
        with _opened(file) as source, writing_result() as out:
            for line in _lines(source, file):
                answer = answered(line)
                out.buffer.write(answer.model_dump_json().encode() + b"\n")
                out.flush()
                tally.take(answer)
        say(tally.count.model_dump_json() if as_json else _sentence(tally.count))
    raise typer.Exit(ExitCode.FAILED if tally.errors else ExitCode.DONE)


def _answered(line: Line, kind: type[R], answer: Callable[[R], ClaimAnswer | QuoteAnswer]) -> Answer:
    if line.content is None:
        return refused_row(line.number, RowProblem.TOO_LONG, _TOO_LONG)
    row = read_row(line.number, line.content, kind)
    return row if isinstance(row, RefusedRow) else answer(row)


@contextmanager
def _opened(file: str) -> Generator[BufferedReader]:
    if file == STDIN:
        yield cast("BufferedReader", invocation().streams.stdin.buffer)
        return
    try:
        source = invocation().path(file).open("rb")
    except (OSError, ValueError) as error:
        raise UsageError(f"{file!r} cannot be read: {_reason(error)}.") from error
    with source:
        yield source


def _lines(source: BufferedReader, file: str) -> Iterator[Line]:
    """The lines of ``source``; that it cannot be read on is not to be taken for an output that cannot be written."""
    lines = numbered_lines(source)
    while True:
        try:
            line = next(lines, None)
        except OSError as error:
            raise SparringError(f"{file!r} cannot be read to its end: {_reason(error)}.") from error
        if line is None:
            return
        yield line


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _sentence(count: RowCount) -> str:
    rows = "1 row" if count.rows == 1 else f"{count.rows:,} rows"
    found = [f"{number:,} {kind.replace('_', ' ')}" for kind, number in count.found.items()]
    errors = "1 error" if count.errors == 1 else f"{count.errors:,} errors"
    return f"{rows}: {', '.join([*found, errors])}."
