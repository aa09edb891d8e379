"""Arguments of a tool call, read leniently by rule, and an example of a call for every refusal.

Models and hosts fill in forms in their own ways. An argument with one reading is accepted: null means omitted, a single
text is a list of one, a list of names is the same as its names with commas between them, case does not matter in words.
Everything else that does not fit the tool's schema is refused by its validator.

Options that few calls need are settings, as on the command line: ``set`` takes them as NAME=VALUE and lists them. They
are accepted as arguments of their own as well: a model may know their names from a skill.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sparring.engine.format import Format
from sparring.errors import UsageError
from sparring.participants.options import Option, placeholder, subject_of, usual_value
from sparring.server.wording import for_agents
from sparring.text.tidying import no_setting, one_line, setting_name

Schema = Mapping[str, Any]
"""The JSON schema of a tool's arguments."""

SET, HELP = "set", "help"
"""The argument that takes settings, and the entry that asks for the list of them."""

_ENTRY_SHOWN = 60


def leniently(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """``arguments`` in the types of ``schema``, where they have one reading in them."""
    properties: Mapping[str, Schema] = schema["properties"]
    required = schema.get("required", ())
    return {
        name: _in_type(value, properties[name]) if name in properties else value
        for name, value in arguments.items()
        if value is not None or name in required
    }


def _in_type(value: Any, field: Schema) -> Any:
    match field.get("type"), value:
        case ("array", str()):
            return [value]
        case "array", list():
            return [each for each in cast("list[Any]", value) if each is not None]
        case "string", [*entries] if all(isinstance(each, str) for each in entries):
            return ",".join(cast("list[str]", entries))
        case "string", str() if "enum" in field:
            return next((word for word in field["enum"] if word == value.strip().casefold()), value)
        case "string", int() | float() if not isinstance(value, bool):
            return f"{value:g}" if isinstance(value, float) else str(value)
        case _:
            return value


def settings_entries(value: Any) -> list[str]:
    """Return the value of ``set`` as entries NAME=VALUE; models also write an object of names and values."""
    match value:
        case dict():
            pairs = cast("dict[str, Any]", value).items()
            given = {name: _as_list(each) for name, each in pairs if each is not None}
            return [f"{name}={_spelled(each)}" for name, values in given.items() for each in values]
        case _:
            return [_spelled(each) for each in _as_list(value)]


def _as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def with_settings(arguments: Mapping[str, Any], entries: Sequence[str], schema: Schema) -> dict[str, Any]:
    """Return ``arguments`` with the NAME=VALUE of ``entries``; a repeated name makes a list where the schema has one.

    Raises:
        UsageError: An entry is not NAME=VALUE, there is no such name, or it is given twice.
    """
    properties: dict[str, Schema] = {name: field for name, field in schema["properties"].items() if name != SET}
    values = dict[str, list[str]]()
    for entry in entries:
        name, sign, value = entry.partition("=")
        name = setting_name(name)
        if not sign:
            raise UsageError(f'{SET} takes "NAME=VALUE", not {one_line(repr(entry), _ENTRY_SHOWN)}.', hint=_WHERE)
        if name not in properties:
            raise UsageError(no_setting(name, properties), hint=_WHERE)
        values.setdefault(name, []).append(value)
    for name, given in values.items():
        is_list = properties[name].get("type") == "array"
        if name in arguments or (len(given) > 1 and not is_list):
            raise UsageError(f"{name} is given twice.")
    return {**arguments, **leniently({name: _plain(each) for name, each in values.items()}, schema)}


def _plain(values: list[str]) -> str | list[str]:
    return values if len(values) > 1 else values[0]


_WHERE = f'{SET} ["{HELP}"] lists them.'


def settings_of(format_: Format) -> tuple[str, ...]:
    """Return the names of the options that a tool takes without showing them in its definition."""
    options = ((name, Option.of(field)) for name, field in format_.options.model_fields.items())
    return tuple(option.called or name for name, option in options if option.is_on_request)


def settings_text(tool: str, format_: Format) -> str:
    """Return the list of the settings of a tool as Markdown, each with its values and its default."""
    fields = format_.options.model_fields
    offered = {Option.of(field).called or name: field for name, field in fields.items()}
    lines = [f'Settings of {tool}. Give them as {SET} ["NAME=VALUE", ...].', ""]
    for name in settings_of(format_):
        field = offered[name]
        described = for_agents(Option.of(field).help + usual_value(field), offered)
        lines.append(f"- `{name}={placeholder(field) or 'true'}`: {described}")
    return "\n".join(lines)


def value_for(field: Schema) -> str:
    """A value that ``field`` takes, as JSON."""
    words = field.get("enum")
    known = [words[-1]] if words else [field[name] for name in ("default", "minimum") if field.get(name)]
    return json.dumps(known[0]) if known else _VALUES.get(field.get("type", ""), '"a text"')


_VALUES = {"array": '["file=README.md"]', "integer": "2", "number": "2", "boolean": "true"}


def example_of(format_: Format) -> dict[str, Any]:
    """The arguments that begin a run of that format, as in the first example of its command."""
    fields = {name: Option.of(field) for name, field in format_.options.model_fields.items()}
    names = {flag: name for name, option in fields.items() for flag in option.typed(name)}
    arguments: dict[str, Any] = {}
    name = subject = subject_of(format_.options)
    command = format_.examples[0] if format_.examples else ""
    for word in shlex.split(command)[2:]:
        if word in names:
            name = names[word]
            continue
        option = fields[name]
        if option.file_of:
            arguments[option.file_of] = f"file={word}"
        elif option.is_on_request:
            arguments.setdefault(SET, []).append(f"{name}={word}")
        elif option.mcp is not None:
            arguments[name] = word
        name = subject
    return arguments


def example_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """A sentence that shows a call."""
    return f"Example: {tool} {json.dumps(arguments, ensure_ascii=False)}"
