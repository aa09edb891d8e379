"""Exhibits, which all participants are shown: lines of project files, with their numbers.

Files, lines and symbol definitions that the topic names come first. Then the blocks that fit it best, of many files
rather than many of one; tests and documentation take only a part of the room while there is other code to show. The
choice is made by pure functions; ``ExhibitSearch`` reads the files for them and removes secrets.
"""

import re
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import anyio
from msgspec import Struct

from sparring.checks.citations import find_citations, lookup, syntax, tree
from sparring.lookup.git import Git
from sparring.lookup.working_tree import FILE_LIMIT, is_in_repository, list_files, without_debates
from sparring.participants.seats import ExhibitBudget, ExhibitSet
from sparring.providers.project_cache import project_cache
from sparring.schema.consultation import Exhibit
from sparring.text.redaction import Redactor
from sparring.text.secret_shapes import may_hold_secrets
from sparring.text.terms import Query, blocks, counted, score
from sparring.text.tidying import clean_lines

_MOST_FILES_MEANT = 3
"""Maximum number of files of one name that a topic means if it names no folder."""

_MOST_NAMED = 12
_IDENTIFIER = re.compile(r"\b(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b|\b[A-Za-z_]\w*(?=\(\))")


class NamedPlace(Struct, frozen=True):
    """Place that a topic names: a file, or lines of it."""

    path: str
    first: int | None = None
    last: int | None = None


def places_named(topic: str, paths: Collection[str]) -> tuple[NamedPlace, ...]:
    """Return the files that ``topic`` names, as spelled in ``paths``, in the topic's order."""
    places, citations = dict[NamedPlace, None](), find_citations(topic)
    listing = tree.Listing(paths if citations else ())
    for cited in citations:
        path = lookup.root_relative(cited.path)
        if lookup.leads_outside(path):
            continue
        meant = (path,) if path in listing.files else listing.ending_with(path)
        if len(meant) <= _MOST_FILES_MEANT:
            places |= dict.fromkeys(NamedPlace(each, cited.line, cited.end_line) for each in meant)
    return tuple(places)[:_MOST_NAMED]


def symbols_named(topic: str) -> tuple[str, ...]:
    """Return the names of code in ``topic``: those in backticks, and those that do not occur in prose."""
    symbols = dict[str, None]()
    for _, line in syntax.prose_lines(topic):
        for span in syntax.code_spans(line):
            if span.words.isidentifier() or lookup.code_name_parts(span.words):
                symbols[lookup.name_parts(span.words.removesuffix("()"))[-1]] = None
        symbols |= dict.fromkeys(_IDENTIFIER.findall(line))
    return tuple(symbols)[:_MOST_NAMED]


_TEST = re.compile(
    r"(?:.*/)?(?:tests?|specs?|__tests__|e2e|mocks?|testing)/.*|(?:.*/)?(?:test_[^/]*|conftest\.py|[^/]*[._-](?:test|spec|tests)\.\w+)"
)
_DOCUMENT = re.compile(r".*\.(?:md|mdx|rst|adoc|txt)|(?:.*/)?docs?/.*", re.IGNORECASE)
_PROJECT_FILES = re.compile(
    r"(?:.*/)?(?:CHANGELOG|CHANGES|HISTORY|LICENSE|NOTICE|AUTHORS|CODEOWNERS)\b[^/]*", re.IGNORECASE
)

_TEST_SHARE, _DOCUMENT_SHARE, _FILE_SHARE = 1 / 6, 1 / 3, 1 / 4
"""Shares of the room that tests, documentation and one file may take while something else fits."""


