"""Our entry in the settings of a host: reading, adding and removing it; the rest stays as it is, byte for byte."""

from collections.abc import Mapping
from pathlib import PurePath

from msgspec import Struct
from pydantic import JsonValue

from sparring.hosts import jsonc, known, toml
from sparring.text.jsonc import parse_jsonc

Entry = Mapping[str, JsonValue]

_ADDRESSES = ("url", "httpUrl", "serverUrl")
"""Keys under which hosts store the address of a server that they do not start."""


def read_settings(host: known.KnownHost, text: str) -> dict[str, JsonValue]:
    """Parse settings; an empty file holds none.

    Raises:
        ValueError: They cannot be read, with the reason.
    """
    content = toml.read_toml(text) if host.syntax is known.Syntax.TOML else parse_jsonc(text)
    if not isinstance(content, dict | None):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 -- a fault of the file, not of the caller
    return content or {}


def read_entry(host: known.KnownHost, text: str) -> Entry | None:
    """Return our entry; None if there is none.

    Raises:
        ValueError: The settings cannot be read, or have another value where the entry belongs.
    """
    section = read_settings(host, text).get(host.section, {})
    if not isinstance(section, dict):
        raise ValueError(f"its {host.section!r} is not an object")  # noqa: TRY004 -- a fault of the file, not of the caller
    entry = section.get(known.SERVER)
    if entry is not None and not isinstance(entry, dict):
        raise ValueError(f"its {host.section}.{known.SERVER} is not an object")
    return entry


def updated_entry(host: known.KnownHost, program: str, entry: Entry | None = None) -> dict[str, JsonValue]:
    """Return our entry, updated from ``entry`` as it is now: higher limits that the user has set stay."""
    values: dict[str, JsonValue] = {}
    if "type" in host.fixed:  # first, as hosts write it themselves
        values["type"] = host.fixed["type"]
    if host.command_is_list:
        values["command"] = [program, *known.ARGUMENTS]
    else:
        values |= {"command": program, "args": list(known.ARGUMENTS)}
    values |= {key: value for key, value in host.fixed.items() if key != "type"}
    for key, least in host.at_least.items():
        limit = entry.get(key) if entry else None
        values[key] = limit if isinstance(limit, int | float) and limit > least else least
    return values


def with_entry(host: known.KnownHost, text: str, program: str) -> str:
    """Return ``text`` with our entry in it. Keys that the user has added to it stay.

    Raises:
        ValueError: As ``read_entry``, or the settings are written in a way that cannot be edited.
    """
    entry = read_entry(host, text)
    values = updated_entry(host, program, entry)
    path = (host.section, known.SERVER)
    if host.syntax is known.Syntax.TOML:
        changed = {key: value for key, value in values.items() if not entry or entry.get(key) != value}
        return toml.with_table(text, path, changed) if changed else text
    if entry is None:
        after = jsonc.with_member(text, path, values)
    else:
        after = text  # key by key, so that comments between them stay
        for key, value in values.items():
            if key not in entry or entry[key] != value:
                after = jsonc.with_member(after, (*path, key), value)
    _check(host, after, read_settings(host, text), {**(entry or {}), **values})
    return after


def without_entry(host: known.KnownHost, text: str) -> str:
    """Return ``text`` without our entry, which is there, and without its section if nothing else is in it.

    Raises:
        ValueError: As ``with_entry``.
    """
    path = (host.section, known.SERVER)
    if host.syntax is known.Syntax.TOML:
        return toml.without_table(text, path)
    after = jsonc.without_member(text, path)
    _check(host, after, read_settings(host, text), None)
    section = path[:1]
    if jsonc.written_value(after, section) == "{}":  # with a remark in it, the section stays
        return jsonc.without_member(after, section)
    return after


class StartCommand(Struct, frozen=True):
    """Program and arguments that an entry starts; both are empty if it names none."""

    program: str = ""
    arguments: tuple[str, ...] = ()


def is_ours(entry: Entry) -> bool:
    """Return whether an installation wrote the command in ``entry``: our program, with the argument to serve."""
    command = command_of(entry)
    return PurePath(command.program.replace("\\", "/")).stem == known.SERVER and command.arguments == known.ARGUMENTS


def names_address(entry: Entry | None) -> bool:
    """Return whether ``entry`` is for a server that is reached at an address and not started."""
    return entry is not None and not entry.keys().isdisjoint(_ADDRESSES)


def command_of(entry: Entry) -> StartCommand:
    """Return the program that ``entry`` starts, and its arguments."""
    words = entry.get("command")
    if not isinstance(words, list):
        arguments = entry.get("args")
        words = [words, *(arguments if isinstance(arguments, list) else [])]
    texts = [word for word in words if isinstance(word, str)]
    return StartCommand(texts[0], tuple(texts[1:])) if texts else StartCommand()


def _check(host: known.KnownHost, after: str, before: dict[str, JsonValue], entry: Entry | None) -> None:
    """Check that ``after`` has the settings ``before`` with our ``entry``; raises ``ValueError`` if anything else."""
    section = before.get(host.section)
    servers = dict(section) if isinstance(section, dict) else {}
    servers.pop(known.SERVER, None)
    if entry is not None:
        servers[known.SERVER] = dict(entry)
    if not toml.is_same(read_settings(host, after), before | {host.section: servers}):
        raise ValueError("it is written in a way that cannot be edited safely")
