"""Lines of bytes, as they come, each with its number. What a line says is for others to know.

Lines end at a line feed only: texts hold other characters that are taken for line ends elsewhere (U+2028).
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader

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
