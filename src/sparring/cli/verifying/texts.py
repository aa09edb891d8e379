"""``sparring verify text``: a text for people held against evidence.

Nothing is sent and nothing is kept, so that files are read wherever they lie and whatever they are called, pipes too
(``--evidence <(git show HEAD:facts.md)``), and are shown with whatever secrets are in them, as ``cat`` would show them.
"""

from collections.abc import Sequence

import typer

from sparring.app.verification import NamedText, check_text
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, reporting_errors
from sparring.cli.streams import writing_result
from sparring.cli.typed import STDIN
from sparring.errors import ExitCode, UsageError
from sparring.reports.findings import Texts, findings_lines, plain_lines, print_findings
from sparring.reports.terminal import console_on, print_plain
from sparring.schema.verification import VerifiedText
from sparring.text.tidying import for_terminal, one_line

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
