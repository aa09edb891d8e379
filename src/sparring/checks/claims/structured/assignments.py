"""Configuration files: TOML, ini, ``.env`` and properties, by lines; JSON and YAML, by their parsers."""

import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import yaml

from sparring.checks.claims.structured.entries import (
    LONGEST_LINE,
    MOST_ENTRIES,
    MOST_LEVELS,
    Aspect,
    StatedValue,
    unit_in_name,
    unit_near,
)
from sparring.checks.claims.structured.values import is_type

_LARGEST_YAML = 1 << 15
"""Characters; the parser that records places reads some 100,000 a second."""

_MAY_ASSIGN = re.compile(r"=|:[ \t]|:$|^[ \t]*[a-z]\w*[._-][\w.-]*[ \t]", re.MULTILINE)
_SECTION = re.compile(r"[ \t]*\[{1,2}[ \t]*([^\[\]\n=|]{1,200}?)[ \t]*\]{1,2}[ \t]*(?:[#;].*)?")
_QUOTED = r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|`[^`\n]+`"
_ASSIGNED = re.compile(
    r"[ \t]*(?:-[ \t]+|:)?(?:(?:export|set|ENV|ARG)[ \t]+)?"
    r"(?P<key>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|[A-Za-z_$][\w.$/-]*(?:[ \t][A-Z][\w-]*)?)"
    r"[ \t]*(?:=|:(?=[ \t]))[ \t]*"
    rf"(?P<value>{_QUOTED}|[^\s#;\"'=~>][^#;\n]*?)?[ \t]*[,;]?[ \t]*(?P<comment>(?<=[\s;,])(?:[#;]|//).*)?"
)
_PLAIN = re.compile(r"[ \t]*(?P<key>[a-z][\w]*[._-][\w.-]*)[ \t]+(?P<value>[^\s#]+)[ \t]*(?P<comment>#.*)?")
_FEW_WORDS = re.compile(rf"{_QUOTED}|[^\s\[\]{{}}(),]+(?:[ \t][^\s\[\]{{}}(),.]+){{0,3}}")
_SPEAKER = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ'-]*")
_REPLY = re.compile(r"(?i:yes|no|on|off|none|nothing)[.!]*|[a-zß-ÿ' ]+[.!]*")
_NO_KEYS = re.compile(
    r"(?:default|added|type|examples?|notes?|warning|tip|see|https?|returns|raises|required|deprecated|since|todo|usage|removed"
    r"|e\.g|i\.e)",
    re.IGNORECASE,
)


def read_assignments(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the statements of lines like ``key = value`` and ``key: value``, with the ``[section]`` above them.

    A value is read if it is one word, a quoted text, or a few words at the end of the line.
    """
    if not _MAY_ASSIGN.search(text):
        return
    section: tuple[str, ...] = ()
    for line in text.split("\n"):
        if len(line) <= LONGEST_LINE:
            if match := _SECTION.fullmatch(line):
                section = tuple(part.strip("\"' ") for part in match[1].split("."))
            elif match := _ASSIGNED.fullmatch(line) or _PLAIN.fullmatch(line):
                statement = _assignment(match, section, start)
                if statement:
                    yield statement
        start += len(line) + 1


def _assignment(match: re.Match[str], section: tuple[str, ...], start: int) -> StatedValue | None:
    """Return the statement of an assignment; None if the line looks like speech, a note or the heading of a list."""
    key, value = match["key"].strip("\"'`"), match["value"] or ""
    between = match.string[match.end("key") : match.start("value")]
    has_colon = "=" not in between
    if has_colon and (_NO_KEYS.fullmatch(key) or is_reply(key, value)):
        return None
    if value and not _FEW_WORDS.fullmatch(value):
        return None
    if not value and ":" in match[0]:  # "key:" is the heading of what is below
        return None
    # A properties file has dots between the parts of a key.
    path = key.split(".") if "." in key.strip(".") and not section else [key]
    begin = start + (match.start("value") if value else match.end("key"))
    bare = value.strip("\"'`") if value[:1] in {'"', "'", "`"} else value
    unit = unit_in_name(key) or unit_near(match["comment"] or "")
    aspect = Aspect.TYPE if has_colon and is_type(value) else Aspect.VALUE
    return StatedValue((*section, *path), aspect, bare, begin, begin + len(value), unit)


