"""What is answered to lines that are no message for the SDK."""

import json
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from pydantic import ValidationError

from sparring.server.stdio import line_of, message_of, refusals

HALF = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"consult","arguments":{"question":"\\ud83d"}}}'


def answers(line: str | bytes) -> list[tuple[Any, int, str]]:
    example = ' Example: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    spelled = line if isinstance(line, bytes) else line.encode()
    error = message_of(spelled)
    assert isinstance(error, ValidationError)
    said = [json.loads(refusal.model_dump_json(by_alias=True)) for refusal in refusals(spelled, error)]
    assert all(example in each["error"]["message"] for each in said)
    return [(each["id"], each["error"]["code"], each["error"]["message"].removesuffix(example)) for each in said]


def test_a_request_with_half_an_emoji_is_refused_by_its_name() -> None:
    why = "The request cannot be read: a text in it has half of a surrogate pair, as if an emoji had been cut in two."
    found = [answers(HALF % number) for number in ('"seven"', str(10**30))]
    assert found == [[("seven", -32600, why)], [(10**30, -32600, why)]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id":7,"method":"ping"}', "not a JSON-RPC 2.0 request"),
        ('{"jsonrpc":"2.0","id":7,"method":"a\tb"}', "control character"),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":%s}}' % ("[" * 300 + "]" * 300), "recursion limit"),
    ],
)
def test_a_request_of_another_shape_is_refused_with_the_reason(line: str, words: str) -> None:
    ((answered, code, said),) = answers(line)
    assert (answered, code) == (7, -32600)
    assert words in said


def test_each_request_of_a_batch_is_refused() -> None:
    batch = '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"note"},3,{"id":"b","method":"ping"}]'
    found = answers(batch)
    assert [answered for answered, _, _ in found] == [1, "b"]
    assert {words.partition(": ")[2] for _, _, words in found} == {
        "requests in a batch are not taken, send each on a line of its own."
    }


@pytest.mark.parametrize(
    "line", [b"hello", b"", b"[" * 100_000, b'{"jsonrpc":'], ids=["word", "blank", "nested", "cut"]
)
def test_a_line_that_is_no_json_is_refused_without_an_id(line: bytes) -> None:
    assert [(answered, code) for answered, code, _ in answers(line)] == [(None, -32700)]


@pytest.mark.parametrize(
    "line",
    [
        b"5",
        b"[]",
        b'["ping"]',
        b'{"jsonrpc":"2.0","method":"note","params":[]}',
        b'{"id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":7,"answer":5}',
        b'{"jsonrpc":"2.0","id":"\\ud83d","method":"ping"}',
    ],
    ids=lambda line: line[:60].decode(),
)
def test_an_invalid_message_is_refused_without_an_id(line: bytes) -> None:
    assert [(answered, code) for answered, code, _ in answers(line)] == [(None, -32600)]


@pytest.mark.parametrize("number", ["1.0", "1.50", "-0.5", "1e3", "2.5E-3"])
def test_a_number_of_any_form_is_an_id_and_returned_as_written(number: str) -> None:
    item = message_of(b'{"jsonrpc":"2.0","id":%s,"method":"ping","params":{"a":1.25}}' % number.encode())
    assert isinstance(item, SessionMessage)
    assert isinstance(item.message, JSONRPCRequest)
    assert item.message.params == {"a": 1.25}
    answer = JSONRPCResponse(jsonrpc="2.0", id=item.message.id, result={})
    assert line_of(answer) == b'{"jsonrpc":"2.0","id":%s,"result":{}}' % number.encode()
    cancelling = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}' % number.encode()
    cancelled = message_of(cancelling)
    assert isinstance(cancelled, SessionMessage)
    assert isinstance(cancelled.message, JSONRPCNotification)
    assert cancelled.message.params == {"requestId": item.message.id}


def test_a_notification_with_an_id_in_its_parameters_stays_a_notification() -> None:
    item = message_of(b'{"jsonrpc":"2.0","method":"note","params":{"id":1.5}}')
    assert isinstance(item, SessionMessage)
    assert item.message == JSONRPCNotification(jsonrpc="2.0", method="note", params={"id": 1.5})
