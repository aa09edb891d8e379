"""What is promised of programs that are run, by ourselves or by a supervisor, seen with real ones."""

import json
import re
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from sparring.processes.call_folders import CallFolders
from sparring.processes.children import OUTPUT_LIMIT, Command, FinishedProcess, run_child
from sparring.processes.supervision import ConsultTerms, run_consultation
from sparring.processes.supervisor import MARK_VARIABLE
from sparring.testing.workspace import Attendance
from support.children import ENVIRONMENT, FAMILY, KILLED, TERMINATED, ended, fake
from support.clocks import timed_out
from support.desk import write

process = pytest.mark.process
HOUR_S = 3600.0

Run = Callable[..., Coroutine[Any, Any, FinishedProcess]]


async def alone(command: Command, *, prompt: Path | None = None, limit: int = OUTPUT_LIMIT, **more: Any) -> Any:
    """How it ends, started by ourselves."""
    finished = await run_child(command, prompt=prompt, timeout_s=HOUR_S, output_limit=limit, **more)
    return replace(finished, duration_ms=0)


@pytest.fixture(params=[pytest.param(name, marks=process) for name in ("alone", "supervised")])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    async def ours(command: Command, prompt: str = "", **terms: Any) -> FinishedProcess:
        return await alone(command, prompt=write(tmp_path / "prompt", prompt) if prompt else None, **terms)

    async def supervised(command: Command, prompt: str = "", *, limit: int = OUTPUT_LIMIT, **more: Any) -> Any:
        try:
            with CallFolders(tmp_path).new_folder() as folder:
                terms = ConsultTerms(HOUR_S, output_limit=limit, **more)
                finished = await run_consultation(command, folder, folder.write_prompt(prompt), terms)
        finally:
            assert list((tmp_path / "calls").iterdir()) == []
        return replace(finished, duration_ms=0)

    return ours if request.param == "alone" else supervised


@pytest.mark.parametrize("prompt", ["Tiếng Việt, 日本語, 🥊 --help\n/exit $(id) \"'\\" * 32768, ""])
async def test_a_prompt_arrives_intact_and_without_one_the_input_is_empty(run: Run, prompt: str) -> None:
    assert await run(fake("echo"), prompt) == ended(stdout=prompt)


@pytest.mark.parametrize(
    ("command", "limit", "finished"),
    [
        (fake("say", "a", "b", "41"), OUTPUT_LIMIT, ended(41, stdout="a", stderr="b")),
        (fake("die", str(-KILLED)), OUTPUT_LIMIT, ended(KILLED)),
        (fake("raw", "61ff62c3"), OUTPUT_LIMIT, ended(stdout="a\ufffdb\ufffd")),
        (fake("flood", "stderr"), 10, ended(TERMINATED, stderr="x" * 10, overflowed=True)),
        (fake("flood", "stdout"), 10, ended(TERMINATED, stdout="x" * 10, overflowed=True)),
        (fake("say", "12345", "12345", "0"), 5, ended(stdout="12345", stderr="12345")),
    ],
    ids=["an exit code", "a signal", "no UTF-8", "too much on stderr", "too much on stdout", "just fits"],
)
async def test_output_within_the_limit_and_the_ending_of_a_child_are_returned(
    run: Run, command: Command, limit: int, finished: FinishedProcess
) -> None:
    assert await run(command, limit=limit) == finished


async def test_the_environment_is_the_given_one_and_a_mark(run: Run) -> None:
    first, second = [json.loads((await run(fake("environment"))).stdout) for _ in range(2)]
    marks = {first.pop(MARK_VARIABLE), second.pop(MARK_VARIABLE)}
    assert [len(marks), *(bool(re.fullmatch("[0-9a-f]{32}", mark)) for mark in marks)] == [2, True, True]
    for each in (first, second):
        each.pop("TMPDIR", None)  # of the supervisor's
    assert first == second == ENVIRONMENT


IN_PIECES = """
import signal, sys
for piece in ("one\\ntw", "o", "\\n", *sys.argv[1:]):
    print(piece, end="", flush=True)
if len(sys.argv) == 1:
    signal.pause()
"""


@pytest.mark.parametrize(
    ("more", "finished"),
    [
        ((), replace(ended(TERMINATED, stdout="one\ntwo\n"), dismissed=True)),
        (("three",), ended(stdout="one\ntwo\nthree")),
    ],
)
async def test_a_child_is_ended_by_its_watch(run: Run, more: tuple[str, ...], finished: FinishedProcess) -> None:
    seen = bytearray()

    def watch(stdout: bytes, stderr: bytes) -> bool:
        seen.extend(stdout)
        assert stderr == b""
        return seen.endswith(b"two\n") and not more

    command = Command((sys.executable, "-S", "-c", IN_PIECES, *more), ENVIRONMENT, Path.cwd())
    assert await run(command, watch=watch) == finished
    assert finished.stdout.encode().startswith(seen)


@process
def test_a_child_that_hangs_is_ended_with_all_its_family() -> None:
    with Attendance() as attendance:
        family = partial(alone, fake("family", attendance.address))
        finished = timed_out(family, HOUR_S, once=partial(attendance.arrivals, 3))
        assert attendance.last_words() == FAMILY
    assert finished == replace(ended(None, stderr="here\n"), timed_out=True)


@pytest.mark.parametrize("traits", [(), ("deaf", "cleared")], ids=["that ends politely", "deaf and without a mark"])
async def test_cancelling_ends_a_family_with_a_runaway(run: Run, traits: tuple[str, ...]) -> None:
    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, fake("family", attendance.address, *traits))
            assert await to_thread.run_sync(attendance.arrivals, 3) == FAMILY.keys()
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == FAMILY


async def test_a_runaway_that_holds_the_output_open_is_ended_and_the_answer_kept(run: Run) -> None:
    with Attendance() as attendance:
        assert await run(fake("orphan", attendance.address)) == ended(stdout="answer")
        assert attendance.arrivals(1) == {"runaway"}
        assert attendance.last_words() == {"runaway": ""}


@process
async def test_a_cancelled_child_may_tidy_up_and_is_still_listened_to() -> None:
    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(alone, fake("stay", attendance.address, "child", "tidy"))
            await to_thread.run_sync(attendance.arrivals, 1)
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == {"child": "tidied\n"}


@process
async def test_an_output_that_stays_open_does_not_delay_the_answer() -> None:
    with Attendance() as attendance:
        assert await alone(fake("orphan", attendance.address, "cleared")) == ended(stdout="answer")
        assert attendance.arrivals(1) == {"runaway"}


async def test_a_program_that_cannot_start_is_an_error_with_its_name(run: Run, tmp_path: Path) -> None:
    locked = write(tmp_path / "bin" / "tool", "#!/bin/sh\n")
    locked.chmod(0o600)
    for argv, kind, named in (
        ("./tool", FileNotFoundError, str(tmp_path / "tool")),
        ("tool", FileNotFoundError, "tool"),
        (str(locked), PermissionError, str(locked)),
    ):
        with pytest.raises(kind) as raised:
            await run(Command((argv,), {}, tmp_path))
        assert raised.value.filename == named


async def test_a_child_leads_its_own_session_and_group(run: Run, tmp_path: Path) -> None:
    says = "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())"
    assert await run(Command((sys.executable, "-c", says), {}, tmp_path)) == ended(stdout="True\n")
