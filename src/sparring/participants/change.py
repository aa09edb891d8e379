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
from sparring.schema.changes import FileChange, Hunk, LeftOut, LineMark, NotShown, ReviewedFile
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
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    parts: tuple[tuple[int, ...], ...] = ()
    identities: set[str] = field(default_factory=set[str])
    redactions: int = 0


def selected(
    files: Sequence[ReviewedFile], left_out: Iterable[LeftOut], redactor: Redactor, query: ChangeQuery
) -> Selection:
    """Return the part of ``files`` that is shown within the limit of ``query``, without parts seen before."""
    choice = _Choice(redactor, query, Selection(left_out=list(left_out)))
    turns = sorted(range(len(files)), key=lambda place: (_turn(files[place]), place))
    for index in turns:
        choice.take(index, files[index])
    for index in turns:
        choice.take_beginning(index)
    selection, shown = choice.selection, choice.shown
    selection.files = tuple(piece for index in sorted(shown) for piece in _pieces(shown[index], query.part_bytes))
    selection.parts = tuple(_parts([_file_size(file) for file in selection.files], query.part_bytes))
    harmless = dict.fromkeys(_harmless_name(each, redactor) for each in selection.left_out)
    selection.left_out = sorted(harmless, key=lambda each: each.path)
    return selection


class _Choice:
    """Selection in progress, file by file.

    Attributes:
        shown: Each by its place in git's order.
    """

    def __init__(self, redactor: Redactor, query: ChangeQuery, selection: Selection) -> None:
        self._redactor, self._query = redactor, query
        self._limit = self._room = query.limit_kib * 1024
        self._unread = _MOST_LOOKED_THROUGH
        self._too_long: dict[int, ReviewedFile] = {}
        self.selection = selection
        self.shown: dict[int, ReviewedFile] = {}

    def take(self, index: int, file: ReviewedFile) -> None:
        """Show ``file`` if there is room for all of it."""
        length = sum(len(line) for hunk in file.hunks for line in hunk.lines)
        # The identity of parts seen before is that of their redacted text.
        needs_look = bool(self._query.seen) or _file_size(_cut(file)) <= self._room
        if length > self._unread or not (needs_look or self._is_too_long(file)):
            self._leave_out(file, NotShown.NO_ROOM)
            return
        self._unread -= length
        fresh = self._fresh(file)
        if fresh is None:
            return
        if _file_size(_cut(fresh)) > self._room:
            self._leave_out(file, NotShown.NO_ROOM)
            self._too_long |= {index: fresh} if self._is_too_long(fresh) else {}
            return
        self._show(index, fresh, fresh.hunks)

    def take_beginning(self, index: int) -> None:
        """Show of a file for which there never was room as many hunks as there is room for."""
        if (file := self._too_long.get(index)) is None:
            return
        hunks, room = list[Hunk](), self._room - _facts_size(file)
        for hunk in (piece for each in file.hunks for piece in _short(each, self._query.part_bytes)):
            room -= _size(map(_cut_hunk, [hunk]))
            if room < 0:
                break
            hunks.append(hunk)
        if hunks:
            self._show(index, file, hunks)

    def _is_too_long(self, file: ReviewedFile) -> bool:
        return _file_size(_cut(file)) > self._limit

    def _show(self, index: int, file: ReviewedFile, hunks: Sequence[Hunk]) -> None:
        whole = file.model_copy(update={"hunks": tuple(hunks)})
        short = self.shown[index] = _cut(whole)
        self._room -= _file_size(short)
        shown = [*hunks, *([None] if file.has_facts else [])]
        self.selection.identities |= {file.identity(self._query.terms, each) for each in shown}
        if any(_is_cut(line) and _is_touched(file, line) for hunk in hunks for line in hunk.lines):
            self._leave_out(file, NotShown.LONG_LINE)

    def _leave_out(self, file: ReviewedFile, why: NotShown) -> None:
        self.selection.left_out.append(LeftOut(path=file.path, why=why, facts=file.facts))

    def _fresh(self, file: ReviewedFile) -> ReviewedFile | None:
        """Return ``file`` without secrets and without parts seen before; None if nothing is left of it."""
        lines = [line for hunk in file.hunks for line in (*(f" {each}" for each in hunk.above), *hunk.lines)]
        harmless = self._redactor.redact("\n".join(line[1:] for line in lines))
        is_named_so = self._redactor.redact(f"{file.path} {file.was}").count > 0
        kept = harmless.text.split("\n")
        if is_named_so or len(kept) != max(len(lines), 1):
            self._leave_out(file, NotShown.SECRET)
            return None
        if any(_is_touched(file, line) and _hides_code(line[1:], kept[at]) for at, line in enumerate(lines)):
            self._leave_out(file, NotShown.REDACTED)
        hunks = tuple(_with_lines(file.hunks, kept))
        seen, terms = self._query.seen, self._query.terms
        clean = file.model_copy(update={"hunks": hunks})
        fresh = tuple(hunk for hunk in hunks if clean.identity(terms, hunk) not in seen)
        has_fresh_facts = file.has_facts and clean.identity(terms) not in seen
        if len(fresh) < len(hunks) or (file.has_facts and not has_fresh_facts):
            self._leave_out(file, NotShown.SEEN)
        is_fresh = bool(fresh) or has_fresh_facts
        self.selection.redactions += harmless.count if is_fresh else 0
        return clean.model_copy(update={"hunks": fresh}) if is_fresh else None


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
    at, hidden = len(first), list[str]()
    for part in others[:-1]:
        place = line.find(part, at)
        if place < 0:
            return True
        hidden.append(line[at:place])
        at = place + len(part)
    end = len(line) - len(others[-1])
    return end < at or not line.endswith(others[-1]) or any(map(_CODE.search, (*hidden, line[at:end])))


