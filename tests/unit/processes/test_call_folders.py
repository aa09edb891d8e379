"""Folders that go with what they were made for, or with the next start."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sparring.processes.call_folders import CallFolders, sweep_temporary, temporary_folder
from sparring.processes.supervisor import PID
from sparring.processes.tree import started_at

STAYS = """
import sys
from pathlib import Path
from sparring.processes.call_folders import temporary_folder
with temporary_folder(Path(sys.argv[1])) as folder:
    (folder / "asked").write_text("Something.")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.mark.process
def test_folders_of_killed_processes_are_swept_and_those_of_live_ones_stay(tmp_path: Path) -> None:
    command, pipe = [sys.executable, "-c", STAYS, tmp_path], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        left = Path(process.stdout.readline().decode().strip())
        sweep_temporary(tmp_path)
        assert (left / "asked").exists()
        process.kill()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = tmp_path / f"{left.name}-link"
    link.symlink_to(elsewhere)
    sweep_temporary(tmp_path)
    assert sorted(tmp_path.iterdir()) == [elsewhere, link]


@pytest.mark.process
def test_probing_a_folder_leaves_nothing_after_a_kill() -> None:
    looked = (
        "import tempfile; from sparring.processes.call_folders import *; made = temporary_folder(); made.__enter__(); "
    )
    told = "made.__exit__(None, None, None); print(tempfile.tempdir)"
    assert subprocess.check_output([sys.executable, "-c", looked + told]) == b"None\n"


def test_folders_of_another_container_stay(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as folder:
        theirs = folder.rename(tmp_path / "sparring-of-999999999-theirs")  # a number that no process has here
        sweep_temporary(tmp_path)
        assert theirs.exists()
    sweep_temporary(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_removed_with_its_content(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as folder:
        (folder / "page.pdf").write_bytes(b"%PDF")
        sweep_temporary(tmp_path)
        assert (folder / "page.pdf").exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
@pytest.mark.parametrize(("later", "code"), [(0, -signal.SIGTERM), (1, 0)])
def test_a_process_that_has_the_pid_of_a_supervisor_by_now_is_not_signalled(
    tmp_path: Path, later: int, code: int
) -> None:
    folders = CallFolders(tmp_path)
    command, pipe = [sys.executable, "-c", "input()"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe) as process, folders.new_folder("0" * 32) as folder:
        (folder.path / PID).write_text(f"{process.pid} {started_at(process.pid) - later}")
        folders.stop("0" * 32)
        with suppress(BrokenPipeError):
            process.communicate(b"\n")
    assert process.returncode == code
