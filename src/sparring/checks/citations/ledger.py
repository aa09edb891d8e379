"""The ledger of one speech: its citations, looked up, and claims without any; and the citations of several texts.

Pure: ``WorkingTree`` supplies the files. ``docs/checks.md`` has the rules.

The table of several texts has files of a working tree, addresses, and the symbols that texts share: a symbol of only
one text is left out, because every text about code is full of those.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from sparring.checks.citations import syntax
from sparring.checks.citations.excuses import is_denied, is_proposed
from sparring.checks.citations.line_numbers import LINES_CITED
from sparring.checks.citations.lookup import (
    Lookup,
    as_evidence,
    as_read,
    check_citations,
    code_name_parts,
    count,
    find_citations,
    finding_at,
    is_command,
    is_within,
    leads_outside,
    looks_like_code,
    nearby_lines,
    occurs,
    pattern_finding,
    root_relative,
    symbol_finding,
    symbol_finding_in,
    unless_proposed,
    words_of,
)
from sparring.checks.citations.speech import CitedPiece, possible_citations
from sparring.checks.citations.tree import (
    CitationFinding,
    Listing,
    SourceText,
    WorkingTree,
    composed,
    depth,
    exists,
    not_found,
    unchecked,
    verified,
)
from sparring.schema import lookups
from sparring.schema.consultation import Exhibit
from sparring.text.secret_shapes import may_hold_secrets
from sparring.text.words import SPACED

_NAMED_LIKE_A_FILE = re.compile(r"[A-Z]\w*\.js")
"""Node.js, Vue.js: products."""


_FEWEST_QUOTED = 4
"""Words; fewer between quotation marks may be a manner of speaking."""


_PLAIN_NAME = re.compile(r"[A-Za-z][\w -]{0,40}")
"""Such a name cannot be that of a cited file."""


class ShownExhibits:
    """The exhibits of a run, by the names that citations use.

    Attributes:
        pattern: The form of their citations; None where there are none, so that nothing similar is a citation.
    """

    def __init__(self, exhibits: Sequence[Exhibit]) -> None:
        self._by_name = {exhibit.path: exhibit for exhibit in exhibits if _PLAIN_NAME.fullmatch(exhibit.path)}
        called = r"E\d{1,3}"
        if self._by_name:
            names = "|".join(map(re.escape, self._by_name))
            called += rf"|(?:{names})(?=:\d|\#L\d)"  # only with a line: such a name may be an ordinary word
        self._by_name |= {f"E{exhibit.number}": exhibit for exhibit in exhibits}
        cited = rf"(?<!{SPACED})(?<![/.#])(?P<path>{called})(?:{LINES_CITED})?(?!{SPACED}|[./]\w)"
        self.pattern = re.compile(cited) if exhibits else None

    def find(self, path: str) -> Exhibit | None:
        """Return the exhibit of that name."""
        return self._by_name.get(path)

    def source(self, path: str) -> SourceText | None:
        """Return the text of the exhibit of that name, each line under the number that it has in its file."""
        exhibit = self.find(path)
        if exhibit is None:
            return None
        lines_before = "\n" * (exhibit.first - 1)
        return SourceText(lines_before + exhibit.text)


def _locate(path: str, lookup: Lookup) -> str | None:
    """Return the file that a path from the root means, or the folder with a slash at its end; None if uncertain."""
    listing = lookup.listing
    path = listing.as_on_disk(path)
    if path in listing.files:
        return path
    if path.rstrip("/") in listing.folders:
        return path.rstrip("/") + "/"
    if path.rstrip("/") in listing.files:  # a repository within this one, which is listed like a file
        return path.rstrip("/")
    if lookup.source(path) is not None:
        return path
    same = listing.ending_with(path)
    return same[0] if len(same) == 1 else None


def _mentioning(path: str, lookup: Lookup) -> str:
    """Return a file that names this one, as one does that a program makes when it runs; empty if there is none."""
    words = words_of(path)
    if not words:
        return ""
    for candidate in lookup.candidates(*words):
        source = lookup.source(candidate)
        if source and path in source.text:
            return candidate
    return ""


def _at(cited: CitedPiece, place: syntax.Citation, source: SourceText) -> CitationFinding:
    finding = unless_proposed(_finding_at_place(place, source), place, source.lines, cited.in_line)
    return as_evidence(finding, place, source.lines)


def _finding_at_place(place: syntax.Citation, source: SourceText) -> CitationFinding:
    """Return the finding on cited lines; a name or code next to the citation may decide what its words left open."""
    finding = finding_at(place, source.lines)
    quoted = place.quoted or ""
    if finding.status is not lookups.CitationStatus.UNCHECKED or not is_within(place, source.lines):
        return finding
    parts = code_name_parts(quoted)
    if parts:
        return _next_to_name(parts[-1], place, source) or finding
    if not looks_like_code(quoted) or is_command(quoted):
        return finding
    where = "near that line" if occurs(quoted, source.text) else "in the file"
    return not_found(f"the quoted code is not {where}")


def _next_to_name(name: str, place: syntax.Citation, source: SourceText) -> CitationFinding | None:
    """Return the finding on lines cited for a name, which contain or define it; None if it is nowhere."""
    if occurs(name, "\n".join(nearby_lines(place, source.lines))):
        return verified("the name next to it is there")
    first, last = place.line or 1, place.end_line or 1
    for definition in source.definitions(name):
        if definition.line <= first and last <= definition.end_line:
            return verified(f"the line is inside of {name}")
    for offset in source.occurrences(name):
        return not_found(f"{name} is in line {source.line_at(offset)} and not near that line")
    return None


def _as_quoted(cited: CitedPiece, place: syntax.Citation, source: SourceText, *, what: str = "file") -> CitationFinding:
    """Return the finding on ``what`` as a whole: words quoted from it in quotation marks have to occur in it."""
    quoted = place.quoted or ""
    is_quotation = f"“{quoted}”" in cited.line or f'"{quoted}"' in cited.line
    if is_quotation and not is_proposed(*cited.in_line):
        words = len(quoted.split())
        if words > 1 and occurs(quoted, source.text):
            return verified("the quoted words are there")
        if words >= _FEWEST_QUOTED:
            return not_found(f"the quoted words are not in the {what}")
    return exists(f"the {what} exists")


def _of_exhibit(cited: CitedPiece, place: syntax.Citation, shown: ShownExhibits) -> CitationFinding:
    """Return the finding on an exhibit: only on its own lines, without the surroundings in its file."""
    exhibit, source = shown.find(place.path), shown.source(place.path)
    if exhibit is None or source is None:
        return not_found("there is no such exhibit")
    if place.line is None:
        return as_read(_as_quoted(cited, place, source, what="exhibit"), place)
    lines = (place.line, place.end_line or place.line)
    if not all(exhibit.first <= line <= exhibit.last for line in lines):
        return not_found(f"the exhibit shows the lines {exhibit.first}-{exhibit.last}")
    finding = as_read(_at(cited, place, source), place, exhibit.last)
    return replace(finding, reason=finding.reason.replace("in the file", "in the exhibit"))


_MOST_TENTATIVE = 4
"""Times as many words that may be none are looked up as there may be entries."""

_COMMITS = {
    lookups.CommitPresence.THERE: exists("the commit exists"),
    lookups.CommitPresence.MISSING: not_found("there is no such commit"),
    lookups.CommitPresence.AMBIGUOUS: unchecked("several commits begin like that"),
    lookups.CommitPresence.PARTIAL_HISTORY: unchecked("this clone has only part of the history, without such a commit"),
    lookups.CommitPresence.NO_REPOSITORY: unchecked("there is no git repository"),
}
_QUOTED_SPEECH = unchecked("it is in a quotation of another speaker")
_NOT_FETCHED = unchecked("addresses are not fetched here")
_NOT_MEASURED = unchecked("it was not measured again")


def check_ledger(
    text: str, tree: WorkingTree, *, exhibits: Sequence[Exhibit] = (), most: int = lookups.MOST_ENTRIES
) -> lookups.CitationLedger:
    """Return all citations of ``text``, looked up in ``tree``, and its claims without any.

    Args:
        text: A speech, in Markdown.
        tree: Queried once for all names, once for all commits, and once for the history of all missing files.
        exhibits: The exhibits that the speaker saw; they are cited by their numbers.
        most: Citations that are looked up; further ones are only counted.
    """
    shown = ShownExhibits(exhibits)
    pieces = list(possible_citations(text, shown.pattern, tree.roots, is_file=tree.listing.may_refer_to))
    firm = [piece for piece in pieces if piece.is_firm]
    end = firm[most].start if len(firm) > most else len(text)  # of the text that is looked through
    tentative = [piece for piece in pieces if not piece.is_firm and piece.start < end]
    looked_up = [*firm[:most], *tentative[: _MOST_TENTATIVE * most]]
    looked_up.sort(key=lambda piece: piece.start)
    checks = _Checks(looked_up, tree, shown)
    entries: list[lookups.LedgerEntry] = []
    for piece in looked_up:
        finding = checks.finding(piece)
        if finding:
            entries.append(
                lookups.LedgerEntry(
                    text=piece.text,
                    start=piece.start,
                    end=piece.end,
                    kind=piece.kind,
                    status=finding.status,
                    reason=finding.reason,
                )
            )
    behind = [
        lookups.TextSpan(text=piece.text, start=piece.start, end=piece.end) for piece in firm if piece.start >= end
    ]
    return lookups.CitationLedger(
        entries=tuple(entries[:most]),
        unsupported=syntax.uncited_claims(text, (*entries, *behind)),
        left_out=len(behind) + len(entries[most:]),
    )


class _Checks:
    """All citations, looked up at once, then one finding after the other."""

    def __init__(self, cited: list[CitedPiece], tree: WorkingTree, shown: ShownExhibits) -> None:
        self._shown = shown
        own = [piece for piece in cited if not piece.is_quoted_speech]
        hashes = {piece.name[0].lower() for piece in own if piece.kind is lookups.CitationKind.COMMIT}
        self._commits = tree.commits(hashes) if hashes else dict[str, lookups.CommitPresence]()
        self._lookup = Lookup(tree, _names(own, tree.listing), defined=_defined(own))
        gone: set[str] = set()
        for piece in own:
            if piece.kind is not lookups.CitationKind.PATH or not piece.place or leads_outside(piece.place.path):
                continue
            path = root_relative(piece.place.path)
            # A bare name is not asked for in the history: it may be one of elsewhere.
            if "/" in path and composed(_locate(path, self._lookup) or "") != composed(path):
                gone.add(path)
        self._departures = tree.removed_files(gone) if gone else dict[str, lookups.FileRemoval]()

    def finding(self, cited: CitedPiece) -> CitationFinding | None:
        """Return the finding for one piece; None if it is no citation after all."""
        if cited.is_quoted_speech:
            return _QUOTED_SPEECH if cited.is_firm else None
        finding = self._look_up(cited)
        if finding is None or cited.kind in (lookups.CitationKind.URL, lookups.CitationKind.BENCHMARK):
            return finding
        return _as_stated(cited, finding)

    def _look_up(self, cited: CitedPiece) -> CitationFinding | None:
        match cited.kind:
            case lookups.CitationKind.URL:
                return _NOT_FETCHED
            case lookups.CitationKind.BENCHMARK:
                return _NOT_MEASURED
            case lookups.CitationKind.COMMIT:
                return _COMMITS[self._commits[cited.name[0].lower()]]
            case lookups.CitationKind.PATH:
                return self._path(cited, cited.place) if cited.place else None
            case lookups.CitationKind.EXHIBIT:
                return _of_exhibit(cited, cited.place, self._shown) if cited.place else None
            case lookups.CitationKind.SYMBOL | lookups.CitationKind.PATTERN:
                return self._name_or_code(cited)

    def _path(self, cited: CitedPiece, place: syntax.Citation) -> CitationFinding | None:
        """Look a cited path up in the tree; None for text that is no path after all."""
        if leads_outside(place.path):
            return unchecked("the path points outside the project") if cited.is_firm else None
        path = root_relative(place.path)
        if may_hold_secrets(path):
            return unchecked("a file of that name may contain secrets and is not read")
        located = _locate(path, self._lookup)
        # A file is found by the end of its path as well, unless the history has one of exactly that path.
        is_same = located is not None and composed(located) == composed(path)
        if located is None or (not is_same and path in self._departures):
            return self._missing(cited, place, path)
        if located.endswith("/"):
            return as_read(exists("the folder exists"), place)
        source = self._lookup.source(located)
        if source is None:  # a file that cannot be read as text
            is_whole = place.line is None
            return as_read(exists("the file exists"), place) if is_whole else unchecked("the file cannot be read")
        finding = _as_quoted(cited, place, source) if place.line is None else _at(cited, place, source)
        finding = as_read(source.limited_by_reading(finding), place, count(source.lines) if source.is_whole else None)
        return finding if is_same else replace(finding, reason=f"{finding.reason} ({located})")

    def _missing(self, cited: CitedPiece, place: syntax.Citation, path: str) -> CitationFinding | None:
        departure = self._departures.get(path)
        if departure:
            what = f"renamed to {departure.now}" if departure.now else "deleted"
            return not_found(f"there is no such file any more: it was {what} in {departure.commit}")
        other = self._lookup.listing.in_other_case(path.rstrip("/"))
        if other:
            return not_found(f"there is no such file; it is spelled {other}")
        if not cited.is_firm:
            first, _, rest = path.partition("/")  # a possible folder is one if the project has its beginning
            is_folder = bool(rest) and first in self._lookup.listing.folders
            return not_found("there is no such folder") if is_folder else None
        if any(character.isspace() for character in path):
            return unchecked("it may be a command and no path")
        if place.line is None and is_proposed(*cited.in_line):
            return unchecked("there is no such file, but it may be one that is proposed")
        return self._no_file(cited, place, path)

    def _no_file(self, cited: CitedPiece, place: syntax.Citation, path: str) -> CitationFinding | None:
        same = self._lookup.listing.ending_with(path)
        if len(same) > 1:
            return unchecked(f"{len(same)} files end like that, such as {min(same, key=depth)}")
        if place.line is not None:
            return not_found("there is no such file")
        is_in_backticks = cited.line[: cited.start - cited.offset].endswith("`")
        if _NAMED_LIKE_A_FILE.fullmatch(path) and not is_in_backticks:
            return None
        if "/" not in path and not is_in_backticks:
            return unchecked("no file of the project has that name; it may be one of elsewhere")
        mentioning = _mentioning(path, self._lookup)
        if mentioning:
            return unchecked(f"there is no such file, but {mentioning} speaks of it")
        return not_found("there is no such file")

    def _name_or_code(self, cited: CitedPiece) -> CitationFinding | None:
        """Look a name up in the files cited next to it, and in all files where those do not decide."""
        nearby = self._in_nearby_files(cited)
        if nearby is None or nearby.status is lookups.CitationStatus.UNCHECKED:
            return self._anywhere(cited)
        if nearby.status is lookups.CitationStatus.VERIFIED or cited.is_firm:
            return nearby
        return nearby if self._anywhere(cited) else None  # a word that is no name of the code is missing from no file

    def _in_nearby_files(self, cited: CitedPiece) -> CitationFinding | None:
        """Look a name up in the files that the text names for it; one of them must contain it."""
        first: CitationFinding | None = None
        for place in cited.nearby:
            finding = self._in_file(cited, root_relative(place.path))
            if finding and finding.status is lookups.CitationStatus.VERIFIED:
                return finding
            first = first or finding
        return first

    def _in_file(self, cited: CitedPiece, path: str) -> CitationFinding | None:
        """Return the finding in the file or exhibit at ``path``.

        None if there is none, and the name is not cited as a part of it.
        """
        source = self._shown.source(path)
        located: str | None = path
        if source is None:
            located = None if leads_outside(path) else _locate(path, self._lookup)
            if located and located.endswith("/"):  # a folder
                located = None
            source = self._lookup.source(located) if located else None
        if located is None or source is None:
            if not any(place.start == cited.start for place in cited.nearby):
                return None
            return unchecked("the file cannot be read") if located else not_found("there is no such file")
        if cited.kind is lookups.CitationKind.SYMBOL:
            return source.limited_by_reading(symbol_finding_in(cited.name, located, source))
        if occurs(cited.text, source.text):
            return verified(f"it is in {located}")
        return source.limited_by_reading(not_found(f"{located} does not contain that code"))

    def _anywhere(self, cited: CitedPiece) -> CitationFinding | None:
        if cited.kind is lookups.CitationKind.SYMBOL:
            return symbol_finding(cited.name, self._lookup, is_plain_word=not cited.is_firm)
        return pattern_finding(cited.text, self._lookup)


def _names(cited: Iterable[CitedPiece], listing: Listing) -> set[str]:
    """Return all names to search for."""
    names: set[str] = set()
    for piece in cited:
        if piece.kind is lookups.CitationKind.SYMBOL:
            names.update(piece.name)
        elif piece.kind is lookups.CitationKind.PATTERN:
            names.update(words_of(piece.text))
        elif piece.kind is lookups.CitationKind.PATH and piece.place and piece.place.line is None:
            path = root_relative(piece.place.path)
            if not listing.ending_with(path):  # another file may mention it
                names.update(words_of(path))
    return names


def _defined(cited: Iterable[CitedPiece]) -> set[str]:
    """Return the names whose definitions matter: single names, and containers of members."""
    names: set[str] = set()
    for piece in cited:
        if piece.kind is lookups.CitationKind.SYMBOL:
            names.update(piece.name[-2:-1])
            if len(piece.name) == 1 or not piece.is_firm:
                names.update(piece.name[:1])
    return names


def _as_stated(cited: CitedPiece, finding: CitationFinding) -> CitationFinding:
    """Return the finding in the light of the statement of its sentence."""
    if is_denied(*cited.in_line):
        there = "and it is there" if finding.status.exists else finding.reason
        return unchecked(f"it is named as something that is not there; {there}")
    if finding.status is not lookups.CitationStatus.NOT_FOUND:
        return finding
    is_code = cited.kind in (lookups.CitationKind.SYMBOL, lookups.CitationKind.PATTERN)
    if is_code and not cited.nearby and is_proposed(*cited.in_line):
        return unchecked(f"{finding.reason}, but it may be proposed")
    return finding


MOST_SOURCES = 50
"""Most rows of the table; those that most texts share come first."""


def compare_citations(texts: Mapping[int, str], read: Callable[[str], str | None]) -> lookups.CitationTable:
    """Build the table of sources and of the answers that cite each.

    Args:
        texts: Texts in Markdown by their numbers.
        read: As for ``check_citations``; it may be called for the same path once for each text.
    """
    places_of: dict[tuple[lookups.SourceKind, str], dict[lookups.CitedPlace, None]] = {}
    for number, text in texts.items():
        for kind, name, place in _cited(number, text, read):
            places_of.setdefault((kind, name), {})[place] = None
    shown: list[lookups.CitedSource] = []
    for (kind, name), places in places_of.items():
        source = lookups.CitedSource(kind=kind, name=name, places=tuple(places))
        if kind is not lookups.SourceKind.SYMBOL or len(source.answers) > 1:
            shown.append(source)
    kinds = list(lookups.SourceKind)
    shown.sort(key=lambda source: (-len(source.answers), kinds.index(source.kind)))
    return lookups.CitationTable(sources=tuple(shown[:MOST_SOURCES]), left_out=max(0, len(shown) - MOST_SOURCES))


def _cited(
    number: int, text: str, read: Callable[[str], str | None]
) -> Iterator[tuple[lookups.SourceKind, str, lookups.CitedPlace]]:
    for checked in check_citations(text, read):
        cited = checked.citation
        place = lookups.CitedPlace(answer=number, line=cited.line, end_line=cited.end_line, status=checked.status)
        yield lookups.SourceKind.PATH, cited.path.removeprefix("./"), place
    for _, line in syntax.prose_lines(text):
        for start, end in syntax.find_addresses(line):
            yield lookups.SourceKind.URL, line[start:end], lookups.CitedPlace(answer=number)
        for span in syntax.code_spans(line):
            name = _symbol(span.words)
            if name:
                yield lookups.SourceKind.SYMBOL, name, lookups.CitedPlace(answer=number)


def _symbol(words: str) -> str:
    """Return the symbol that a code span names; empty if it is a plain word, a file or something else."""
    if not code_name_parts(words) or find_citations(f"`{words}`"):
        return ""
    return words.removesuffix("()")
