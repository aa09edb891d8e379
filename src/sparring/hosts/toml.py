"""Change one table of a TOML text, and not one other byte of it.

``tomlkit`` does the editing, but it is only given the lines of the table in question: a comment that stands above the
next table belongs to the one before it there, and would be deleted with it or end up among its keys (0.15).
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import Struct
from pydantic import JsonValue

_REMARKS = re.compile(r"^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:#[^\n]*)?\Z", re.MULTILINE)

_TEXT = re.compile(
    r"""#[^\n]*|\"{3}(?:\\.|[^\\])*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""",
    re.DOTALL,
)


class _Lines(Struct, frozen=True):
    start: int
    end: int


def read_toml(text: str) -> dict[str, JsonValue]:
    """Parse ``text``.

    Raises:
        ValueError: It is not TOML, or is nested too deeply to be read.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def with_table(text: str, path: Sequence[str], values: Mapping[str, JsonValue]) -> str:
    """Return ``text`` with ``values`` in the table at ``path``, whose other keys and comments stay; it may be missing.

    Raises:
        ValueError: It is not TOML, a part of the path is no table, or its form is not supported.
    """
    expected = read_toml(text)
    table = _table(expected, path)
    is_new = not table
    table.update(values)
    candidates = [_edited(text, path, values)]
    if is_new:
        candidates.insert(0, _appended(text, path, values))
    elif lines := _lines_of(text, path):
        part = _edited(text[lines.start : lines.end], path, values)
        candidates.insert(0, text[: lines.start] + part + text[lines.end :])
    return _checked(candidates, expected)


def without_table(text: str, path: Sequence[str]) -> str:
    """``text`` without the table at ``path``, and without the blank line above it.

    Raises:
        ValueError: As ``with_table``.
    """
    expected = read_toml(text)
    parent = _table(expected, path[:-1])
    del parent[path[-1]]
    out = text
    while lines := _lines_of(out, path):  # its sub-tables may stand in other places
        out = re.sub(r"(\A|\n)\r?\n\Z", r"\1", out[: lines.start]) + out[lines.end :]
    if out == text:
        out = _deleted(text, path)
    return _checked([out], _without_empty(expected, path[:-1]), expected)


def without_key(text: str, path: Sequence[str]) -> str:
    """``text`` without the key at ``path``, and without its table where that was all in it.

    Raises:
        ValueError: As ``with_table``.
    """
    expected = read_toml(text)
    *table, key = path
    of = _table(expected, table)
    del of[key]
    if not of:
        return without_table(text, table)
    lines = _lines_of(text, table)
    if lines is None:
        return _checked([_deleted(text, path)], expected)
    return _checked([text[: lines.start] + _deleted(text[lines.start : lines.end], path) + text[lines.end :]], expected)


def _table(content: dict[str, JsonValue], path: Sequence[str]) -> dict[str, JsonValue]:
    for key in path:
        inner = content.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ValueError(f"{key} is not a table")  # noqa: TRY004 -- a fault of the file, not of the caller
        content = inner
    return content


def _without_empty(content: Mapping[str, JsonValue], path: Sequence[str]) -> dict[str, JsonValue]:
    """``content`` without the table at ``path`` if nothing is in it: one that no line opens goes with its entry."""
    if not path:
        return dict(content)
    key, *rest = path
    inner = content[key]
    kept = _without_empty(inner, rest) if isinstance(inner, dict) else inner
    return {name: kept if name == key else value for name, value in content.items() if name != key or kept}


def is_same(one: object, other: object) -> bool:
    """Return whether two values are equal; "not a number" is equal to itself here."""
    if isinstance(one, dict) and isinstance(other, dict):
        ours, theirs = cast("dict[str, object]", one), cast("dict[str, object]", other)
        return ours.keys() == theirs.keys() and all(is_same(value, theirs[key]) for key, value in ours.items())
    if isinstance(one, list) and isinstance(other, list):
        listed, there = cast("list[object]", one), cast("list[object]", other)
        return len(listed) == len(there) and all(map(is_same, listed, there))
    return one == other or (one != one and other != other)  # noqa: PLR0124 -- not a number


def _checked(candidates: Sequence[str], *expected: dict[str, JsonValue]) -> str:
    for candidate in candidates:
        try:
            if any(is_same(read_toml(candidate), each) for each in expected):
                return candidate
        except ValueError:
            continue
    raise ValueError("it is written in a way that cannot be edited safely")


def _lines_of(text: str, path: Sequence[str]) -> _Lines | None:
    """The lines of the table at ``path`` and of those below it, if it has a header; remarks behind it do not count."""
    # A text of several lines may hold what looks like a header or a remark.
    text = _TEXT.sub(lambda match: "x" * len(match[0]) if "\n" in match[0] else match[0], text)
    start = end = None
    for line in re.finditer(r"^[ \t]*\[[^\n]*", text, re.MULTILINE):
        header = _header(line[0])
        ours = header[: len(path)] == list(path)
        if ours and start is None:
            start = line.start()
        elif header and not ours and start is not None:
            end = line.start()
            break
    if start is None:
        return None
    end = len(text) if end is None else end
    remarks = _REMARKS.search(text, text.find("\n", start, end) + 1, end)
    return _Lines(start, remarks.start() if remarks else end)


def _header(line: str) -> list[str]:
    """The names in a header; nothing if the line only looks like one."""
    try:
        content: Any = tomllib.loads(line.strip())
    except (ValueError, RecursionError):
        return []
    names: list[str] = []
    while isinstance(content, dict | list) and content:
        if isinstance(content, list):
            content = cast("list[Any]", content)[0]
            continue
        name, content = next(iter(cast("dict[str, Any]", content).items()))
        names.append(name)
    return names


def _appended(text: str, path: Sequence[str], values: Mapping[str, JsonValue]) -> str:
    import tomlkit  # noqa: PLC0415 -- only an installation needs it

    newline = "\r\n" if "\r\n" in text else "\n"
    table = tomlkit.dumps(dict(values)).replace("\n", newline)
    header = ".".join(tomlkit.key(name).as_string() for name in path)
    begun = text if not text or text.endswith("\n") else text + newline
    return f"{begun}{newline if begun else ''}[{header}]{newline}{table}"


def _edited(text: str, path: Sequence[str], values: Mapping[str, JsonValue]) -> str:
    import tomlkit  # noqa: PLC0415 -- the same
    import tomlkit.exceptions  # noqa: PLC0415 -- the same

    bom = "\ufeff" if text.startswith("\ufeff") else ""
    try:
        document = tomlkit.parse(text.removeprefix("\ufeff"))
    except tomlkit.exceptions.TOMLKitError as error:
        raise ValueError(str(error)) from error
    table = cast("dict[str, Any]", document)
    for name in path:
        table = table.setdefault(name, tomlkit.inline_table())
    for key, value in values.items():
        if key not in table or table[key] != value:
            table[key] = value
    written = bom + document.as_string()
    return re.sub(r"(?<!\r)\n", "\r\n", written) if "\r\n" in text else written


def _deleted(text: str, path: Sequence[str]) -> str:
    import tomlkit  # noqa: PLC0415 -- the same

    document = tomlkit.parse(text.removeprefix("\ufeff"))
    table = cast("dict[str, Any]", document)
    for name in path[:-1]:
        table = table[name]
    del table[path[-1]]
    return ("\ufeff" if text.startswith("\ufeff") else "") + document.as_string()
