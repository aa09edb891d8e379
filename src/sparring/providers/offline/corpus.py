"""The text of a project, cut into passages of a few lines. Bounded in memory whatever the project."""

import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sparring.providers.lookup.working_tree import FILE_LIMIT

CORPUS_LIMIT = 12 * 1024 * 1024
"""Most characters that are kept. Shallow files come first, since they are the ones that explain the rest."""

_SHORTEST, _LONGEST = 6, 12
"""Lines of a passage: it ends at the first empty line after the shortest length, or at the longest."""

_MINIFIED_LINE = 1000
"""A longer line was not written by hand; it is passed over."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Some consecutive lines of a file; line numbers count from 1."""

    path: str
    first_line: int
    text: str

    @property
    def last_line(self) -> int:
        """The last line of the passage."""
        return self.first_line + self.text.count("\n")

    @property
    def searched(self) -> str:
        """The words by which it is found: a file's name says what is in it."""
        return f"{self.path}\n{self.text}"


@dataclass(frozen=True)
class Corpus:
    """What was read of a project.

    Attributes:
        passages: In the order of paths and lines.
        files_read: How many files they come from.
        files_left_out: Files that were not read: binary, unreadable, too large, or beyond the total limit.
    """

    passages: tuple[Passage, ...] = ()
    files_read: int = 0
    files_left_out: int = 0


def read_corpus(project: Path, paths: Iterable[str], *, limit: int = CORPUS_LIMIT) -> Corpus:
    """The texts of ``paths`` below ``project``, ``limit`` characters at the most."""
    passages: list[Passage] = []
    room, read, left_out = limit, 0, 0
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        text = _text(project / path) if room > 0 else None
        if text is None or len(text) > room:
            left_out += 1
            continue
        room -= len(text)
        read += 1
        passages.extend(cut(path, text))
    passages.sort(key=lambda passage: (passage.path, passage.first_line))
    return Corpus(tuple(passages), read, left_out)


def cut(path: str, text: str) -> Iterator[Passage]:
    """The passages of one file. Lines end at a line feed only, as editors and ``path:line`` count them."""
    lines = ["" if len(line) > _MINIFIED_LINE else line.removesuffix("\r") for line in text.split("\n")]
    start = 0
    for position, line in enumerate(lines, start=1):
        length = position - start
        if length == _LONGEST or (length >= _SHORTEST and not line.strip()) or position == len(lines):
            filled = [number for number in range(start, position) if lines[number].strip()]
            if filled:
                yield Passage(path, filled[0] + 1, "\n".join(lines[filled[0] : filled[-1] + 1]))
            start = position


def _text(file: Path) -> str | None:
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > FILE_LIMIT:
            return None
        content = file.read_bytes()
        return None if b"\0" in content else content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
