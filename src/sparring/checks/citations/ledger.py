"""The ledger of one speech: everything it cites, looked up, and the claims that cite nothing.

Pure: what the working tree holds comes through ``WorkingTree``. Each kind of citation has its own module beside this
one; here stand the rules that all share. What stands in a quotation of somebody else is not looked up, and what a
speaker denies, or proposes, is not held against him when it is not there.
"""

from collections.abc import Iterable
from itertools import islice

from sparring.checks.citations.finding import (
    Finding,
    is_denied,
    is_denied_right_here,
    is_proposed,
    not_found,
    unchecked,
    verified,
)
from sparring.checks.citations.lookup import Lookup
from sparring.checks.citations.paths import PathChecks, locate
from sparring.checks.citations.patterns import holds, pattern_finding, words_of
from sparring.checks.citations.places import from_root, leads_outside
from sparring.checks.citations.speech import Cited, cited_in
from sparring.checks.citations.symbols import symbol_finding, symbol_finding_in
from sparring.checks.citations.tree import CommitSeen, Departure, Listing, WorkingTree
from sparring.checks.citations.uncited import uncited_claims
from sparring.schema.citations import CitationStatus
from sparring.schema.ledger import MOST_ENTRIES, CitationKind, Ledger, LedgerEntry
from sparring.schema.spans import TextSpan

_MOST_TENTATIVE = 4
"""Times as many words that may be none are looked up as there may be entries."""

_COMMITS = {
    CommitSeen.THERE: verified("the commit exists"),
    CommitSeen.MISSING: not_found("there is no such commit"),
    CommitSeen.AMBIGUOUS: unchecked("several commits begin like that"),
    CommitSeen.PARTIAL_HISTORY: unchecked("this clone holds only a part of the history, without such a commit"),
    CommitSeen.NO_REPOSITORY: unchecked("there is no git repository"),
}
_QUOTED_SPEECH = unchecked("it stands in a quotation of somebody else")
_NOT_FETCHED = unchecked("addresses are not fetched here")
_NOT_MEASURED = unchecked("nobody has measured it again here")


def check_ledger(text: str, tree: WorkingTree, *, most: int = MOST_ENTRIES) -> Ledger:
    """Everything that ``text`` cites, looked up in ``tree``, and its claims that cite nothing.

    Args:
        text: A speech, in Markdown.
        tree: Asked once for all names, once for all commits, and once for what became of all files that are gone.
        most: Citations that are looked up; those behind are counted.
    """
    cited = list(cited_in(text))
    firm = [each for each in cited if each.is_firm]
    end = firm[most].start if len(firm) > most else len(text)
    tentative = islice((each for each in cited if not each.is_firm and each.start < end), _MOST_TENTATIVE * most)
    looked_up = sorted((*firm[:most], *tentative), key=lambda each: each.start)
    checks = _Checks(looked_up, tree)
    found = [(each, checks.finding(each)) for each in looked_up]
    entries = [_entry(each, finding) for each, finding in found if finding]
    behind = [TextSpan(text=each.text, start=each.start, end=each.end) for each in firm if each.start >= end]
    return Ledger(
        entries=tuple(entries[:most]),
        unsupported=uncited_claims(text, (*entries, *behind)),
        left_out=len(behind) + len(entries[most:]),
    )


