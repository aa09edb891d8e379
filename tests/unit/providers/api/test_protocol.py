"""Recorded shapes of each API's stream, and of its errors, and what is read in them."""

import json
from typing import Any

import pytest
from msgspec import to_builtins

from sparring.providers.api.calls import APIS
from sparring.providers.api.framing import BodyReader, Event
from sparring.providers.api.protocol import PartialAnswer, UnreadableTextError, find_reported_fault
from sparring.providers.api.reading import error_in
from sparring.providers.receiving.causes import cause_of
from sparring.schema.apis import ApiKind
from support.golden import GOLDEN, Golden
from support.texts import texts

STREAMS = GOLDEN / "api" / "streams"
KINDS = {
    "anthropic": ApiKind.ANTHROPIC_MESSAGES,
    "chat": ApiKind.CHAT_COMPLETIONS,
    "gemini": ApiKind.GEMINI,
    "ollama": ApiKind.OLLAMA,
    "responses": ApiKind.OPENAI_RESPONSES,
}


def events_of(name: str) -> list[Event]:
    reader = BodyReader()
    return [*reader.feed((STREAMS / f"{name}.sse").read_bytes()), *reader.end()]


def read(kind: ApiKind, events: list[Event]) -> PartialAnswer:
    answer = PartialAnswer()
    for event in events:
        if event.text:
            APIS[kind].read_mark(event.text, answer)
        else:
            APIS[kind].read(event.value, answer)
        if (cause := error_in(event)) is not None:
            answer.report(find_reported_fault(cause))
    return answer


def read_in(name: str) -> dict[str, Any]:
    """All that is read in the recorded stream."""
    kind = KINDS[name.partition("-")[0]]
    answer = read(kind, events_of(name))
    usage = APIS[kind].usage(answer.usage).model_dump(exclude_defaults=True)
    fields = to_builtins(answer) | {"usage": usage, "texts": answer.text, "thoughts": "".join(answer.thoughts)}
    return {field: value for field, value in fields.items() if value not in (None, "", [], {}, False)}


def test_every_recorded_stream_is_read_as_the_golden_file_holds(golden: Golden) -> None:
    found = {name: read_in(name) for name in sorted(file.stem for file in STREAMS.glob("*.sse"))}
    golden.holds("api/read.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def test_a_stream_without_its_last_event_needs_another_sign_of_its_end() -> None:
    ends = {"anthropic": "message_delta", "chat": 'finish_reason": "stop', "gemini": "STOP", "responses": "completed"}
    for name, end in ends.items():
        events = events_of(name)
        last = next(at for at, event in enumerate(events) if end in json.dumps(event.value))
        answer = read(KINDS[name], events[:last])
        assert (answer.text != "", answer.is_complete, answer.is_ended) == (True, False, False)
        assert read(KINDS[name], events[: last + 1]).is_complete


def test_a_refusal_has_the_code_that_its_fields_call_for() -> None:
    for _, status, error, code in texts("apis")["refusals"]:
        fault = find_reported_fault(cause_of({"error": json.loads(error)}), status)
        assert (error, fault.code) == (error, code)


def test_a_text_of_a_wrong_type_is_unreadable_and_a_missing_one_is_empty() -> None:
    def content(value: object) -> PartialAnswer:
        return read(ApiKind.CHAT_COMPLETIONS, [Event({"choices": [{"delta": {"content": value}}]})])

    for value in (3, True, 0.5):
        with pytest.raises(UnreadableTextError):
            content(value)
    nothing: tuple[Any, ...] = (None, "", [], {}, False, [None], [{"type": "image"}])
    for value in nothing:
        assert content(value).text == ""
    for value in ("a", ["a"], [{"text": "a"}], [{"type": "text", "text": "a"}, {"type": "thinking"}], {"text": "a"}):
        assert content(value).text == "a"


def test_a_character_that_was_cut_in_two_is_whole_again_and_a_lone_half_is_replaced() -> None:
    assert PartialAnswer(texts=["a\ud83d", "\ude00b\ud83dc"]).text == "a😀b\ufffdc"
