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
    """Return ``text`` without the table at ``path``, and without the blank line above it.

    Raises:
        ValueError: As ``with_table``.
    """
    expected = read_toml(text)
    parent = _table(expected, path[:-1])
    del parent[path[-1]]
    out = text
    while lines := _lines_of(out, path):  # its sub-tables may stand in other places
        without_blank_line = re.sub(r"(\A|\n)\r?\n\Z", r"\1", out[: lines.start])
        out = without_blank_line + out[lines.end :]
    if out == text:  # it has no header: an inline table, or dotted keys
        out = _deleted(text, path)
    return _checked([out], _without_empty(expected, path[:-1]), expected)


def without_key(text: str, path: Sequence[str]) -> str:
    """Return ``text`` without the key at ``path``, and without its table where that was all in it.

    Raises:
        ValueError: As ``with_table``.
    """
    expected = read_toml(text)
    *path_of_table, key = path
    table = _table(expected, path_of_table)
    del table[key]
    if not table:
        return without_table(text, path_of_table)
    lines = _lines_of(text, path_of_table)
    if lines is None:
        return _checked([_deleted(text, path)], expected)
    part = _deleted(text[lines.start : lines.end], path)
    return _checked([text[: lines.start] + part + text[lines.end :]], expected)


def _table(content: dict[str, JsonValue], path: Sequence[str]) -> dict[str, JsonValue]:
    for key in path:
        inner = content.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ValueError(f"{key} is not a table")  # noqa: TRY004 -- a fault of the file, not of the caller
        content = inner
    return content


def _without_empty(content: Mapping[str, JsonValue], path: Sequence[str]) -> dict[str, JsonValue]:
    """Return ``content`` without the table at ``path`` if it is empty: without a header it goes with its entry."""
    if not path:
        return dict(content)
    key, *rest = path
    result = dict(content)
    inner = content[key]
    if isinstance(inner, dict):
        inner = _without_empty(inner, rest)
    if inner:
        result[key] = inner
    else:
        del result[key]
    return result


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
    """Return the first of ``candidates`` that means one of ``expected``; raises ``ValueError`` if none does."""
    for candidate in candidates:
        try:
            if any(is_same(read_toml(candidate), each) for each in expected):
                return candidate
        except ValueError:
            continue
    raise ValueError("it is written in a way that cannot be edited safely")


def _lines_of(text: str, path: Sequence[str]) -> _Lines | None:
    """Return the lines of the table at ``path`` and of its sub-tables; None without a header.

    Remarks after it do not count: they belong to the next table.
    """
    # A text of several lines may contain what looks like a header or a remark.
    text = _TEXT.sub(lambda match: "x" * len(match[0]) if "\n" in match[0] else match[0], text)
    start, end = None, len(text)
    for line in re.finditer(r"^[ \t]*\[[^\n]*", text, re.MULTILINE):
        header = _header(line[0])
        is_within = header[: len(path)] == list(path)
        if start is None and is_within:
            start = line.start()
        elif start is not None and header and not is_within:
            end = line.start()
            break
    if start is None:
        return None
    remarks = _REMARKS.search(text, text.find("\n", start, end) + 1, end)
    return _Lines(start, remarks.start() if remarks else end)


def _header(line: str) -> list[str]:
    """Return the names in a header; nothing if the line only looks like one."""
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
    before = text
    if before and not before.endswith("\n"):
        before += newline
    if before:
        before += newline  # a blank line above the header
    return f"{before}[{header}]{newline}{table}"


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
