"""What ``converse`` promises, seen with real programs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from anyio import to_thread

from sparring.providers.cli.call_folder import CallFolders
from sparring.providers.cli.process import OUTPUT_LIMIT, Command, Conversation, Finished, OutputOverflowError
from sparring.providers.cli.supervision import Terms
from sparring.providers.cli.supervision import converse as talk
from sparring.testing.workspace import Attendance
from support.children import FAMILY, KILLED, ended, fake

pytestmark = pytest.mark.process


@asynccontextmanager
async def converse(command: Command, *, output_limit: int = OUTPUT_LIMIT) -> AsyncGenerator[Conversation]:
    with TemporaryDirectory() as root, CallFolders(Path(root)).holding() as folder:
        async with talk(command, folder, Terms(3600, output_limit=output_limit)) as conversation:
            yield conversation


async def all_lines(command: Command, *, output_limit: int = 2**20) -> tuple[list[bytes], Finished]:
    async with converse(command, output_limit=output_limit) as conversation:
        lines: list[bytes] = []
        while (line := await conversation.receive()) is not None:
            lines.append(line)
    return lines, replace(conversation.finished(), duration_ms=0)


async def test_lines_go_to_the_child_and_come_back_and_none_is_torn() -> None:
    asked = [b"one", b"", b"x" * 300_000, "Tiếng Việt".encode()]
    at_once = {bytes([65 + number]) * 200_000 for number in range(4)}
    async with converse(fake("repeat")) as conversation:
        heard: list[bytes | None] = []
        for line in asked:
            await conversation.send(line)
            heard.append(await conversation.receive())
        async with anyio.create_task_group() as tasks:
            for line in at_once:
                tasks.start_soon(conversation.send, line)
            assert {await conversation.receive() for _ in at_once} == at_once
    assert heard == asked
    assert replace(conversation.finished(), duration_ms=0) == ended(0)  # it ended by itself, its input being closed


@pytest.mark.parametrize(
    ("command", "limit", "expected"),
    [
        (fake("say", "a\nb\n\nc\n", "", "0"), 2**20, ([b"a", b"b", b"", b"c"], ended(0))),
        (fake("say", "a\nhalf", "", "0"), 2**20, ([b"a", b"half"], ended(0))),
        (fake("say", "", "not today", "3"), 2**20, (list[bytes](), ended(3, stderr="not today"))),
        (fake("die", str(-KILLED)), 2**20, (list[bytes](), ended(KILLED))),
        (fake("say", "a\n", "x" * 100_000, "0"), 10, ([b"a"], ended(0, stderr="x" * 10))),
    ],
    ids=["whole lines", "a last line without end", "nothing but an error", "a signal", "errors beyond the limit"],
)
async def test_what_a_child_says_is_received_to_its_end(
    command: Command, limit: int, expected: tuple[list[bytes], Finished]
) -> None:
    assert await all_lines(command, output_limit=limit) == expected


async def test_sending_to_a_child_that_is_gone_is_no_error() -> None:
    async with converse(fake("say", "bye\n", "", "0")) as conversation:
        assert [await conversation.receive(), await conversation.receive()] == [b"bye", None]
        for _ in range(3):
            await conversation.send(b"x" * 2**20)
    assert conversation.finished().exit_code == 0


async def test_a_child_that_says_too_much_at_once_or_in_all_is_ended() -> None:
    async with converse(fake("flood", "stdout"), output_limit=2**20) as conversation:
        with pytest.raises(OutputOverflowError):
            await conversation.receive()
    finished = conversation.finished()
    assert (finished.overflowed, finished.exit_code is not None) == (True, True)

    async with converse(fake("repeat"), output_limit=10) as conversation:
        await conversation.send(b"12345")
        assert await conversation.receive() == b"12345"
        await conversation.send(b"12345")
        with pytest.raises(OutputOverflowError):
            await conversation.receive()


@pytest.mark.parametrize("traits", [(), ("deaf",)])
async def test_leaving_ends_the_whole_family(traits: tuple[str, ...]) -> None:
    with Attendance() as attendance:
        async with converse(fake("family", attendance.address, *traits)):
            assert await to_thread.run_sync(attendance.arrivals, 3) == FAMILY.keys()
        assert attendance.last_words() == FAMILY
