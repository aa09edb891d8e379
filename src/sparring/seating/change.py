"""What of a change reviewers are shown: without secrets, without what they have seen, as much as there is room for.

Where there is not room for all, files come whole and in git's order, but tests and documentation after the code, and
what is gone last: it is in new code that a defect does harm. A small file may have room where a larger one has none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sparring.schema.review import FileChange, Hunk, LeftOut, NotShown, ReviewedFile
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


_KEY_END = re.compile(r"-----END [A-Z0-9 _-]{0,100}PRIVATE KEY")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{16}")
_KEY_LINE = 100


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
    found, shown, looked_through = Selection(left_out=list(left_out)), dict[int, ReviewedFile](), 0
    for index in sorted(range(len(files)), key=lambda place: (_turn(files[place]), place)):
        file = files[index]
        length = sum(len(line) for hunk in file.hunks for line in hunk.lines)
        # What was seen is known only of what has no secrets any more.
        if looked_through + length > _MOST_LOOKED_THROUGH or (not seen and _size(_cut(file).hunks) > room):
            found.left_out.append(LeftOut(path=file.path, why=NotShown.NO_ROOM))
            continue
        looked_through += length
        fresh = _fresh(file, redactor, seen, found)
        if fresh is None:
            continue
        short = _cut(fresh)
        if (size := _size(short.hunks)) > room:
            found.left_out.append(LeftOut(path=file.path, why=NotShown.NO_ROOM))
            continue
        room -= size
        shown[index] = short
        found.digests |= {hunk.digest(file.path) for hunk in fresh.hunks}
        found.cut += [file.path] if short != fresh else []
    found.files = tuple(piece for index in sorted(shown) for piece in _pieces(shown[index]))
    found.parts = tuple(_parts([_size(file.hunks) for file in found.files]))
    found.left_out = [_harmless_name(each, redactor) for each in found.left_out]
    return found


def _turn(file: ReviewedFile) -> int:
    return 2 if file.change is FileChange.DELETED else int(_LATER.fullmatch(file.path) is not None)


def _fresh(file: ReviewedFile, redactor: Redactor, seen: frozenset[str], found: Selection) -> ReviewedFile | None:
    """``file`` without secrets and without the hunks that were seen; None, and why, if nothing is left."""
    text = "\n".join(line[1:] for hunk in file.hunks for line in hunk.lines).replace("\0", "\ufffd")
    harmless = redactor.redact(text)
    is_named_so = redactor.redact(f"{file.path} {file.was}").count > 0
    if is_named_so or harmless.text.count("\n") != text.count("\n") or _ends_key(harmless.text):
        found.left_out.append(LeftOut(path=file.path, why=NotShown.SECRET))
        return None
    hunks = tuple(_with_lines(file.hunks, harmless.text))
    fresh = tuple(hunk for hunk in hunks if hunk.digest(file.path) not in seen)
    if len(fresh) < len(hunks):
        found.left_out.append(LeftOut(path=file.path, why=NotShown.SEEN))
    found.redactions += harmless.count if fresh else 0
    return file.model_copy(update={"hunks": fresh}) if fresh else None


def _ends_key(text: str) -> bool:
    """Whether a private key ends in ``text`` that has begun before what is shown."""
    ends = _KEY_END.finditer(text) if "PRIVATE KEY" in text else ()
    return any(_KEY_MATERIAL.search(text, max(0, end.start() - _KEY_LINE), end.start()) for end in ends)


def _with_lines(hunks: Iterable[Hunk], text: str) -> Iterator[Hunk]:
    """``hunks`` with the lines of ``text`` behind the marks that they have."""
    lines = iter(text.split("\n"))
    for hunk in hunks:
        yield Hunk(first=hunk.first, lines=tuple(line[:1] + next(lines) for line in hunk.lines))


def _cut(file: ReviewedFile) -> ReviewedFile:
    """``file`` with a mark where a line is too long to be shown."""
    if all(len(line) <= LONGEST_LINE for hunk in file.hunks for line in hunk.lines):
        return file
    hunks = (Hunk(first=hunk.first, lines=tuple(map(_cut_line, hunk.lines))) for hunk in file.hunks)
    return file.model_copy(update={"hunks": tuple(hunks)})


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
