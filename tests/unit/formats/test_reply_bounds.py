"""Whatever a model may say has a bound: a string or a list without one is a way to stop everything."""

import json
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import sparring.formats
from sparring.engine.replies import UnusableReplyError
from sparring.formats.fact_check.asks import read_analysis
from sparring.schema.base import SAID_LIMIT, Record
from sparring.seating.options import Options


def _replies() -> dict[str, type[Record]]:
    """Every record that stands where replies are read, and the one record of an outcome that a judge writes itself."""
    found: dict[str, type[Record]] = {}
    for module in pkgutil.walk_packages(sparring.formats.__path__, "sparring.formats."):
        for name, value in vars(import_module(module.name)).items():
            is_reply = isinstance(value, type) and issubclass(value, Record) and not issubclass(value, Options)
            if is_reply and (value.__module__.startswith("sparring.formats") or name == "JudgeVerdict"):
                found[f"{value.__module__}.{name}"] = value
    return found


REPLIES = _replies()


def _unbounded(schema: dict[str, Any], known: dict[str, Any], path: str) -> Iterator[str]:
    kind = schema.get("type")
    if "$ref" in schema:
        yield from _unbounded(known[schema["$ref"].rpartition("/")[2]], known, path)
    if kind == "string" and not {"maxLength", "enum", "const"} & schema.keys():
        yield path
    if kind == "array":
        if "maxItems" not in schema:
            yield f"{path}[]"
        yield from _unbounded(schema.get("items", {}), known, f"{path}[]")
    for option in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _unbounded(option, known, path)
    for name, field in schema.get("properties", {}).items():
        yield from _unbounded(field, known, f"{path}.{name}")


def test_everything_in_a_reply_has_a_bound() -> None:
    assert {name.split(".")[2] for name in REPLIES} >= {"debate", "chaired_debate", "fact_check", "jury"}
    for name, kind in REPLIES.items():
        schema = kind.model_json_schema(mode="validation")
        assert list(_unbounded(schema, schema.get("$defs", {}), name)) == []


def test_what_is_longer_is_asked_for_again_in_a_sentence_that_says_how_long_it_may_be() -> None:
    part = {"part": "It is.", "status": "COVERED", "quote": "." * (SAID_LIMIT + 1)}
    with pytest.raises(UnusableReplyError, match=rf"^parts.0.quote: .* have at most {SAID_LIMIT} characters"):
        read_analysis(json.dumps({"parts": [part], "verdict": "SUPPORTED"}))
