"""Schemas of reply forms, for servers with structured output.

A schema is derived from the annotations of a form, and from nothing else: docstrings, titles, defaults and validators
are for readers, not for models. Descriptions come from ``Field(description=...)`` alone. Every property is required and
stands in the order of the form. A value of an enum is the word that the prompt has for it.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from sparring.engine.replies import Entries, ReplyForm
from sparring.schema.forms import Dialect, JsonSchema, RequestedForm

NULLABLE: Final = "nullable"
"""Marks a field for which null is an answer, as the prompt states. Elsewhere None means that nothing was read."""

FEW: Final = Field(json_schema_extra={"maxItems": 20})
"""Bounds a list in the schema alone: under a grammar a small model would not end it. More is read if it comes."""

_MOST_VALUES = 10
"""Whole numbers in a range that are listed one by one: not every server takes bounds."""

_SCALARS = {str: "string", bool: "boolean", int: "integer", float: "number"}
_BOUNDS = {Ge: ("minimum", "ge"), Le: ("maximum", "le")}


def requested(kind: type[ReplyForm], **allowed: Iterable[str]) -> RequestedForm:
    """Return the form as a question carries it.

    Args:
        kind: The form.
        allowed: The values that an enum field may have in this question, by its name; all where it is not given.
    """
    return _requested(kind, tuple((name, tuple(values)) for name, values in allowed.items()))


def schema_of(kind: type[ReplyForm], dialect: Dialect = Dialect.COMMON, **allowed: Iterable[str]) -> JsonSchema:
    """Return the schema of a form for servers of that dialect; see ``requested`` for ``allowed``."""
    return requested(kind, **allowed).for_dialect(dialect)


@lru_cache(maxsize=256)
def _requested(kind: type[ReplyForm], allowed: tuple[tuple[str, tuple[str, ...]], ...]) -> RequestedForm:
    return RequestedForm(name=f"sparring_{kind.form}", json_schema=_object(kind, dict(allowed)))


def _object(kind: type[BaseModel], allowed: Mapping[str, tuple[str, ...]] = {}) -> JsonSchema:
    properties: JsonSchema = {}
    unasked = kind.unasked if issubclass(kind, ReplyForm) else frozenset[str]()
    for attribute, field in kind.model_fields.items():
        name = field.alias or attribute
        if name in unasked:
            continue
        node = _node(field.annotation, _hints((*field.metadata, field)))
        if name in allowed:
            node["enum"] = [value for value in node["enum"] if value in allowed[name]]
        properties[name] = node
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _hints(metadata: Iterable[object]) -> list[object]:
    """Return ``metadata`` with the content of a ``Field(...)`` next to it."""
    hints: list[object] = []
    for hint in metadata:
        if isinstance(hint, FieldInfo):
            hints += hint.metadata
        hints.append(hint)
    return hints


def _node(annotation: Any, hints: list[object]) -> JsonSchema:
    if get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        return _node(annotation, [*hints, *_hints(more)])
    entries = next((cast("Entries[ReplyForm]", each) for each in hints if isinstance(each, Entries)), None)
    bare = [each for each in get_args(annotation) if each is not type(None)]
    if entries:
        node: JsonSchema = {"type": "array", "items": _object(entries.kind), "maxItems": entries.most}
    elif get_origin(annotation) in {Union, UnionType}:
        node = _node(bare[0], hints)
        return {"anyOf": [node, {"type": "null"}]} if NULLABLE in hints else node
    elif get_origin(annotation) is tuple:
        node = {"type": "array", "items": _node(bare[0], [])}
    else:
        node = _scalar(annotation, bare)
    return _with_hints(node, hints)


def _scalar(annotation: Any, literals: list[Any]) -> JsonSchema:
    if get_origin(annotation) is Literal:
        return {"type": "string", "enum": literals}
    if issubclass(annotation, StrEnum):
        return {"type": "string", "enum": [each.value for each in annotation]}
    if issubclass(annotation, BaseModel):
        return _object(annotation)
    return {"type": _SCALARS[annotation]}


def _with_hints(node: JsonSchema, hints: list[object]) -> JsonSchema:
    for hint in hints:
        if isinstance(hint, FieldInfo):
            if hint.description:
                node["description"] = hint.description
            node |= cast("JsonSchema", hint.json_schema_extra or {})
        node |= dict(_bounds(node, hint))
    low, high = node.get("minimum"), node.get("maximum")
    if node["type"] == "integer" and low is not None and high is not None and high - low < _MOST_VALUES:
        del node["minimum"], node["maximum"]
        node["enum"] = list(range(low, high + 1))
    return node


def _bounds(node: JsonSchema, hint: object) -> Iterator[tuple[str, object]]:
    if node["type"] in {"integer", "number"}:
        for kind, (keyword, attribute) in _BOUNDS.items():
            if isinstance(hint, kind):
                yield keyword, getattr(hint, attribute)
    if node["type"] == "array":
        if isinstance(hint, MinLen) and hint.min_length:
            yield "minItems", hint.min_length
        if isinstance(hint, MaxLen):
            yield "maxItems", hint.max_length
