"""Try every format on a text; a part that does not parse in its apparent format is plain text, and is reported."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from sparring.checks.claims.parsing.lexicon import record_words
from sparring.checks.claims.structured import assignments, code, documentation, records, tables
from sparring.checks.claims.structured.entries import (
    LARGEST,
    MOST_ENTRIES,
    Aspect,
    FormatReading,
    Malformed,
    StatedValue,
    unit_in_name,
)
from sparring.text.fences import FENCE, lines

_MARKS = ("\n", "=", "`", "|", "{", "[", "--", "->")
_MAY_HOLD = re.compile(
    r":[ \t]|:$|[Dd]efault|[Ll]icen|\bunder\b|passed|failed|changed|HTTP/"
    r"|\b(?:EXPOSE|FROM|NULL|UNIQUE|PRIMARY|INTEGER)\b"
    r"|\b(?:TEXT|BOOLEAN)\b|CHAR\(|[~<>]\d|@\d|\b(?:[Aa]dded|[Rr]emoved|[Dd]eprecated|[Ss]ince)\b"
)
"""A text without any of these contains no structured statement."""

_FRONT = re.compile(r"---[ \t]*\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*$", re.MULTILINE | re.DOTALL)
_CONFIG_LINE = re.compile(
    r"[ \t]*(?:[#;].*|\[.*\],?|-[ \t].*|---|<<:.*|[\]})]+,?"
    r"|\"?[\w.$/-]+\"?[ \t]*[:=].*|[\"'\w./-]+,?|[ \t]*\"[^\"]*\",?|)"
)
_YAML_LINE = re.compile(r"^[ \t]*(?:-[ \t]+)?[\"']?[\w./ -]+[\"']?:(?:[ \t]|$)", re.MULTILINE)
_HEADER_LINE = re.compile(r"^[A-Z][A-Za-z-]*:[ \t]", re.MULTILINE)
_JSON = re.compile(r"\{|\[[\[\s]*[\"{\]\d-]")
_JSON_PART = re.compile(r"^[ \t]*[{\[][^\n]*(?:\n(?![ \t]*\n)[^\n]+)*", re.MULTILINE)
"""A stretch of lines that may be JSON, such as the body of an HTTP response."""

_EQUALS_LINE = re.compile(r"^[ \t]*[\"']?[\w.-]+[\"']?[ \t]*=(?!=)[ \t]*(.*)$", re.MULTILINE)
_TOML_VALUE = re.compile(
    r"[\"'\[{]|(?:[+-]?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?|0x\w+|\d{4}-\d\d-\d\d.*|true|false|inf|nan)[ \t]*(?:#|$)"
)
_SECTION_LINE = re.compile(r"^[ \t]*\[[^\]\n]+\][ \t]*$", re.MULTILINE)
_DOCUMENTATION = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:Default|Type|Added|Since|Required|Deprecated|Removed|New|Introduced)\b", re.MULTILINE
)
_NOT_BREAK = re.compile(r"[^\n]")

_Reader = Callable[[str, int], Iterator[StatedValue]]
_NAMED: dict[str, _Reader] = {
    "json": assignments.read_json,
    "yaml": assignments.read_yaml,
    "yml": assignments.read_yaml,
    "toml": assignments.read_toml,
    "ini": assignments.read_ini,
    "python": code.read_python,
    "py": code.read_python,
}
_BY_LINES: tuple[_Reader, ...] = (
    records.read_records,
    tables.read_tables,
    documentation.read_documentation,
    assignments.read_assignments,
    code.read_declarations,
)
_SWITCHED = re.compile(r"enable[_-]?(?P<one>(?!d$)\w.*)|(?P<other>.*\w)[_-]?enabled", re.IGNORECASE)
_WANTED = re.compile(r"(?:[~^]|[<>=~]=|[<>])[ ]?v?\d")
"""The beginning of a required version."""

_SCHEMA = {
    "default": Aspect.DEFAULT,
    "type": Aspect.TYPE,
    "required": Aspect.REQUIRED,
    "optional": Aspect.REQUIRED,
    "since": Aspect.ADDED,
    "returns": Aspect.RETURNS,
    "enabled": Aspect.VALUE,
}
"""Keys that describe the key above them."""


def read(text: str) -> FormatReading:
    """Return the statements of the structured parts of ``text``; bounded in size, depth and number."""
    if not any(mark in text for mark in _MARKS) and not _MAY_HOLD.search(text):
        return FormatReading()
    if len(text) > LARGEST:
        why = f"Structure is only read in texts of up to {LARGEST:,} characters."
        return FormatReading(malformed=(Malformed(0, len(text), why),))
    malformed: list[Malformed] = []
    entries = _with_schema(_read(text, malformed))
    # Several formats may read the same statement.
    distinct: dict[tuple[object, ...], StatedValue] = {}
    for entry in islice(entries, MOST_ENTRIES):
        distinct.setdefault((entry.path, entry.aspect, entry.start, entry.end, entry.value), entry)
    return FormatReading(list(distinct.values()), malformed)


def _with_schema(entries: Iterable[StatedValue]) -> Iterator[StatedValue]:
    """Yield the entries, and statements from pairs: ``port: {default: 80}`` on port, ``name: x, version: 2`` on x."""
    package: StatedValue | None = None
    for each in entries:
        entry = _with_unit(each)
        yield entry
        name = entry.key.lower()
        if name == "requires-python":
            yield replace(entry, path=("python",))
        if entry.aspect is not Aspect.VALUE:
            continue
        above = entry.path[:-1]
        if name == "version" and package and package.path[:-1] == above:
            path, also = (package.value,), record_words("requirement")
            yield StatedValue(path, Aspect.VALUE, entry.value, entry.start, entry.end, "version", (), also)
        if name == "name":
            package = entry
        if switch := _SWITCHED.fullmatch(name):  # ``enable_cache`` is a statement on the cache
            switched = switch["one"] or switch["other"]
            yield replace(entry, path=(*above, switched.strip("_-")))
        if above and name in _SCHEMA:
            yield _about_parent(entry, name)


def _with_unit(entry: StatedValue) -> StatedValue:
    """Return the entry with the unit of a licence or a required version, if it has one of those."""
    if entry.also:
        return entry
    if entry.key.lower() in {"license", "licence"}:
        return replace(entry, unit="licence", also=record_words("licence"))
    if _WANTED.match(entry.value):
        return replace(entry, unit="version", also=record_words("requirement"))
    return entry


def _about_parent(entry: StatedValue, name: str) -> StatedValue:
    """Return the statement on the key above an entry that describes it: ``required: true`` on ``port``."""
    aspect, value, parent = _SCHEMA[name], entry.value, entry.path[:-1]
    if aspect is Aspect.REQUIRED:
        is_true = value.lower() in {"true", "yes", "1"}
        value = "required" if is_true == (name == "required") else "optional"
    return StatedValue(parent, aspect, value, entry.start, entry.end, unit_in_name(".".join(parent)))


def _read(text: str, malformed: list[Malformed]) -> Iterator[StatedValue]:
    """Yield the entries of fenced code, then those of the rest, which keeps its places."""
    prose: list[str] = []
    for language, body, start in _parts(text):
        if language is None:
            prose.append(body)
        else:
            yield from _block(body, start, language, malformed)
            prose.append(_NOT_BREAK.sub(" ", body))
    rest = "".join(prose)
    if front := _FRONT.match(rest):
        yield from _block(front["body"], front.start("body"), "yaml", malformed)
        rest = _NOT_BREAK.sub(" ", front[0]) + rest[front.end() :]
    yield from _block(rest, 0, "", malformed)


def _parts(text: str) -> Iterator[tuple[str | None, str, int]]:
    """Yield the bodies of fenced code with the name of their language, and the other parts with None, in order."""
    if "```" not in text and "~~~" not in text:
        yield None, text, 0
        return
    language, body, body_start = "", list[str](), 0
    for line in lines(text):
        whole = text[line.start : line.start + len(line.words) + 1]
        is_mark = FENCE.match(line.words) is not None
        if line.is_fenced and not is_mark:
            if not body:
                body_start = line.start
            body.append(whole)
            continue
        if body:
            yield language, "".join(body), body_start
            body = []
        if is_mark:
            language = line.words.strip("`~ \t").lower()
            whole = _NOT_BREAK.sub(" ", whole)
        yield None, whole, line.start
    if body:
        yield language, "".join(body), body_start


def _block(text: str, start: int, language: str, malformed: list[Malformed]) -> Iterator[StatedValue]:
    """Yield the entries of a block, by the parser of its format if it has one, else line by line."""
    name = language if language in _NAMED else _guessed(text)
    if name:
        try:
            entries = list(_NAMED[name](text, start))
        except (ValueError, RecursionError) as error:
            if name not in {"python", "py"}:  # a signature alone is not valid Python
                why = f"It looks like {name.upper()} and does not parse: {str(error)[:200] or 'it is too deep'}."
                malformed.append(Malformed(start, start + len(text), why))
                return
        else:
            yield from entries
            if name == "toml":
                yield from records.read_records(text, start)
            return
    entries, rest = _json_parts(text, start)
    yield from entries
    for reader in _BY_LINES:
        yield from reader(rest, start)


def _json_parts(text: str, start: int) -> tuple[list[StatedValue], str]:
    """Return the entries of all JSON documents within a block, and the block with these documents blanked out."""
    entries: list[StatedValue] = []
    rest = text
    if "{" not in text and '["' not in text:
        return entries, rest
    for part in _JSON_PART.finditer(text):
        if _guessed(part[0]) != "json":
            continue
        try:
            entries += list(assignments.read_json(part[0], start + part.start()))  # all of it, or nothing
        except (ValueError, RecursionError):
            continue
        rest = rest[: part.start()] + _NOT_BREAK.sub(" ", part[0]) + rest[part.end() :]
    return entries, rest


def _guessed(text: str) -> str:
    """Return the name of the format that a block is surely meant to be; empty for none."""
    stripped = text.strip()
    if _JSON.match(stripped) and stripped[-1:] in {"}", "]"} and '"' in stripped:
        return "json"
    if code.is_python(text) and not re.search(r"[{};]\s*$", text, re.MULTILINE):
        return "python"
    all_lines = text.split("\n")
    if "\n" not in stripped or _DOCUMENTATION.search(text) or not all(map(_CONFIG_LINE.fullmatch, all_lines)):
        return ""
    values = _EQUALS_LINE.findall(text)
    keys = len(_YAML_LINE.findall(text))
    if len(values) > keys:
        if all(map(_TOML_VALUE.match, values)):
            return "toml"
        return "ini" if _SECTION_LINE.search(text) else ""
    # Headers, e.g. of a package, are not YAML: "Requires-Python: >=3.10". Neither are the results of tests.
    are_headers = len(_HEADER_LINE.findall(text)) >= len(stripped.split("\n"))
    return "yaml" if keys > 1 and not are_headers and not records.has_results(text) else ""