class Candidate(Struct, frozen=True, dict=True):
    """A file that may be shown.

    Attributes:
        text: Content without secrets; its lines are those of the file.
        score: Relevance of the file as a whole to the topic.
        named: Ranges of lines that the topic names; from the first line to None: the whole file.
    """

    path: str
    text: str
    score: float = 0.0
    named: tuple[tuple[int, int | None], ...] = ()

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines; a final line feed begins no further line."""
        return self.text.removesuffix("\n").split("\n")

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """See ``text.blocks``."""
        return blocks(self.lines, is_prose=bool(_DOCUMENT.fullmatch(self.path)))

    def part(self, first: int, last: int) -> str:
        """Return the text of those lines."""
        return "\n".join(self.lines[first - 1 : last])

    def size(self, first: int, last: int) -> int:
        """Return the size of those lines in bytes."""
        return sum(len(line.encode()) + 1 for line in self.lines[first - 1 : last])


class _Piece(Struct, frozen=True, dict=True):
    candidate: Candidate
    first: int
    last: int
    score: float = 0.0

    @property
    def path(self) -> str:
        return self.candidate.path

    @cached_property
    def size(self) -> int:
        return self.candidate.size(self.first, self.last)


def choose(
    candidates: Sequence[Candidate], query: Query, symbols: Sequence[str], budget: ExhibitBudget, *, first_number: int
) -> tuple[Exhibit, ...]:
    """Choose exhibits among ``candidates``; the choice is the same for the same files and topic."""
    shelf = _ExhibitSelection(budget)
    for piece in _named(candidates, query, budget.size_bytes):
        shelf.take(piece)
    for piece in _defining(candidates, symbols):
        shelf.take(piece)
    shelf.fill(_ranked(candidates, query))
    exhibits: list[Exhibit] = []
    for number, (file, first, last) in enumerate(shelf.ranges(), start=first_number):
        text = file.part(first, last)
        exhibits.append(Exhibit(number=number, path=file.path, first=first, last=last, text=text))
    return tuple(exhibits)


_AROUND, _LONGEST_NAMED = 15, 80
_NAMED_SHARE = 1 / 3
"""Share of the room for one file that is named as a whole; a longer file is shown by its best blocks."""


def _named(candidates: Iterable[Candidate], query: Query, room: int) -> Iterator[_Piece]:
    """Yield the parts that the topic names; of a whole file that is too long, its best blocks."""
    for file in candidates:
        count = len(file.lines)
        for first, last in file.named:
            if last is not None:
                if 1 <= first <= count:
                    yield _around(file, first, max(first, min(last, count)))
                continue
            left = room * _NAMED_SHARE
            if file.size(1, count) <= left:
                yield _Piece(file, 1, count)
                continue
            for piece in _ranked([file], query):
                if piece.size <= left:
                    left -= piece.size
                    yield piece


def _around(file: Candidate, first: int, last: int) -> _Piece:
    """Return the blocks that contain those lines; of long blocks, some lines around."""
    touched = [block for block in file.blocks if block[0] <= last and first <= block[1]]
    start = min((start for start, _ in touched), default=first)
    end = max((end for _, end in touched), default=last)
    if end - start >= _LONGEST_NAMED:
        start = max(start, first - _AROUND)
        end = min(end, first + _LONGEST_NAMED, last + _AROUND)
    return _Piece(file, start, end)


def _defining(candidates: Iterable[Candidate], symbols: Sequence[str]) -> Iterator[_Piece]:
    """Yield the definitions of symbols that the topic names, each once, preferably not in a test."""
    wanted = list(symbols)
    for file in sorted(candidates, key=lambda file: bool(_TEST.fullmatch(file.path))):
        source = tree.SourceText(file.text)
        for symbol in [symbol for symbol in wanted if source.holds(symbol)]:
            definition = next(source.definitions(symbol), None)
            if definition:
                wanted.remove(symbol)
                yield _around(file, definition.line, definition.line)


_OF_THE_FILE = 0.6
"""Weight of a file's score relative to that of one of its blocks."""

_FURTHER = 0.75
"""Weight of each further block of a file relative to the one before."""

_LEAST = 0.03
"""Minimum score of a block as a share of the best one; blocks below are not shown."""

_WEIGHTS = ((_PROJECT_FILES, 0.4), (_TEST, 0.5), (_DOCUMENT, 0.8))


_MOST_FILES, _MOST_TESTS, _MOST_DOCUMENTS = 60, 10, 20
"""Maximum numbers of files to examine; more would add nothing that fits better."""


