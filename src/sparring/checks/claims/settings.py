"""Settings blocks, option tables and "Added in …" lines, as (key, property, value), and what a claim says of one.

    RETRY_TIMES                     # The port to scrape.
    Added in version 2.17.0.        [ port: <int> | default = 80 ]
    Default: `2`                    `--max-time` | The latest sample. | default: 5m

A claim is read as one about a setting only where, beside a key that the evidence has, it holds nothing but a value and
words for what that value is.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sparring.checks.claims.lexicon import concepts, lexicon
from sparring.checks.claims.terms import Terms, Word
from sparring.checks.claims.tokens import Language, Text


class Property(StrEnum):
    """What is told of a key."""

    DEFAULT = "default"
    VALUE = "value"
    ADDED = "added"
    DEPRECATED = "deprecated"
    REMOVED = "removed"


@dataclass(frozen=True)
class Setting:
    """What a source says of a key, or a claim, which may deny it; the place is that of the value, in composed text."""

    key: str
    property: Property
    value: str
    start: int
    end: int
    is_denied: bool = False


_BRACKET = re.compile(r"\[[ \t]*(?P<key>[\w.-]+):[^\]\n|]*\|[ \t]*default[ \t]*[=:][ \t]*(?P<value>[^\]\n]+?)[ \t]*\]")
_KEY = r"`?(?P<key>-{0,2}[A-Za-z_$][\w.$-]*)`?(?:[ =]<[^>\n]*>)?"
_HEAD = re.compile(rf"[ \t]*(?:[-*|#]+[ \t]+)?{_KEY}[ \t]*(?:$|:(?=\s)|\||(?=\([^()\n]{{0,60}}default))")
_NEXT_HEAD = re.compile(r"`(?P<key>[^`\n]{1,100})`[ \t]*(?::(?=\s)|(?=\())")
"""Whatever follows it on a line is told of another key."""

_QUOTED = r"`[^`\n]+`|\"[^\"\n]*\""
_DEFAULT = re.compile(
    r"(?:^|[|(\[,;.][ \t]*|[-*][ \t]+)\W{0,3}default(?: value)?\W{0,3}[:=][ \t]*"
    rf"(?P<value>{_QUOTED}|[^\s|()\[\],;]+(?:,\d{{3}})*)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?P<verb>added|introduced|new|available|deprecated|removed)[ \t]+(?:in|since|from)\b:?[ \t]*"
    r"(?:version[ \t]+)?v?(?P<value>\d{1,9}+(?:\.\d{1,9}+)*+)(?![\d.]*\d)",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?P<key>[a-z][\w.-]*)[ \t]+(?P<value>[^\s#]+)[ \t]*$")
_ASSIGNED = re.compile(
    rf"[ \t]*(?P<key>[A-Za-z_][\w.-]*)[ \t]*(?:=|:(?=[ \t]))[ \t]*(?P<value>{_QUOTED}|[^\s#]+)[ \t]*$"
)
_VERBS = {"deprecated": Property.DEPRECATED, "removed": Property.REMOVED}
_VERSION = re.compile(r"v?\d{1,9}(?:\.\d{1,9})+|v\d{1,9}")
_NUMBER = re.compile(r"([+-]?[0-9][0-9,]{0,30}(?:\.[0-9]{1,30})?)[ \t]?([A-Za-zµ%]*)")
_DURATION = re.compile(r"(?:[0-9]{1,9}(?:h|m|s|ms|d)){1,9}")
_DURATION_PART = re.compile(r"([0-9]+)([a-z]+)")
_QUOTES = "`'\" \t*"
_MOST_TERMS = 4
_LONGEST_LINE = 1_600  # characters; no setting needs more
_LITERALS = frozenset({"true", "false", "yes", "no", "on", "off", "none", "null", "auto"})
_NO_KEYS = frozenset({"default", "added", "type", "example", "note"})
_NEEDING = frozenset({"requires", "needs", "works", "used", "has"})
_SINCE = _NEEDING | {"added", "introduced", "appeared", "new", "since", "available", "version"}


def settings_by_key(text: Text) -> Mapping[str, Sequence[Setting]]:
    """The settings that one source tells of, in their order."""
    found: defaultdict[str, list[Setting]] = defaultdict(list)
    if "\n" not in text.composed and "efault" not in text.composed and " in" not in text.composed:
        return found
    reader, start = _Reader(), 0
    for line in text.composed.split("\n"):
        if len(line) <= _LONGEST_LINE:
            for each in reader.read(line, start):
                found[each.key].append(each)
        start += len(line) + 1
    return found


class _Reader:
    """Reads line by line; knows the key that the lines below it tell of, and the column of a table with defaults."""

    def __init__(self) -> None:
        self._key = ""
        self._column = -1

    def read(self, line: str, start: int) -> Sequence[Setting]:
        """What the line that begins at ``start`` tells."""
        if match := _BRACKET.search(line):
            self._key = match["key"]
            return [_setting(self._key, Property.DEFAULT, match, start)]
        cells = line.split("|") if "|" in line else []
        if header := [at for at, cell in enumerate(cells) if cell.strip().lower() == Property.DEFAULT]:
            self._key, self._column = "", header[0]
            return []
        found = [*self._in_cell(line, cells, start), *self._told(line, start)]
        self._column = self._column if cells else -1
        return found or self._assigned(line, start)

    def _in_cell(self, line: str, cells: Sequence[str], start: int) -> Iterator[Setting]:
        head = _HEAD.match(line)
        if not head or head["key"].lower() in _NO_KEYS:
            return
        self._key = head["key"]
        if 0 < self._column < len(cells) and (value := cells[self._column].strip(_QUOTES)):
            at = start + sum(len(cell) + 1 for cell in cells[: self._column]) + cells[self._column].index(value)
            yield Setting(self._key, Property.DEFAULT, value, at, at + len(value))

    def _told(self, line: str, start: int) -> Iterator[Setting]:
        head = _HEAD.match(line)
        key, begin = self._key, 0
        for other in (*_NEXT_HEAD.finditer(line, head.end() if head else 0), None):
            end = other.start() if other else len(line)
            if key:
                yield from (
                    _setting(key, Property.DEFAULT, match, start) for match in _DEFAULT.finditer(line, begin, end)
                )
                for match in _CHANGED.finditer(line, begin, end):
                    yield _setting(key, _VERBS.get(match["verb"].lower(), Property.ADDED), match, start)
            if other:
                key, begin = other["key"], other.end()

    def _assigned(self, line: str, start: int) -> Sequence[Setting]:
        plain = _PLAIN.fullmatch(line)
        match = plain if plain and _is_code(plain) else _ASSIGNED.fullmatch(line)
        if match is None or match["key"].lower() in _NO_KEYS:
            return []
        self._key = match["key"]
        return [_setting(self._key, Property.VALUE, match, start)]


def _is_code(match: re.Match[str]) -> bool:
    """Whether two words of a line are a key and its value, not the end of a sentence that was wrapped."""
    value = match["value"].rstrip(".,;:!?")
    return any(mark in match["key"] for mark in "._-") or value.lower() in _LITERALS


def _setting(key: str, which: Property, match: re.Match[str], start: int) -> Setting:
    value = match["value"].rstrip(".")
    return Setting(key, which, value, start + match.start("value"), start + match.start("value") + len(value))


def read_claim(claim: Terms, settings: Sequence[Mapping[str, Sequence[Setting]]]) -> Setting | None:
    """What the claim says of a setting of the evidence; None where it says anything else."""
    terms = claim.words
    keys = [place for place, term in enumerate(terms) if any(term.text in each for each in settings)]
    if not keys:
        return None
    words = lexicon(claim.text.language)
    place = next((at for at in keys if terms[at].is_code), keys[0])
    rest = [at for at, term in enumerate(terms) if at != place and not _is_telling(term, words.settings)]
    if not rest or rest[-1] - rest[0] + 1 != len(rest) or len(rest) > _MOST_TERMS:
        return None
    behind = rest[-1] + 1
    if behind < len(terms) and terms[behind - 1].text[-1].isdigit() and terms[behind].text in concepts().measures:
        rest.append(behind)  # "300 s"
    start, end = claim.starts[rest[0]], claim.ends[rest[-1]]
    start -= claim.text.composed[start - 1 : start] in {"-", "+"}
    is_denied = rest[0] > 0 and terms[rest[0] - 1].is_negation
    value = claim.text.composed[start:end]
    told = {term.lower for term in terms}
    return Setting(terms[place].text, _property(told, value), value, start, end, is_denied)


def _is_telling(term: Word, settings: frozenset[str]) -> bool:
    lower = term.lower
    return not term.is_code and not lower[0].isdigit() and (not term.is_content or set(lower.split()) <= settings)


def _property(told: set[str], value: str) -> Property:
    if "deprecated" in told:
        return Property.DEPRECATED
    if "removed" in told:
        return Property.REMOVED
    if _VERSION.fullmatch(value.strip(_QUOTES)) and told & _SINCE:
        return Property.ADDED
    return Property.DEFAULT if told & {"default", "defaults", "unless", "box", "not", "otherwise"} else Property.VALUE


def holds(said: Setting, there: Setting, words: set[str]) -> bool | None:
    """Whether the setting is as the claim says; ``words`` are those of the claim."""
    if said.property is Property.ADDED:
        return _since(said.value, there.value, words)
    is_so = _is_so(said, there)
    return (None if is_so is None else not is_so) if said.is_denied else is_so


def _is_so(said: Setting, there: Setting) -> bool | None:
    one, other = _readings(said.value), _readings(there.value)
    if one & other:
        return True
    kinds = [{kind for kind, _ in each} for each in (one, other)]
    if kinds[0] == {"count"} and kinds[1] & {"time", "size"}:
        return None  # who leaves the unit out may mean that one
    if kinds[0] & kinds[1]:
        return False
    is_open = "text" not in kinds[0] | kinds[1] and not {"none", "switch"} & (kinds[0] | kinds[1])
    return None if is_open or " " in there.value.strip(_QUOTES) else False


def _since(said: str, there: str, words: set[str]) -> bool:
    one, other = _parts(said), _parts(there)
    is_had = words & {"works", "work", "used", "has", "available", "supported", "supports"}
    return one >= other if is_had and not words & {"since", "first", "later"} else one == other


def _parts(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.strip(_QUOTES).removeprefix("v").split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def _readings(value: str) -> set[tuple[str, float | str]]:
    """What a value may mean: "10m" ten minutes or ten million."""
    bare = value.strip(_QUOTES)
    lower = bare.lower()
    words = lexicon(Language.ENGLISH)
    lower = words.phrases.get(tuple(lower.split()), lower)
    if lower in words.switches:
        return {("switch", words.switches[lower])}
    if lower in {"none", "null", "nil", "unset", "empty", "nothing", ""}:
        return {("none", 0.0)}
    if match := _NUMBER.fullmatch(bare):
        digits, suffix = match[1].replace(",", ""), match[2]
        return set(_numbers(float(digits) if "." in digits else int(digits), suffix)) or {("text", bare)}
    if _DURATION.fullmatch(bare):  # 5m0s
        parts = (_numbers(int(number), unit) for number, unit in _DURATION_PART.findall(bare))
        return {("time", sum(value for part in parts for kind, value in part if kind == "time"))}
    if lower in words.numerals:
        return {("count", words.numerals[lower])}
    return {("text", bare)}


def _numbers(number: float, suffix: str) -> Iterator[tuple[str, float]]:
    words = lexicon(Language.ENGLISH)
    if not suffix:
        yield "count", number
    if suffix in words.suffixes:
        yield "count", number * words.suffixes[suffix]
    if suffix.lower() in words.scales:
        yield "count", number * words.scales[suffix.lower()]
    if suffix in {"%", "percent"}:
        yield "percent", number
    if suffix == "m":
        yield "time", number * 60
    known = concepts()
    named = known.units.get(known.names.get(suffix.lower(), ""))
    if measured := known.measures.get(suffix) or known.measures.get(suffix.lower()) or named:
        yield measured[0], round(number * measured[1], 9)