def _turn(file: ReviewedFile) -> int:
    if file.change is FileChange.DELETED:
        return 3
    if authorship.foreign_origin(file.path, {}):
        return 2
    return int(_LATER.fullmatch(file.path) is not None)


def _with_lines(hunks: Iterable[Hunk], texts: Iterable[str]) -> Iterator[Hunk]:
    """``hunks`` with ``texts``, first those of the lines above each, behind the marks that the lines have."""
    following = iter(texts)
    for hunk in hunks:
        above = tuple(next(following) for _ in hunk.above)
        lines = tuple(line[:1] + next(following) for line in hunk.lines)
        yield hunk.model_copy(update={"above": above, "lines": lines})


def _cut(file: ReviewedFile) -> ReviewedFile:
    """``file`` with a mark where a line is too long to be shown."""
    hunks = tuple(map(_cut_hunk, file.hunks))
    return file if hunks == file.hunks else file.model_copy(update={"hunks": hunks})


def _cut_hunk(hunk: Hunk) -> Hunk:
    if not any(map(_is_cut, hunk.lines)):
        return hunk
    return hunk.model_copy(update={"lines": tuple(map(_cut_line, hunk.lines))})


def _is_cut(line: str) -> bool:
    return len(line) > LONGEST_LINE


def _cut_line(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return f"{line[:LONGEST_LINE]}… [{more:,} more characters]" if more > 0 else line


def _file_size(file: ReviewedFile) -> int:
    return _facts_size(file) + _size(file.hunks)


def _facts_size(file: ReviewedFile) -> int:
    return sum(map(_line_size, file.facts)) if file.facts else 0 if file.hunks else _LINE_COSTS


def _size(hunks: Iterable[Hunk]) -> int:
    return sum(_line_size(line) for hunk in hunks for line in (*hunk.above, *hunk.lines))


def _line_size(line: str) -> int:
    return len(line.encode(errors="replace")) + _LINE_COSTS


def _pieces(file: ReviewedFile, room: int) -> Iterator[ReviewedFile]:
    """``file`` in pieces that have room in a part."""
    piece, size = list[Hunk](), 0
    for hunk in (each for whole in file.hunks for each in _short(whole, room)):
        added = _size([hunk])
        if piece and size + added > room:
            yield file.model_copy(update={"hunks": tuple(piece)})
            piece, size = [], 0
        piece.append(hunk)
        size += added
    yield file.model_copy(update={"hunks": tuple(piece)})


def _short(hunk: Hunk, room: int) -> Iterator[Hunk]:
    """``hunk``, or if it is too long for a part several that follow each other."""
    first, was_first, was, lines, size = hunk.first, hunk.was_first, hunk.was_first, list[str](), 0
    for number, mark, text in hunk.numbered:
        added = _line_size(line := f"{mark}{text}")
        if lines and size + added > room:
            yield Hunk(first=first, was_first=was_first, lines=tuple(lines), above=hunk.above)
            first, was_first, lines, size = number, was, [], 0
        lines.append(line)
        size += added
        was += mark != LineMark.ADDED
    yield Hunk(first=first, was_first=was_first, lines=tuple(lines), above=hunk.above)


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


def _harmless_name(left_out: LeftOut, redactor: Redactor) -> LeftOut:
    path = one_line(redactor.redact(left_out.path).text, _LONGEST_PATH) or "?"
    facts = tuple(one_line(redactor.redact(fact).text, _LONGEST_PATH) for fact in left_out.facts)
    return LeftOut(path=path, why=left_out.why, facts=facts)


_REMEDIES = {
    NotShown.GENERATED: ("generated file", "generated files", ""),
    NotShown.VENDORED: ("vendored file", "vendored files", ""),
    NotShown.NO_DIFF: ("file that is not compared", "files that are not compared", ""),
    NotShown.FILTERED: ("file that git stores in another form", "files that git stores in another form", ""),
    NotShown.OWN: ("record of sparring", "records of sparring", ""),
    NotShown.SEEN: ("file that was reviewed before", "files that were reviewed before", ""),
    NotShown.SUBMODULE: ("submodule", "submodules", "; review it in its own repository"),
    NotShown.BINARY: ("binary file", "binary files", "; `*.png binary` in .gitattributes of the base leaves such out"),
    NotShown.CONVERTED: (
        "file for which this change declares a filter or an encoding",
        "files for which this change declares a filter or an encoding",
        "",
    ),
    NotShown.OVERLOOKED: (
        "changed file that git is set to ignore",
        "changed files that git is set to ignore",
        "; `git update-index --no-assume-unchanged --no-skip-worktree` ends that",
    ),
    NotShown.IGNORED: ("file that only this change ignores", "files that only this change ignores", ""),
    NotShown.SECRET: (
        "file that may contain secrets",
        "files that may contain secrets",
        "; --set allow_secret_files=true shows them",
    ),
    NotShown.REDACTED: (
        "file in which what was taken for a secret may be code",
        "files in which what was taken for a secret may be code",
        "",
    ),
    NotShown.LONG_LINE: (
        f"file with a line of more than {LONGEST_LINE:,} characters",
        f"files with lines of more than {LONGEST_LINE:,} characters",
        "",
    ),
    NotShown.NO_ROOM: ("file without room", "files without room", "; --set max_kib=N makes more"),
    NotShown.UNREADABLE: ("file that cannot be read", "files that cannot be read", ""),
}


def notices(selection: Selection) -> tuple[str, ...]:
    """Return notices on omitted parts: a line for those that need no review, and one for those that lack it."""
    paths = defaultdict[NotShown, list[str]](list)
    for each in selection.left_out:
        paths[each.why].append(each.path)
    reasons = [(why, _described(why, paths[why])) for why in NotShown if paths[why]]
    excluded = "; ".join(text for why, text in reasons if not why.is_gap)
    missing = "; ".join(text for why, text in reasons if why.is_gap)
    return (
        *((f"Left out of the review: {excluded}.",) if excluded else ()),
        *((f"[WARN] Not reviewed: {missing}.",) if missing else ()),
    )


def _described(why: NotShown, paths: Sequence[str]) -> str:
    one, several, remedy = _REMEDIES[why]
    return f"{len(paths):,} {one if len(paths) == 1 else several} ({_some(paths)}{remedy})"


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMES_SHOWN:,} more" if len(paths) > _NAMES_SHOWN else ""
    return ", ".join(one_line(path, _NAME_SHOWN) for path in paths[:_NAMES_SHOWN]) + more
