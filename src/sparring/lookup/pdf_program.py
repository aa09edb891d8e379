"""A separate program: a PDF on its standard input, its text as JSON on its standard output.

It runs by itself, with limits on memory and time, because a PDF can keep its reader busy for ever. A broken one
may raise anything: then the program fails, which suffices for its caller. It imports nothing of the rest, so
that it starts quickly.
"""

import io
import json
import sys
from collections.abc import Sequence
from contextlib import suppress

from pypdf import PdfReader

MOST_PAGES = 500
"""Pages that are read: a long book, and seconds of work."""

_MEMORY_BYTES = 1024**3
_PROCESSOR_S = 30


def read_pdf(file: bytes, most_characters: int, *, most_pages: int = MOST_PAGES) -> dict[str, object]:
    """``title``, texts of the ``pages`` and ``is_whole`` of ``file``, or an ``error`` for people."""
    reader = PdfReader(io.BytesIO(file))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"error": "the PDF is protected by a password"}
    pages = reader.pages
    texts, is_whole, room = list[str](), len(pages) <= most_pages, most_characters
    for page in pages[:most_pages]:
        text = page.extract_text().strip()
        texts.append(text[:room])
        is_whole = is_whole and len(text) <= room
        room = max(0, room - len(text) - 1)
    title = str(reader.metadata.title or "") if reader.metadata else ""
    return {"title": title, "pages": texts, "is_whole": is_whole}


def main(arguments: Sequence[str]) -> None:
    """Read the PDF on the standard input; the only argument is the most characters of a text."""
    _limit()
    extracted = read_pdf(sys.stdin.buffer.read(), int(arguments[0]))
    sys.stdout.buffer.write(json.dumps(extracted).encode())


def _limit() -> None:
    if sys.platform == "win32":
        return  # without these limits, the time limit of the caller must suffice
    import resource  # noqa: PLC0415 -- Unix only

    for limited, most in ((resource.RLIMIT_AS, _MEMORY_BYTES), (resource.RLIMIT_CPU, _PROCESSOR_S)):
        with suppress(ValueError, OSError):  # lower limits of the system's stand
            resource.setrlimit(limited, (most, most))


if __name__ == "__main__":
    main(sys.argv[1:])
