"""Who gets a line, where the moment decides. That nothing is lost or said twice, a property holds."""

import json
import threading
import time

import pytest

from sparring.server import snapshot
from sparring.server.fast_start import FastStart, is_resent
from sparring.server.snapshot import SUBSCRIPTION
from support.mcp_peer import INITIALIZE, Message, modern, request

PROBE = modern(1, "server/discover")
HANDSHAKE = request(2, "initialize", INITIALIZE)
CALL = modern(3, "tools/call", {"name": "quarrel"})
NEWS = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}


def line(message: Message) -> bytes:
    return json.dumps(message).encode()


class Played:
    """A start, the ids that it answers and what the SDK gets: ids, names of news, ``again`` for what was answered."""

    def __init__(self, *, knowing: bool = True) -> None:
        self.answered: list[int] = []
        self.passed_on: list[object] = []
        self.start = FastStart(snapshot.load() if knowing else None, self._answer)

    def receive(self, *messages: Message) -> None:
        self.start.receive([line(message) for message in messages])

    def hand_over(self) -> None:
        self.start.hand_over(self._take, print)

    def _answer(self, answer: bytes) -> None:
        self.answered.append(json.loads(answer)["id"])

    def _take(self, given: bytes | None, _: float) -> None:
        message = {"method": "end"} if given is None else json.loads(given)
        known = message.get("id", message["method"])
        self.passed_on.append("again" if is_resent(known) else known)


@pytest.mark.parametrize("knowing", [True, False])
def test_a_probe_that_was_given_up_before_we_read_it_is_neither_answered_nor_passed_on(*, knowing: bool) -> None:
    played = Played(knowing=knowing)
    played.receive(PROBE, NEWS, HANDSHAKE)
    played.hand_over()
    assert played.answered == ([2] if knowing else [])
    assert played.passed_on == (["notifications/cancelled", "again"] if knowing else ["notifications/cancelled", 2])


def test_a_subscription_is_acknowledged_at_once_and_once() -> None:
    told, passed_on = list[Message](), list[bytes | None]()
    start = FastStart(snapshot.load(), lambda line: told.append(json.loads(line)))
    wanted = {"toolsListChanged": True, "promptsListChanged": False}
    listening = line(modern(4, "subscriptions/listen", {"notifications": wanted}))
    start.receive([listening])
    (acknowledged,) = told
    assert acknowledged["params"] == {"_meta": {SUBSCRIPTION: 4}, "notifications": {"toolsListChanged": True}}
    assert not start.end()  # what stays open is no answer that is owed
    start.hand_over(lambda line, _: passed_on.append(line), passed_on.append)
    assert passed_on == [listening, None]
    assert [start.has_acknowledged(subscription) for subscription in ("4", 4, 4)] == [False, True, False]


def test_waiting_for_the_sdk_counts_as_time_of_a_call() -> None:
    played, received_at = Played(), list[float]()
    played.receive(HANDSHAKE, CALL)
    before = time.monotonic()
    played.start.hand_over(lambda _, at: received_at.append(at), print)
    assert [at <= before for at in received_at] == [True, True]


@pytest.mark.parametrize(
    "unreadable",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":NaN}}}',
        b'{"jsonrpc":"2.0","id":"\xff","method":"initialize"}',
        b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]',
        b"[" * 100_000,
    ],
)
def test_after_an_unreadable_line_only_the_sdk_answers(unreadable: bytes) -> None:
    played = Played()
    played.receive(HANDSHAKE, request(4, "ping"))
    played.start.receive([b"", unreadable])
    played.receive(request(5, "ping"))
    assert played.answered == [2, 4]


@pytest.mark.parametrize(
    ("messages", "needs_reply"),
    [((), False), ((PROBE,), False), ((HANDSHAKE, NEWS), False), ((CALL,), True), ((PROBE, CALL), True)],
)
def test_the_end_of_the_input_ends_the_server_unless_a_reply_is_due(
    messages: tuple[Message, ...], *, needs_reply: bool
) -> None:
    played = Played()
    played.receive(*messages)
    assert played.start.end() is needs_reply
    played.hand_over()
    assert played.passed_on[-1] == "end"


def test_a_host_that_writes_without_end_waits_for_the_sdk() -> None:
    full = threading.Event()
    passed_on: list[bytes | None] = []
    start = FastStart(snapshot.load(), lambda answer: full.set() if json.loads(answer)["id"] == 9 else None)
    big = line(request(1, "tools/call", {"name": "x" * 3_000_000}))

    def write() -> None:
        start.receive([line(HANDSHAKE), big])
        start.receive([big])
        start.receive([big, line(request(9, "ping"))])
        start.receive([b"too much"])

    host = threading.Thread(target=write)
    host.start()
    full.wait()
    stored = len(start._waiting)  # pyright: ignore[reportPrivateUsage]
    start.hand_over(lambda line, _: passed_on.append(line), passed_on.append)
    host.join()
    assert passed_on[1:] == [big, big, big, b"too much"]
    assert stored == 4  # the handshake and what was too big; the last line had to wait
