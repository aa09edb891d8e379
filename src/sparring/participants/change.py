"""Choice of the changed files that reviewers see: without secrets, without files seen before, within a budget.

If the budget is too small for all, files come whole and in git's order, but tests and documentation after the code,
then files that are rarely written by hand, and removed files last: a defect does harm in new code. A small file may fit
where a larger one does not. A file that exceeds the whole budget is shown from its beginning. Everything left out
is named.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from sparring.participants.seats import ChangeQuery
from sparring.schema.changes import ExcludedFile, ExclusionReason, FileChange, Hunk, LineMark, ReviewedFile
from sparring.text import authorship
from sparring.text.redaction import Redactor
from sparring.text.secret_shapes import MARKER
from sparring.text.tidying import one_line

LONGEST_LINE = 20_000
"""Characters of a line that are shown."""

_CODE = re.compile(r"[\s;(){}<>|&`]")
"""Characters that a secret hardly holds, and that code does which hides behind one."""

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


class Selection(Struct):
    """Selected part of a change.

    Attributes:
        files: A file that does not fit into a part occurs here several times, with other hunks each time.
        identities: Of the hunks and facts that are shown.
        redactions: Secrets that were removed from it.
    """

    files: tuple[ReviewedFile, ...] = ()
    left_out: list[ExcludedFile] = field(default_factory=list[ExcludedFile])
    parts: tuple[tuple[int, ...], ...] = ()
    identities: set[str] = field(default_factory=set[str])
    redactions: int = 0


def selected(
    files: Sequence[ReviewedFile], left_out: Iterable[ExcludedFile], redactor: Redactor, query: ChangeQuery
) -> Selection:
    """Return the part of ``files`` that is shown within the limit of ``query``, without parts seen before."""
    choice = _Choice(redactor, query, Selection(left_out=list(left_out)))
    by_priority = sorted(range(len(files)), key=lambda index: (_priority(files[index]), index))
    for index in by_priority:
        choice.take(index, files[index])
    for index in by_priority:
        choice.take_beginning(index)
    selection = choice.selection
    pieces: list[ReviewedFile] = []
    for _, file in sorted(choice.shown.items()):  # in git's order again
        pieces += _pieces(file, query.part_bytes)
    selection.files = tuple(pieces)
    selection.parts = tuple(_parts([_file_size(piece) for piece in pieces], query.part_bytes))
    redacted = dict.fromkeys(_with_redacted_name(each, redactor) for each in selection.left_out)
    selection.left_out = sorted(redacted, key=lambda each: each.path)
    return selection


class _Choice:
    """Selection in progress, file by file.

    Attributes:
        shown: Each by its place in git's order.
    """

    def __init__(self, redactor: Redactor, query: ChangeQuery, selection: Selection) -> None:
        self._redactor = redactor
        self._query = query
        self._limit = query.limit_kib * 1024
        self._room = self._limit
        self._unread = _MOST_LOOKED_THROUGH
        self._too_long: dict[int, ReviewedFile] = {}
        self.selection = selection
        self.shown: dict[int, ReviewedFile] = {}

    def take(self, index: int, file: ReviewedFile) -> None:
        """Show ``file`` if there is room for all of it."""
        length = sum(len(line) for hunk in file.hunks for line in hunk.lines)
        size = _file_size(_cut(file))
        # The search for secrets is slow, so it is left out where nothing of the file can be shown: it neither has room,
        # nor exceeds the whole budget (then its beginning is shown), nor can parts of it have been seen before.
        may_be_shown = size <= self._room or size > self._limit or bool(self._query.seen)
        if length > self._unread or not may_be_shown:
            self._leave_out(file, ExclusionReason.NO_ROOM)
            return
        self._unread -= length
        fresh = self._fresh(file)
        if fresh is None:
            return
        size = _file_size(_cut(fresh))
        if size <= self._room:
            self._show(index, fresh, fresh.hunks)
            return
        self._leave_out(file, ExclusionReason.NO_ROOM)
        if size > self._limit:
            self._too_long[index] = fresh

    def take_beginning(self, index: int) -> None:
        """Show the first hunks of a file that exceeds the whole budget, as many as there is room for."""
        file = self._too_long.get(index)
        if file is None:
            return
        hunks: list[Hunk] = []
        room = self._room - _facts_size(file)
        for hunk in _all_short(file.hunks, self._query.part_bytes):
            room -= _size([_cut_hunk(hunk)])
            if room < 0:
                break
            hunks.append(hunk)
        if hunks:
            self._show(index, file, hunks)

    def _show(self, index: int, file: ReviewedFile, hunks: Sequence[Hunk]) -> None:
        cut = _cut(file.model_copy(update={"hunks": tuple(hunks)}))
        self.shown[index] = cut
        self._room -= _file_size(cut)
        terms = self._query.terms
        self.selection.identities |= {file.identity(terms, hunk) for hunk in hunks}
        if file.has_facts:
            self.selection.identities.add(file.identity(terms))
        if any(_is_cut(line) and _is_touched(file, line) for hunk in hunks for line in hunk.lines):
            self._leave_out(file, ExclusionReason.LONG_LINE)

    def _leave_out(self, file: ReviewedFile, why: ExclusionReason) -> None:
        self.selection.left_out.append(ExcludedFile(path=file.path, reason=why, facts=file.facts))

    def _fresh(self, file: ReviewedFile) -> ReviewedFile | None:
        """Return ``file`` without secrets and without parts seen before; None if nothing is left of it."""
        lines: list[str] = []  # with their marks; those above a hunk have none
        for hunk in file.hunks:
            lines += [f" {text}" for text in hunk.above]
            lines += hunk.lines
        # All lines in one text: a secret may have several lines.
        redacted = self._redactor.redact("\n".join(line[1:] for line in lines))
        redacted_lines = redacted.text.split("\n")
        has_secret_name = self._redactor.redact(f"{file.path} {file.old_path}").count > 0
        if has_secret_name or len(redacted_lines) != max(len(lines), 1):  # then the lines can no longer be told apart
            self._leave_out(file, ExclusionReason.SECRET)
            return None
        for line, redacted_line in zip(lines, redacted_lines, strict=False):
            if _is_touched(file, line) and _hides_code(line[1:], redacted_line):
                self._leave_out(file, ExclusionReason.REDACTED)
                break

        hunks = tuple(_with_lines(file.hunks, redacted_lines))
        clean = file.model_copy(update={"hunks": hunks})
        seen, terms = self._query.seen, self._query.terms
        fresh = tuple(hunk for hunk in hunks if clean.identity(terms, hunk) not in seen)
        has_fresh_facts = file.has_facts and clean.identity(terms) not in seen
        if len(fresh) < len(hunks) or (file.has_facts and not has_fresh_facts):
            self._leave_out(file, ExclusionReason.SEEN)
        if not fresh and not has_fresh_facts:
            return None
        self.selection.redactions += redacted.count
        return clean.model_copy(update={"hunks": fresh})


def _is_touched(file: ReviewedFile, line: str) -> bool:
    return not line.startswith(LineMark.KEPT) or file.change is FileChange.WHOLE


def _hides_code(line: str, redacted: str) -> bool:
    """Return whether the removed part of ``line`` may be more than a secret.

    Where the remaining parts occur in it several times, it does not matter which are meant: the same characters are
    missing.
    """
    if line == redacted:
        return False
    first, *others = MARKER.split(redacted)
    if not others or not line.startswith(first):
        return True
    *middle, last = others
    start = len(first)
    hidden: list[str] = []
    for part in middle:
        place = line.find(part, start)
        if place < 0:
            return True
        hidden.append(line[start:place])
        start = place + len(part)
    end = len(line) - len(last)
    if end < start or not line.endswith(last):
        return True
    hidden.append(line[start:end])
    return any(_CODE.search(text) for text in hidden)


def _priority(file: ReviewedFile) -> int:
    """Return the rank of a file: code first, then tests and documents, then generated files, then removed ones."""
    if file.change is FileChange.DELETED:
        return 3
    if authorship.foreign_origin(file.path, {}):
        return 2
    return int(_LATER.fullmatch(file.path) is not None)


def _with_lines(hunks: Iterable[Hunk], texts: Iterable[str]) -> Iterator[Hunk]:
    """Yield ``hunks`` with other ``texts`` of their lines, first the lines above each; the marks stay."""
    remaining = iter(texts)
    for hunk in hunks:
        above = tuple(next(remaining) for _ in hunk.above)
        lines = tuple(line[:1] + next(remaining) for line in hunk.lines)
        yield hunk.model_copy(update={"above": above, "lines": lines})


def _cut(file: ReviewedFile) -> ReviewedFile:
    """Return ``file`` with a mark where a line is too long to be shown."""
    hunks = tuple(map(_cut_hunk, file.hunks))
    return file if hunks == file.hunks else file.model_copy(update={"hunks": hunks})


def _cut_hunk(hunk: Hunk) -> Hunk:
    if not any(map(_is_cut, hunk.lines)):
        return hunk
    return hunk.model_copy(update={"lines": tuple(map(_cut_line, hunk.lines))})


def _is_cut(line: str) -> bool:
    return len(line) > LONGEST_LINE


def _cut_line(line: str) -> str:
    if not _is_cut(line):
        return line
    return f"{line[:LONGEST_LINE]}… [{len(line) - LONGEST_LINE:,} more characters]"


def _file_size(file: ReviewedFile) -> int:
    return _facts_size(file) + _size(file.hunks)


def _facts_size(file: ReviewedFile) -> int:
    if file.facts:
        return sum(map(_line_size, file.facts))
    return 0 if file.hunks else _LINE_COSTS  # a file without either is shown by its name alone


def _size(hunks: Iterable[Hunk]) -> int:
    return sum(_line_size(line) for hunk in hunks for line in (*hunk.above, *hunk.lines))


def _line_size(line: str) -> int:
    return len(line.encode(errors="replace")) + _LINE_COSTS


def _pieces(file: ReviewedFile, room: int) -> Iterator[ReviewedFile]:
    """Yield ``file`` in pieces that have room in a part."""
    piece: list[Hunk] = []
    size = 0
    for hunk in _all_short(file.hunks, room):
        added = _size([hunk])
        if piece and size + added > room:
            yield file.model_copy(update={"hunks": tuple(piece)})
            piece, size = [], 0
        piece.append(hunk)
        size += added
    yield file.model_copy(update={"hunks": tuple(piece)})


def _all_short(hunks: Iterable[Hunk], room: int) -> Iterator[Hunk]:
    for hunk in hunks:
        yield from _short(hunk, room)


def _short(hunk: Hunk, room: int) -> Iterator[Hunk]:
    """Yield ``hunk``, or if it is too long for a part several that follow each other."""
    first, was_first = hunk.first, hunk.old_first
    lines: list[str] = []
    size = 0
    was_number = hunk.old_first  # number of the present line in the file before the change
    for number, mark, text in hunk.numbered:
        line = f"{mark}{text}"
        added = _line_size(line)
        if lines and size + added > room:
            yield Hunk(first=first, old_first=was_first, lines=tuple(lines), above=hunk.above)
            first, was_first, lines, size = number, was_number, [], 0
        lines.append(line)
        size += added
        if mark != LineMark.ADDED:
            was_number += 1
    yield Hunk(first=first, old_first=was_first, lines=tuple(lines), above=hunk.above)


def _parts(sizes: Sequence[int], room: int) -> Iterator[tuple[int, ...]]:
    part, total = list[int](), 0
    for index, size in enumerate(sizes):
        if part and total + size > room:
            yield tuple(part)
            part, total = [], 0
        part.append(index)
        total += size
    if part:
        yield tuple(part)


def _with_redacted_name(left_out: ExcludedFile, redactor: Redactor) -> ExcludedFile:
    path = one_line(redactor.redact(left_out.path).text, _LONGEST_PATH) or "?"
    facts = tuple(one_line(redactor.redact(fact).text, _LONGEST_PATH) for fact in left_out.facts)
    return ExcludedFile(path=path, reason=left_out.reason, facts=facts)


_REMEDIES = {
    ExclusionReason.GENERATED: ("generated file", "generated files", ""),
    ExclusionReason.VENDORED: ("vendored file", "vendored files", ""),
    ExclusionReason.NO_DIFF: ("file that is not compared", "files that are not compared", ""),
    ExclusionReason.FILTERED: ("file that git stores in another form", "files that git stores in another form", ""),
    ExclusionReason.OWN: ("record of sparring", "records of sparring", ""),
    ExclusionReason.SEEN: ("file that was reviewed before", "files that were reviewed before", ""),
    ExclusionReason.SUBMODULE: ("submodule", "submodules", "; review it in its own repository"),
    ExclusionReason.BINARY: (
        "binary file",
        "binary files",
        "; `*.png binary` in .gitattributes of the base leaves such out",
    ),
    ExclusionReason.CONVERTED: (
        "file for which this change declares a filter or an encoding",
        "files for which this change declares a filter or an encoding",
        "",
    ),
    ExclusionReason.OVERLOOKED: (
        "changed file that git is set to ignore",
        "changed files that git is set to ignore",
        "; `git update-index --no-assume-unchanged --no-skip-worktree` ends that",
    ),
    ExclusionReason.IGNORED: ("file that only this change ignores", "files that only this change ignores", ""),
    ExclusionReason.SECRET: (
        "file that may contain secrets",
        "files that may contain secrets",
        "; --set allow_secret_files=true shows them",
    ),
    ExclusionReason.REDACTED: (
        "file in which what was taken for a secret may be code",
        "files in which what was taken for a secret may be code",
        "",
    ),
    ExclusionReason.LONG_LINE: (
        f"file with a line of more than {LONGEST_LINE:,} characters",
        f"files with lines of more than {LONGEST_LINE:,} characters",
        "",
    ),
    ExclusionReason.NO_ROOM: ("file without room", "files without room", "; --set max_kib=N makes more"),
    ExclusionReason.UNREADABLE: ("file that cannot be read", "files that cannot be read", ""),
}


def notices(selection: Selection) -> tuple[str, ...]:
    """Return notices on omitted parts: a line for those that need no review, and one for those that lack it."""
    paths = defaultdict[ExclusionReason, list[str]](list)
    for left_out in selection.left_out:
        paths[left_out.reason].append(left_out.path)
    excluded: list[str] = []
    missing: list[str] = []
    for why in ExclusionReason:
        if why in paths:
            (missing if why.is_gap else excluded).append(_described(why, paths[why]))
    lines: list[str] = []
    if excluded:
        lines.append(f"Left out of the review: {'; '.join(excluded)}.")
    if missing:
        lines.append(f"[WARN] Not reviewed: {'; '.join(missing)}.")
    return tuple(lines)


def _described(why: ExclusionReason, paths: Sequence[str]) -> str:
    one, several, remedy = _REMEDIES[why]
    return f"{len(paths):,} {one if len(paths) == 1 else several} ({_some(paths)}{remedy})"


def _some(paths: Sequence[str]) -> str:
    names = ", ".join(one_line(path, _NAME_SHOWN) for path in paths[:_NAMES_SHOWN])
    more = f" and {len(paths) - _NAMES_SHOWN:,} more" if len(paths) > _NAMES_SHOWN else ""
    return names + more
