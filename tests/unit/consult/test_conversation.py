"""What ``converse`` promises, seen with real programs."""

import signal
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from sparring.consult.process import Command, Finished, OutputOverflowError, converse
from sparring.testing import fake_cli
from sparring.testing.attendance import Attendance

pytestmark = pytest.mark.process


ENVIRONMENT = {"LC_ALL": "C.UTF-8"}


def fake(*arguments: str) -> Command:
    program = (sys.executable, "-S", fake_cli.__file__)
    return Command(argv=(*program, *arguments), env=ENVIRONMENT, cwd=Path(fake_cli.__file__).parent)


def ended(exit_code: int, *, stderr: str = "", overflowed: bool = False) -> Finished:
    return Finished(
        exit_code=exit_code, stdout="", stderr=stderr, timed_out=False, overflowed=overflowed, duration_ms=0
    )


async def all_lines(command: Command, *, output_limit: int = 2**20) -> tuple[list[bytes], Finished]:
    async with converse(command, output_limit=output_limit) as conversation:
        lines: list[bytes] = []
        while (line := await conversation.receive()) is not None:
            lines.append(line)
    return lines, replace(conversation.finished(), duration_ms=0)


async def test_lines_go_to_the_child_and_come_back() -> None:
    async with converse(fake("repeat")) as conversation:
        heard: list[bytes | None] = []
        for line in (b"one", b"", b"x" * 300_000, "Tiếng Việt".encode()):
            await conversation.send(line)
            heard.append(await conversation.receive())
    assert heard == [b"one", b"", b"x" * 300_000, "Tiếng Việt".encode()]
    assert replace(conversation.finished(), duration_ms=0) == ended(0)  # it ended by itself, its input being closed


ENDINGS: list[tuple[Command, tuple[list[bytes], Finished]]] = [
    (fake("say", "a\nb\n\nc\n", "", "0"), ([b"a", b"b", b"", b"c"], ended(0))),
    (fake("say", "a\nhalf", "", "0"), ([b"a", b"half"], ended(0))),
    (fake("say", "", "not today", "3"), ([], ended(3, stderr="not today"))),
    (fake("die", str(int(signal.SIGKILL))), ([], ended(-signal.SIGKILL))),
]


@pytest.mark.parametrize(
    ("command", "expected"),
    ENDINGS,
    ids=["whole lines", "a last line without end", "nothing but an error", "a signal"],
)
async def test_what_a_child_says_is_received_to_its_end(
    command: Command, expected: tuple[list[bytes], Finished]
) -> None:
    assert await all_lines(command) == expected


async def test_several_tasks_can_send_and_no_line_is_torn() -> None:
    lines = [bytes([65 + number]) * 200_000 for number in range(4)]
    heard: set[bytes | None] = set()
    async with converse(fake("repeat")) as conversation, anyio.create_task_group() as tasks:
        for line in lines:
            tasks.start_soon(conversation.send, line)
        for _ in lines:
            heard.add(await conversation.receive())
    assert heard == set(lines)


async def test_sending_to_a_child_that_is_gone_is_no_error() -> None:
    async with converse(fake("say", "bye\n", "", "0")) as conversation:
        assert await conversation.receive() == b"bye"
        assert await conversation.receive() is None
        for _ in range(3):
            await conversation.send(b"x" * 2**20)
    assert conversation.finished().exit_code == 0


async def test_a_child_that_says_too_much_is_ended() -> None:
    async with converse(fake("flood", "stdout"), output_limit=2**20) as conversation:
        with pytest.raises(OutputOverflowError):
            await conversation.receive()
    finished = conversation.finished()
    assert (finished.overflowed, finished.exit_code is not None) == (True, True)


async def test_many_lines_together_are_bounded_as_well() -> None:
    async with converse(fake("repeat"), output_limit=10) as conversation:
        await conversation.send(b"12345")
        assert await conversation.receive() == b"12345"
        await conversation.send(b"12345")
        with pytest.raises(OutputOverflowError):
            await conversation.receive()


async def test_errors_beyond_the_limit_are_dropped_and_hold_up_nothing() -> None:
    assert await all_lines(fake("say", "a\n", "x" * 100_000, "0"), output_limit=10) == (
        [b"a"],
        ended(0, stderr="x" * 10),
    )


@pytest.mark.parametrize("traits", [(), ("deaf",)])
async def test_leaving_ends_the_whole_family(traits: tuple[str, ...]) -> None:
    with Attendance() as attendance:
        async with converse(fake("family", attendance.address, *traits)):
            assert await to_thread.run_sync(attendance.arrivals, 3) == {"parent", "child", "runaway"}
        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}


async def test_cancelling_ends_the_whole_family() -> None:
    async def talk() -> None:
        async with converse(fake("family", attendance.address)) as conversation:
            await conversation.receive()

    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(talk)
            assert await to_thread.run_sync(attendance.arrivals, 3) == {"parent", "child", "runaway"}
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}


async def test_a_missing_program_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        async with converse(Command(argv=("./tool",), env={}, cwd=tmp_path)):
            pass
    assert raised.value.filename == str(tmp_path / "tool")
