"""A form as each server is sent it: the bounds that it takes, and no others."""

from typing import Any

import pytest

from sparring.schema.forms import Dialect, RequestedForm, enum_values

SCORE: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": 5}
SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
WORDS: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
LIST: dict[str, Any] = {"type": "array", "items": {"type": "string", "enum": ["A", "B"]}, "minItems": 2, "maxItems": 20}
LONG: dict[str, Any] = {"type": "array", "items": WORDS, "minItems": 1, "maxItems": 200}


def schema(score: Any, share: Any, list_: Any, long: Any) -> dict[str, Any]:
    properties = {"list": list_, "long": long, "score": score, "share": share, "maximum": {"type": "string"}}
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def without(node: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key not in keys}


NO_SCORE, NO_SHARE = without(SCORE, "minimum", "maximum"), without(SHARE, "minimum", "maximum")
NO_LIST, NO_LONG = without(LIST, "minItems", "maxItems"), without(LONG, "maxItems")
EXPECTED = {
    Dialect.OPENAI: schema(SCORE, SHARE, LIST, LONG),
    Dialect.VLLM: schema(SCORE, SHARE, LIST, NO_LONG),
    Dialect.LLAMA_CPP: schema(SCORE, NO_SHARE, LIST, NO_LONG),
    Dialect.ANTHROPIC: schema(NO_SCORE, NO_SHARE, NO_LIST, NO_LONG),
    Dialect.GEMINI: schema(NO_SCORE, NO_SHARE, NO_LIST, NO_LONG)
    | {"propertyOrdering": ["list", "long", "score", "share", "maximum"]},
    Dialect.COMMON: schema(NO_SCORE, NO_SHARE, NO_LIST, without(NO_LONG, "minItems")),
}
FORM = RequestedForm(name="sparring_vote", json_schema=schema(SCORE, SHARE, LIST, LONG))


@pytest.mark.parametrize("dialect", Dialect)
def test_a_server_is_sent_the_bounds_that_it_takes(dialect: Dialect) -> None:
    assert FORM.for_dialect(dialect) == EXPECTED[dialect]


def test_every_value_of_every_enum_is_found() -> None:
    assert [*enum_values(FORM.json_schema)] == ["A", "B"]
