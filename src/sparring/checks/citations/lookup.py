"""Look up the citations of a text: places, quoted code, members of classes, names of the code.

Pure: the caller passes a function that reads files. Only certain cases are
decided, by the rules in ``docs/checks.md``: a text that may be no citation
stays *unchecked*. Bases of a class are searched in its own file, and in those that it imports them from.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache, partial
from heapq import nsmallest

from msgspec import Struct

from sparring.checks.citations.excuses import is_denied, is_proposed
from sparring.checks.citations.syntax import Citation, IsFile, PlacedCitation, is_no_file, placed_citations
from sparring.checks.citations.tree import (
    CitationFinding,
    Definition,
    Listing,
    SourceText,
    WorkingTree,
    depth,
    exists,
    not_found,
    read_source,
    unchecked,
    verified,
)
from sparring.checks.folding import is_inside_word
from sparring.schema.lookups import CitationStatus
from sparring.text.secret_shapes import may_hold_secrets

_MOST_CANDIDATES = 40
"""Most files in which names are looked for together: where more hold them all, they say little."""

_MOST_NAMED = 200
"""Most files whose names are compared with the searched name."""

_SOURCES_KEPT = 256


class Lookup:
    """A working tree after one query for all names.

    Attributes:
        is_complete: Whether a missing name occurs nowhere.
    """

    def __init__(self, tree: WorkingTree, names: Collection[str], *, defined: Collection[str]) -> None:
        self._sightings = tree.search(names, defined=defined)
        self.is_complete = self._sightings.is_complete
        self.listing: Listing = tree.listing
        self.source = lru_cache(maxsize=_SOURCES_KEPT)(partial(read_source, tree.read))

    def holding(self, *names: str) -> frozenset[str]:
        """The files that hold all of these names."""
        first, *others = (self._sightings.holding.get(name, frozenset[str]()) for name in names)
        return first.intersection(*others)

    def candidates(self, *names: str) -> tuple[str, ...]:
        """Some files that hold all of these names, first those that are named after the first of them."""
        paths = nsmallest(_MOST_NAMED, self.holding(*names), key=self.listing.rank.__getitem__)
        topic = names[0].lower()
        paths.sort(key=lambda path: topic not in path.lower().replace("_", ""))
        return tuple(paths[:_MOST_CANDIDATES])

    def defining(self, name: str) -> tuple[str, ...]:
        """Files that seem to define a name of which that was asked."""
        paths = self._sightings.defining.get(name, frozenset[str]())
        return tuple(sorted(paths, key=self.listing.rank.__getitem__)[:_MOST_CANDIDATES])


_NEARBY_LINES = 3
"""Distance in lines at which quoted words still count as near: people and models miscount by a few."""

_OUTSIDE = re.compile(r"[/~\\]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.\.(?:[/\\]|$)|[a-z+]+://")
_ELLIPSIS = re.compile(r"…|\.{3}")


class CheckedCitation(Struct, frozen=True):
    """A citation, what the files say about it, and why in a few words."""

    citation: Citation
    status: CitationStatus
    reason: str


def find_citations(text: str, is_file: IsFile = is_no_file) -> tuple[Citation, ...]:
    """Return every ``path:line``, ``path:line-line``, ``path#Lline`` and path with a known suffix, in order.

    ``is_file`` decides about names without a known suffix.
    """
    return tuple(mention.citation for mention in placed_citations(text, is_file))


def check_citations(text: str, read: Callable[[str], str | None]) -> tuple[CheckedCitation, ...]:
    """Every citation of ``text``, checked.

    Args:
        text: A speech, in Markdown.
        read: Gives the text of a file below the project's root by its relative path, None if there is no such file.
            It is asked once for each path, and may raise ``TooLongError``.
    """
    source = cache(partial(read_source, read))

    def is_file(path: str, *, is_with_line: bool) -> bool:  # noqa: ARG001 -- there is no listing to compare it with
        return not leads_outside(path) and not may_hold_secrets(path) and source(root_relative(path)) is not None

    checked: list[CheckedCitation] = []
    for mention in placed_citations(text, is_file):
        finding = _finding(mention, source)
        checked.append(CheckedCitation(mention.citation, finding.status, finding.reason))
    return tuple(checked)


def leads_outside(path: str) -> bool:
    """Return whether a path leads outside of the project's root, by its spelling alone."""
    return bool(_OUTSIDE.match(path))