class _Checks:
    """Everything that is cited, asked for at once, then one finding after the other."""

    def __init__(self, cited: list[Cited], tree: WorkingTree) -> None:
        own = [each for each in cited if not each.is_quoted_speech]
        hashes = {each.name[0].lower() for each in own if each.kind is CitationKind.COMMIT}
        self._commits = tree.commits(hashes) if hashes else dict[str, CommitSeen]()
        self._lookup = Lookup(tree, _names(own, tree.listing), defined=_defined(own))
        paths = {from_root(each.place.path) for each in own if each.place and not leads_outside(each.place.path)}
        gone = {path for path in paths if locate(path, self._lookup) != path and "/" in path}
        departures = tree.departed(gone) if gone else dict[str, Departure]()
        self._paths = PathChecks(self._lookup, departures)

    def finding(self, cited: Cited) -> Finding | None:
        """What the tree says of one; None if it is no citation after all."""
        if cited.is_quoted_speech:
            return _QUOTED_SPEECH if cited.is_firm else None
        finding = self._looked_up(cited)
        if finding is None or cited.kind in (CitationKind.URL, CitationKind.BENCHMARK):
            return finding
        return _as_said(cited, finding)

    def _looked_up(self, cited: Cited) -> Finding | None:
        match cited.kind:
            case CitationKind.URL:
                return _NOT_FETCHED
            case CitationKind.BENCHMARK:
                return _NOT_MEASURED
            case CitationKind.COMMIT:
                return _COMMITS[self._commits[cited.name[0].lower()]]
            case CitationKind.PATH:
                return self._paths.finding(cited, cited.place) if cited.place else None
            case CitationKind.SYMBOL | CitationKind.PATTERN:
                return self._held(cited)

    def _held(self, cited: Cited) -> Finding | None:
        """What the files beside a name or code say; without any, or where they cannot decide, what all files say."""
        beside = self._beside(cited)
        if beside is None or beside.status is CitationStatus.UNCHECKED:
            return self._anywhere(cited)
        if beside.status is CitationStatus.VERIFIED or cited.is_firm:
            return beside
        return beside if self._anywhere(cited) else None  # a word that is none of the code is missed in no file

    def _beside(self, cited: Cited) -> Finding | None:
        """What the files say that a name or code is said to be in: one of them has to hold it."""
        findings = [finding for place in cited.beside if (finding := self._in_file(cited, from_root(place.path)))]
        findings.sort(key=lambda finding: finding.status is not CitationStatus.VERIFIED)
        return findings[0] if findings else None

    def _in_file(self, cited: Cited, path: str) -> Finding | None:
        found = None if leads_outside(path) else locate(path, self._lookup)
        source = self._lookup.source(found) if found and not found.endswith("/") else None
        if found is None or source is None:
            is_of_that_file = any(place.start == cited.start for place in cited.beside)
            return not_found("there is no such file") if is_of_that_file else None
        if cited.kind is CitationKind.SYMBOL:
            return symbol_finding_in(cited.name, found, source)
        if holds(source, cited.text):
            return verified(f"it stands in {found}")
        return not_found(f"{found} does not hold that code")

    def _anywhere(self, cited: Cited) -> Finding | None:
        if cited.kind is CitationKind.SYMBOL:
            return symbol_finding(cited.name, self._lookup, is_plain_word=not cited.is_firm)
        return pattern_finding(cited.text, self._lookup)


def _names(cited: Iterable[Cited], listing: Listing) -> set[str]:
    """All that has to be looked for: of a file that is not there the words of its name, which may be mentioned."""
    names: set[str] = set()
    for each in cited:
        if each.kind is CitationKind.SYMBOL:
            names.update(each.name)
        elif each.kind is CitationKind.PATTERN:
            names.update(words_of(each.text))
        elif each.place and each.place.line is None and not listing.ending_with(from_root(each.place.path)):
            names.update(words_of(from_root(each.place.path)))
    return names


def _defined(cited: Iterable[Cited]) -> set[str]:
    """The names of which it matters where they are defined: words that may be none, and what has members."""
    symbols = [each for each in cited if each.kind is CitationKind.SYMBOL]
    members = {each.name[-2] for each in symbols if len(each.name) > 1}
    return members | {each.name[0] for each in symbols if not each.is_firm}


def _as_said(cited: Cited, finding: Finding) -> Finding:
    """The finding in the light of what the sentence says about it."""
    start, end = cited.start - cited.offset, cited.end - cited.offset
    if is_denied_right_here(cited.line, start, end):
        there = "and it is there" if finding.status is CitationStatus.VERIFIED else finding.reason
        return unchecked(f"it is named as something that is not there; {there}")
    if finding.status is not CitationStatus.NOT_FOUND:
        return finding
    if is_denied(cited.sentence):
        return unchecked("it is named as something that is not there")
    if cited.kind in (CitationKind.SYMBOL, CitationKind.PATTERN) and not cited.beside and is_proposed(cited.sentence):
        return unchecked(f"{finding.reason}, but it may be proposed")
    return finding


def _entry(cited: Cited, finding: Finding) -> LedgerEntry:
    return LedgerEntry(
        text=cited.text,
        start=cited.start,
        end=cited.end,
        kind=cited.kind,
        status=finding.status,
        reason=finding.reason,
    )