def looked_into(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the files to examine among all that fit: limited tests and documents, so that other files remain."""
    room = {_TEST: _MOST_TESTS, _DOCUMENT: _MOST_DOCUMENTS}
    examined: dict[str, float] = {}
    for path in sorted(scores, key=lambda path: (-scores[path] * _weight(path), path)):
        if len(examined) == _MOST_FILES:
            break
        kind = next((pattern for pattern in room if pattern.fullmatch(path)), None)
        if kind:
            if room[kind] == 0:
                continue
            room[kind] -= 1
        examined[path] = scores[path]
    return examined


def _weight(path: str) -> float:
    return next((weight for pattern, weight in _WEIGHTS if pattern.fullmatch(path)), 1.0)


def _ranked(candidates: Sequence[Candidate], query: Query) -> list[_Piece]:
    """Return the blocks that fit, the best first."""
    terms = {file.path: [counted(file.part(*block)) for block in file.blocks] for file in candidates}
    lengths = [counts.total() for blocks_ in terms.values() for counts in blocks_]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    pieces: list[_Piece] = []
    for file in candidates:
        weight = _weight(file.path)
        scores = [score(query, counts, counts.total() / average) for counts in terms[file.path]]
        best_first = sorted(zip(file.blocks, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))
        for rank, ((first, last), value) in enumerate(best_first):
            if rank and not value:
                continue  # only the best block stands for a file of which nothing but the path fits
            # Many files with one block each are worth more than many blocks of one file.
            piece_score = weight * (value + _OF_THE_FILE * file.score) * _FURTHER**rank
            pieces.append(_Piece(file, first, last, piece_score))
    pieces.sort(key=lambda piece: (-piece.score, piece.path, piece.first))
    return [piece for piece in pieces if piece.score >= _LEAST * pieces[0].score or not piece.candidate.score]


class _ExhibitSelection:
    """Exhibits chosen so far."""

    def __init__(self, budget: ExhibitBudget) -> None:
        self._budget = budget
        self._room = budget.size_bytes
        self._chosen: dict[str, tuple[Candidate, set[int]]] = {}

    def take(self, piece: _Piece) -> bool:
        """Add the lines of ``piece`` if there is room for them; return whether they are chosen now."""
        _, chosen = self._chosen.get(piece.path, (piece.candidate, set[int]()))
        new = [number for number in range(piece.first, piece.last + 1) if number not in chosen]
        size = sum(piece.candidate.size(number, number) for number in new)
        if size > self._room:
            return False
        before = dict(self._chosen)
        self._chosen[piece.path] = (piece.candidate, chosen.union(new))
        if len(self.ranges()) > self._budget.most:
            self._chosen = before
            return False
        self._room -= size
        return True

    def fill(self, pieces: Sequence[_Piece]) -> None:
        """Add the pieces that fit best, first within the shares of tests and documentation; then the rest."""
        shares = {_TEST: self._room * _TEST_SHARE, _DOCUMENT: self._room * _DOCUMENT_SHARE}
        file_share = self._budget.size_bytes * _FILE_SHARE
        used_by_kind = Counter[re.Pattern[str]]()
        used_by_file = Counter[str]()
        postponed: list[_Piece] = []
        for piece in pieces:
            kind = next((pattern for pattern in shares if pattern.fullmatch(piece.path)), None)
            exceeds_kind = kind is not None and used_by_kind[kind] + piece.size > shares[kind]
            # The first block of a file may exceed the share of a file.
            exceeds_file = piece.path in used_by_file and used_by_file[piece.path] + piece.size > file_share
            if exceeds_kind or exceeds_file:
                postponed.append(piece)
            elif self.take(piece):
                used_by_file[piece.path] += piece.size
                if kind:
                    used_by_kind[kind] += piece.size
        for piece in postponed:
            self.take(piece)

    def ranges(self) -> list[tuple[Candidate, int, int]]:
        """Return the chosen lines: files in the order in which they were added, neighbouring lines together."""
        ranges: list[tuple[Candidate, int, int]] = []
        for file, numbers in self._chosen.values():
            ranges += [(file, first, last) for first, last in _spans(file, sorted(numbers))]
        return ranges


def _spans(file: Candidate, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of ``numbers``; ranges with only empty lines between them are joined."""
    start = end = numbers[0]
    for number in numbers[1:]:
        if "".join(file.lines[end : number - 1]).strip():
            yield start, end
            start = number
        end = number
    yield start, end


_MOST_RANKED = 400
"""Number of best-ranked files from which those to examine are chosen."""

_CHANGED = 1.15
"""Weight of a file with uncommitted changes relative to others."""


class ExhibitSearch(Struct, frozen=True):
    """The project in which exhibits are searched, and the redactor of their secrets.

    Attributes:
        private_dir: The user's cache. The index is kept there: one in the project would let its author choose what is
            shown.
    """

    project: Path
    private_dir: Path
    environment: Mapping[str, str]
    redactor: Redactor

    def gather(self, topic: str, budget: ExhibitBudget, shown: frozenset[str], first_number: int) -> ExhibitSet:
        """Gather exhibits on ``topic`` in addition to the files that are already ``shown``."""
        paths, changed, refusal = anyio.run(self._listed)
        notices = [refusal] if refusal else []
        if not paths:
            return ExhibitSet(notices=(*notices, *_nothing(budget)))
        named = [place for place in places_named(topic, paths) if place.path not in shown]
        from sparring.lookup.term_index import rank  # noqa: PLC0415 -- only formats that show a project need it

        ranked = rank(
            self.project,
            tuple(without_debates(paths)),
            topic,
            index=self._index(),
            most=_MOST_RANKED,
            room=budget.size_bytes,
            redact=self._harmless,
        )
        scores: dict[str, float] = {}
        for path, value in ranked.scores.items():
            if path not in shown:
                scores[path] = value * _CHANGED if path in changed else value
        candidates = list(self._candidates(looked_into(scores), named))
        exhibits = choose(candidates, ranked.query, symbols_named(topic), budget, first_number=first_number)
        notices += _left_out(ranked.secret) if exhibits else _nothing(budget)
        return ExhibitSet(exhibits, tuple(notices))

    async def _listed(self) -> tuple[tuple[str, ...], frozenset[str], str]:
        """Return the files, those that differ from the last commit, and the reason if git is not asked."""
        paths = await list_files(self.project, self.environment)
        if not is_in_repository(self.project):
            return paths, frozenset(), ""
        git = Git(self.project, self.environment)
        return paths, await git.changed(), await git.refusal()

    def _index(self) -> Path | None:
        """Return the path of the index; None if nothing can be stored."""
        with suppress(OSError):
            return project_cache(self.private_dir, self.project) / "index.sqlite"
        return None

    def _harmless(self, text: str) -> str:
        return self.redactor.redact(clean_lines(text)).text

    def _candidates(self, scores: Mapping[str, float], named: list[NamedPlace]) -> Iterator[Candidate]:
        """Yield the files that may be shown, named ones first; files with secrets that span lines are excluded."""
        for path in dict.fromkeys((*(place.path for place in named), *scores)):
            text = _text(self.project / path)
            if text is None or may_hold_secrets(path):
                continue
            harmless = self._harmless(text)
            if harmless.count("\n") == text.count("\n"):
                lines = tuple((place.first or 1, place.last) for place in named if place.path == path)
                yield Candidate(path, harmless, scores.get(path, 0.0), lines)


async def files_named(
    topic: str, given: Iterable[str], project: Path, environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the files that the user has named: those ``given`` by their paths, and those that ``topic`` cites.

    Files that git ignores are included only if they are given.
    """
    cited = tuple[str, ...]()
    if find_citations(topic):
        paths = await list_files(project, environment)
        cited = tuple(place.path for place in places_named(topic, paths))
    return tuple(sorted({*cited, *given}))


def _text(file: Path) -> str | None:
    with suppress(OSError, ValueError):
        status = file.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= FILE_LIMIT:
            content = file.read_bytes()
            return None if b"\0" in content else content.decode("utf-8-sig").replace("\r\n", "\n")
    return None


def _nothing(budget: ExhibitBudget) -> tuple[str, ...]:
    return ("No exhibits: nothing in this folder bears on the topic.",) if budget.is_explicit else ()


def _left_out(secret: int) -> tuple[str, ...]:
    if not secret:
        return ()
    files = "1 file that may contain secrets was" if secret == 1 else f"{secret:,} files that may contain secrets were"
    return (f"{files} left out of the exhibits.",)