def root_relative(path: str) -> str:
    """The path as it is looked up: from the root, with slashes, however Windows or a shell spells it."""
    return path.replace("\\", "/").removeprefix("./")


def finding_at(citation: Citation, lines: Sequence[str]) -> CitationFinding:
    """Return the finding for a citation of a file with these lines."""
    if citation.line is None or citation.end_line is None:
        return _of_whole_file(citation.quoted or "", lines)
    if not is_within(citation, lines):
        is_backwards = 1 <= citation.end_line < citation.line <= count(lines)
        why = "the last line is before the first"
        return unchecked(why) if is_backwards else not_found(f"the file has {count(lines)} lines")
    if citation.quoted is None:
        return exists("the line exists; nothing is quoted from it")
    if occurs(citation.quoted, "\n".join(nearby_lines(citation, lines))):
        return verified("the quoted words are there")
    if len(citation.quoted.split()) == 1 or is_command(citation.quoted):
        return unchecked("the line exists; the word next to the citation may not be a quotation")
    is_elsewhere = occurs(citation.quoted, "\n".join(lines))
    return not_found("the quoted words are not " + ("near that line" if is_elsewhere else "in the file"))


def _of_whole_file(quoted: str, lines: Sequence[str]) -> CitationFinding:
    is_quotation = len(quoted.split()) > 1
    if is_quotation and occurs(quoted, "\n".join(lines)):
        return verified("the quoted words are there")
    return exists("the file exists")


def unless_proposed(
    finding: CitationFinding, citation: Citation, lines: Sequence[str], place: tuple[str, int, int]
) -> CitationFinding:
    """Return ``finding``, unless the missing text may be a proposal for the existing lines."""
    is_missing = finding.status is CitationStatus.NOT_FOUND and is_within(citation, lines)
    if is_missing and is_proposed(*place):
        return unchecked(f"{finding.reason}, but may be proposed")
    return finding


_BRACKETS = "()[]{}<>,;: \t\r"
_COMMENT = re.compile(r"\s*(?:#(?!\s*(?:include|define|if|el|end|pragma|undef)|\[|!\[)|//|/\*|\*(?:\s|/|$)|--\s|<!--)")
_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc")
"""Suffixes of files in which a line that begins like a comment is a heading or an item."""


def as_evidence(finding: CitationFinding, citation: Citation, lines: Sequence[str]) -> CitationFinding:
    """Return ``finding``, at best *exists* where the cited lines are empty, brackets or comments.

    Several quoted words at that place, or near it, are evidence all the same; a name alone is none there.
    """
    if not finding.status.exists or citation.line is None or not is_within(citation, lines):
        return finding
    cited = lines[citation.line - 1 : citation.end_line]
    content = [line for line in cited if line.strip(_BRACKETS) not in {"", "end"}]
    is_prose = citation.path.lower().endswith(_PROSE)
    are_comments = not is_prose and all(map(_COMMENT.match, content))
    if content and not are_comments:
        return finding
    is_quotation = len((citation.quoted or "").split()) > 1
    if is_quotation and finding.status is CitationStatus.VERIFIED:
        return finding
    what = "a comment" if content else "empty or a bracket"
    return exists(f"the line is {what}, without content")


def as_read(finding: CitationFinding, citation: Citation, last: int | None = None) -> CitationFinding:
    """Return ``finding``, at best *unchecked* where something next to the citation could not be read.

    ``last`` is the number of the last existing line, if that is known.
    """
    if not finding.status.exists:
        return finding
    if citation.is_unread:
        return unchecked("a number or a quotation next to it could not be read")
    if last is not None and any(number > last for number in citation.others):
        return unchecked(f"a number next to it may be a line, and there are {last}")
    return finding


def is_within(citation: Citation, lines: Sequence[str]) -> bool:
    """Return whether a file of these lines has those that are cited."""
    first, last = citation.line, citation.end_line
    return first is None or last is None or 1 <= first <= last <= count(lines)


def nearby_lines(citation: Citation, lines: Sequence[str]) -> Sequence[str]:
    """The cited lines and those around them in which a quotation may stand."""
    first, last = citation.line or 1, citation.end_line or len(lines)
    return lines[max(first - 1 - _NEARBY_LINES, 0) : last + _NEARBY_LINES]


