"""What is answered to lines that are no message for the SDK."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from sparring.server.stdio import message_of, refusals

HALF = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"consult","arguments":{"question":"\\ud83d"}}}'


def answers(line: str | bytes) -> list[tuple[Any, str]]:
    spelled = line if isinstance(line, bytes) else line.encode()
    error = message_of(spelled)
    assert isinstance(error, ValidationError)
    said = [json.loads(refusal.model_dump_json(by_alias=True)) for refusal in refusals(spelled, error)]
    assert {each["error"]["code"] for each in said} <= {-32600}
    return [(each["id"], each["error"]["message"]) for each in said]


def test_a_request_with_half_an_emoji_is_refused_by_its_name() -> None:
    why = "The request cannot be read: a text in it has half of a surrogate pair, as if an emoji had been cut in two."
    assert [answers(HALF % number) for number in ('"seven"', str(10**30))] == [[("seven", why)], [(10**30, why)]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id":7,"method":"ping"}', "no JSON-RPC 2.0 request"),
        ('{"jsonrpc":"2.0","id":7,"method":"a\tb"}', "control character"),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":%s}}' % ("[" * 300 + "]" * 300), "recursion limit"),
    ],
)
def test_a_request_of_another_shape_is_refused_with_the_reason(line: str, words: str) -> None:
    ((answered, said),) = answers(line)
    assert answered == 7
    assert words in said


def test_each_request_of_a_batch_is_refused() -> None:
    batch = '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"note"},3,{"id":"b","method":"ping"}]'
    found = answers(batch)
    assert [answered for answered, _ in found] == [1, "b"]
    assert {words.partition(": ")[2] for _, words in found} == {
        "requests in a batch are not taken, send each on a line of its own."
    }


NOBODYS = (
    *(b"hello", b"", b"5", b"[" * 100_000, b'{"jsonrpc":"2.0","method":"note","params":[]}'),
    *(b'{"id":null,"method":"ping"}', b'{"id":true,"method":"ping"}', b'{"jsonrpc":"2.0","id":7,"answer":5}'),
    b'{"jsonrpc":"2.0","id":"\\ud83d","method":"ping"}',
)


@pytest.mark.parametrize("line", NOBODYS, ids=lambda line: line[:50].decode())
def test_what_nobody_can_wait_for_is_passed_over(line: bytes) -> None:
    assert answers(line) == []
