"""Framing of response bodies: events, lines and documents, however their bytes are cut."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.api.framing import BodyReader, TornEventError

STREAM = (
    '\ufeff: a comment\nevent: a\ndata: {"Phở": 1,\ndata:  "two": 2}\nid: 7\n\n'
    'data:{"𝄞": 3}\r\n\r\nevent: b\rdata\rdata: x\r\r\n\ndata: [DONE]'
).encode()
Read = tuple[dict[str, Any], str, str]
NONE: dict[str, Any] = {}
EVENTS: list[Read] = [({"Phở": 1, "two": 2}, "a", ""), ({"𝄞": 3}, "", ""), (NONE, "b", "x"), (NONE, "", "[DONE]")]


def read(*pieces: bytes) -> list[Read]:
    reader = BodyReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return [(event.value, event.name, event.text) for event in (*events, *reader.end())]


OBJECT: Read = ({"a": 1}, "", "")
BODIES: dict[bytes, list[Read]] = {
    b'data: {"a": 1}\n\n': [OBJECT],
    b'data: {"a": 1}\n': [OBJECT],
    b'data: {"a": 1}': [OBJECT],
    b'data: {"a": 1}\ndata: {"a": 1}\ndata: [DONE]\n\n': [OBJECT, OBJECT, (NONE, "", "[DONE]")],
    b'data: {"a": 1}data: {"a": 1}\n\n': [OBJECT, OBJECT],
    b'data: update available {"a": 1} (0.62)\n\n': [OBJECT],
    b'DATA: {"a": 1}\n\n': [OBJECT],
    b'  data: {"a": 1}\n\n': [OBJECT],
    b"data:\n\n": [],
    b'event: a\n\ndata: {"a": 1}\n\n': [OBJECT],
    b"data: \xff\n\n": [(NONE, "", "\ufffd")],
    b"data: a: b\n\n": [(NONE, "", "a: b")],
    b'retry: 3\nunknown\ndata: {"a": 1}\n\n': [OBJECT],
    b"data: null\n\ndata: 3\n\n": [(NONE, "", "null"), (NONE, "", "3")],
    b'{"a": 1}\n{"a": 1}\n': [OBJECT, OBJECT],
    b'\xef\xbb\xbf{\n "a": 1\n}': [OBJECT],
    b'[{"a": 1},\n{"a": 1}]': [OBJECT, OBJECT],
    b'{"a": 1}\n\ndata: {"a": 1}\n\n': [OBJECT, OBJECT],
    b'{\n"a": 1\n}\n\ndata: {"a": 1}\n\n': [OBJECT, OBJECT],
    b"<html>\n<p>Sign in.</p>": [],
    b"": [],
    STREAM: EVENTS,
}


def test_an_event_ends_at_an_empty_line_and_a_document_at_its_own_end() -> None:
    assert {body: read(body) for body in BODIES} == BODIES


@given(st.lists(st.integers(0, len(STREAM))))
def test_a_stream_is_read_alike_in_any_pieces(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    assert read(*(STREAM[start:end] for start, end in pairwise(places))) == EVENTS


@pytest.mark.parametrize("torn", [b'data: {"a', b"data: {", b'{"a": 1', b'data: [{"a": [\n\n', b"[" * 100_000])
def test_an_object_that_is_not_whole_is_torn(torn: bytes) -> None:
    with pytest.raises(TornEventError):
        read(torn if torn.startswith(b"data") else b"data: " + torn)


def test_only_one_document_is_one() -> None:
    def is_document(body: bytes) -> bool:
        reader = BodyReader()
        assert [*reader.feed(body), *reader.end()]
        return reader.is_document

    assert [is_document(body) for body in (b'{"a": 1}', b'{\n"a": 1}', b'[{"a": 1}]')] == [True] * 3
    assert [is_document(body) for body in (b'{"a": 1}\n{"a": 2}', b'data: {"a": 1}\n\n')] == [False] * 2


def test_the_first_words_that_are_no_event_are_kept_for_a_failure() -> None:
    reader = BodyReader()
    assert not [*reader.feed(b"upstream connected\n\n" + b"word " * 1_000), *reader.end()]
    assert reader.noise.startswith("upstream connected word ")
    assert len(reader.noise) < 1_000


@given(st.binary())
def test_no_bytes_are_too_strange_to_be_read(stream: bytes) -> None:
    try:
        assert all(isinstance(value, dict) for value, _, _ in read(stream))
    except TornEventError:
        assert b"{" in stream or b"[" in stream
