"""Where one server-sent event ends and the next begins."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.api.protocol import Event, EventReader

STREAM = (
    "\ufeff: a comment\nevent: a\ndata: Phở\ndata:  two\nid: 7\n\n"
    "data:𝄞\r\n\r\nevent: b\rdata\rdata: x\r\r\n\ndata: cut"
).encode()
EVENTS = [Event("a", "Phở\n two"), Event("", "𝄞"), Event("b", "\nx")]


def read(*pieces: bytes) -> list[Event]:
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: x\n\n", [Event("", "x")]),
        (b"data: x\n", []),
        (b"data: x", []),
        (b"data:\n\n", []),
        (b"event: a\n\ndata: x\n\n", [Event("", "x")]),
        (b"data: \xff\n\n", [Event("", "\ufffd")]),
        (b"data: a: b\n\n", [Event("", "a: b")]),
        (b"retry: 3\nunknown\ndata: x\n\n", [Event("", "x")]),
        (STREAM, EVENTS),
    ],
)
def test_an_event_is_what_stands_before_an_empty_line(stream: bytes, events: list[Event]) -> None:
    assert read(stream) == events


@given(st.lists(st.integers(0, len(STREAM))))
def test_it_does_not_matter_how_a_stream_is_cut_into_pieces(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]

    assert read(*(STREAM[start:end] for start, end in pairwise(places))) == EVENTS


@given(st.binary())
def test_no_bytes_are_too_strange_to_be_read(stream: bytes) -> None:
    assert all(event.data for event in read(stream))
