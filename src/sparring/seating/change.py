"""What of a change reviewers are shown: without secrets, without what they have seen, as much as there is room for.

Where there is not room for all, files come whole and in git's order, but tests and documentation after the code, and
what is gone last: it is in new code that a defect does harm. A small file may have room where a larger one has none. Of
a file for which there could never be room the beginning is shown.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sparring.schema.changes import FileChange, Hunk, LeftOut, NotShown, ReviewedFile
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line

PART_BYTES = 64 * 1024
"""Most of a change that is put to a reviewer at once."""

LONGEST_LINE = 2_000
"""Characters of a line that are shown."""

_LINE_COSTS = 8
"""Bytes of a line's number."""

_MOST_LOOKED_THROUGH = 16 * 1024 * 1024
"""Characters in which secrets are looked for."""

_NAMES_SHOWN, _NAME_SHOWN, _LONGEST_PATH = 3, 120, 1000
_LATER = re.compile(
    r"(?:.*/)?(?:(?:tests?|spec|__tests__|testdata|docs?)/.*|test_[^/]*)|"
    r".*(?:[._-](?:test|spec)\.[a-z]+|\.(?:md|rst|txt|adoc))",
    re.IGNORECASE,
)


@dataclass
class Selection:
    """What is shown of a change.

    Attributes:
        files: A file that has no room in a part stands here several times, with other hunks each time.
        digests: Of the hunks that are shown.
        redactions: Secrets that were taken out of what is shown.
        cut: Files with a line that is too long.
    """

    files: tuple[ReviewedFile, ...] = ()
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    parts: tuple[tuple[int, ...], ...] = ()
    digests: set[str] = field(default_factory=set[str])
    redactions: int = 0
    cut: list[str] = field(default_factory=list[str])


def selected(
    files: Sequence[ReviewedFile], left_out: Iterable[LeftOut], redactor: Redactor, room: int, seen: frozenset[str]
) -> Selection:
    """What of ``files`` is shown within ``room`` bytes; what was ``seen`` is not."""
    choice = _Choice(redactor, room, seen, Selection(left_out=list(left_out)))
    turns = sorted(range(len(files)), key=lambda place: (_turn(files[place]), place))
    for index in turns:
        choice.take(index, files[index])
    for index in turns:
        choice.take_beginning(index)
    found, shown = choice.found, choice.shown
    found.files = tuple(piece for index in sorted(shown) for piece in _pieces(shown[index]))
    found.parts = tuple(_parts([_size(file.hunks) for file in found.files]))
    found.left_out = sorted((_harmless_name(each, redactor) for each in found.left_out), key=lambda each: each.path)
    return found


class _Choice:
    """What is shown, while it is chosen file by file.

    Attributes:
        shown: Each by its place in git's order.
    """

    def __init__(self, redactor: Redactor, limit: int, seen: frozenset[str], found: Selection) -> None:
        self._redactor, self._seen = redactor, seen
        self._limit = self._room = limit
        self._unread = _MOST_LOOKED_THROUGH
        self._too_long: dict[int, ReviewedFile] = {}
        self.found = found
        self.shown: dict[int, ReviewedFile] = {}

    def take(self, index: int, file: ReviewedFile) -> None:
        """Show ``file`` if there is room for all of it."""
        length = sum(len(line) for hunk in file.hunks for line in hunk.lines)
        # What was seen before is known only of what has no secrets any more.
        needs_look = bool(self._seen) or _size(_cut(file).hunks) <= self._room
        if length > self._unread or not (needs_look or self._is_too_long(file)):
            self._leave_out(file, NotShown.NO_ROOM)
            return
        self._unread -= length
        fresh = self._fresh(file)
        if fresh is None:
            return
        if _size(_cut(fresh).hunks) > self._room:
            self._leave_out(file, NotShown.NO_ROOM)
            self._too_long |= {index: fresh} if self._is_too_long(fresh) else {}
            return
        self._show(index, fresh, fresh.hunks)

    def take_beginning(self, index: int) -> None:
        """Show of a file for which there never was room as many hunks as there is room for."""
        if (file := self._too_long.get(index)) is None:
            return
        hunks, room = list[Hunk](), self._room
        for hunk in (piece for each in file.hunks for piece in _short(each)):
            room -= _size(map(_cut_hunk, [hunk]))
            if room < 0:
                break
            hunks.append(hunk)
        if hunks:
            self._show(index, file, hunks)

    def _is_too_long(self, file: ReviewedFile) -> bool:
        return _size(_cut(file).hunks) > self._limit

    def _show(self, index: int, file: ReviewedFile, hunks: Sequence[Hunk]) -> None:
        whole = file.model_copy(update={"hunks": tuple(hunks)})
        short = self.shown[index] = _cut(whole)
        self._room -= _size(short.hunks)
        self.found.digests |= {hunk.digest(file.path) for hunk in hunks}
        self.found.cut += [file.path] if short != whole else []

    def _leave_out(self, file: ReviewedFile, why: NotShown) -> None:
        self.found.left_out.append(LeftOut(path=file.path, why=why))

    def _fresh(self, file: ReviewedFile) -> ReviewedFile | None:
        """``file`` without secrets and without the hunks that were seen; None if nothing is left of it."""
        text = "\n".join(line[1:] for hunk in file.hunks for line in hunk.lines).replace("\0", "\ufffd")
        harmless = self._redactor.redact(text)
        is_named_so = self._redactor.redact(f"{file.path} {file.was}").count > 0
        if is_named_so or harmless.text.count("\n") != text.count("\n"):
            self._leave_out(file, NotShown.SECRET)
            return None
        hunks = tuple(_with_lines(file.hunks, harmless.text))
        fresh = tuple(hunk for hunk in hunks if hunk.digest(file.path) not in self._seen)
        if len(fresh) < len(hunks):
            self._leave_out(file, NotShown.SEEN)
        self.found.redactions += harmless.count if fresh else 0
        return file.model_copy(update={"hunks": fresh}) if fresh else None


