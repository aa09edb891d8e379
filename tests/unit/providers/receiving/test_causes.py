import pytest

from sparring.providers.receiving.causes import Cause, cause_in, first_words
from support.texts import cases


@pytest.mark.parametrize(("table", "body", "message", "code"), cases("causes"))
def test_a_cause_is_found_in_a_body(table: str, body: str, message: str, code: str | None) -> None:
    cause = cause_in(body)
    assert (cause.message, cause.code) == (message, code), table


def test_a_refused_field_is_named() -> None:
    body = '{"detail": [{"loc": ["body", "stream_options"], "msg": "no"}, {"loc": ["body", "seed"], "msg": "no"}]}'
    assert cause_in(body).fields == ("stream_options", "seed")


def test_a_body_that_is_nested_without_end_names_no_cause() -> None:
    assert cause_in('{"error": ' * 50 + '"x"' + "}" * 50) == Cause()
    assert cause_in("[" * 100_000).message == "[" * 300


def test_the_first_words_of_an_output_fit_into_a_line() -> None:
    assert first_words("\x1b[31m\n\n Usage:\n  x\x1b[0m") == "Usage: x"
    assert len(first_words("word " * 10_000)) <= 100
