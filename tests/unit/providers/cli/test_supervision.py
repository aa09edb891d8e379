"""Programs behind a supervisor: what is told of them, and what becomes of them when whoever has asked is gone."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from sparring.providers.cli.call_folder import KEPT_S, CallFolders, new_call
from sparring.providers.cli.output import RequestLog
from sparring.providers.cli.process import OUTPUT_LIMIT, Command, Finished
from sparring.providers.cli.supervision import Terms, consulted, left
from sparring.supervisor.program import ENDED, MARK_VARIABLE
from sparring.supervisor.tree import end_marked
from sparring.testing.workspace import Attendance
from support.children import ENVIRONMENT, FAMILY, KILLED, TERMINATED, ended, fake

pytestmark = pytest.mark.process

LONG = Terms(3600)


@pytest.fixture
def calls(tmp_path: Path) -> CallFolders:
    return CallFolders(tmp_path / "calls")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder


async def run(calls: CallFolders, command: Command, prompt: str = "", terms: Terms = LONG, call: str = "") -> Finished:
    with calls.holding(call) as folder:
        finished = await consulted(command, folder, folder.write_prompt(prompt), terms)
    return replace(finished, duration_ms=0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("command", "limit", "finished"),
    [
        pytest.param(fake("say", "a", "b", "41"), OUTPUT_LIMIT, ended(41, stdout="a", stderr="b"), id="an exit code"),
        pytest.param(fake("die", str(-KILLED)), OUTPUT_LIMIT, ended(KILLED), id="a signal"),
        pytest.param(fake("raw", "61ff62c3"), OUTPUT_LIMIT, ended(stdout="a\ufffdb\ufffd"), id="no UTF-8"),
        pytest.param(fake("flood", "stderr"), 10, ended(TERMINATED, stderr="x" * 10, overflowed=True), id="too much"),
        pytest.param(fake("say", "12345", "12345", "0"), 5, ended(stdout="12345", stderr="12345"), id="just fits"),
    ],
)
async def test_what_a_program_said_within_the_limit_and_how_it_ended_is_told(
    calls: CallFolders, tmp_path: Path, command: Command, limit: int, finished: Finished
) -> None:
    assert await run(calls, command, terms=replace(LONG, output_limit=limit)) == finished
    assert names(tmp_path / "calls") == []


async def test_a_prompt_arrives_intact_and_so_does_all_that_is_said(calls: CallFolders) -> None:
    prompt = "Tiếng Việt, 日本語, 🥊 --help\n/exit $(id) \"'\\" * 32768
    assert await run(calls, fake("echo"), prompt) == ended(stdout=prompt)


async def test_it_gets_what_was_given_a_mark_and_a_folder_of_its_own_that_goes_with_it(
    calls: CallFolders, temporary: Path
) -> None:
    command = fake("environment")
    command = replace(command, env={**command.env, "TMPDIR": str(temporary)})
    first, second = [json.loads((await run(calls, command)).stdout) for _ in range(2)]
    assert first.pop(MARK_VARIABLE) != second.pop(MARK_VARIABLE)
    folders = [Path(each.pop("TMPDIR")) for each in (first, second)]
    assert [folder.parent for folder in folders] == [temporary, temporary]
    assert first == second == ENVIRONMENT
    assert names(temporary) == []


async def test_a_temporary_folder_goes_with_what_is_in_it_and_is_nobody_elses(
    calls: CallFolders, temporary: Path
) -> None:
    litter = 'mkdir "$TMPDIR/deep" && echo left > "$TMPDIR/deep/file" && stat -c %a "$TMPDIR"'
    env = {**ENVIRONMENT, "TMPDIR": str(temporary)}
    assert (await run(calls, Command(("sh", "-c", litter), env, temporary))).stdout == "700\n"
    assert names(temporary) == []


async def test_one_that_hangs_is_ended_when_its_time_is_over(calls: CallFolders) -> None:
    with Attendance() as attendance:
        finished = await run(calls, fake("stay", attendance.address, "child"), terms=Terms(0.5))
    assert replace(finished, stderr="") == Finished(None, "", "", timed_out=True, overflowed=False, duration_ms=0)


async def test_one_is_ended_after_the_line_that_is_the_last_one(calls: CallFolders) -> None:
    says = "import signal; print('one\\ntwo', flush=True); signal.pause()"
    command = Command((sys.executable, "-S", "-c", says), ENVIRONMENT, Path.cwd())
    finished = await run(calls, command, terms=replace(LONG, is_last="one".__eq__))
    assert finished == ended(TERMINATED, stdout="one\ntwo\n")


REQUESTS = RequestLog(put=re.compile("put"), failed=re.compile("failed"), patience_s=0)


@pytest.mark.parametrize(("said", "waits"), [("failed\n", True), ("failed\nput\n", False), ("put\n", False)])
async def test_one_is_ended_when_it_waits_before_it_asks_again(calls: CallFolders, said: str, *, waits: bool) -> None:
    says = f"import os, signal; os.write(2, {said.encode()!r}); signal.pause()"
    command = Command((sys.executable, "-S", "-c", says), ENVIRONMENT, Path.cwd())
    finished = await run(calls, command, terms=replace(LONG if waits else Terms(1), requests=REQUESTS))
    late = replace(ended(stderr=said), exit_code=None, timed_out=True)
    assert finished == (ended(TERMINATED, stderr=said) if waits else late)


@pytest.mark.parametrize("traits", [(), ("deaf", "cleared")], ids=["polite", "deaf, unmarked and without parents"])
async def test_cancelling_ends_the_whole_family(calls: CallFolders, tmp_path: Path, traits: tuple[str, ...]) -> None:
    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, calls, fake("family", attendance.address, *traits))
            assert await to_thread.run_sync(attendance.arrivals, 3) == FAMILY.keys()
            tasks.cancel_scope.cancel()
        assert attendance.last_words() == FAMILY
    assert names(tmp_path / "calls") == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can adopt orphans")
async def test_a_runaway_that_hides_is_ended_with_the_answer_that_it_held_up(calls: CallFolders) -> None:
    with Attendance() as attendance:
        assert await run(calls, fake("orphan", attendance.address, "deaf", "cleared")) == ended(stdout="answer")
        assert attendance.arrivals(1) == {"runaway"}
        assert attendance.last_words() == {"runaway": ""}


async def test_what_cannot_be_started_or_read_is_an_error_that_names_it(calls: CallFolders, tmp_path: Path) -> None:
    (tmp_path / "locked").touch(mode=0o600)
    for command, kind, named in (
        (Command(("./tool",), {}, tmp_path), FileNotFoundError, str(tmp_path / "tool")),
        (Command(("tool",), {}, tmp_path), FileNotFoundError, "tool"),
        (Command((str(tmp_path / "locked"),), {}, tmp_path), PermissionError, str(tmp_path / "locked")),
    ):
        with pytest.raises(kind) as raised:
            await run(calls, command, call=new_call())
        assert raised.value.filename == named
    assert names(tmp_path / "calls") == []


ASKS = """
import sys
from pathlib import Path
import anyio
from sparring.providers.cli.call_folder import CallFolders
from sparring.providers.cli.process import Command
from sparring.providers.cli.supervision import Terms, consulted

