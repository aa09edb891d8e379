"""Differences as git writes them, read into files and hunks.

A hunk states its number of lines, so that no text of a file can be taken for the next hunk or file. A line
ends with a line feed and nothing else: form feeds and other separators are text.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct

from sparring.schema.changes import Hunk
from sparring.text import source_lines


class DiffError(ValueError):
    """A text that is no difference in git's form; the message names the line."""


class FileDiff(Struct, frozen=True):
    """Changes to one file in a difference.

    Attributes:
        path: Its new name, or the old one of a removed file.
        old_path: Its old name; None of a new file.
        is_deleted: Whether it was removed.
        is_binary: Whether it differs, but not in lines.
        is_text: Whether its hunks are those of a text.
        unended: The marks of the lines that have no line end, which only the last one of a file may lack.
    """

    path: str
    old_path: str | None
    is_deleted: bool = False
    is_binary: bool = False
    hunks: tuple[Hunk, ...] = ()
    is_text: bool = True
    unended: frozenset[str] = frozenset()


_FILE, _HUNK = "diff --git ", "@@ "
_HEADER = (
    *("old mode ", "new mode ", "new file mode ", "deleted file mode ", "similarity index ", "dissimilarity index "),
    *("rename from ", "rename to ", "copy from ", "copy to ", "index ", "--- ", "+++ ", "Binary files "),
)
"""Beginnings of the lines between the name of a file and its hunks."""
_COUNTS = re.compile(r"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


def read_diff(text: str) -> tuple[FileDiff, ...]:
    """Return the files of the difference ``text``, decoded with ``surrogateescape``, in order; raises ``DiffError``."""
    return tuple(_Reading(text).files())


class _Reading:
    """One pass over the lines of a difference."""

    def __init__(self, text: str) -> None:
        self._lines = text.removesuffix("\n").split("\n") if text else []
        self._at = 0
        self._read = 0
        self._unended = dict[int, str]()

    def files(self) -> Iterator[FileDiff]:
        while self._at < len(self._lines):
            header = list(self._header())
            self._read = 0
            self._unended.clear()
            hunks = list(self._hunks())
            yield _described(header, hunks, self._unended)

    def _next(self) -> str | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    def _header(self) -> Iterator[str]:
        first = self._lines[self._at]
        if not first.startswith(_FILE):
            raise DiffError(f"Line {self._at + 1} of the difference belongs to no file.")
        yield first
        self._at += 1
        is_packed = False
        while (line := self._next()) is not None and not line.startswith((_FILE, _HUNK)):
            is_packed = is_packed or line == "GIT binary patch"
            if not is_packed and not line.startswith(_HEADER):
                raise DiffError(f"Line {self._at + 1} of the difference names no file.")
            self._at += 1
            yield line

    def _hunks(self) -> Iterator[Hunk]:
        while (line := self._next()) is not None and line.startswith(_HUNK):
            counts = _COUNTS.match(line)
            if counts is None:
                raise DiffError(f"Line {self._at + 1} of the difference begins a hunk without numbers.")
            self._at += 1
            # A count that is left out is 1.
            old_first, old, first, new = (1 if count is None else int(count) for count in counts.groups())
            lines = tuple(self._counted(old, new))
            if not lines:
                raise DiffError(f"The hunk before line {self._at + 1} of the difference is empty.")
            if new == 0:
                first += 1  # where no line is left, git names the line before
            yield Hunk(first=max(first, 1), old_first=old_first, lines=lines)

    def _counted(self, old: int, new: int) -> Iterator[str]:
        """Yield the lines of a hunk with ``old`` lines before the change and ``new`` ones after it."""
        before = ""
        while (line := self._next()) is not None and (old > 0 or new > 0 or line.startswith("\\")):
            mark = line[:1]
            if mark in (" ", "-"):
                old -= 1
            if mark in (" ", "+"):
                new -= 1
            if mark not in (" ", "-", "+", "\\") or min(old, new) < 0:
                raise DiffError(f"Line {self._at + 1} of the difference does not belong to its hunk.")
            self._at += 1
            if mark == "\\":  # "\ No newline at end of file" is about the line before it
                self._unended[self._read - 1] = before
            else:
                before = mark
                self._read += 1
                yield line
        if old or new:
            raise DiffError("The difference ends within a hunk.")


def _described(header: list[str], hunks: list[Hunk], unended: Mapping[int, str]) -> FileDiff:
    """Return the changes to the file that ``header`` is about; raises ``DiffError`` where it names none."""
    is_new = is_deleted = is_binary = False
    names = dict[str, str]()
    for line in header:
        is_new = is_new or line.startswith("new file mode ")
        is_deleted = is_deleted or line.startswith("deleted file mode ")
        is_binary = is_binary or line.startswith(("Binary files ", "GIT binary patch"))
        for word in ("rename from ", "rename to ", "copy from ", "copy to ", "--- ", "+++ "):
            if line.startswith(word):
                names[word] = line.removeprefix(word)

    # git names a file up to three times; the first line is ambiguous where a name has spaces.
    old_path = names.get("rename from ", names.get("copy from "))
    path = names.get("rename to ", names.get("copy to "))
    if old_path is not None and path is not None:
        old_path, path = _plain(old_path), _plain(path)
    elif "--- " in names and "+++ " in names:
        old_path, path = _without_prefix(names["--- "], "a/"), _without_prefix(names["+++ "], "b/")
    else:
        old_path = path = _named_twice(header[0].removeprefix(_FILE))
    known_path = old_path if path is None or is_deleted else path
    if not known_path:
        raise DiffError("The diff has a file without a name.")

    # All lines of the file are looked at together: whether it is text is no question of a single hunk.
    lines = [line for hunk in hunks for line in hunk.lines]
    shown_lines = iter(source_lines.shown_lines(lines, unended))
    shown_hunks = list[Hunk]()
    for hunk in hunks:
        lines_of_hunk = tuple(islice(shown_lines, len(hunk.lines)))
        shown_hunks.append(hunk.model_copy(update={"lines": lines_of_hunk}))
    return FileDiff(
        path=known_path,
        old_path=None if is_new else old_path,
        is_deleted=is_deleted,
        is_binary=is_binary,
        hunks=tuple(shown_hunks),
        is_text=source_lines.is_text(lines),
        unended=frozenset(unended.values()),
    )


def _without_prefix(spelled: str, prefix: str) -> str | None:
    return None if spelled == "/dev/null" else _plain(spelled.removesuffix("\t")).removeprefix(prefix)


def _named_twice(names: str) -> str:
    """Return the name in ``a/NAME b/NAME``, which may have spaces; where the two differ, other lines state them."""
    if quoted := _QUOTED.match(names):
        return _plain(quoted[0]).removeprefix("a/")
    length = (len(names) - len("a/ b/")) // 2
    name = names[2 : 2 + length]
    if names != f"a/{name} b/{name}":
        raise DiffError("The diff has a file without a name.")
    return name


def _plain(spelled: str) -> str:
    """Return a name that may be quoted as in C, its bytes in octal."""
    quoted = _QUOTED.fullmatch(spelled)
    if quoted is None:
        return spelled
    text = quoted[1]
    content, done = bytearray(), 0
    for escape in _ESCAPE.finditer(text):
        content += text[done : escape.start()].encode(errors="replace")
        code = escape[1]
        if len(code) == 3:
            content.append(int(code, 8) & 0xFF)
        else:
            content += _LETTERS.get(code, code).encode(errors="replace")
        done = escape.end()
    content += text[done:].encode(errors="replace")
    return content.decode(errors="replace")
