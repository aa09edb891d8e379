"""What ``run_child`` promises, seen with real programs."""

import json
import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from sparring.consult.process import MARK_VARIABLE, OUTPUT_LIMIT, Command, Finished, run_child
from sparring.testing import fake_cli
from sparring.testing.attendance import Attendance

pytestmark = pytest.mark.process


ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
GENEROUS_S = 60.0


def fake(*arguments: str) -> Command:
    program = (sys.executable, "-S", fake_cli.__file__)
    return Command(argv=(*program, *arguments), env=ENVIRONMENT, cwd=Path(fake_cli.__file__).parent)


async def run(command: Command, *, prompt: Path | None = None, output_limit: int = OUTPUT_LIMIT) -> Finished:
    finished = await run_child(command, prompt=prompt, timeout_s=GENEROUS_S, output_limit=output_limit)
    return replace(finished, duration_ms=0)


def ended(exit_code: int | None = 0, *, stdout: str = "", stderr: str = "", overflowed: bool = False) -> Finished:
    return Finished(
        exit_code=exit_code, stdout=stdout, stderr=stderr, timed_out=False, overflowed=overflowed, duration_ms=0
    )


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("Tiếng Việt, 日本語, 🥊\n" * 32768, id="one mebibyte"),
        pytest.param("--help\n/exit @file $(touch x) `id` \"'\\ $skill", id="looks like commands"),
        pytest.param("", id="nothing"),
    ],
)
async def test_a_prompt_arrives_intact(tmp_path: Path, prompt: str) -> None:
    file = tmp_path / "prompt"
    file.write_bytes(prompt.encode())
    assert await run(fake("echo"), prompt=file) == ended(stdout=prompt)


async def test_without_a_prompt_the_standard_input_is_empty() -> None:
    assert await run(fake("echo")) == ended()


@pytest.mark.parametrize(
    ("command", "finished"),
    [
        pytest.param(fake("say", "yes", "", "0"), ended(stdout="yes"), id="an answer"),
        pytest.param(fake("say", "", "not logged in", "0"), ended(stderr="not logged in"), id="on stderr only"),
        pytest.param(fake("say", "a", "b", "41"), ended(41, stdout="a", stderr="b"), id="an exit code"),
        pytest.param(fake("die", str(int(signal.SIGKILL))), ended(-signal.SIGKILL), id="a signal"),
        pytest.param(fake("raw", "61ff62c3"), ended(stdout="a\ufffdb\ufffd"), id="bytes that are no UTF-8"),
    ],
)
async def test_what_a_child_said_and_how_it_ended_is_told(command: Command, finished: Finished) -> None:
    assert await run(command) == finished


async def test_the_environment_is_what_was_given_and_a_mark() -> None:
    finished = await run(fake("environment"))
    environment = json.loads(finished.stdout)
    assert re.fullmatch("[0-9a-f]{32}", environment.pop(MARK_VARIABLE))
    assert environment == ENVIRONMENT


async def test_every_child_has_its_own_mark() -> None:
    first, second = [await run(fake("environment")) for _ in range(2)]
    assert first.stdout != second.stdout


@pytest.mark.parametrize("limit", [10, OUTPUT_LIMIT])
async def test_a_child_that_never_stops_writing_is_ended_at_the_limit(limit: int) -> None:
    finished = await run(fake("flood", "stdout"), output_limit=limit)
    assert finished == ended(-signal.SIGTERM, stdout="x" * limit, overflowed=True)


async def test_the_limit_holds_for_stderr_too() -> None:
    finished = await run(fake("flood", "stderr"), output_limit=10)
    assert finished == ended(-signal.SIGTERM, stderr="x" * 10, overflowed=True)


async def test_output_that_just_fits_is_no_overflow() -> None:
    assert await run(fake("say", "12345", "12345", "0"), output_limit=5) == ended(stdout="12345", stderr="12345")


IN_PIECES = """
import signal, sys
for piece in ("one\\ntw", "o", "\\n", *sys.argv[1:]):
    print(piece, end="", flush=True)
if len(sys.argv) == 1:
    signal.pause()
"""


async def test_a_child_is_ended_after_the_line_that_is_the_last_one() -> None:
    command = Command((sys.executable, "-S", "-c", IN_PIECES), ENVIRONMENT, Path.cwd())

    finished = await run_child(command, prompt=None, timeout_s=GENEROUS_S, is_last=lambda line: line == "two")

    assert replace(finished, duration_ms=0) == ended(-signal.SIGTERM, stdout="one\ntwo\n")