def _turn(file: ReviewedFile) -> int:
    return 2 if file.change is FileChange.DELETED else int(_LATER.fullmatch(file.path) is not None)


def _with_lines(hunks: Iterable[Hunk], text: str) -> Iterator[Hunk]:
    """``hunks`` with the lines of ``text`` behind the marks that they have."""
    lines = iter(text.split("\n"))
    for hunk in hunks:
        yield Hunk(first=hunk.first, lines=tuple(line[:1] + next(lines) for line in hunk.lines))


def _cut(file: ReviewedFile) -> ReviewedFile:
    """``file`` with a mark where a line is too long to be shown."""
    hunks = tuple(map(_cut_hunk, file.hunks))
    return file if hunks == file.hunks else file.model_copy(update={"hunks": hunks})


def _cut_hunk(hunk: Hunk) -> Hunk:
    if all(len(line) <= LONGEST_LINE for line in hunk.lines):
        return hunk
    return Hunk(first=hunk.first, lines=tuple(map(_cut_line, hunk.lines)))


def _cut_line(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return f"{line[:LONGEST_LINE]}… [{more:,} more characters]" if more > 0 else line


def _size(hunks: Iterable[Hunk]) -> int:
    return sum(_line_size(line) for hunk in hunks for line in hunk.lines)


def _line_size(line: str) -> int:
    return len(line.encode(errors="replace")) + _LINE_COSTS


def _pieces(file: ReviewedFile) -> Iterator[ReviewedFile]:
    """``file`` in pieces that have room in a part."""
    piece, size = list[Hunk](), 0
    for hunk in (each for whole in file.hunks for each in _short(whole)):
        added = _size([hunk])
        if piece and size + added > PART_BYTES:
            yield file.model_copy(update={"hunks": tuple(piece)})
            piece, size = [], 0
        piece.append(hunk)
        size += added
    yield file.model_copy(update={"hunks": tuple(piece)})


def _short(hunk: Hunk) -> Iterator[Hunk]:
    """``hunk``, or if it is too long for a part several that follow each other."""
    first, lines, size = hunk.first, list[str](), 0
    for number, mark, text in hunk.numbered:
        added = _line_size(line := f"{mark}{text}")
        if lines and size + added > PART_BYTES:
            yield Hunk(first=first, lines=tuple(lines))
            first, lines, size = number, [], 0
        lines.append(line)
        size += added
    yield Hunk(first=first, lines=tuple(lines))


def _parts(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    part, total = list[int](), 0
    for index, size in enumerate(sizes):
        if part and total + size > PART_BYTES:
            yield tuple(part)
            part, total = [], 0
        part.append(index)
        total += size
    if part:
        yield tuple(part)


def _harmless_name(left_out: LeftOut, redactor: Redactor) -> LeftOut:
    return LeftOut(path=one_line(redactor.redact(left_out.path).text, _LONGEST_PATH) or "?", why=left_out.why)


_TOLD = {
    NotShown.SUBMODULE: ("submodule", "submodules", ""),
    NotShown.BINARY: ("binary file", "binary files", ""),
    NotShown.MODE: ("file of which no line has changed", "files of which no line has changed", ""),
    NotShown.GENERATED: ("generated file", "generated files", ""),
    NotShown.VENDORED: ("vendored file", "vendored files", ""),
    NotShown.SEEN: ("file that was reviewed before", "files that were reviewed before", ""),
    NotShown.SECRET: ("file that may hold secrets", "files that may hold secrets", "; --allow-secret-files shows them"),
    NotShown.NO_ROOM: ("file without room", "files without room", "; --limit makes more"),
    NotShown.UNREADABLE: ("file that cannot be read", "files that cannot be read", ""),
}


def notices(found: Selection) -> tuple[str, ...]:
    """What people should know of what is not shown, a line each for what they need not mind and for what is missing."""
    paths = defaultdict[NotShown, list[str]](list)
    for each in found.left_out:
        paths[each.why].append(each.path)
    told = [(why, _told(why, paths[why])) for why in NotShown if paths[why]]
    unminded = "; ".join(text for why, text in told if not why.is_gap)
    missing = "; ".join(text for why, text in told if why.is_gap)
    return (
        *((f"Left out of the review: {unminded}.",) if unminded else ()),
        *((f"[WARN] Not reviewed: {missing}.",) if missing else ()),
        *(
            (f"[WARN] Lines of more than {LONGEST_LINE:,} characters are cut: {_some(found.cut)}.",)
            if found.cut
            else ()
        ),
    )


def _told(why: NotShown, paths: Sequence[str]) -> str:
    one, several, remedy = _TOLD[why]
    return f"{len(paths):,} {one if len(paths) == 1 else several} ({_some(paths)}{remedy})"


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMES_SHOWN:,} more" if len(paths) > _NAMES_SHOWN else ""
    return ", ".join(one_line(path, _NAME_SHOWN) for path in paths[:_NAMES_SHOWN]) + more
