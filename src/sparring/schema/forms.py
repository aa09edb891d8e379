"""The JSON object that a question requests, as a schema that servers accept.

The schema uses only what every server with structured output takes: objects whose properties are all required and in
the order in which a model should write them, enums of one type, lists, numbers, texts, and ``anyOf`` for null. Nothing
is referenced. Bounds differ between servers, so ``for_dialect`` leaves out those that one would refuse.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

from pydantic import StringConstraints

from sparring.schema.base import Record

JsonSchema = dict[str, Any]


class Dialect(StrEnum):
    """Servers that take the same keywords. COMMON has no bounds, and every server accepts it."""

    COMMON = "common"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    LLAMA_CPP = "llama_cpp"
    VLLM = "vllm"


_LONGEST_LIST = 20
"""Most entries that a grammar is asked to count: longer bounds, or nested ones, make llama.cpp refuse the schema."""

_ANY = 1 << 31
_FEWEST_ENTRIES = {
    Dialect.OPENAI: _ANY,
    Dialect.LLAMA_CPP: _ANY,
    Dialect.VLLM: _ANY,
    Dialect.ANTHROPIC: 1,
    Dialect.GEMINI: 1,
}
"""The largest ``minItems`` that a server takes; none where it is not listed."""

_MOST_ENTRIES = {Dialect.OPENAI: _ANY, Dialect.LLAMA_CPP: _LONGEST_LIST, Dialect.VLLM: _LONGEST_LIST}
_BOUNDED_NUMBERS = {
    Dialect.OPENAI: frozenset({"integer", "number"}),
    Dialect.VLLM: frozenset({"integer", "number"}),
    Dialect.LLAMA_CPP: frozenset({"integer"}),
}


class RequestedForm(Record):
    """The form that an answer should have.

    Attributes:
        name: ``sparring_`` and the name of the form, for servers that want one.
        json_schema: The schema with all its bounds; see ``for_dialect``.
    """

    name: Annotated[str, StringConstraints(pattern=r"^sparring_[a-z0-9_]{1,54}$")]
    json_schema: JsonSchema

    def for_dialect(self, dialect: Dialect) -> JsonSchema:
        """The schema without the bounds that ``dialect`` refuses."""
        return _fitted(self.json_schema, dialect)


def _fitted(schema: JsonSchema, dialect: Dialect) -> JsonSchema:
    fitted = {key: value for key, value in schema.items() if _is_taken(key, value, schema, dialect)}
    if "properties" in fitted:
        members: dict[str, JsonSchema] = fitted["properties"]
        fitted["properties"] = {name: _fitted(each, dialect) for name, each in members.items()}
        if dialect is Dialect.GEMINI:
            fitted["propertyOrdering"] = list(members)
    if "items" in fitted:
        fitted["items"] = _fitted(fitted["items"], dialect)
    if "anyOf" in fitted:
        fitted["anyOf"] = [_fitted(each, dialect) for each in fitted["anyOf"]]
    return fitted


def _is_taken(key: str, value: Any, schema: JsonSchema, dialect: Dialect) -> bool:
    if key == "minItems":
        return value <= _FEWEST_ENTRIES.get(dialect, -1)
    if key == "maxItems":
        return value <= _MOST_ENTRIES.get(dialect, -1)
    if key in {"minimum", "maximum"}:
        return schema.get("type") in _BOUNDED_NUMBERS.get(dialect, ())
    return True


def enum_values(schema: JsonSchema) -> Iterator[object]:
    """Every value that an enum of ``schema`` allows."""
    yield from schema.get("enum", ())
    for each in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from enum_values(each)
    if "items" in schema:
        yield from enum_values(schema["items"])
