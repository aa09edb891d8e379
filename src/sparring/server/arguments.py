"""Arguments of a tool call, read leniently by rule, and an example of a call for every refusal.

Models and hosts fill in forms in their own ways. An argument with one reading is accepted: null means omitted, a single
text is a list of one, a list of names is the same as its names with commas between them, case does not matter in words.
Everything else that does not fit the tool's schema is refused by its validator.
"""

import json
import shlex
from collections.abc import Mapping
from typing import Any, cast

from sparring.engine.format import Format
from sparring.participants.options import Option, subject_of

Schema = Mapping[str, Any]
"""The JSON schema of a tool's arguments."""


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
        elif option.mcp is not None:
            arguments[name] = word
        name = subject
    return arguments


def example_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """A sentence that shows a call."""
    return f"Example: {tool} {json.dumps(arguments, ensure_ascii=False)}"