root, call, outlives, *argv = sys.argv[1:]

async def main():
    calls = CallFolders(Path(root))
    with calls.holding(call) as folder:
        terms = Terms(3600, outlives=outlives == "outlives")
        await consulted(Command(tuple(argv), {}, Path(root).parent), folder, folder.write_prompt(""), terms)

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
            self.attendance.arrivals(3 if behaviour == "family" else 1)
            process.kill()

    def supervisor(self) -> int:
        return int((self._root / self.call / "pid").read_text())


@pytest.fixture
def asker(tmp_path: Path) -> Generator[Asker]:
    with Attendance() as attendance:
        asker = Asker(tmp_path / "calls", attendance)
        yield asker
        end_marked(f"{MARK_VARIABLE}={asker.call}")


async def test_an_answer_that_comes_after_whoever_asked_was_killed_is_taken_up(
    asker: Asker, calls: CallFolders, tmp_path: Path
) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "wait", "child", "late")
    assert (calls.sweep(), calls.take_up(asker.call)) == (0, None)  # it is looked after
    found: list[Finished | None] = []

    async def take_up() -> None:
        found.append(await left(calls, asker.call, 3600))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take_up)
        asker.attendance.release("child")
    assert found[0] is not None
    assert json.loads(found[0].stdout)["result"] == "late"
    assert names(tmp_path / "calls") == [asker.call]  # until it is safe elsewhere
    calls.settle(asker.call)
    assert names(tmp_path / "calls") == []


