"""Programs behind a supervisor: what is told of them, and what becomes of them when whoever has asked is gone."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from sparring.errors import ExhaustedError
from sparring.processes.call_folders import KEPT_S, CallFolder, CallFolders, new_call
from sparring.processes.children import OUTPUT_LIMIT, Command, Conversation, FinishedProcess, OutputOverflowError
from sparring.processes.records import ExitRecord
from sparring.processes.supervision import ConsultTerms, converse, run_consultation, wait_for_earlier_call
from sparring.processes.supervisor import ENDED, MARK_VARIABLE
from sparring.processes.tree import end_marked
from sparring.providers.cli.output import Output, ProgramStage
from sparring.providers.cli.watching import OutputWatch
from sparring.testing.workspace import Attendance
from support.children import ENVIRONMENT, FAMILY, TERMINATED, ended, fake

pytestmark = pytest.mark.process

LONG = ConsultTerms(3600)


@pytest.fixture
def calls(tmp_path: Path) -> CallFolders:
    return CallFolders(tmp_path)


async def run(
    calls: CallFolders, command: Command, prompt: str = "", terms: ConsultTerms = LONG, call: str = ""
) -> FinishedProcess:
    with calls.new_folder(call) as folder:
        finished = await run_consultation(command, folder, folder.write_prompt(prompt), terms)
    return replace(finished, duration_ms=0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_program_has_a_temporary_folder_that_is_removed_afterwards(calls: CallFolders, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    litter = 'mkdir "$TMPDIR/deep" && echo left > "$TMPDIR/deep/file" && stat -c "%a %n" "$TMPDIR"'
    command = Command(("sh", "-c", litter), {**ENVIRONMENT, "TMPDIR": str(temporary)}, temporary)
    missing = replace(command, env={**command.env, "TMPDIR": str(tmp_path / "missing"), "TEMP": str(temporary)})
    told = {(await run(calls, each)).stdout for each in (command, command, missing)}
    assert [len(told), {each.rpartition("/")[0] for each in told}] == [3, {f"700 {temporary}"}]
    assert names(temporary) == []


async def test_a_call_that_cannot_be_recorded_fails_with_the_system_error(calls: CallFolders) -> None:
    async def ask(folder: CallFolder) -> None:
        await run_consultation(fake("echo"), folder, folder.write_prompt(""), LONG)

    async def talk(folder: CallFolder) -> None:
        async with converse(fake("repeat"), folder, LONG):
            pass

    for start in (ask, talk):
        with calls.new_folder() as folder:
            (folder.path / f"{ENDED}.new").mkdir()  # as good as a full disk
            with pytest.raises(IsADirectoryError):
                await start(folder)


async def test_a_failing_supervisor_is_not_reported_as_a_system_error(calls: CallFolders) -> None:
    with pytest.raises(OSError, match="its supervising process failed"):
        await run(calls, fake("echo"), terms=ConsultTerms(cast("float", "soon")))


async def test_a_null_byte_in_an_argument_shifts_no_field_of_the_order(calls: CallFolders) -> None:
    with pytest.raises(OSError, match="null byte"):
        await run(calls, replace(fake("echo"), argv=("sh", "no\0argument")))


@pytest.mark.parametrize(
    ("number", "is_talk"), [(signal.SIGKILL, False), (signal.SIGTERM, False), (signal.SIGKILL, True)]
)
async def test_a_supervisor_that_is_ended_from_outside_is_the_fault_of_the_machine(
    calls: CallFolders, number: signal.Signals, *, is_talk: bool
) -> None:
    async def end_it(folder: CallFolder) -> None:
        await to_thread.run_sync(attendance.arrivals, 1)
        os.kill(int((folder.path / "pid").read_text().split()[0]), number)

    async def ask(folder: CallFolder) -> None:
        program = fake("stay", attendance.address, "it")
        async with anyio.create_task_group() as group:
            group.start_soon(end_it, folder)
            if not is_talk:
                await run_consultation(program, folder, folder.write_prompt(""), LONG)
                return
            async with converse(program, folder, LONG) as conversation:
                assert await conversation.receive() is None

    with calls.new_folder() as folder, Attendance() as attendance:
        with pytest.raises(BaseExceptionGroup) as raised:
            await ask(folder)
        (error,) = raised.value.exceptions
        assert attendance.last_words(), "its program has ended as well"
    assert isinstance(error, ExhaustedError)
    assert re.search("killed (by signal 9|from outside), perhaps for lack of memory", str(error))


LINGERING = {"program": "", "child": ""}
"""The last words of ``fake_cli linger``."""
ANSWER = '{"answer": true}\n'


def ended_at_once() -> OutputWatch:
    """A watch that ends a program without any grace."""
    return OutputWatch(Output(lambda ended: ended.without_result(), progress=lambda _: ProgramStage.HOPELESS), 3600)


async def test_a_program_that_lingers_is_ended_and_nothing_is_left_behind(calls: CallFolders, tmp_path: Path) -> None:
    with Attendance() as attendance:
        command = fake("linger", attendance.address, "program", ANSWER)
        finished = await run(calls, command, terms=replace(LONG, watch=ended_at_once()))
        attendance.arrivals(2)
        assert attendance.last_words() == LINGERING
    assert finished == replace(ended(TERMINATED, stdout=ANSWER), dismissed=True)
    assert names(tmp_path / "calls") == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can adopt orphans")
async def test_a_hidden_runaway_is_ended_with_the_answer_that_it_delayed(calls: CallFolders) -> None:
    with Attendance() as attendance:
        assert await run(calls, fake("orphan", attendance.address, "deaf", "cleared")) == ended(stdout="answer")
        assert attendance.arrivals(1) == {"runaway"}
        assert attendance.last_words() == {"runaway": ""}


ASKS = """
import sys
from pathlib import Path
import anyio
from sparring.processes.call_folders import CallFolders
from sparring.processes.children import Command
from sparring.processes.supervision import ConsultTerms, run_consultation

