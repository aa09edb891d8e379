"""Citations in one speech, of every kind, before any is looked up.

Only the form of the words decides here. A possible word of any text (``Runner``, ``wait``) is *tentative*: it is a
citation if the working tree knows it, and else nothing.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sparring.checks.citations import syntax
from sparring.checks.citations.line_numbers import lines_cited
from sparring.checks.citations.lookup import SYMBOL, code_name_parts, is_command, looks_like_code, name_parts
from sparring.schema.lookups import CitationKind

_LONGEST = 400
"""Characters; a longer code span is a sample."""

_MOST_BETWEEN = 80
"""Most characters between a name and the file that the text names for it."""

_FOLDER = re.compile(r"(?:\.{1,2}[/\\]|[/~\\]|[A-Za-z]:\\)?[\w.@+-]+(?:[/\\][\w.@+-]+)*[/\\]?")
_HASH = re.compile(r"(?P<hash>[0-9a-f]{7,40})(?:[\^~]\d{0,3})*")
_RANGE = re.compile(r"(?P<first>[0-9a-f]{7,40})\.{2,3}(?P<last>[0-9a-f]{7,40})")
_HASH_IN_PROSE = re.compile(
    r"\b(?P<word>commits?|revisions?|rev|sha|changeset|cherry-picked from|in|at|since|by|from|before|after|"
    r"until|and|as of)[ :]{1,2}(?:#|\()?(?P<hash>[0-9a-f]{7,40})(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
_NAMES_A_COMMIT = re.compile(r"\b(?:commits?|revisions?|rev|sha|changeset|cherry-picked from)\b", re.IGNORECASE)
_COMMIT_WORD_BEFORE = re.compile(r"\b(?:commits?|revisions?|rev|sha|changeset|hash)[ :(]{1,3}\Z", re.IGNORECASE)
_ANNOUNCEMENT = 20
"""Characters before a hash in which such a word may stand."""

_VALUES = frozenset(
    (
        *("true", "false", "none", "null", "nil", "undefined", "nan", "self", "this", "super", "cls", "args", "kwargs"),
        *("int", "str", "float", "bool", "bytes", "dict", "list", "tuple", "set", "object", "void", "string", "number"),
        *("if", "else", "for", "while", "try", "except", "finally", "return", "yield", "await", "async", "with", "as"),
        *("import", "from", "class", "def", "pass", "raise", "assert", "lambda", "not", "and", "or", "in", "is", "del"),
        *("type", "main", "master", "name", "value", "key", "id", "ok", "error", "yes", "no", "get", "post", "put"),
    )
)
_INSIDE = re.compile(
    r"(?:[^`.;:!?()]{0,40}\b(?:in|of|from|at|inside|within)\s(?:the\s)?(?:file\s|module\s)?"
    r"(?:lines? \d+\S* (?:of|in) )?|\s?[(\[](?:see |in |at |from )?|\s?[,@–—-]\s?(?:see |in |at |from )?)[`\"(]{0,2}"
)
"""Between a name and its file: "`name` in `path`", "`name` (path:3)"."""

_HOLDS = re.compile(
    r"[`\"]{0,2}(?:[^`.;:!?()]{0,40}\b(?:defines?|has|have|contains?|declares?|exports?|implements?|holds?|calls?|uses?|"
    r"says?|reads?|imports?|raises?|returns?|invokes?|wraps?|provides?|introduces?|exposes?)\b[^`.;:!?()]{0,20}|:\s?)"
)
"""Between a file and its content: "`path` defines `name`", "`path:3`: `name`"."""

_NEGATED = re.compile(r"\b(?:not|never|no|nothing|without|nowhere|neither)\b|n['’]t\b", re.IGNORECASE)


class CitedPiece(Struct, frozen=True):
    """A possible citation at its place.

    Attributes:
        start: Its first character in the speech.
        line: The whole line, which begins at ``offset``: the context of the citation.
        is_quoted_speech: Whether it is in a block quotation, and so belongs to another speaker.
        place: For a path or an exhibit: its parts by syntax.
        name: For a symbol: the names between its dots. For a commit: its hash, alone.
        nearby: Paths of files that the text names for it.
        is_firm: Whether it is a citation even if nothing of that name exists.
    """

    kind: CitationKind
    start: int
    end: int
    text: str
    line: str
    offset: int
    is_quoted_speech: bool
    place: syntax.Citation | None = None
    name: tuple[str, ...] = ()
    nearby: tuple[syntax.Citation, ...] = ()
    is_firm: bool = True

    @property
    def in_line(self) -> tuple[str, int, int]:
        """The line, and where the piece begins and ends in it."""
        return self.line, self.start - self.offset, self.end - self.offset


def possible_citations(
    text: str,
    shown: re.Pattern[str] | None = None,
    roots: Collection[str] = (),
    *,
    is_file: syntax.IsFile = syntax.is_no_file,
) -> Iterator[CitedPiece]:
    """Yield the possible citations of ``text``, in order, without overlaps.

    Fenced blocks are samples and skipped.

    ``is_file`` decides about names without a known suffix; ``shown`` is the form of citations of exhibits, if there
    are any; ``roots`` are possible beginnings of the project's paths.
    """
    for offset, line in syntax.prose_lines(text):
        yield from _Line(line, offset, is_file, shown, tuple(roots)).cited()


class _Line:
    """One line of a speech outside fenced blocks."""

    def __init__(
        self, line: str, offset: int, is_file: syntax.IsFile, shown: re.Pattern[str] | None, roots: tuple[str, ...]
    ) -> None:
        self._line, self._offset, self._shown, self._roots = line, offset, shown, roots
        self._is_file = is_file
        self._is_quoted_speech = line.lstrip().startswith(">")
        self._taken = bytearray(len(line))
        self._places: list[syntax.Citation] = []

    def cited(self) -> list[CitedPiece]:
        """Everything, in order. What one kind takes is no citation of the next kinds."""
        pieces = [self._made(CitationKind.URL, *span) for span in syntax.find_addresses(self._line)]
        for each in pieces:
            self._take(each.start - self._offset, each.end - self._offset)
        pieces += self._paths()
        spans = syntax.code_spans(self._line)
        prose = self._without_taken(spans)
        pieces += self._commits(prose)
        pieces += [self._made(CitationKind.BENCHMARK, *span) for span in syntax.find_results(prose)]
        for span in spans:
            if not self._is_taken(span.start, span.end):
                pieces += self._from_span(span)
        return sorted(pieces, key=lambda each: each.start)

    def _paths(self) -> Iterator[CitedPiece]:
        for mention in syntax.placed_citations_in(self._line, self._offset, self._shown, is_file=self._is_file):
            place = mention.citation
            start, end = place.start - self._offset, place.end - self._offset
            if self._is_taken(start, end):
                continue
            self._places.append(place)
            self._take(start, end)
            is_exhibit = self._shown is not None and self._shown.fullmatch(place.text) is not None
            yield self._made(CitationKind.EXHIBIT if is_exhibit else CitationKind.PATH, start, end, place=place)

    def _commits(self, prose: str) -> Iterator[CitedPiece]:
        for match in _HASH_IN_PROSE.finditer(prose):
            # After "in" or "at", only digits and letters together are surely a hash: not "defaced", not "2012345".
            if _is_mixed(match["hash"]) or _NAMES_A_COMMIT.fullmatch(match["word"]):
                yield self._made(CitationKind.COMMIT, *match.span("hash"), name=(match["hash"],))

    def _from_span(self, span: syntax.LineSpan) -> Iterator[CitedPiece]:
        words = span.words.strip()
        if not words or len(words) > _LONGEST:
            return
        start = self._line.index(words, span.start)
        if commits := _RANGE.fullmatch(words):
            for part in ("first", "last"):
                first, last = commits.span(part)
                yield self._made(CitationKind.COMMIT, start + first, start + last, name=(commits[part],))
            return
        commit = _HASH.fullmatch(words)
        if commit and (_is_mixed(commit["hash"]) or self._is_announced(span)):
            yield self._made(CitationKind.COMMIT, start, start + len(words), name=(commit["hash"],))
        else:
            yield from self._name_or_code(words, span, start)

    def _is_announced(self, span: syntax.LineSpan) -> bool:
        """Report whether a word such as "commit" precedes a code span."""
        before = self._line[max(span.start - _ANNOUNCEMENT, 0) : span.start]
        return _COMMIT_WORD_BEFORE.search(before) is not None

    def _name_or_code(self, words: str, span: syntax.LineSpan, start: int) -> Iterator[CitedPiece]:
        end = start + len(words)
        if match := syntax.IN_FILE.fullmatch(words):
            yield self._made(
                CitationKind.SYMBOL,
                start,
                end,
                name=name_parts(match["name"]),
                nearby=(self._file(match["path"], start),),
            )
        elif match := SYMBOL.fullmatch(words):
            if words.lower() not in _VALUES:
                is_firm = bool(code_name_parts(words))
                name, nearby = name_parts(match["name"]), self._files_near(span)
                yield self._made(CitationKind.SYMBOL, start, end, name=name, nearby=nearby, is_firm=is_firm)
        elif _FOLDER.fullmatch(words) and ("/" in words or "\\" in words or words.startswith(".")):
            place = self._folder(words, span, start)
            yield self._made(CitationKind.PATH, start, end, place=place, is_firm=False)
        elif not is_command(words):
            is_firm = looks_like_code(words)
            yield self._made(CitationKind.PATTERN, start, end, nearby=self._files_near(span), is_firm=is_firm)

    def _file(self, path: str, start: int, *, is_unread: bool = False) -> syntax.Citation:
        """Return the citation of a file or folder as a whole, which begins at ``start`` of the line."""
        begin = self._offset + start
        return syntax.Citation(path, path, None, None, None, begin, begin + len(path), is_unread=is_unread)

    def _folder(self, words: str, span: syntax.LineSpan, start: int) -> syntax.Citation:
        """Return the citation of a possible folder, which has no lines."""
        following = bisect_left(self._places, self._offset + span.end, key=lambda place: place.start)
        before = self._places[following - 1].end - self._offset if following else 0
        is_last = following == len(self._places)
        behind = len(self._line) if is_last else self._places[following].start - self._offset
        cited = lines_cited(self._line, span.start, span.end, bounds=(before, behind))
        return self._file(words, start, is_unread=bool(cited.numbers) or cited.is_unread)

    def _files_near(self, span: syntax.LineSpan) -> tuple[syntax.Citation, ...]:
        """Return the files that the text names for ``span``: one right after it, or one before that contains it."""
        behind = bisect_left(self._places, self._offset + span.end, key=lambda place: place.start)
        files: list[syntax.Citation] = []
        if behind < len(self._places):
            following = self._places[behind]
            if self._is_between(_INSIDE, span.end, following.start - self._offset):
                files.append(following)
        if behind:
            preceding = self._places[behind - 1]
            if self._is_between(_HOLDS, preceding.end - self._offset, span.start):
                files.append(preceding)
        return tuple(files)

    def _is_between(self, relation: re.Pattern[str], start: int, end: int) -> bool:
        """Report whether the text between a name and a file states the relation, and does not deny it."""
        if not start <= end <= start + _MOST_BETWEEN:
            return False
        return bool(relation.fullmatch(self._line, start, end)) and not _NEGATED.search(self._line, start, end)

    def _made(
        self,
        kind: CitationKind,
        start: int,
        end: int,
        *,
        place: syntax.Citation | None = None,
        name: tuple[str, ...] = (),
        nearby: tuple[syntax.Citation, ...] = (),
        is_firm: bool = True,
    ) -> CitedPiece:
        """Return the piece at ``start`` to ``end`` of the line, its paths spelled from the root of the project."""
        return CitedPiece(
            kind=kind,
            start=self._offset + start,
            end=self._offset + end,
            text=self._line[start:end],
            line=self._line,
            offset=self._offset,
            is_quoted_speech=self._is_quoted_speech,
            place=self._from_root(place) if place else None,
            name=name,
            nearby=tuple(self._from_root(each) for each in nearby),
            is_firm=is_firm,
        )

    def _from_root(self, place: syntax.Citation) -> syntax.Citation:
        for root in self._roots:
            if place.path.startswith(root):
                return replace(place, path=place.path.removeprefix(root))
        return place

    def _take(self, start: int, end: int) -> None:
        self._taken[start:end] = b"\1" * (end - start)

    def _is_taken(self, start: int, end: int) -> bool:
        return 1 in self._taken[start:end]

    def _without_taken(self, spans: list[syntax.LineSpan]) -> str:
        """The line with its code, addresses and paths blanked out, every character in its place."""
        line = syntax.without_code(self._line, spans)
        return "".join("`" if taken else character for character, taken in zip(line, self._taken, strict=True))


def _is_mixed(value: str) -> bool:
    """Report whether a possible hash has both digits and letters."""
    return not value.isdigit() and not value.isalpha()