def occurs(quoted: str, passage: str) -> bool:
    """Return whether the parts of ``quoted`` between ellipses occur in ``passage`` in order, ignoring line wrapping.

    No word, name or number may continue beyond either end: "limit = 5" does not occur in "limit = 50".
    """
    folded = " ".join(passage.split())
    pieces = [" ".join(piece.split()) for piece in _ELLIPSIS.split(quoted)]
    position = 0
    for number, piece in enumerate(pieces):
        # At an ellipsis a word may be cut.
        may_go_on = (number > 0, number < len(pieces) - 1)
        position = _end_of(piece, folded, position, may_go_on=may_go_on)
        if position < 0:
            return False
    return any(pieces)


def _end_of(part: str, text: str, begin: int, *, may_go_on: tuple[bool, bool]) -> int:
    """Return the end of the first ``part`` in ``text`` from ``begin`` on; -1 if there is none."""
    before, behind = may_go_on
    while part and (begin := text.find(part, begin)) >= 0:
        end = begin + len(part)
        if (before or not is_inside_word(text, begin)) and (behind or not is_inside_word(text, end)):
            return end
        begin += 1
    return begin


def _finding(mention: PlacedCitation, source_at: Callable[[str], SourceText | None]) -> CitationFinding:
    citation = mention.citation
    if mention.is_quoted_speech:
        return unchecked("it is in a quotation of another speaker")
    if leads_outside(citation.path):
        return unchecked("the path points outside the project")
    if may_hold_secrets(root_relative(citation.path)):
        return unchecked("a file of that name may contain secrets and is not read")
    source = source_at(root_relative(citation.path))
    finding = _in_source(mention, source) if source else _missing(mention)
    if finding.status is CitationStatus.NOT_FOUND and is_denied(*mention.in_line):
        return unchecked("it is named as something that is not there")
    return finding


def _in_source(mention: PlacedCitation, source: SourceText) -> CitationFinding:
    citation = mention.citation
    finding = finding_at(citation, source.lines)
    finding = unless_proposed(finding, citation, source.lines, mention.in_line)
    finding = as_evidence(finding, citation, source.lines)
    last = count(source.lines) if source.is_whole else None
    return as_read(source.limited_by_reading(finding), citation, last)


def _missing(mention: PlacedCitation) -> CitationFinding:
    citation = mention.citation
    if any(character.isspace() for character in citation.path):
        return unchecked("it may be a command and no path")
    if "/" not in root_relative(citation.path):
        return unchecked("the file is named without its folder and is not in the root folder")
    if citation.line is None and is_proposed(*mention.in_line):
        return unchecked("there is no such file, but it may be one that is proposed")
    return not_found("there is no such file")


def count(lines: Sequence[str]) -> int:
    """Return how many lines a file of these has."""
    return len(lines) if lines[-1] else len(lines) - 1