async def test_an_answer_that_could_not_be_written_down_is_taken_up_by_the_same_process(calls: CallFolders) -> None:
    call = new_call()
    assert await run(calls, fake("say", "yes", "", "0"), call=call) == ended(stdout="yes")
    again = await left(calls, call, 3600)
    assert again is not None
    assert again.stdout == "yes"


async def test_what_nobody_wants_is_ended_with_whoever_asked(asker: Asker, calls: CallFolders, tmp_path: Path) -> None:
    await to_thread.run_sync(asker.killed, "ends", "family")
    assert asker.attendance.last_words() == FAMILY
    assert await left(calls, asker.call, 3600) is None
    assert names(tmp_path / "calls") == []


async def test_whoever_takes_up_an_answer_and_gives_up_ends_the_program(asker: Asker, calls: CallFolders) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "family")
    with anyio.CancelScope() as scope:
        scope.cancel()
        await left(calls, asker.call, 3600)
    assert asker.attendance.last_words() == FAMILY
    assert await left(calls, asker.call, 3600) is None  # stopped is not answered


async def test_without_its_supervisor_a_program_does_not_go_on_and_a_sweep_ends_what_it_has_started(
    asker: Asker, calls: CallFolders, tmp_path: Path
) -> None:
    await to_thread.run_sync(asker.killed, "outlives", "family", "deaf")
    os.kill(asker.supervisor(), signal.SIGKILL)
    while calls.sweep() == 0:  # noqa: ASYNC110 -- it is free as soon as the kernel has closed its files
        await anyio.sleep(0.01)
    assert asker.attendance.last_words() == FAMILY
    assert names(tmp_path / "calls") == []


def test_an_answer_that_nobody_takes_up_is_kept_for_a_week(calls: CallFolders, tmp_path: Path) -> None:
    call, root = new_call(), tmp_path / "calls"
    with calls.holding(call) as folder:
        (folder.path / ENDED).write_text(json.dumps({"stopped": False}))
    folder.release()
    others = CallFolders(root)
    assert (others.sweep(), names(root)) == (0, [call])
    old = (root / call / ENDED).stat().st_mtime - KEPT_S
    os.utime(root / call / ENDED, (old, old))
    assert (others.sweep(), names(root)) == (1, [])


def test_an_answer_that_somebody_else_has_put_down_already_is_kept_no_longer(
    calls: CallFolders, tmp_path: Path
) -> None:
    call, others = new_call(), CallFolders(tmp_path / "calls")
    with calls.holding(call) as folder:
        (folder.path / ENDED).write_text(json.dumps({"stopped": False}))
    others.settle(call)
    assert names(tmp_path / "calls") == [call]
    folder.release()
    others.settle(call)
    assert names(tmp_path / "calls") == []


def test_what_was_not_quite_made_or_not_quite_removed_is_swept(calls: CallFolders, tmp_path: Path) -> None:
    half_removed, begun = tmp_path / "calls" / new_call(), tmp_path / "calls" / f".begun-{new_call()}"
    for folder in (half_removed, begun):
        folder.mkdir(parents=True)
    assert (calls.sweep(), names(tmp_path / "calls")) == (1, [begun.name])
    an_hour_ago = begun.stat().st_mtime - 3600
    os.utime(begun, (an_hour_ago, an_hour_ago))
    assert (calls.sweep(), names(tmp_path / "calls")) == (1, [])


def test_a_call_is_private_and_what_its_folder_holds_goes_while_what_a_link_leads_to_stays(
    calls: CallFolders, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.touch()
    with calls.holding() as folder:
        prompt = folder.write_prompt("Why?\r\n\ud800")
        (folder.make_own() / "link").symlink_to(outside)
        assert prompt.read_bytes() == b"Why?\r\n?"
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (prompt, folder.path, folder.path.parent)]
        assert modes == [0o600, 0o700, 0o700]
        assert CallFolders(tmp_path / "calls").sweep() == 0
    assert (names(tmp_path / "calls"), outside.exists()) == ([], True)


def test_a_link_in_the_place_of_the_folder_is_refused_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / new_call()).mkdir(parents=True)
    (tmp_path / "calls").symlink_to(tmp_path / "elsewhere")
    calls = CallFolders(tmp_path / "calls")
    with pytest.raises(NotADirectoryError), calls.holding():
        pass
    assert (calls.sweep(), len(names(tmp_path / "elsewhere"))) == (0, 1)
