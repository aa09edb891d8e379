"""Recorded shapes of each API's stream, and of its errors, and what is heard in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.consult.api.consultant import APIS
from sparring.consult.api.events import Event, EventReader
from sparring.consult.api.heard import Fault, Heard, Stop
from sparring.schema.consultation import FailureCode, Usage
from sparring.schema.providers import ApiKind

STREAMS = Path(__file__).resolve().parents[2] / "golden" / "api" / "streams"
KINDS = {
    "anthropic": ApiKind.ANTHROPIC_MESSAGES,
    "chat": ApiKind.CHAT_COMPLETIONS,
    "gemini": ApiKind.GEMINI,
    "responses": ApiKind.OPENAI_RESPONSES,
}


def heard_in(name: str) -> tuple[Heard, Usage]:
    """What is heard in the recorded stream, and the usage that it tells of."""
    api = APIS[KINDS[name.partition("-")[0]]]
    heard = Heard()
    for event in EventReader().feed((STREAMS / f"{name}.sse").read_bytes()):
        api.hear(event, heard)
    return heard, api.usage(heard.usage)


@pytest.mark.parametrize(
    ("name", "text", "model", "usage"),
    [
        (
            "anthropic",
            "It is so, as a rule: 😀",
            "claude-opus-5-20260401",
            Usage(input_tokens=2112, cached_tokens=2000, output_tokens=340, reasoning_tokens=300),
        ),
        (
            "responses",
            "It is so, as a rule.",
            "gpt-5.5-2026-03-01",
            Usage(input_tokens=37, cached_tokens=20, output_tokens=411, reasoning_tokens=400),
        ),
        (
            "chat",
            "It is so, as a rule.",
            "vendor/model-1",
            Usage(input_tokens=37, cached_tokens=20, output_tokens=411, reasoning_tokens=400, cost_usd=0.00123),
        ),
        ("chat-bare", "It is so.", None, Usage()),
        (
            "gemini",
            "It is so, as a rule.",
            "gemini-3-flash-001",
            Usage(input_tokens=37, cached_tokens=20, output_tokens=411, reasoning_tokens=400),
        ),
    ],
)
def test_a_whole_answer_is_heard_with_its_model_and_usage(
    name: str, text: str, model: str | None, usage: Usage
) -> None:
    heard, used = heard_in(name)

    assert (heard.text, heard.model, heard.stop, heard.complete, heard.fault) == (text, model, Stop.DONE, True, None)
    assert used == usage


@pytest.mark.parametrize("name", ["anthropic", "responses", "chat", "gemini"])
def test_a_stream_without_its_last_event_is_not_a_whole_answer(name: str) -> None:
    api = APIS[KINDS[name]]
    heard = Heard()
    events = list(EventReader().feed((STREAMS / f"{name}.sse").read_bytes()))
    last = next(at for at, event in enumerate(events) if 'finish_reason":"stop' in event.data) if name == "chat" else -1

    for event in events[:last]:
        api.hear(event, heard)

    assert heard.text
    assert (heard.complete, heard.ended) == (False, False)


@pytest.mark.parametrize(
    ("name", "text", "refusal", "stop", "reason"),
    [
        ("anthropic-refusal", "", "", Stop.WITHHELD, "refusal"),
        ("responses-incomplete", "It is so, as", "", Stop.CUT, "max_output_tokens"),
        ("responses-refusal", "", "I cannot help with that.", Stop.DONE, ""),
        ("gemini-blocked", "", "", Stop.WITHHELD, "PROHIBITED_CONTENT"),
        ("gemini-safety", "It is", "", Stop.WITHHELD, "SAFETY"),
    ],
)
def test_an_answer_that_was_ended_early_says_why(name: str, text: str, refusal: str, stop: Stop, reason: str) -> None:
    heard, _ = heard_in(name)

    assert (heard.text, heard.refusal, heard.stop, heard.reason) == (text, refusal, stop, reason)
    assert heard.complete


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("anthropic-overloaded", Fault(FailureCode.OVERLOADED, "Overloaded", told=True, again=True)),
        (
            "responses-failed",
            Fault(FailureCode.OVERLOADED, "The model failed to generate a response.", told=True, again=True),
        ),
        ("responses-error", Fault(FailureCode.RATE_LIMIT, "Rate limit reached for gpt-5.5.", told=True, again=True)),
        (
            "responses-error-nested",
            Fault(FailureCode.CONTEXT_TOO_LONG, "Your input exceeds the context window of this model.", told=True),
        ),
        (
            "gemini-error",
            Fault(FailureCode.OVERLOADED, "The model is overloaded. Please try again later.", told=True, again=True),
        ),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_a_fault_and_its_end(name: str, fault: Fault) -> None:
    heard, _ = heard_in(name)

    assert (heard.fault, heard.ended) == (fault, True)


QUOTA = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}


@pytest.mark.parametrize(
    ("api", "status", "error", "code"),
    [
        ("anthropic", 401, {"type": "authentication_error", "message": "invalid x-api-key"}, FailureCode.AUTH),
        (
            "anthropic",
            400,
            {"type": "invalid_request_error", "message": "prompt is too long: 3 tokens > 2 maximum"},
            FailureCode.CONTEXT_TOO_LONG,
        ),
        (
            "anthropic",
            400,
            {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."},
            FailureCode.QUOTA,
        ),
        (
            "anthropic",
            400,
            {"type": "invalid_request_error", "message": "messages: the text says prompt is too long: "},
            FailureCode.EXIT,
        ),
        ("anthropic", 403, {"type": "permission_error"}, FailureCode.PERMISSION),
        ("anthropic", 404, {"type": "not_found_error", "message": "model: claude-x"}, FailureCode.NOT_FOUND),
        ("anthropic", 413, {"type": "request_too_large"}, FailureCode.CONTEXT_TOO_LONG),
        ("anthropic", 429, {"type": "rate_limit_error"}, FailureCode.RATE_LIMIT),
        ("anthropic", 500, {"type": "api_error"}, FailureCode.OVERLOADED),
        ("anthropic", 504, {"type": "timeout_error"}, FailureCode.TIMEOUT),
        ("anthropic", 529, {"type": "overloaded_error"}, FailureCode.OVERLOADED),
        ("anthropic", 402, {"type": "something_new"}, FailureCode.QUOTA),
        ("anthropic", None, {"type": "something_new"}, FailureCode.EXIT),
        ("responses", 401, {"type": "invalid_request_error", "code": "invalid_api_key"}, FailureCode.AUTH),
        ("responses", 404, {"type": "invalid_request_error", "code": "model_not_found"}, FailureCode.NOT_FOUND),
        (
            "responses",
            400,
            {"type": "invalid_request_error", "code": "context_length_exceeded"},
            FailureCode.CONTEXT_TOO_LONG,
        ),
        ("responses", 429, {"type": "insufficient_quota", "code": "insufficient_quota"}, FailureCode.QUOTA),
        ("responses", 429, {"type": "requests", "code": "rate_limit_exceeded"}, FailureCode.RATE_LIMIT),
        ("chat", 402, {"code": 402, "message": "Insufficient credits"}, FailureCode.QUOTA),
        ("chat", None, {"code": 502, "message": "Upstream"}, FailureCode.OVERLOADED),
        (
            "chat",
            400,
            {"code": 400, "type": "BadRequestError", "message": "This model's maximum context length is 8192 tokens."},
            FailureCode.CONTEXT_TOO_LONG,
        ),
        ("chat", 400, {"code": 400, "message": "A model whose maximum context length is"}, FailureCode.EXIT),
        (
            "chat",
            404,
            {"type": "api_error", "code": None, "message": 'model "x" not found, try pulling it first'},
            FailureCode.NOT_FOUND,
        ),
        ("chat", None, "No models loaded.", FailureCode.EXIT),
        (
            "gemini",
            400,
            {"code": 400, "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]},
            FailureCode.AUTH,
        ),
        (
            "gemini",
            400,
            {
                "code": 400,
                "status": "INVALID_ARGUMENT",
                "message": "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            },
            FailureCode.CONTEXT_TOO_LONG,
        ),
        ("gemini", 403, {"code": 403, "status": "PERMISSION_DENIED"}, FailureCode.PERMISSION),
        ("gemini", 404, {"code": 404, "status": "NOT_FOUND"}, FailureCode.NOT_FOUND),
        ("gemini", 429, {"code": 429, "status": "RESOURCE_EXHAUSTED"}, FailureCode.RATE_LIMIT),
        ("gemini", 429, {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [QUOTA]}, FailureCode.QUOTA),
        ("gemini", 500, {"code": 500, "status": "INTERNAL"}, FailureCode.OVERLOADED),
        ("gemini", 504, {"code": 504, "status": "DEADLINE_EXCEEDED"}, FailureCode.TIMEOUT),
        ("gemini", 402, {}, FailureCode.QUOTA),
        ("gemini", None, {}, FailureCode.EXIT),
    ],
)
def test_a_refusal_has_the_code_that_its_fields_call_for(
    api: str, status: int | None, error: Any, code: FailureCode
) -> None:
    assert APIS[KINDS[api]].fault(error, status).code is code


@pytest.mark.parametrize("api", KINDS)
@pytest.mark.parametrize("error", [None, 3, [], {"type": 3, "message": 4, "code": []}], ids=str)
def test_what_is_no_error_cannot_be_understood(api: str, error: Any) -> None:
    with pytest.raises(ValueError, match="validation error"):
        APIS[KINDS[api]].fault(error, 400)


@pytest.mark.parametrize(("name", "delta"), [("output_text", 3), ("refusal", None)])
def test_a_delta_that_is_no_text_cannot_be_understood(name: str, delta: object) -> None:
    event = Event("", json.dumps({"type": f"response.{name}.delta", "delta": delta}))

    with pytest.raises(ValueError, match="no text"):
        APIS[ApiKind.OPENAI_RESPONSES].hear(event, Heard())


def test_a_character_that_was_cut_in_two_is_whole_again_and_a_lone_half_is_replaced() -> None:
    assert Heard(texts=["a\ud83d", "\ude00b\ud83dc"]).text == "a😀b\ufffdc"
