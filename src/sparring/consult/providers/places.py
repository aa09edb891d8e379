"""Where in a provider file something stands, since the standard library's TOML reader forgets it."""

import re
from collections.abc import Sequence

_NAME = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_DOTTED = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_TABLE = re.compile(rf"[ \t]*\[[ \t]*({_DOTTED})[ \t]*\][ \t]*(?:#.*)?")
_KEY = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=")
_PART = re.compile(_NAME)


def line_of(source: str, place: Sequence[str]) -> int | None:
    """The line, from 1, of the key that ``place`` leads to, or of the nearest table around it; None without either.

    A line within a string of several lines that looks like a key is taken for one: the reader looks at the file anyway.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(source.splitlines(), start=1):
        if header := _TABLE.fullmatch(line):
            table = _parts(header[1])
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    prefixes = (tuple(place[:length]) for length in range(len(place), 0, -1))
    return next((lines[prefix] for prefix in prefixes if prefix in lines), None)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
