"""Documentation of options: headings with "Default: 2" below them, ``--help``, man pages, changelogs."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sparring.checks.claims.parsing.lexicon import statement_words
from sparring.checks.claims.structured.entries import LONGEST_LINE, Aspect, StatedValue, unit_in_name, unit_near
from sparring.checks.claims.structured.values import is_type

_BRACKET = re.compile(r"\[[ \t]*(?P<key>[\w.-]+):[^\]\n|]*\|[ \t]*default[ \t]*[=:][ \t]*(?P<value>[^\]\n]+?)[ \t]*\]")
_METAVARIABLE = r"(?:[ =]?(?:<[^>\n]*>|\[[^\]\n]*\]|\{[^}\n]*\}|[A-Z][A-Z_]*))?"
_HEAD = re.compile(
    r"[ \t]*(?:[-*|#>]+[ \t]+|\*\*|\.\. \w+:: )?"
    r"(?P<key>`[a-z][\w.-]*(?:[ ][a-z][\w.-]*){1,3}`|`{0,2}-{0,2}[A-Za-z_$][\w.$-]*)(?:\([^()\n]{0,80}\))?`{0,2}"
    r"(?:[ =](?:<[^>\n]*>|[A-Z][A-Z_]*))?(?:\*\*)?[ \t]*"
    r"(?:$|:(?=\s|$)|::(?=\s|$)|\||(?=[(\[][^()\[\]\n]{0,60}(?:default|required|optional))|-(?=\s))"
)
_OPTION = re.compile(
    rf"[ \t]*(?:`{{0,2}}(?P<short>-[A-Za-z0-9])`{{0,2}}{_METAVARIABLE}(?:,[ \t]*|[ \t]*\|[ \t]*|[ \t]+(?=--)))?"
    rf"`{{0,2}}(?P<key>--?[A-Za-z0-9][\w-]*)`{{0,2}}{_METAVARIABLE}(?=\s|$|:|,|\|)"
)
_NEXT_HEAD = re.compile(r"`(?P<key>[^`\n]{1,100})``?[ \t]*(?::(?=\s)|(?=\()|(?=(?:now[ \t]+)?defaults[ \t]+to\b))")
"""The rest of its line is about another key."""

_SCALES = r"(?:[ ](?:seconds?|minutes?|hours?|days?|ms|bytes?|[KMG]i?B|percent|thousand|million)\b)?"
_DEFAULT = re.compile(
    r"(?:(?:^|[|(\[,;.][ \t]*|[-*][ \t]+|^[ \t]+)\W{0,3}defaults?(?: value)?\W{0,3}[:=][ \t]*"
    r"|\bdefaults?[ \t]+(?:to|is|value is)[ \t]+(?:the[ \t]+value[ \t]+)?|[(\[,][ \t]*default[ \t]+"
    r"|\bthe[ \t]+default[ \t]+(?:value[ \t]+)?is[ \t]+)(?P<value>`[^`\n]+`|\"[^\"\n]*\"|'[^'\n]*'"
    rf"|(?!(?:to|is|value|values|set|setting)\b)[^\s|()\[\],;]+(?:,\d{{3}})*{_SCALES})",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"(?:\b(?P<verb>versionadded|deprecated|removed|added|introduced|new|available)(?:[ \t]+(?:in|since|from))?"
    r"(?:::?[ \t]*|[ \t]+)"
    r"|(?:^|[|(\[]|\.(?=[ \t]{1,4}since[: \t]+(?:(?:version|release)[ \t]+)?v?[\d.]+$))[ \t]*since:?[ \t]+)"
    r"(?:version[ \t]+|release[ \t]+)?"
    r"v?(?P<value>\d{1,9}+(?:\.\d{1,9}+)*+)(?![\d.]*\d|[ \t]*(?:%|[a-z]))",
    re.IGNORECASE,
)
_NEED = re.compile(
    r"(?:^|[|(\[,;.][ \t]*)\W{0,3}"
    r"(?P<value>(?P<word>required|optional|mandatory)\b(?:[ \t]*[:=][ \t]*(?P<flag>yes|no|true|false)\b)?)"
    r"(?=[ \t]*(?:$|[|)\],;.]|:))",
    re.IGNORECASE,
)
_TYPE = re.compile(
    r"[ \t]*(?:[-*:][ \t]*)?\**(?:type|(?P<returns>returns?))\**[ \t]*:\**[ \t]*"
    r"(?P<value>`[^`\n]+`|\{[\w.]+\}|[\w.\[\]<>]+)[ \t]*",
    re.IGNORECASE,
)
_TYPE_BEHIND = re.compile(r"(?:[(\[]|[ \t]:[ \t])(?P<value>[A-Za-z]{3,10})(?=[,;)\]]|$)")
_DEFAULT_OF = re.compile(
    r"(?:^|[.*-][ \t]+)The default(?: value)? (?:of|for) ``?(?P<key>[^`\n]{1,80})``? is (?:now )?"
    rf"(?P<value>`[^`\n]+`|\"[^\"\n]*\"|[^\s,;()]+{_SCALES})(?=[.;,]?(?:[ \t]|$))",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"[ \t]*(?:\#{1,6}[ \t]*)?(?:version[ \t]+|release[ \t]+)?\[?v?(?P<value>\d+\.\d+(?:\.\d+)*)\]?(?:[ \t].{0,40})?",
    re.IGNORECASE,
)
_NAMED = r"(?:(?:support[ \t]+for|the|a|an|option|flag|new)[ \t]+){0,3}``?(?P<key>[^`\n=]{1,80})"
_CHANGE = re.compile(
    r"[ \t]*[-*+][ \t]+(?:\[\w+\][ \t]+)?(?:\*\*)?(?P<verb>add(?:s|ed)?|new|removed?s?|deprecated?s?|drop(?:s|ped)?)"
    rf"(?:\*\*)?[: \t]+(?:\*\*)?[ \t]*{_NAMED}",
    re.IGNORECASE,
)
_SECTION_OF_CHANGES = re.compile(r"[ \t]*\#{1,6}[ \t]*(?P<verb>added|removed|deprecated)[ \t]*$", re.IGNORECASE)
_ITEM_OF_CHANGES = re.compile(rf"[ \t]*[-*+][ \t]+{_NAMED}", re.IGNORECASE)
_VERBS: Mapping[str, Aspect] = {
    **dict.fromkeys(("deprecate", "deprecates", "deprecated"), Aspect.DEPRECATED),
    **dict.fromkeys(("remove", "removes", "removed", "drop", "drops", "dropped"), Aspect.REMOVED),
}


def read_documentation(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the statements of documentation about the options that its lines name."""
    lowered = text.lower()
    if not any(word in lowered for word in statement_words("documentation")):
        return
    reader = _Reader()
    for line in text.split("\n"):
        if len(line) <= LONGEST_LINE:
            yield from reader.read(line, start)
            if "default" in line and "`" in line:
                for match in _DEFAULT_OF.finditer(line):
                    yield _entry(match["key"], Aspect.DEFAULT, match, start, unit=unit_in_name(match["key"]))
        start += len(line) + 1