root, call, outlives, *argv = sys.argv[1:]

async def main():
    calls = CallFolders(Path(root).parent)
    with calls.new_folder(call) as folder:
        terms = ConsultTerms(3600, outlives=outlives == "outlives")
        await run_consultation(Command(tuple(argv), {}, Path(root).parent), folder, folder.write_prompt(""), terms)

anyio.run(main)
"""


class Asker:
    """Another process that asks a program, and is killed before it has its answer."""

    def __init__(self, root: Path, attendance: Attendance) -> None:
        self.call = new_call()
        self.attendance = attendance
        self._root = root

    def killed(self, how: str, behaviour: str, *arguments: str) -> None:
        """Ask, and kill who has asked as soon as the program has reported in."""
        argv = fake(behaviour, self.attendance.address, *arguments).argv
        command = [sys.executable, "-c", ASKS, str(self._root), self.call, how, *argv]
        with subprocess.Popen(command) as process:
            self.attendance.arrivals({"family": 3, "linger": 2}.get(behaviour, 1))
            process.kill()

    def supervisor(self) -> int:
        return int((self._root / self.call / "pid").read_text().split()[0])


@pytest.fixture
def asker(tmp_path: Path) -> Generator[Asker]:
    with Attendance() as attendance:
        asker = Asker(tmp_path / "calls", attendance)
        yield asker
        end_marked(f"{MARK_VARIABLE}={asker.call}")


async def test_an_answer_after_the_death_of_its_caller_is_recovered(
    asker: Asker, calls: CallFolders, tmp_path: Path
) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "wait", "child", "late")
    assert (calls.sweep(), calls.take_up(asker.call)) == (0, None)  # it is looked after
    asker.attendance.release("child")
    found = await wait_for_earlier_call(calls, asker.call, 3600)
    assert found is not None
    assert json.loads(found.stdout)["result"] == "late"
    assert names(tmp_path / "calls") == [asker.call]  # until it is safe elsewhere
    calls.settle(asker.call)
    assert names(tmp_path / "calls") == []


async def test_a_program_that_lingers_is_ended_by_the_process_that_takes_it_up(
    asker: Asker, calls: CallFolders, tmp_path: Path
) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "linger", "program", ANSWER)
    found = await wait_for_earlier_call(calls, asker.call, 3600, ended_at_once())
    assert found is not None
    assert (found.stdout, found.dismissed) == (ANSWER, True)
    assert asker.attendance.last_words() == LINGERING
    calls.settle(asker.call)
    assert names(tmp_path / "calls") == []


async def test_an_answer_that_could_not_be_written_down_is_taken_up_by_the_same_process(calls: CallFolders) -> None:
    call = new_call()
    assert await run(calls, fake("say", "yes", "", "0"), call=call) == ended(stdout="yes")
    again = await wait_for_earlier_call(calls, call, 3600)
    assert again is not None
    assert again.stdout == "yes"


async def test_a_program_that_must_not_outlive_its_caller_ends_with_it(
    asker: Asker, calls: CallFolders, tmp_path: Path
) -> None:
    await to_thread.run_sync(asker.killed, "ends", "family")
    assert asker.attendance.last_words() == FAMILY
    assert await wait_for_earlier_call(calls, asker.call, 3600) is None
    assert names(tmp_path / "calls") == []


async def test_giving_up_on_a_recovered_answer_ends_the_program(asker: Asker, calls: CallFolders) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "family")
    with anyio.CancelScope() as scope:
        scope.cancel()
        await wait_for_earlier_call(calls, asker.call, 3600)
    assert asker.attendance.last_words() == FAMILY
    assert await wait_for_earlier_call(calls, asker.call, 3600) is None  # stopped is not answered


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a sweep ends it")
async def test_a_program_ends_with_its_supervisor(asker: Asker) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "wait", "child", "late")
    os.kill(asker.supervisor(), signal.SIGKILL)
    assert asker.attendance.last_words() == {"child": ""}


async def test_a_program_stops_without_its_supervisor_and_a_sweep_ends_its_children(
    asker: Asker, calls: CallFolders, tmp_path: Path
) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "family", "deaf")
    os.kill(asker.supervisor(), signal.SIGKILL)
    while calls.sweep() == 0:  # noqa: ASYNC110 -- it is free as soon as the kernel has closed its files
        await anyio.sleep(0.01)
    assert asker.attendance.last_words() == FAMILY
    assert names(tmp_path / "calls") == []


def test_an_answer_is_kept_for_a_week_or_until_it_is_settled(calls: CallFolders, tmp_path: Path) -> None:
    root, others = tmp_path / "calls", CallFolders(tmp_path)
    for goes in ("by its age", "put down"):
        with calls.new_folder(call := new_call()) as folder:
            (folder.path / ENDED).write_bytes(ExitRecord().encoded())
        others.settle(call)
        assert names(root) == [call]
        folder.release()
        assert (others.sweep(), names(root)) == (0, [call])
        if goes == "put down":
            others.settle(call)
        else:
            old = (root / call / ENDED).stat().st_mtime - KEPT_S
            os.utime(root / call / ENDED, (old, old))
            assert others.sweep() == 1
        assert names(root) == []


def test_half_made_and_half_removed_calls_are_swept(calls: CallFolders, tmp_path: Path) -> None:
    half_removed, begun = tmp_path / "calls" / new_call(), tmp_path / "calls" / f".begun-{new_call()}"
    for folder in (half_removed, begun):
        folder.mkdir(parents=True)
    assert (calls.sweep(), names(tmp_path / "calls")) == (1, [begun.name])
    an_hour_ago = begun.stat().st_mtime - 3600
    os.utime(begun, (an_hour_ago, an_hour_ago))
    assert (calls.sweep(), names(tmp_path / "calls")) == (1, [])


def test_a_call_is_private_and_goes_but_for_what_a_link_leads_to(calls: CallFolders, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.touch()
    with calls.new_folder() as folder:
        prompt = folder.write_prompt("Why?\r\n\ud800")
        (folder.make_own() / "link").symlink_to(outside)
        assert prompt.read_bytes() == b"Why?\r\n?"
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (prompt, folder.path, folder.path.parent)]
        assert modes == [0o600, 0o700, 0o700]
        assert CallFolders(tmp_path).sweep() == 0
    assert (names(tmp_path / "calls"), outside.exists()) == ([], True)


def test_a_link_in_the_place_of_the_folder_is_refused_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / new_call()).mkdir(parents=True)
    (tmp_path / "calls").symlink_to(tmp_path / "elsewhere")
    calls = CallFolders(tmp_path)
    with pytest.raises(NotADirectoryError), calls.new_folder():
        pass
    assert (calls.sweep(), len(names(tmp_path / "elsewhere"))) == (0, 1)


# -- talking with one


@asynccontextmanager
async def talk(
    calls: CallFolders, command: Command, *, output_limit: int = OUTPUT_LIMIT
) -> AsyncGenerator[Conversation]:
    with calls.new_folder() as folder:
        async with converse(command, folder, ConsultTerms(3600, output_limit=output_limit)) as conversation:
            yield conversation


async def test_lines_are_exchanged_with_a_child_untorn(calls: CallFolders) -> None:
    asked = [b"one", b"", b"x" * 300_000, "Tiếng Việt".encode()]
    at_once = {bytes([65 + number]) * 200_000 for number in range(4)}
    async with talk(calls, fake("repeat")) as conversation:
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
    ("command", "expected"),
    [
        (fake("say", "a\n\nb\nhalf", "", "0"), ([b"a", b"", b"b", b"half"], ended(0))),
        (fake("say", "", "not today", "3"), (list[bytes](), ended(3, stderr="not today"))),
        (fake("say", "a\n", "x" * 100_000, "0"), ([b"a"], ended(0, stderr="x" * 10))),
    ],
    ids=["a last line without end", "nothing but an error", "errors beyond the limit"],
)
async def test_output_of_a_child_is_received_to_its_end(
    calls: CallFolders, command: Command, expected: tuple[list[bytes], FinishedProcess]
) -> None:
    lines: list[bytes] = []
    async with talk(calls, command, output_limit=10) as conversation:
        while (line := await conversation.receive()) is not None:
            lines.append(line)
    assert (lines, replace(conversation.finished(), duration_ms=0)) == expected


async def test_sending_to_a_child_that_is_gone_is_no_error(calls: CallFolders) -> None:
    async with talk(calls, fake("say", "bye\n", "", "0")) as conversation:
        assert [await conversation.receive(), await conversation.receive()] == [b"bye", None]
        for _ in range(3):
            await conversation.send(b"x" * 2**20)
    assert conversation.finished().exit_code == 0


async def test_a_child_with_too_long_a_line_or_too_much_output_is_ended(calls: CallFolders) -> None:
    async with talk(calls, fake("flood", "stdout"), output_limit=2**20) as conversation:
        with pytest.raises(OutputOverflowError):
            await conversation.receive()
    finished = conversation.finished()
    assert (finished.overflowed, finished.exit_code is not None) == (True, True)
    async with talk(calls, fake("repeat"), output_limit=10) as conversation:
        await conversation.send(b"12345")
        assert await conversation.receive() == b"12345"
        await conversation.send(b"12345")
        with pytest.raises(OutputOverflowError):
            await conversation.receive()


async def test_leaving_ends_the_whole_family(calls: CallFolders) -> None:
    with Attendance() as attendance:
        async with talk(calls, fake("family", attendance.address, "deaf")):
            assert await to_thread.run_sync(attendance.arrivals, 3) == FAMILY.keys()
        assert attendance.last_words() == FAMILY
