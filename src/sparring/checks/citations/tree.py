"""Findings about a working tree, the definitions in a source text, and the interface of a lookup.

Definitions are recognised by the form of lines and their indentation, for common languages: no parser knows
them all, and a snippet that no parser accepts is still cited. Each occurrence of a name is examined once, with a
bound.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Protocol
from unicodedata import normalize

from msgspec import Struct, field

from sparring.schema.lookups import CitationStatus, CommitPresence, FileRemoval


class CitationFinding(Struct, frozen=True):
    """Status of a citation after the look-up, with its reason in a few words."""

    status: CitationStatus
    reason: str


def verified(reason: str) -> CitationFinding:
    """Return the finding that the place exists and supports the citation."""
    return CitationFinding(CitationStatus.VERIFIED, reason)


def exists(reason: str) -> CitationFinding:
    """Return the finding that the place exists; its support is not shown."""
    return CitationFinding(CitationStatus.EXISTS, reason)


def not_found(reason: str) -> CitationFinding:
    """It is not there."""
    return CitationFinding(CitationStatus.NOT_FOUND, reason)


def unchecked(reason: str) -> CitationFinding:
    """Return the finding that it cannot be decided, or was not looked up."""
    return CitationFinding(CitationStatus.UNCHECKED, reason)


DEFINING_WORDS = (
    *("def", "class", "function", "func", "fn", "struct", "enum", "trait", "interface", "type", "module", "namespace"),
    *("protocol", "object", "record", "const", "let", "var", "impl", "mod", "union", "fun", "extension"),
)
CLASS_WORDS = frozenset(
    {"class", "struct", "enum", "trait", "interface", "type", "module", "namespace", "protocol", "object", "record"}
    | {"impl", "mod", "union", "extension"}
)

_REACH = 300
"""Most characters of a line that are read on either side of a name."""

_MODIFIERS = (
    "abstract|async|data|declare|default|export|extern|final|inline|internal|open|override|partial|private|protected|"
    r"pub(?:\([a-z]+\))?|public|readonly|sealed|static|suspend|unsafe|virtual"
)
_KEYWORD = re.compile(
    rf"\s*(?:(?:{_MODIFIERS})\s+)*({'|'.join(DEFINING_WORDS)})(?:<[^<>]*>)?\s+(?:\([^()]*\)\s*|self\.|[*&])?\Z"
)
"""Before the name; between the two Go has its receiver, and Ruby the class itself."""

_RECEIVER = re.compile(r"\s*func\s+\([^()]*?(\w+)\)\s+\Z")

_IMPL_FOR = re.compile(r"\s*impl\b[^{]*\bfor\s+\Z")
_OWN = re.compile(r"[ \t]*(?:(?:self|this|cls)\.|@)?\Z")
_ASSIGNED = re.compile(r"\s*(?::(?!:|=)|\s=(?!=))")
_MODIFIED = re.compile(r"[ \t]*(?:[\w<>\[\]*&.,:?]+[ \t]+)*\Z")
_NO_MODIFIER = re.compile(r"[ \t]*(?:return|await|yield|else|new|throw|raise|case|if|while|for|in|not|and|or|assert)\b")
_IMPORTING = re.compile(r"\s*(?:from\s+\S+\s+)?(?:import|use|export)\b|[^#]*\brequire\(")
_IN_A_LIST = re.compile(r"[ \t]*[\"']?\Z")
_LIST_ENTRY = re.compile(r"[\"']?,?[ \t]*\Z")
_CLOSING = (")", "]", "}")


class Definition(Struct, frozen=True):
    """A definition of a name.

    Attributes:
        line: Its first line, from 1.
        end_line: The last line of its block.
        is_class: Whether it may have members.
        heading: Its first line after the name, which lists bases.
    """

    line: int
    end_line: int
    is_class: bool
    heading: str


class SourceText:
    """The text of one file of code.

    Attributes:
        is_whole: It is all of the file; otherwise its beginning, and the rest is too long to be read.
    """

    def __init__(self, text: str, *, is_whole: bool = True) -> None:
        self.text, self.is_whole = text, is_whole

    def limited_by_reading(self, finding: CitationFinding) -> CitationFinding:
        """Return the finding, or "unchecked" if only the beginning of the file was read and the text is not in it."""
        if self.is_whole or finding.status.exists:
            return finding
        return unchecked("it is not in the beginning of the file, which is too long to be read")

    @cached_property
    def lines(self) -> list[str]:
        """Its lines; text after the last line feed is one, even if it is empty."""
        return self.text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def line_at(self, offset: int) -> int:
        """The number of the line in which ``offset`` is, from 1."""
        return bisect_right(self._starts, offset)

    def holds(self, name: str) -> bool:
        """Return whether ``name`` stands anywhere as a whole word."""
        return next(self.occurrences(name), None) is not None

    def occurrences(self, name: str) -> Iterator[int]:
        """Yield the offsets at which ``name`` occurs as a whole word."""
        return (match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", self.text))

    def definitions(self, name: str) -> Iterator[Definition]:
        """Every definition of ``name`` by a word for that: a class, a function, a constant."""
        for offset in self.occurrences(name):
            before, behind = self._around(offset, name)
            keyword = _KEYWORD.match(before)
            if keyword or _IMPL_FOR.match(before):
                number = self.line_at(offset)
                is_class = keyword is None or keyword[1] in CLASS_WORDS
                yield Definition(number, self._block_end(number), is_class, behind)

    def has_member(self, name: str, first: int, last: int) -> bool:
        """Return whether a line from ``first`` to ``last`` defines ``name``: a function, a field or an attribute."""
        for offset in self.occurrences(name):
            if first <= self.line_at(offset) <= last and self._is_defined(offset, name):
                return True
        return False

    def has_method_of(self, receiver: str, name: str) -> bool:
        """Return whether it defines a method as in Go, apart from the type that it belongs to."""
        for offset in self.occurrences(name):
            before, _ = self._around(offset, name)
            match = _RECEIVER.match(before)
            if match and match[1] == receiver:
                return True
        return False

    def offers(self, name: str) -> bool:
        """Return whether an importer of this file can use ``name`` from it: defined in it, or re-exported."""
        for offset in self.occurrences(name):
            if self._is_defined(offset, name) or self._is_imported(offset, name):
                return True
        return False

    def _is_defined(self, offset: int, name: str) -> bool:
        before, behind = self._around(offset, name)
        if _KEYWORD.match(before) or (_OWN.match(before) and _ASSIGNED.match(behind)):
            return True
        # A function without a word for it, as in C and Java: ``static int name(...) {``.
        opens_block = behind.startswith("(") and behind.rstrip().endswith("{")
        return opens_block and bool(_MODIFIED.match(before)) and not _NO_MODIFIER.match(before)

    def _is_imported(self, offset: int, name: str) -> bool:
        before, behind = self._around(offset, name)
        if _IMPORTING.match(before):
            return True
        is_list_entry = _IN_A_LIST.match(before) and _LIST_ENTRY.match(behind)  # of ``__all__``, or an import in lines
        return bool(is_list_entry)

    def _around(self, offset: int, name: str) -> tuple[str, str]:
        number = self.line_at(offset)
        line, column = self.lines[number - 1], offset - self._starts[number - 1]
        end = column + len(name)
        return line[max(column - _REACH, 0) : column], line[end : end + _REACH]

    def _block_end(self, number: int) -> int:
        """Return the last line of the block that line ``number`` opens, the last one that is indented deeper."""
        indent, end = _indent(self.lines[number - 1]), number
        for position in range(number, len(self.lines)):
            line = self.lines[position].strip()
            if not line:
                continue
            if _indent(self.lines[position]) <= indent and not line.startswith(_CLOSING):
                return end
            end = position + 1
        return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class NameMatches(Struct, frozen=True):
    """Files that contain or define each name.

    Attributes:
        holding: For each name the files that contain it as a whole word, in this letter case.
        defining: For each name for which it was requested, files that seem to define it; a caller has to verify
            that.
        is_complete: Whether every file was searched.
    """

    holding: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    defining: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    is_complete: bool = True


class Listing:
    """The paths of a working tree, as they are spelled there, with forward slashes.

    Attributes:
        in_order: All files, shallow ones first: they are the ones that readers know.
        rank: The place of each in that order.
        suffixes: Text after the last dot of their names, in small letters.
        folders: All folders that contain files, at any depth.
    """

    def __init__(self, paths: Collection[str]) -> None:
        self.files = frozenset(paths)
        self.in_order = tuple(sorted(self.files, key=depth))
        self.rank = {path: number for number, path in enumerate(self.in_order)}
        self.folders: set[str] = set()
        self._by_name: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._by_lower_case: dict[str, str] = {}
        self._as_composed: dict[str, str] = {}
        self.suffixes: set[str] = set()
        for path in self.in_order:
            self._add(path)

    def _add(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self._by_name.setdefault(name, []).append(path)
        if not path.isascii():
            self._as_composed[composed(path)] = path
            self._by_name.setdefault(composed(name), []).append(path)
        if "." in name[1:]:
            self.suffixes.add(name.rpartition(".")[2].lower())
        self._by_stem.setdefault(name.partition(".")[0], []).append(path)
        self._by_lower_case[path.lower()] = path
        while folder and folder not in self.folders:
            self.folders.add(folder)
            self._by_stem.setdefault(folder.rpartition("/")[2], []).append(f"{folder}/")
            self._by_lower_case.setdefault(folder.lower(), folder)
            folder = folder.rpartition("/")[0]

    def as_on_disk(self, path: str) -> str:
        """Return how the listing spells ``path``, which may compose its letters in another way."""
        return path if path in self.files or path.isascii() else self._as_composed.get(composed(path), path)

    def may_refer_to(self, path: str, *, is_with_line: bool) -> bool:
        """Return whether ``path`` ends a path of the listing; with a line, also whether it has a suffix of one."""
        if self.ending_with(path):
            return True
        _, dot, suffix = path.rpartition("/")[2].rpartition(".")
        return is_with_line and bool(dot) and suffix.lower() in self.suffixes

    def in_other_case(self, path: str) -> str:
        """Return the path that differs only in the case of its letters; empty if there is none."""
        return self._by_lower_case.get(path.lower(), "")

    def ending_with(self, path: str) -> tuple[str, ...]:
        """Return the files whose path ends with ``path``, at a slash."""
        path = self.as_on_disk(path)
        tail = composed(path)
        files: list[str] = []
        for each in self._by_name.get(path.rpartition("/")[2], ()):
            whole = composed(each)
            if whole == tail or whole.endswith(f"/{tail}"):
                files.append(each)
        return tuple(files)

    def modules(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The files and folders (these with a slash at their end) that bear a dotted name, be it without its head."""
        tail = "/".join(parts)
        return tuple(each for each in self._by_stem.get(parts[-1], ()) if _is_module(each, tail))