_WORD = re.compile(r"[^\W\d]\w*")
_CODE = re.compile(
    r"\w[(\[]|=|;|@\w|->|::|"
    r"^(?:await|async|return|raise|yield|import|from|def|class|except|with|assert|lambda|del|global|const|let|var|fn|"
    r"func|function|new|throw|export|public|private|static)\s+\S"
)
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(")
_MOST_WORDS = 40


def words_of(code: str) -> tuple[str, ...]:
    """The names that a file must hold if it holds this code."""
    words = dict.fromkeys(_WORD.findall(_ELLIPSIS.sub(" … ", code)))
    return tuple(words)[:_MOST_WORDS]


def pattern_finding(code: str, lookup: Lookup) -> CitationFinding | None:
    """Look a piece of code up in the working tree; None if it is no code and occurs nowhere."""
    words = words_of(code)
    if not words:
        return None
    for path in lookup.candidates(*words):
        source = lookup.source(path)
        if source and occurs(code, source.text):
            return verified(f"it is in {path}")
    return _missing_code(code, words, lookup) if looks_like_code(code) else None


def _missing_code(code: str, words: tuple[str, ...], lookup: Lookup) -> CitationFinding:
    if not lookup.is_complete:
        return unchecked("not every file of the project was searched")
    if called := _CALLED.match(code):
        parts = [part for part in called[1].split(".") if part]
        if all(lookup.holding(part) for part in parts):
            return unchecked(f"{called[1]} is there, but no file contains the code as it is written here")
    if len(lookup.holding(*words)) > _MOST_CANDIDATES:
        return unchecked("its words are in more files than were searched for the code")
    return not_found("no file of the project contains that code")


def looks_like_code(words: str) -> bool:
    """Return whether something in backticks can only be code."""
    return bool(_CODE.search(words))


_COMMAND = re.compile(
    r"(?:\$ |(?:sudo|git|pip|pipx|uv|uvx|npm|npx|pnpm|yarn|make|docker|pytest|python3?|node|cargo|go|bash|sh|curl|wget|"
    r"cd|ls|cat|grep|rg|sed|ruff|mypy|pyright|kubectl|brew|apt|apt-get|chmod|rm|cp|mv|echo|export|source) )"
)
_OPTION = re.compile(r"-{1,2}[A-Za-z]")
_HAS_OPTION = re.compile(r"(?<=\s)-{1,2}[A-Za-z]")


def is_command(words: str) -> bool:
    """Return whether something in backticks is typed into a shell."""
    return bool(_COMMAND.match(words) or _OPTION.match(words) or _HAS_OPTION.search(words))


_BASE = re.compile(r"[A-Za-z_]\w*")
_MOST_BASES = 10
_IMPORT = re.compile(r"^from[ \t]+\.*([\w.]+)[ \t]+import[ \t]*(\([^()]*\)|[^\n]*)", re.MULTILINE)


class _Class(Struct, frozen=True):
    name: str
    path: str
    source: SourceText
    definition: Definition


def _member_finding(container: str, member: str, lookup: Lookup) -> CitationFinding | None:
    """Look a member up in the classes named ``container``; None if it may be inherited from outside, or is near.

    Args:
        container: A name of which the lookup was asked where it is defined.
        member: A name that some file holds.
        lookup: The tree.
    """
    waiting = _classes(container, lookup.defining(container), lookup)
    is_open = not waiting
    seen = {container}
    while waiting and len(seen) < _MOST_BASES:
        current = waiting.pop(0)
        if has_member(current.source, current.definition, current.name, member):
            return verified(f"it is defined in {current.path}")
        if _is_near(member, current):
            is_open = True
        bases = current.definition.heading.partition(":")[0]
        for base in _BASE.findall(bases):
            if base in seen:
                continue
            seen.add(base)
            classes = _classes(base, _import_sources(base, current, lookup), lookup)
            if not classes:  # a base from outside of the project may have the member
                is_open = True
            waiting += classes
    if is_open or waiting:
        return None
    return not_found(f"{container} has no {member}")


def has_member(source: SourceText, definition: Definition, container: str, member: str) -> bool:
    """Return whether a class defines a member, in its block or next to it as in Go."""
    return source.has_member(member, definition.line, definition.end_line) or source.has_method_of(container, member)


def _is_near(member: str, each: _Class) -> bool:
    """Return whether a name stands where it could belong to a class all the same: in Python only within it."""
    block = (each.definition.line, each.definition.end_line)
    first, last = block if each.path.endswith(".py") else (1, len(each.source.lines))
    return any(first <= each.source.line_at(offset) <= last for offset in each.source.occurrences(member))


def _classes(name: str, paths: tuple[str, ...], lookup: Lookup) -> list[_Class]:
    classes: list[_Class] = []
    for path in paths:
        source = lookup.source(path)
        if source:
            definitions = source.definitions(name)
            classes += [_Class(name, path, source, each) for each in definitions if each.is_class]
    return classes


def _import_sources(name: str, user: _Class, lookup: Lookup) -> tuple[str, ...]:
    """The file that uses a name, and those that it may import it from."""
    paths = [user.path]
    for match in _IMPORT.finditer(user.source.text):
        module, imported = match[1], _BASE.findall(match[2])
        if name in imported:
            modules = lookup.listing.modules(tuple(module.split(".")))
            paths += [path for path in modules if not path.endswith("/")]
    return tuple(paths)


SYMBOL = re.compile(r"(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)*)(?P<call>\(\))?")
"""Pattern of a name, called or not. Plain words are written so too; see ``named_in_code``."""

_JOINTS = re.compile(r"\.|::|#|->")
_MADE_BY_SOMEBODY = re.compile(r"_|\.|::|#|->|[a-z][A-Z]|[A-Z]{2}[a-z]")
_LONGEST_SYMBOL = 120
_OFFERING = ("__init__.py", "__init__.pyi", "index.ts", "index.tsx", "index.js", "mod.rs", "lib.rs")
"""Files that speak for their folder."""


def code_name_parts(words: str) -> tuple[str, ...]:
    """Return the parts of a name coined for code; empty for a plain word and everything else."""
    match = SYMBOL.fullmatch(words) if len(words) <= _LONGEST_SYMBOL else None
    if match is None or not (match["call"] or _MADE_BY_SOMEBODY.search(match["name"])):
        return ()
    return name_parts(match["name"])


def name_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a name, split at its dots, ``::``, ``#`` and ``->``."""
    return tuple(_JOINTS.split(name))


def symbol_finding(parts: tuple[str, ...], lookup: Lookup, *, is_plain_word: bool) -> CitationFinding | None:
    """Look a name up in the working tree; None for a word that only looks like one.

    Args:
        parts: The names between its dots.
        lookup: The tree after a query for each of the parts.
        is_plain_word: Whether it could be a word of any text; then it counts only where it is defined.
    """
    first = parts[0]
    if is_plain_word:
        return _defined(first, lookup)
    if len(parts) > 1 and (finding := _module(parts, lookup)):
        return finding
    for part in parts:
        if not lookup.holding(part) and not lookup.listing.modules((part,)):
            return _missing_name(part, lookup)
    if len(parts) > 1:
        return _together(parts, lookup)
    return _defined(first, lookup) or _occurring(first, lookup)


def _occurring(name: str, lookup: Lookup) -> CitationFinding | None:
    """Return the finding that a name occurs in the shallowest of its files, or is a module."""
    holding = lookup.holding(name)
    if holding:
        return exists(f"it is in {min(holding, key=lookup.listing.rank.__getitem__)}")
    return _module((name,), lookup)


def symbol_finding_in(parts: tuple[str, ...], path: str, source: SourceText) -> CitationFinding:
    """Look a name up in the file that is cited with it."""
    *_, container, member = ("", *parts)
    is_module = container in re.split(r"[/.]", path)  # ``runner.run`` in ``src/runner.py``
    for part in parts[-2:]:
        if not source.holds(part) and not (part == container and is_module):
            return not_found(f"{part} is not in {path}")
    if len(parts) == 1 or _is_literal(parts, source) or (is_module and source.offers(member)):
        return verified(f"it is in {path}")
    for definition in source.definitions(container):
        if definition.is_class and has_member(source, definition, container, member):
            return verified(f"it is defined in {path}")
    return unchecked(f"both names are in {path}, but nothing connects them")


def _missing_name(name: str, lookup: Lookup) -> CitationFinding:
    if not lookup.is_complete:
        return unchecked("not every file of the project was searched")
    return not_found(f"no file of the project contains {name}")


def _defined(word: str, lookup: Lookup) -> CitationFinding | None:
    for path in lookup.defining(word):
        source = lookup.source(path)
        if source and any(source.definitions(word)):
            return verified(f"it is defined in {path}")
    return None


def _module(parts: tuple[str, ...], lookup: Lookup) -> CitationFinding | None:
    modules = lookup.listing.modules(parts)
    return exists(f"it is the module {min(modules, key=depth)}") if modules else None


def _together(parts: tuple[str, ...], lookup: Lookup) -> CitationFinding:
    """Return the finding on a dotted name, each part of which exists: by its module, its class, or its spelling."""
    container, member = parts[-2:]
    for path in _offering(parts[:-1], lookup):
        source = lookup.source(path)
        if source and source.offers(member):
            return verified(f"{path} has it")
    finding = _member_finding(container, member, lookup)
    if finding and finding.status is CitationStatus.VERIFIED:
        return finding
    occurring = [part for part in parts if lookup.holding(part)]
    for path in lookup.candidates(*occurring):
        source = lookup.source(path)
        if source and _is_literal(parts, source):
            return exists(f"it is in {path}")
    return finding or unchecked("both names are there, but nothing shows that they belong together")


def _is_literal(parts: tuple[str, ...], source: SourceText) -> bool:
    joined = r"\s{0,9}(?:\.|::|#|->)\s{0,9}".join(re.escape(part) for part in parts)
    return re.search(rf"(?<!\w){joined}(?!\w)", source.text) is not None


def _offering(parts: tuple[str, ...], lookup: Lookup) -> Iterator[str]:
    """The files of which a dotted name may be had: the module itself, and what speaks for its folder."""
    for path in lookup.listing.modules(parts):
        if not path.endswith("/"):
            yield path
            continue
        for name in _OFFERING:
            if path + name in lookup.listing.files:
                yield path + name
