"""Commands that change a file of the user's while another process does: both changes are there afterwards."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparring.hosts.files import RECEIPT_NAME
from support.waiting import wait_for
from support.workbench import Workbench

LOCKS = Path("/proc/locks")
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not LOCKS.exists(), reason="nothing tells who waits for a lock"),
]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A machine on which our script is the only program."""
    bench = Workbench.below(tmp_path)
    bench.extra["PATH"] = str(bench.add_program("sparring").parent)
    return bench


@contextmanager
def kept_locked(folder: Path) -> Generator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def run_at_once(bench: Workbench, folder: Path, *commands: str) -> None:
    """Run ``commands``, each of which has begun to wait for the lock on ``folder`` before the first goes on."""
    with kept_locked(folder):
        running = [bench.start(*command.split()) for command in commands]
        wait_for(lambda: all(_is_waiting(each.pid) or each.poll() is not None for each in running))
        assert [each.poll() for each in running] == [None] * len(running), "one has not waited"
    for each in running:
        each.communicate(timeout=120)
    assert [each.returncode for each in running] == [0] * len(running)


def _is_waiting(pid: int) -> bool:
    waiting = (line.split() for line in LOCKS.read_text().splitlines() if "->" in line)
    return any(str(pid) in words for words in waiting)


def files(bench: Workbench) -> set[Path]:
    """All files but copies of what was there in between, and the receipt of folders that stay with such copies."""
    found = (path for path in bench.root.rglob("*") if path.is_file() and path.name != RECEIPT_NAME)
    return {path for path in found if ".before-sparring" not in path.name}


def test_two_defaults_that_are_set_at_once_are_both_set(bench: Workbench) -> None:
    config = bench.root / "config"
    run_at_once(
        bench, config, "config set effort high", "config set debate.rounds 3", "config set debate.seat judge=ann"
    )
    shown = bench.run("config", "show", "--json").json["defaults"]
    assert shown == {"effort": "high", "debate.rounds": 3, "debate.seat": ["judge=ann"]}
    run_at_once(bench, config, "config unset effort", "config unset debate.rounds")
    assert bench.run("config", "show", "--json").json["defaults"] == {"debate.seat": ["judge=ann"]}


@pytest.mark.parametrize(
    ("install", "uninstall"),
    [
        (("install claude", "install codex"), ("uninstall claude", "uninstall codex")),
        (("install claude", "gate install claude"), ("uninstall claude", "gate uninstall claude")),
        (("gate install gemini", "install gemini"), ("gate uninstall gemini", "uninstall gemini")),
    ],
)
def test_simultaneous_installs_and_uninstalls_are_complete(
    bench: Workbench, install: tuple[str, str], uninstall: tuple[str, str]
) -> None:
    before = files(bench)
    run_at_once(bench, bench.root, *install)
    assert len(files(bench)) > len(before)
    run_at_once(bench, bench.root, *uninstall)
    assert files(bench) == before