class _Reader:
    """Reads line by line; remembers the option, release and kind of changes that the following lines describe."""

    def __init__(self) -> None:
        self._keys: tuple[str, ...] = ()
        self._release = ""
        self._changes: Aspect | None = None

    def read(self, line: str, start: int) -> Iterator[StatedValue]:
        """Yield the statements of the line that begins at ``start``."""
        if match := _BRACKET.search(line):
            self._keys = (match["key"],)
            yield _entry(match["key"], Aspect.DEFAULT, match, start, unit=unit_in_name(match["key"]))
            return
        if match := _RELEASE.fullmatch(line):
            self._release = match["value"]
        if match := _SECTION_OF_CHANGES.match(line):
            self._changes = _VERBS.get(match["verb"].lower(), Aspect.ADDED)
            return
        is_heading = line.startswith("#")
        if is_heading:
            self._changes = None
        yield from self._change(line, start)
        head = _OPTION.match(line) or _HEAD.match(line)
        if head and head["key"].lower() not in statement_words("no_options"):
            names = (head.groupdict().get("short"), head["key"])
            self._keys = tuple(name.strip("`") for name in names if name)
        elif is_heading:
            self._keys = ()
        # The line may go on with other options: each stretch is about the option before it.
        keys, begin = self._keys, 0
        for following in _NEXT_HEAD.finditer(line, head.end() if head else 0):
            yield from _properties(keys, line, begin, following.start(), start)
            keys, begin = (following["key"],), following.end()
        yield from _properties(keys, line, begin, len(line), start)

    def _change(self, line: str, start: int) -> Iterator[StatedValue]:
        """Yield that an entry of a changelog adds, deprecates or removes an option in the current release."""
        if match := _CHANGE.match(line):
            aspect = _VERBS.get(match["verb"].lower(), Aspect.ADDED)
        elif self._changes and (match := _ITEM_OF_CHANGES.match(line)):
            aspect = self._changes
        else:
            return
        begin, end = match.span("key")
        noun = re.match(r"``?[ \t]+(\w+)", line[end:])  # "Removed: the `legacy` backend"
        also = frozenset({noun[1].lower()} if noun else ())
        yield StatedValue((match["key"],), aspect, self._release, start + begin, start + end, also=also)


def _properties(keys: Sequence[str], line: str, begin: int, end: int, start: int) -> Iterator[StatedValue]:
    """Yield what ``line[begin:end]`` states about each of the names of an option."""
    for key in keys:
        for match in _DEFAULT.finditer(line, begin, end):
            unit = unit_in_name(key) or unit_near(line[begin:end].replace(match["value"], " "))
            yield _entry(key, Aspect.DEFAULT, match, start, unit=unit)
        if match := _TYPE.fullmatch(line, begin, end):
            yield _entry(key, Aspect.RETURNS if match["returns"] else Aspect.TYPE, match, start)
        if (match := _TYPE_BEHIND.search(line, begin, end)) and is_type(match["value"]):
            yield _entry(key, Aspect.TYPE, match, start)
        for match in _CHANGED.finditer(line, begin, end):
            verb = match["verb"] or ""
            yield _entry(key, _VERBS.get(verb.lower(), Aspect.ADDED), match, start)
        for match in _NEED.finditer(line, begin, end):
            yield _need(key, match, start)


def _need(key: str, match: re.Match[str], start: int) -> StatedValue:
    """Return that an option is required or optional: "required", "optional: no"."""
    is_denied = (match["flag"] or "").lower() in {"no", "false"}
    is_optional = (match["word"].lower() == "optional") != is_denied
    begin, end = match.span("value")
    need = "optional" if is_optional else "required"
    return StatedValue((key,), Aspect.REQUIRED, need, start + begin, start + end)


def _entry(key: str, which: Aspect, match: re.Match[str], start: int, unit: str = "") -> StatedValue:
    """Return the statement whose value is that of ``match``, in a line that begins at ``start``."""
    written = match["value"].rstrip(".:")
    bare = written.strip("`\"'{}") or written
    begin = start + match.start("value")
    return StatedValue((key,), which, bare, begin, begin + len(written), unit)