async def test_a_child_that_never_says_the_last_line_ends_by_itself() -> None:
    command = Command((sys.executable, "-S", "-c", IN_PIECES, "three"), ENVIRONMENT, Path.cwd())
    heard: list[str] = []

    finished = await run_child(
        command, prompt=None, timeout_s=GENEROUS_S, is_last=lambda line: bool(heard.append(line))
    )

    assert replace(finished, duration_ms=0) == ended(stdout="one\ntwo\nthree")
    assert heard == ["one", "two"]


async def test_a_child_that_hangs_is_ended_with_all_its_family() -> None:
    with Attendance() as attendance:
        finished = await run_child(fake("family", attendance.address), prompt=None, timeout_s=3)
        assert attendance.arrivals(3) == {"parent", "child", "runaway"}
        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}
    assert replace(finished, duration_ms=0) == Finished(
        exit_code=None, stdout="", stderr="here\n", timed_out=True, overflowed=False, duration_ms=0
    )


@pytest.mark.parametrize(
    "traits",
    [
        pytest.param((), id="that would end politely"),
        pytest.param(("deaf",), id="that does not listen"),
        pytest.param(("deaf", "cleared"), id="that does not listen, bears no mark and lost its parent"),
    ],
)
async def test_cancelling_ends_a_family_with_a_runaway(traits: tuple[str, ...]) -> None:
    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, fake("family", attendance.address, *traits))
            assert await to_thread.run_sync(attendance.arrivals, 3) == {"parent", "child", "runaway"}
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == {"parent": "", "child": "", "runaway": ""}


async def test_the_cancellation_goes_on_after_the_child_was_ended() -> None:
    went_on = False
    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:

            async def caller() -> None:
                nonlocal went_on
                await run(fake("stay", attendance.address, "child"))
                went_on = True

            tasks.start_soon(caller)
            await to_thread.run_sync(attendance.arrivals, 1)
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == {"child": ""}
    assert not went_on


async def test_a_caller_that_was_cancelled_before_gets_no_answer() -> None:
    with Attendance() as attendance, anyio.CancelScope() as scope:
        scope.cancel()
        await run(fake("stay", attendance.address, "child"))
    assert scope.cancelled_caught


async def test_a_cancelled_child_may_tidy_up_and_is_still_listened_to() -> None:
    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, fake("stay", attendance.address, "child", "tidy"))
            await to_thread.run_sync(attendance.arrivals, 1)
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == {"child": "tidied\n"}


async def test_a_runaway_that_holds_the_output_open_is_ended_and_the_answer_kept() -> None:
    with Attendance() as attendance:
        finished = await run(fake("orphan", attendance.address))
        assert attendance.arrivals(1) == {"runaway"}
        assert attendance.last_words() == {"runaway": ""}
    assert finished == ended(stdout="answer")


async def test_an_output_that_nobody_closes_does_not_hold_up_the_answer() -> None:
    with Attendance() as attendance:
        assert await run(fake("orphan", attendance.address, "cleared")) == ended(stdout="answer")
        assert attendance.arrivals(1) == {"runaway"}


def program(folder: Path, *, mode: int = 0o700) -> Path:
    folder.mkdir()
    file = folder / "tool"
    file.write_text("#!/bin/sh\necho found\n", encoding="utf-8")
    file.chmod(mode)
    return file


async def test_a_program_is_searched_on_the_path_that_the_child_gets(tmp_path: Path) -> None:
    folder = program(tmp_path / "bin").parent
    command = Command(argv=("tool",), env={"PATH": f"{tmp_path}{os.pathsep}{folder}"}, cwd=tmp_path)
    assert await run(command) == ended(stdout="found\n")


async def test_a_relative_program_starts_at_the_working_directory(tmp_path: Path) -> None:
    program(tmp_path / "bin")
    assert await run(Command(argv=("bin/tool",), env={}, cwd=tmp_path)) == ended(stdout="found\n")


@pytest.mark.parametrize("path", [".", "", "bin", "/nonexistent"])
async def test_a_program_of_the_project_is_not_found_by_a_relative_path(tmp_path: Path, path: str) -> None:
    program(tmp_path / "bin")
    with pytest.raises(FileNotFoundError) as raised:
        await run(Command(argv=("tool",), env={"PATH": path}, cwd=tmp_path / "bin"))
    assert raised.value.filename == "tool"


async def test_a_missing_program_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        await run(Command(argv=("./tool",), env={}, cwd=tmp_path))
    assert raised.value.filename == str(tmp_path / "tool")


async def test_a_program_that_may_not_be_executed_is_an_error(tmp_path: Path) -> None:
    tool = program(tmp_path / "bin", mode=0o600)
    with pytest.raises(PermissionError) as raised:
        await run(Command(argv=(str(tool),), env={}, cwd=tmp_path))
    assert raised.value.filename == str(tool)


async def test_a_missing_prompt_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        await run(fake("echo"), prompt=tmp_path / "prompt")
    assert raised.value.filename == str(tmp_path / "prompt")
