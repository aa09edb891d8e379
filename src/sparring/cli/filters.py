"""Filters: ``sparring verify`` checks rows and texts, ``sparring redact`` removes secrets.

Only ``verify claims --with`` asks a model.
"""

import codecs
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import anyio
import typer
from anyio.from_thread import BlockingPortal, start_blocking_portal
from msgspec import Struct
from pydantic import BaseModel, ConfigDict

from sparring.app import verification
from sparring.cli.input import STDIN
from sparring.cli.invocation import invocation, writing_result
from sparring.cli.printing import print_json, print_notice, reporting_errors
from sparring.errors import ExitCode, SparringError, UsageError
from sparring.reports.findings import Texts, findings_lines, plain_lines, print_findings
from sparring.reports.terminal import console_on, print_plain
from sparring.schema.claims import Label, Relation
from sparring.schema.lookups import QuoteVerdict
from sparring.schema.verification import (
    CarriesAnswer,
    CarriesRow,
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
from sparring.store.hosts import project_root
from sparring.text.redaction import Redactor, StreamRedactor, secret_values
from sparring.text.tidying import NOT_UTF_8, for_terminal, json_for_terminal, one_line

if TYPE_CHECKING:
    from sparring.app.reading import ClaimReader

LINE_LIMIT = 8 * 1024 * 1024
"""Maximum size of a line in bytes, including its end."""

_CHUNK = 1 << 16


class InputLine(Struct, frozen=True):
    """One line. ``content`` is None when it is longer than ``LINE_LIMIT``."""

    number: int
    content: bytes | None


def numbered_lines(source: BufferedReader) -> Iterator[InputLine]:
    """Yield every line that is not empty; empty lines are numbered too, from 1. A leading byte order mark is removed.

    At most one line is in memory, and nothing after it is read before it is yielded.
    """
    number = 0
    while content := source.readline(LINE_LIMIT + 1):
        number += 1
        if len(content) > LINE_LIMIT:
            _skip_rest(source, content)
            yield InputLine(number, None)
            continue
        line = content.removeprefix(codecs.BOM_UTF8) if number == 1 else content
        if line.strip():
            yield InputLine(number, line)


def _skip_rest(source: BufferedReader, content: bytes) -> None:
    while content and not content.endswith(b"\n"):
        content = source.readline(_CHUNK)


Answer = ClaimAnswer | QuoteAnswer | CarriesAnswer
_Row = TypeVar("_Row", bound=NamedRow)
_TOO_LONG = f"The line has more than {LINE_LIMIT // 1024 // 1024} MiB."


class _Kind(Struct, frozen=True):
    """Kind of row: its record, the function that answers it, and the possible answers in order."""

    row: type[NamedRow]
    answers: Callable[[], Callable[[Any], Answer]]
    words: tuple[str, ...]


_KINDS: Mapping[str, _Kind] = {
    "claims": _Kind(ClaimRow, lambda: verification.answer_claim, tuple(Label)),
    "quotes": _Kind(QuoteRow, verification.quote_answers, tuple(QuoteVerdict)),
    "carries": _Kind(CarriesRow, verification.carries_answers, tuple(Relation)),
}


class _Answered(NamedTuple):
    """Line of an answer, and its label; empty for a row that could not be checked."""

    line: bytes
    word: str
    is_by_code: bool = False
    is_asked: bool = False
    is_unread: bool = False


def verify_rows(kind: str, file: str, *, as_json: bool, reader: str = "") -> None:
    """Answer every row in order, as it arrives.

    Exit code 1 if a row could not be checked, or if ``reader``, the tool that is asked about the claims that code
    leaves open, was asked and gave no usable answer.
    """
    with reporting_errors(as_json=False):  # standard output is for the answers
        counts: Counter[str] = Counter()
        by_code = asked = unread = 0
        with _opened(file) as source, writing_result() as out, ExitStack() as stack:
            lines = _lines(source, file)
            if reader:
                portal = stack.enter_context(start_blocking_portal())  # one loop, since connections are kept in it
                answers = _with_reader(_claim_reader(reader), portal, lines)
            else:
                answers = map(_rows(kind), lines)
            for answer in answers:
                out.buffer.write(answer.line)
                out.flush()
                counts[answer.word] += 1
                by_code += answer.is_by_code
                asked += answer.is_asked
                unread += answer.is_unread
        count = RowCount(
            rows=counts.total(),
            labels={each: counts[each] for each in _KINDS[kind].words},
            by_code=by_code,
            unread=unread,
            errors=counts[_REFUSED],
        )
        print_notice(count.model_dump_json() if as_json else _sentence(count))
    is_silent = asked > 0 and unread == asked
    raise typer.Exit(ExitCode.FAILED if count.errors or is_silent else ExitCode.DONE)


_REFUSED = ""


def _rows(kind: str) -> Callable[[InputLine], _Answered]:
    """Return the function that answers rows of that kind."""
    known = _KINDS[kind]
    answer = known.answers()

    def answered(line: InputLine) -> _Answered:
        row = _row(line, known.row)
        return _written(row if isinstance(row, RefusedRow) else answer(row))

    return answered


def _row(line: InputLine, kind: type[_Row]) -> _Row | RefusedRow:
    if line.content is None:
        return verification.refused_row(line.number, RowProblem.TOO_LONG, _TOO_LONG)
    return verification.read_row(line.number, line.content, kind)


def _written(answer: Answer | RefusedRow) -> _Answered:
    left_out = {"reading"} if isinstance(answer, ClaimAnswer) and answer.reading is None else None
    line = json_for_terminal(answer.model_dump_json(exclude=left_out).encode()) + b"\n"
    if isinstance(answer, RefusedRow):
        return _Answered(line, _REFUSED)
    reading = answer.reading if isinstance(answer, ClaimAnswer) else None
    is_unread = reading is not None and bool(reading.problem)
    return _Answered(line, answer.counted_as, answer.is_by_code, reading is not None, is_unread)


def _claim_reader(tool: str) -> "ClaimReader":
    from sparring.app.application import App  # noqa: PLC0415 -- a filter without a reader starts without it
    from sparring.app.reading import ClaimReader  # noqa: PLC0415 -- likewise

    return ClaimReader(App(invocation().settings()), tool)


def _with_reader(reader: "ClaimReader", portal: BlockingPortal, lines: Iterator[InputLine]) -> Iterator[_Answered]:
    """Answer by code, and then ask ``reader`` about the open claims, one batch at a time."""
    while batch := _batch(lines):
        rows = [_row(line, ClaimRow) for line in batch]
        answers = [row if isinstance(row, RefusedRow) else verification.answer_claim(row) for row in rows]
        asked = [
            (at, (row, answer))
            for at, (row, answer) in enumerate(zip(rows, answers, strict=True))
            if isinstance(row, ClaimRow) and isinstance(answer, ClaimAnswer) and not answer.is_by_code
        ]
        read = portal.call(reader.read, [each for _, each in asked]) if asked else []
        for (at, _), answer in zip(asked, read, strict=True):
            answers[at] = answer
        yield from map(_written, answers)


_BATCH_ROWS, _BATCH_BYTES = 100, 1 << 18
"""Rows and bytes that fill a batch; no more than one batch is in memory."""


def _batch(lines: Iterator[InputLine]) -> list[InputLine]:
    batch: list[InputLine] = []
    size = 0
    while len(batch) < _BATCH_ROWS and size < _BATCH_BYTES and (line := next(lines, None)):
        batch.append(line)
        size += len(line.content or b"")
    return batch


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


def _lines(source: BufferedReader, file: str) -> Iterator[InputLine]:
    """Yield the lines of ``source``; an error of reading must not be taken for an error of writing the output."""
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
    parts = [f"{number:,} {kind.replace('_', ' ')}" for kind, number in count.labels.items()]
    errors = "1 error" if count.errors == 1 else f"{count.errors:,} errors"
    sentence = f"{rows}: {', '.join([*parts, errors])}."
    if Label.NEI in count.labels or Relation.OPEN in count.labels:
        sentence += f" Code could decide {count.by_code:,}."
    return f"{sentence} The reader gave no usable answer for {count.unread:,}." if count.unread else sentence


LIMIT = 1024 * 1024
"""Maximum bytes of the text, and of all its evidence. 245 sentences against 1 MB take 4 s (measured in November
2026)."""

_NAME_SHOWN = 200
_STDIN_NAME = "standard input"


def verify_text(file: str, evidence: Sequence[str], repo: str, *, as_json: bool) -> None:
    """Print the findings; exit code 1 when evidence contradicts the text, or ``repo`` lacks something that it cites."""
    with reporting_errors(as_json=as_json):
        if not evidence and not repo:
            raise UsageError("There is nothing to check it against.", hint="Give --evidence FILE, --repo, or both.")
        if [file, *evidence].count(STDIN) > 1:
            raise UsageError("Standard input can be read only once: it is the text, or one piece of evidence.")
        text, sources = _read(file), [_read(each) for each in dict.fromkeys(evidence)]
        _refuse_unusable(text, sources)
        checked = verification.check_text(text, sources, _cited(text, repo) if repo else None)
        if as_json:
            print_json(checked)
        else:
            show_findings(checked, Texts(text.text, [source.text for source in sources]))
    raise typer.Exit(ExitCode.FAILED if checked.is_contradicted else ExitCode.DONE)


THIS = "."


def _cited(text: verification.NamedText, repo: str) -> verification.RepositoryLedger:
    """Look up the citations of the text in the folder ``repo``; ``THIS`` is the current project."""
    call = invocation()
    folder = call.path(repo)
    if not folder.is_dir():
        shown = one_line(repr(repo), _NAME_SHOWN)
        raise UsageError(f"{shown} is not a folder.", hint="Name the text first, --repo last: verify text FILE --repo.")
    repository = project_root(folder, call.environment) if repo == THIS else folder.resolve()
    return anyio.run(verification.look_up, text.text, repository, call.environment)


def _read(file: str) -> verification.NamedText:
    shown = one_line(repr(file), _NAME_SHOWN)
    try:
        content = _content(file)
    except (OSError, ValueError) as error:
        raise UsageError(f"{shown} cannot be read: {_reason(error)}.") from error
    if len(content) > LIMIT:
        raise UsageError(f"{shown} has more than {LIMIT // 1024:,} KiB, which is the most that can be checked.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text.", hint=NOT_UTF_8) from error
    if "\0" in text:
        raise UsageError(f"{shown} is a binary file.")
    return verification.NamedText(_STDIN_NAME if file == STDIN else for_terminal(file), text)


def _content(file: str) -> bytes:
    """Return the content of ``file``, at most one byte more than the limit."""
    if file == STDIN:
        return invocation().streams.stdin.buffer.read(LIMIT + 1)
    with invocation().path(file).open("rb") as stream:
        return stream.read(LIMIT + 1)


def _refuse_unusable(text: verification.NamedText, sources: Sequence[verification.NamedText]) -> None:
    for each in (text, *sources):
        if not each.text.strip():
            raise UsageError(f"{one_line(each.name, _NAME_SHOWN)} is empty.")
    if (size := sum(len(source.text.encode()) for source in sources)) > LIMIT:
        raise UsageError(f"The evidence has {size // 1024:,} KiB; the limit is {LIMIT // 1024:,} KiB.")


def show_findings(checked: VerifiedText, texts: Texts) -> None:
    """Print the findings for people."""
    lines = findings_lines(checked, texts)
    with writing_result() as out:
        if out.isatty():
            print_findings(lines, console_on(out, invocation().environment))
        else:
            print_plain(plain_lines(lines), out)


_REDACTED_AT_ONCE = 1 << 18
# Bytes that are not UTF-8 pass unchanged: a log may contain any bytes.
_ENCODING, _ERRORS = "utf-8", "surrogateescape"


class RedactionCount(BaseModel):
    """JSON that ``sparring redact --json`` prints on standard error.

    Attributes:
        kinds: Number of redactions of each kind, the most frequent first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    redactions: int
    kinds: dict[str, int]


def redact(*, as_json: bool) -> None:
    """Copy standard input to standard output without secrets, as it arrives; the count goes to standard error."""
    with reporting_errors(as_json=False):  # standard output is for the text
        call = invocation()
        stream = StreamRedactor(Redactor(secret_values(call.environment)))
        with writing_result() as out:
            for text in _filtered(cast("BufferedReader", call.streams.stdin.buffer), stream):
                out.buffer.write(text.encode(_ENCODING, _ERRORS))
                out.flush()
        kinds = dict(sorted(stream.kinds.items(), key=lambda kind: (-kind[1], kind[0])))
        count = RedactionCount(redactions=sum(kinds.values()), kinds=kinds)
        print_notice(count.model_dump_json() if as_json else _redacted(count))


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
