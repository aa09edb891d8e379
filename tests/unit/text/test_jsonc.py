import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sparring.text.jsonc import parse_jsonc
from support.texts import texts

TEXTS = texts("jsonc")


@pytest.mark.parametrize(("text", "value"), TEXTS["comments-and-trailing-commas-do-not-matter"])
def test_comments_and_trailing_commas_do_not_matter(text: str, value: JsonValue) -> None:
    assert parse_jsonc(text) == value


@pytest.mark.parametrize("text", ["{", "{'a': 1}", "[,]x", "/* not closed", '{"a" 1}', "[" * 100_000])
def test_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the reason is, in the words of the parser
        parse_jsonc(text)


TROUBLING = st.text('"\\/*,]} \na', max_size=9)


@given(st.dictionaries(TROUBLING, st.lists(TROUBLING, max_size=3), max_size=3))
def test_json_is_read_as_it_is(value: JsonValue) -> None:
    assert parse_jsonc(json.dumps(value, ensure_ascii=False)) == value
