"""``sparring redact``: a filter that takes secrets out of anybody's logs."""

import codecs
from collections.abc import Iterator
from io import BufferedReader
from typing import cast

from pydantic import BaseModel, ConfigDict

from sparring.cli.invocation import invocation
from sparring.cli.printing import reporting_errors, say
from sparring.cli.streams import writing_result
from sparring.text.redaction import Redactor, StreamRedactor, secret_values

_CHUNK = 1 << 18
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
        say(count.model_dump_json() if as_json else _sentence(count))


def _filtered(source: BufferedReader, stream: StreamRedactor) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(_ENCODING)(_ERRORS)
    while chunk := source.read1(_CHUNK):
        yield stream.feed(decoder.decode(chunk))
    yield stream.feed(decoder.decode(b"", final=True)) + stream.finish()


def _sentence(count: RedactionCount) -> str:
    if not count.redactions:
        return "No secrets redacted."
    kinds = ", ".join(f"{number} {kind}" for kind, number in count.kinds.items())
    return f"{count.redactions} secret{'' if count.redactions == 1 else 's'} redacted: {kinds}."
