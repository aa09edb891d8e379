"""Check a cited path, with or without lines, against a working tree.

The path has to be spelled as it is there, letter case included, whatever the disk thinks of it. One that is cut short
in front counts if only one file can be meant. A file that once was there is named with what became of it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from sparring.checks.citations.definitions import Source
from sparring.checks.citations.finding import Finding, is_proposed, not_found, unchecked, verified
from sparring.checks.citations.lookup import Lookup
from sparring.checks.citations.patterns import looks_like_code, words_of
from sparring.checks.citations.places import finding_at, from_root, is_within, leads_outside, near, occurs
from sparring.checks.citations.speech import Cited
from sparring.checks.citations.symbols import named_in_code
from sparring.checks.citations.syntax import Citation
from sparring.checks.citations.tree import Departure, depth
from sparring.schema.citations import CitationStatus
from sparring.text.secret_files import may_hold_secrets

_NAMED_LIKE_A_FILE = re.compile(r"[A-Z]\w*\.js")
"""Node.js, Vue.js: products."""


_FEWEST_QUOTED = 4
"""Words; fewer between quotation marks may be a manner of speaking."""

_NOT_IN_IT = "the quoted words are not in the file"


class PathChecks:
    """Checks paths; what became of those that are gone was asked before."""

    def __init__(self, lookup: Lookup, departures: Mapping[str, Departure]) -> None:
        self._lookup = lookup
        self._departures = departures

    def finding(self, cited: Cited, place: Citation) -> Finding | None:
        """What the tree says; None for what is no path after all."""
        if leads_outside(place.path):
            return unchecked("the path leads out of the project") if cited.is_firm else None
        path = from_root(place.path)
        if may_hold_secrets(path):
            return unchecked("a file of that name may hold secrets and is not read")
        found = locate(path, self._lookup)
        if found is None or (found != path and path in self._departures):
            return self._missing(cited, place, path)
        if found.endswith("/"):
            return verified("the folder exists")
        source = self._lookup.source(found)
        if source is None:  # a file that cannot be read as text
            return verified("the file exists") if place.line is None else unchecked("the file cannot be read")
        finding = _at(place, source) if place.line is not None else _as_quoted(cited, place, source)
        return finding if found == path else replace(finding, reason=f"{finding.reason} ({found})")

    def _missing(self, cited: Cited, place: Citation, path: str) -> Finding | None:
        if departure := self._departures.get(path):
            what = f"renamed to {departure.now}" if departure.now else "deleted"
            return not_found(f"there is no such file any more: it was {what} in {departure.commit}")
        if other := self._lookup.listing.in_other_case(path.rstrip("/")):
            return not_found(f"there is no such file; it is spelled {other}")
        if not cited.is_firm:
            return self._no_folder(path)
        if any(character.isspace() for character in path):
            return unchecked("it may be a command and no path")
        if place.line is None and is_proposed(cited.sentence):
            return unchecked("there is no such file, but it may be one that is proposed")
        return self._no_file(cited, place, path)

    def _no_file(self, cited: Cited, place: Citation, path: str) -> Finding | None:
        if len(same := self._lookup.listing.ending_with(path)) > 1:
            return unchecked(f"{len(same)} files end like that, such as {min(same, key=depth)}")
        is_in_backticks = cited.line[: cited.start - cited.offset].endswith("`")
        if _NAMED_LIKE_A_FILE.fullmatch(path) and place.line is None and not is_in_backticks:
            return None
        if "/" not in path and place.line is None and not is_in_backticks:
            return unchecked("no file of the project has that name; it may be one of elsewhere")
        mentioning = _mentioning(path, self._lookup) if place.line is None else ""
        if mentioning:
            return unchecked(f"there is no such file, but {mentioning} speaks of it")
        return not_found("there is no such file")

    def _no_folder(self, path: str) -> Finding | None:
        """What looks like a folder is one only if the project has what it begins with."""
        first, _, rest = path.partition("/")
        return not_found("there is no such folder") if rest and first in self._lookup.listing.folders else None


def locate(path: str, lookup: Lookup) -> str | None:
    """The file that a path from the root means, or the folder (with a slash at its end); None for nothing certain."""
    listing = lookup.listing
    if path in listing.files:
        return path
    if path.rstrip("/") in listing.folders:
        return path.rstrip("/") + "/"
    if lookup.source(path) is not None:
        return path
    same = listing.ending_with(path)
    return same[0] if len(same) == 1 else None


def _mentioning(path: str, lookup: Lookup) -> str:
    """A file that names this one: what a program makes when it runs is in no repository."""
    words = words_of(path)
    for candidate in lookup.candidates(*words) if words else ():
        source = lookup.source(candidate)
        if source and path in source.text:
            return candidate
    return ""


def _at(place: Citation, source: Source) -> Finding:
    finding = finding_at(place, source.lines)
    quoted = place.quoted or ""
    name = named_in_code(quoted)
    if finding.status is not CitationStatus.UNCHECKED or not is_within(place, source.lines):
        return finding
    if not name:
        return _code_elsewhere(quoted, source) if looks_like_code(quoted) else finding
    if any(name[-1] in line for line in near(place, source.lines)):
        return verified("the name beside it stands there")
    first, last = place.line or 1, place.end_line or 1
    if any(each.line <= first and last <= each.end_line for each in source.definitions(name[-1])):
        return verified(f"the line is inside of {name[-1]}")
    number = next((source.line_at(offset) for offset in source.occurrences(name[-1])), 0)
    return not_found(f"{name[-1]} stands in line {number} and not near that line") if number else finding


def _as_quoted(cited: Cited, place: Citation, source: Source) -> Finding:
    """The finding on a file as a whole: what is quoted from it between quotation marks has to stand in it."""
    quoted = place.quoted or ""
    is_quotation = f"“{quoted}”" in cited.line or f'"{quoted}"' in cited.line
    if not is_quotation or len(quoted.split()) < _FEWEST_QUOTED or is_proposed(cited.sentence):
        return verified("the file exists")
    return verified("the quoted words stand there") if occurs(quoted, source.text) else not_found(_NOT_IN_IT)


def _code_elsewhere(code: str, source: Source) -> Finding:
    return not_found("the quoted code is not " + ("near that line" if occurs(code, source.text) else "in the file"))