def is_reply(key: str, value: str) -> bool:
    """Report whether ``key: value`` may be speech or a note ("Ann: yes", "Mood: fine"), which look like settings."""
    return bool(_SPEAKER.fullmatch(key) and _REPLY.fullmatch(value))


def read_toml(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the entries of a TOML document.

    The parser checks the document and says which paths have values; the lines have their places.

    Raises:
        ValueError: It is not TOML.
        RecursionError: It is nested too deeply.
    """
    paths = set(_paths(tomllib.loads(text), ()))
    for entry in read_assignments(text, start):
        if entry.path in paths:
            yield entry


def _paths(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all values, including those of tables in lists."""
    if isinstance(value, Mapping) and len(path) < MOST_LEVELS:
        for key, each in cast("Mapping[str, Any]", value).items():
            yield from _paths(each, (*path, key))
    elif isinstance(value, list):
        for each in cast("Sequence[Any]", value):
            yield from _paths(each, path)
    else:
        yield path


def read_ini(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the entries of an ini file, including all lines for a repeated key.

    Raises:
        ValueError: It is not an ini file.
    """
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, inline_comment_prefixes=("#", ";"))
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(" ".join(str(error).split())) from error
    yield from read_assignments(text, start)


_JSON_TOKEN = re.compile(
    r"[ \t\r\n]*(?:(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<value>-?[0-9][0-9.eE+-]*|true|false|null)|(?P<mark>[\[\]{},:]))"
)


def read_json(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the entries of a JSON document, including repeated keys.

    The parser checks the document; its tokens are read again, since the parser keeps no places.

    Raises:
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    json.loads(text)
    containers: list[tuple[str, str]] = []  # each bracket that is open, with its key
    is_key, key, at = False, "", 0
    while match := _JSON_TOKEN.match(text, at):
        at, kind = match.end(), match.lastgroup or ""
        written = match[kind]
        if kind == "mark":
            if written in "{[":
                containers.append((written, key))
            elif written in "}]":
                containers.pop()
            if written != ":":
                key = ""
                is_key = written == "{" or (written == "," and containers[-1][0] == "{")
            if len(containers) > MOST_LEVELS:
                raise ValueError(f"it has more than {MOST_LEVELS} levels")
        elif is_key:
            key, is_key = json.loads(written), False
        elif key:
            above = [name for _, name in containers if name]
            value = json.loads(written) if kind == "text" else written
            begin, end = match.span(kind)
            yield StatedValue((*above, key), Aspect.VALUE, value, start + begin, start + end, unit_in_name(key))


def read_yaml(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the entries of YAML mappings; a node that an alias repeats is read once.

    Raises:
        ValueError: It is not YAML, or too long.
        RecursionError: It is nested too deeply.
    """
    if len(text) > _LARGEST_YAML:
        raise ValueError(f"it is longer than {_LARGEST_YAML:,} characters")
    try:
        documents = cast("Sequence[yaml.Node | None]", list(yaml.compose_all(text, yaml.SafeLoader)))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
    seen: set[int] = set()
    for document in documents:
        yield from _nodes(document, (), text, start, seen)


def _nodes(
    node: yaml.Node | None, path: tuple[str, ...], text: str, start: int, seen: set[int]
) -> Iterator[StatedValue]:
    if node is None or id(node) in seen or len(path) > MOST_LEVELS or len(seen) > 2 * MOST_ENTRIES:
        return
    seen.add(id(node))
    match node:
        case yaml.MappingNode():
            for key, value in cast("Sequence[tuple[yaml.Node, yaml.Node]]", node.value):
                if isinstance(key, yaml.ScalarNode):
                    yield from _nodes(value, (*path, str(key.value)), text, start, seen)
        case yaml.SequenceNode():
            for value in cast("Sequence[yaml.Node]", node.value):
                yield from _nodes(value, path, text, start, seen)
        case yaml.ScalarNode() if path and not is_reply(path[-1], str(node.value)):
            first, last = node.start_mark.index, node.end_mark.index
            comment = text[last:].partition("\n")[0].partition("#")[2]
            unit = unit_in_name(path[-1]) or unit_near(comment)
            yield StatedValue(path, Aspect.VALUE, str(node.value) or "null", start + first, start + last, unit)
        case _:
            pass
