"""Recorded shapes of each API's stream, and of its errors, and what is heard in them."""

import json
from dataclasses import asdict
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.api.calls import APIS
from sparring.providers.api.protocol import ApiHeard, EventReader
from sparring.schema.providers import ApiKind
from support.golden import GOLDEN, Golden
from support.texts import texts

STREAMS = GOLDEN / "api" / "streams"
KINDS = {
    "anthropic": ApiKind.ANTHROPIC_MESSAGES,
    "chat": ApiKind.CHAT_COMPLETIONS,
    "gemini": ApiKind.GEMINI,
    "responses": ApiKind.OPENAI_RESPONSES,
}


def events_of(name: str) -> list[str]:
    return list(EventReader().feed((STREAMS / f"{name}.sse").read_bytes()))


def heard_in(name: str) -> dict[str, Any]:
    """All that is heard in the recorded stream."""
    api, heard = APIS[KINDS[name.partition("-")[0]]], ApiHeard()
    for event in events_of(name):
        api.hear(event, heard)
    fields = asdict(heard) | {"usage": api.usage(heard.usage).model_dump(exclude_defaults=True), "texts": heard.text}
    return {field: value for field, value in fields.items() if value not in (None, "", [], {}, False)}


def test_every_recorded_stream_is_heard_as_the_golden_file_holds(golden: Golden) -> None:
    heard = {name: heard_in(name) for name in sorted(file.stem for file in STREAMS.glob("*.sse"))}
    golden.holds("api/heard.json", json.dumps(heard, indent=1, ensure_ascii=False) + "\n")


def test_a_stream_without_its_last_event_is_not_a_whole_answer() -> None:
    for name, kind in KINDS.items():
        heard, events = ApiHeard(), events_of(name)
        last = next(at for at, event in enumerate(events) if 'finish_reason":"stop' in event) if name == "chat" else -1
        for event in events[:last]:
            APIS[kind].hear(event, heard)
        assert (heard.text != "", heard.complete, heard.ended) == (True, False, False)


def test_a_refusal_has_the_code_that_its_fields_call_for() -> None:
    for api, status, error, code in texts("apis")["refusals"]:
        assert (error, APIS[KINDS[api]].fault(json.loads(error), status).code) == (error, code)


def test_what_is_no_error_cannot_be_understood() -> None:
    errors: tuple[Any, ...] = (None, 3, [], {"type": 3, "message": 4, "code": []})
    for kind, error in product(KINDS.values(), errors):
        with pytest.raises(ValueError, match="validation error"):
            APIS[kind].fault(error, 400)


def test_a_delta_that_is_no_text_cannot_be_understood() -> None:
    for name, delta in {"output_text": 3, "refusal": None}.items():
        told = json.dumps({"type": f"response.{name}.delta", "delta": delta})
        with pytest.raises(ValueError, match="no text"):
            APIS[ApiKind.OPENAI_RESPONSES].hear(told, ApiHeard())


def test_a_character_that_was_cut_in_two_is_whole_again_and_a_lone_half_is_replaced() -> None:
    assert ApiHeard(texts=["a\ud83d", "\ude00b\ud83dc"]).text == "a😀b\ufffdc"


STREAM = (
    "\ufeff: a comment\nevent: a\ndata: Phở\ndata:  two\nid: 7\n\n"
    "data:𝄞\r\n\r\nevent: b\rdata\rdata: x\r\r\n\ndata: cut"
).encode()
EVENTS = ["Phở\n two", "𝄞", "\nx"]


def read(*pieces: bytes) -> list[str]:
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)]


EVENTS_IN = {
    b"data: x\n\n": ["x"],
    b"data: x\n": [],
    b"data:\n\n": [],
    b"event: a\n\ndata: x\n\n": ["x"],
    b"data: \xff\n\n": ["\ufffd"],
    b"data: a: b\n\n": ["a: b"],
    b"retry: 3\nunknown\ndata: x\n\n": ["x"],
    STREAM: EVENTS,
}


def test_an_event_is_what_stands_before_an_empty_line() -> None:
    assert {stream: read(stream) for stream in EVENTS_IN} == EVENTS_IN


@given(st.lists(st.integers(0, len(STREAM))))
def test_it_does_not_matter_how_a_stream_is_cut_into_pieces(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    assert read(*(STREAM[start:end] for start, end in pairwise(places))) == EVENTS


@given(st.binary())
def test_no_bytes_are_too_strange_to_be_read(stream: bytes) -> None:
    assert all(event for event in read(stream))
