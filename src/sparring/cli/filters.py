"""Filters, which ask nobody: ``sparring verify`` checks rows and texts, ``sparring redact`` takes secrets out."""

import codecs
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from typing import TypeVar, cast

import typer
from pydantic import BaseModel, ConfigDict

from sparring.app.verification import NamedText, answer_claim, check_text, quote_answers, read_row, refused_row
from sparring.cli.input import STDIN
from sparring.cli.invocation import invocation, writing_result
from sparring.cli.printing import print_json, reporting_errors, say
from sparring.errors import ExitCode, SparringError, UsageError
from sparring.reports.findings import Texts, findings_lines, plain_lines, print_findings
from sparring.reports.terminal import console_on, print_plain
from sparring.schema.claims import Label
from sparring.schema.lookups import QuoteVerdict
from sparring.schema.verification import (
    ClaimAnswer,
    ClaimRow,
    NamedRow,
    QuoteAnswer,
    QuoteRow,
    RefusedRow,
    RowCount,
    RowProblem,
    VerifiedText,
)
from sparring.text.redaction import Redactor, StreamRedactor, secret_values
from sparring.text.tidying import for_terminal, one_line

LINE_LIMIT = 8 * 1024 * 1024
"""Most bytes of a line, its end included."""

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Line:
    """One line. ``content`` is None when it is longer than ``LINE_LIMIT``."""

    number: int
    content: bytes | None


def numbered_lines(source: BufferedReader) -> Iterator[Line]:
    """Every line that is not empty, numbered from 1 with the empty ones; a byte order mark is no part of the first.

    Never holds more than one line, and reads no further than that line before it gives it.
    """
    number = 0
    while content := source.readline(LINE_LIMIT + 1):
        number += 1
        if len(content) > LINE_LIMIT:
            _skip_rest(source, content)
            yield Line(number, None)
            continue
        line = content.removeprefix(codecs.BOM_UTF8) if number == 1 else content
        if line.strip():
            yield Line(number, line)


def _skip_rest(source: BufferedReader, content: bytes) -> None:
    while content and not content.endswith(b"\n"):
        content = source.readline(_CHUNK)


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


LIMIT = 1024 * 1024
"""Most bytes of the text, and of all its evidence. 245 sentences against 1 MB of it take 4 s (measured in November
2026)."""

_NAME_SHOWN = 200
_STDIN_NAME = "standard input"


def verify_text(file: str, evidence: Sequence[str], *, as_json: bool) -> None:
    """Print what was found; exit code 1 when the text contradicts its evidence."""
    with reporting_errors(as_json=as_json):
        if [file, *evidence].count(STDIN) > 1:
            raise UsageError("Standard input can be read only once: it is the text, or one piece of evidence.")
        text, sources = _read(file), [_read(each) for each in dict.fromkeys(evidence)]
        _refuse_unusable(text, sources)
        found = check_text(text, sources)
        if as_json:
            print_json(found)
        else:
            _show(found, Texts(text.text, [source.text for source in sources]))
    raise typer.Exit(ExitCode.FAILED if found.is_contradicted else ExitCode.DONE)


def _read(file: str) -> NamedText:
    shown = one_line(repr(file), _NAME_SHOWN)
    try:
        content = _content(file)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(f"{shown} cannot be read: {reason}.") from error
    if len(content) > LIMIT:
        raise UsageError(f"{shown} has more than {LIMIT // 1024:,} KiB, which is the most that can be checked.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text.") from error
    if "\0" in text:
        raise UsageError(f"{shown} is a binary file.")
    return NamedText(_STDIN_NAME if file == STDIN else for_terminal(file), text)


def _content(file: str) -> bytes:
    """At most one byte more than the limit."""
    if file == STDIN:
        return invocation().streams.stdin.buffer.read(LIMIT + 1)
    with invocation().path(file).open("rb") as stream:
        return stream.read(LIMIT + 1)


def _refuse_unusable(text: NamedText, sources: Sequence[NamedText]) -> None:
    for each in (text, *sources):
        if not each.text.strip():
            raise UsageError(f"{one_line(each.name, _NAME_SHOWN)} is empty.")
    if (size := sum(len(source.text.encode()) for source in sources)) > LIMIT:
        raise UsageError(f"The evidence has {size // 1024:,} KiB; the limit is {LIMIT // 1024:,} KiB.")


def _show(found: VerifiedText, texts: Texts) -> None:
    lines = findings_lines(found, texts)
    with writing_result() as out:
        if out.isatty():
            print_findings(lines, console_on(out, invocation().environment))
        else:
            print_plain(plain_lines(lines), out)


_REDACTED_AT_ONCE = 1 << 18
# Bytes that are no UTF-8 pass unharmed: a log may hold anything.
_ENCODING, _ERRORS = "utf-8", "surrogateescape"


class RedactionCount(BaseModel):
    """What ``sparring redact --json`` says on standard error.

    Attributes:
        kinds: How many of each kind, the most frequent first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    redactions: int
    kinds: dict[str, int]


def redact(*, as_json: bool) -> None:
    """Copy standard input to standard output without secrets, as it comes; the count goes to standard error."""
    with reporting_errors(as_json=False):  # standard output belongs to the text
        call = invocation()
        stream = StreamRedactor(Redactor(secret_values(call.environment)))
        with writing_result() as out:
            for text in _filtered(cast("BufferedReader", call.streams.stdin.buffer), stream):
                out.buffer.write(text.encode(_ENCODING, _ERRORS))
                out.flush()
        kinds = dict(sorted(stream.kinds.items(), key=lambda kind: (-kind[1], kind[0])))
        count = RedactionCount(redactions=sum(kinds.values()), kinds=kinds)
        say(count.model_dump_json() if as_json else _redacted(count))


def _filtered(source: BufferedReader, stream: StreamRedactor) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(_ENCODING)(_ERRORS)
    while chunk := source.read1(_REDACTED_AT_ONCE):
        yield stream.feed(decoder.decode(chunk))
    yield stream.feed(decoder.decode(b"", final=True)) + stream.finish()


def _redacted(count: RedactionCount) -> str:
    if not count.redactions:
        return "No secrets redacted."
    kinds = ", ".join(f"{number} {kind}" for kind, number in count.kinds.items())
    return f"{count.redactions} secret{'' if count.redactions == 1 else 's'} redacted: {kinds}."
