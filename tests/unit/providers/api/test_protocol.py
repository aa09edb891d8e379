"""Recorded shapes of each API's stream, and of its errors, and what is heard in them."""

import json
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.api.calls import APIS
from sparring.providers.api.protocol import ApiHeard, EventReader
from sparring.schema.consultation import FailureCode
from sparring.schema.providers import ApiKind
from support.golden import GOLDEN, Golden

STREAMS = GOLDEN / "api" / "streams"
KINDS = {
    "anthropic": ApiKind.ANTHROPIC_MESSAGES,
    "chat": ApiKind.CHAT_COMPLETIONS,
    "gemini": ApiKind.GEMINI,
    "responses": ApiKind.OPENAI_RESPONSES,
}


def heard_in(name: str) -> dict[str, Any]:
    """All that is heard in the recorded stream."""
    api, heard = APIS[KINDS[name.partition("-")[0]]], ApiHeard()
    for event in EventReader().feed((STREAMS / f"{name}.sse").read_bytes()):
        api.hear(event, heard)
    fields = asdict(heard) | {"usage": api.usage(heard.usage).model_dump(exclude_defaults=True), "texts": heard.text}
    return {field: value for field, value in fields.items() if value not in (None, "", [], {}, False)}


def test_every_recorded_stream_is_heard_as_the_golden_file_holds(golden: Golden) -> None:
    heard = {name: heard_in(name) for name in sorted(file.stem for file in STREAMS.glob("*.sse"))}
    golden.holds("api/heard.json", json.dumps(heard, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("name", ["anthropic", "responses", "chat", "gemini"])
def test_a_stream_without_its_last_event_is_not_a_whole_answer(name: str) -> None:
    api = APIS[KINDS[name]]
    heard = ApiHeard()
    events = list(EventReader().feed((STREAMS / f"{name}.sse").read_bytes()))
    last = next(at for at, event in enumerate(events) if 'finish_reason":"stop' in event) if name == "chat" else -1
    for event in events[:last]:
        api.hear(event, heard)
    assert heard.text
    assert (heard.complete, heard.ended) == (False, False)


AUTH, EXIT, NOT_FOUND, PERMISSION = (
    FailureCode.AUTH, FailureCode.EXIT, FailureCode.NOT_FOUND, FailureCode.PERMISSION,
)  # fmt: skip
OVERLOADED, QUOTA, RATE_LIMIT = FailureCode.OVERLOADED, FailureCode.QUOTA, FailureCode.RATE_LIMIT
SERVER_ERROR = FailureCode.SERVER_ERROR
TIMEOUT, TOO_LONG = FailureCode.TIMEOUT, FailureCode.CONTEXT_TOO_LONG
USED_UP = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}
INVALID = "invalid_request_error"
LIMITS = "The input token count (9) exceeds the maximum number of tokens allowed (8)."


REFUSALS: list[tuple[str, int | None, Any, FailureCode]] = [
    ("anthropic", 401, {"type": "authentication_error", "message": "invalid x-api-key"}, AUTH),
    ("anthropic", 400, {"type": INVALID, "message": "prompt is too long: 3 tokens > 2 maximum"}, TOO_LONG),
    ("anthropic", 400, {"type": INVALID, "message": "Your credit balance is too low to access it."}, QUOTA),
    ("anthropic", 400, {"type": INVALID, "message": "messages: the text says prompt is too long: "}, EXIT),
    ("anthropic", 403, {"type": "permission_error"}, PERMISSION),
    ("anthropic", 404, {"type": "not_found_error", "message": "model: claude-x"}, NOT_FOUND),
    ("anthropic", 413, {"type": "request_too_large"}, TOO_LONG),
    ("anthropic", 429, {"type": "rate_limit_error"}, RATE_LIMIT),
    ("anthropic", 500, {"type": "api_error"}, SERVER_ERROR),
    ("anthropic", 504, {"type": "timeout_error"}, TIMEOUT),
    ("anthropic", 529, {"type": "overloaded_error"}, OVERLOADED),
    ("anthropic", 402, {"type": "something_new"}, QUOTA),
    ("anthropic", None, {"type": "something_new"}, EXIT),
    ("responses", 401, {"type": INVALID, "code": "invalid_api_key"}, AUTH),
    ("responses", 404, {"type": INVALID, "code": "model_not_found"}, NOT_FOUND),
    ("responses", 400, {"type": INVALID, "code": "context_length_exceeded"}, TOO_LONG),
    ("responses", 429, {"type": "insufficient_quota", "code": "insufficient_quota"}, QUOTA),
    ("responses", 429, {"type": "requests", "code": "rate_limit_exceeded"}, RATE_LIMIT),
    ("chat", 402, {"code": 402, "message": "Insufficient credits"}, QUOTA),
    ("chat", None, {"code": 502, "message": "Upstream"}, SERVER_ERROR),
    ("chat", 400, {"code": 400, "message": "This model's maximum context length is 8192 tokens."}, TOO_LONG),
    ("chat", 400, {"code": 400, "message": "A model whose maximum context length is"}, EXIT),
    ("chat", 404, {"type": "api_error", "code": None, "message": 'model "x" not found, pull it first'}, NOT_FOUND),
    ("chat", None, "No models loaded.", EXIT),
    ("gemini", 400, {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}, AUTH),
    ("gemini", 400, {"code": 400, "status": "INVALID_ARGUMENT", "message": LIMITS}, TOO_LONG),
    ("gemini", 403, {"code": 403, "status": "PERMISSION_DENIED"}, PERMISSION),
    ("gemini", 404, {"code": 404, "status": "NOT_FOUND"}, NOT_FOUND),
    ("gemini", 429, {"code": 429, "status": "RESOURCE_EXHAUSTED"}, RATE_LIMIT),
    ("gemini", 429, {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [USED_UP]}, QUOTA),
    ("gemini", 500, {"code": 500, "status": "INTERNAL"}, SERVER_ERROR),
    ("gemini", 504, {"code": 504, "status": "DEADLINE_EXCEEDED"}, TIMEOUT),
    ("gemini", 402, {}, QUOTA),
    ("gemini", None, {}, EXIT),
]


def test_a_refusal_has_the_code_that_its_fields_call_for() -> None:
    assert [
        (api, status, error, APIS[KINDS[api]].fault(error, status).code) for api, status, error, _ in REFUSALS
    ] == REFUSALS


@pytest.mark.parametrize("api", KINDS)
def test_what_is_no_error_cannot_be_understood(api: str) -> None:
    errors: tuple[Any, ...] = (None, 3, [], {"type": 3, "message": 4, "code": []})
    for error in errors:
        with pytest.raises(ValueError, match="validation error"):
            APIS[KINDS[api]].fault(error, 400)


def test_a_delta_that_is_no_text_cannot_be_understood() -> None:
    for name, delta in {"output_text": 3, "refusal": None}.items():
        with pytest.raises(ValueError, match="no text"):
            APIS[ApiKind.OPENAI_RESPONSES].hear(
                json.dumps({"type": f"response.{name}.delta", "delta": delta}), ApiHeard()
            )


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


EVENTS_IN: list[tuple[bytes, list[str]]] = [
    (b"data: x\n\n", ["x"]),
    (b"data: x\n", []),
    (b"data: x", []),
    (b"data:\n\n", []),
    (b"event: a\n\ndata: x\n\n", ["x"]),
    (b"data: \xff\n\n", ["\ufffd"]),
    (b"data: a: b\n\n", ["a: b"]),
    (b"retry: 3\nunknown\ndata: x\n\n", ["x"]),
    (STREAM, EVENTS),
]


def test_an_event_is_what_stands_before_an_empty_line() -> None:
    assert [(stream, read(stream)) for stream, _ in EVENTS_IN] == EVENTS_IN


@given(st.lists(st.integers(0, len(STREAM))))
def test_it_does_not_matter_how_a_stream_is_cut_into_pieces(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    assert read(*(STREAM[start:end] for start, end in pairwise(places))) == EVENTS


@given(st.binary())
def test_no_bytes_are_too_strange_to_be_read(stream: bytes) -> None:
    assert all(event for event in read(stream))