class TooLongError(Exception):
    """A file exists, and is longer than the limit: the whole lines of its ``beginning``."""

    def __init__(self, beginning: str) -> None:
        super().__init__()
        self.beginning = beginning


def read_source(read: Callable[[str], str | None], path: str) -> SourceText | None:
    """Read a file with ``read``, which may raise ``TooLongError``; None if there is no such file."""
    try:
        text = read(path)
    except TooLongError as error:
        return SourceText(error.beginning, is_whole=False)
    return None if text is None else SourceText(text)


class WorkingTree(Protocol):
    """One state of a working tree. Nothing that may hold secrets, or lies outside of the project, is read."""

    @property
    def roots(self) -> Collection[str]:
        """Names, each with a slash at its end, that may precede a path spelled from the top of the tree."""
        ...

    @property
    def listing(self) -> Listing:
        """The files that people wrote."""
        ...

    def read(self, path: str) -> str | None:
        """Return the text of a file, listed or not; None if there is none of exactly that spelling.

        Raises:
            TooLongError: There is one, of which only the beginning can be searched.
        """
        ...

    def search(self, names: Collection[str], *, defined: Collection[str]) -> NameMatches:
        """Find the files that contain ``names``, and those that define the names in ``defined``."""
        ...

    def commits(self, hashes: Collection[str]) -> Mapping[str, CommitPresence]:
        """Return for each of ``hashes`` whether there are commits whose names begin with it."""
        ...

    def removed_files(self, paths: Collection[str]) -> Mapping[str, FileRemoval]:
        """Those of ``paths``, which are not there, that once were."""
        ...


def composed(path: str) -> str:
    """Return ``path`` with its letters composed (NFC): macOS decomposes them, and models compose them."""
    return path if path.isascii() else normalize("NFC", path)


def depth(path: str) -> tuple[int, str]:
    """Sorts shallow paths first."""
    return path.count("/"), path


def _is_module(path: str, tail: str) -> bool:
    folder, _, name = path.rstrip("/").rpartition("/")
    dotted = f"{folder}/{name.partition('.')[0]}" if folder else name.partition(".")[0]
    return dotted == tail or dotted.endswith(f"/{tail}")
