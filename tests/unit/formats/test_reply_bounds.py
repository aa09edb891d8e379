"""Whatever a model may say has a bound: a text or a list without one is a way to stop everything."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from msgspec import Struct
from pydantic import BaseModel

from sparring.engine.course import UnusableReplyError
from sparring.engine.replies import ReadEntry, filled_form
from sparring.engine.reply_schemas import schema_of
from sparring.formats.fact_check.replies import read_analysis
from sparring.schema.base import LIST_LIMIT, REASON_LIMIT, REPLY_TEXT_LIMIT
from support.forms import FORMS, filled


def _sizes(value: object) -> Iterator[tuple[type, int]]:
    match value:
        case str():
            yield str, len(value)
        case tuple():
            yield tuple, len(cast("tuple[object, ...]", value))
            for each in cast("tuple[object, ...]", value):
                yield from _sizes(each)
        case BaseModel():
            for _, each in value:
                yield from _sizes(each)
        case ReadEntry():
            entry = cast("ReadEntry[Any]", value)
            yield from _sizes((entry.value,) if entry.value else ())
        case _:
            assert not isinstance(value, Struct)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(("length", "entries"), [(3, LIST_LIMIT * 5), (REASON_LIMIT * 2, 1)])
def test_reading_a_form_is_bounded_for_any_length(name: str, length: int, entries: int) -> None:
    kind = FORMS[name]
    try:
        value = filled_form(filled(schema_of(kind), "x" * length, entries), kind).value
    except UnusableReplyError:
        return
    assert max((size for of, size in _sizes(value) if of is str), default=0) <= REASON_LIMIT
    assert max((size for of, size in _sizes(value) if of is tuple), default=0) <= LIST_LIMIT + 1


def test_a_quote_that_is_too_long_is_requested_again_with_the_limit() -> None:
    part = {"part": "It is.", "status": "COVERED", "quote": "." * (REPLY_TEXT_LIMIT + 1)}
    with pytest.raises(UnusableReplyError, match=rf"^parts.0.quote: .* have at most {REPLY_TEXT_LIMIT} characters"):
        read_analysis(json.dumps({"parts": [part], "verdict": "SUPPORTED"}))
