"""Reading ``/proc``."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.process_tree import ProcessEntry, ProcessTable, parse_stat

numbers = st.integers(min_value=0, max_value=2**63)
on_linux = pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="this system has no /proc")


@given(pid=numbers, name=st.binary(max_size=15), links=st.tuples(numbers, numbers, numbers), started=numbers)
def test_a_program_cannot_disguise_itself_by_its_name(
    pid: int, name: bytes, links: tuple[int, int, int], started: int
) -> None:
    parent, group, session = links
    stat = b"%d (%b) S %d %d %d %b%d 0 0\n" % (pid, name, *links, b"7 " * 15, started)
    assert parse_stat(stat) == ProcessEntry(pid, parent, group, session, started, running=True)


@pytest.mark.parametrize(("state", "running"), [(b"R", True), (b"S", True), (b"T", True), (b"Z", False), (b"X", False)])
def test_a_zombie_does_not_run(state: bytes, running: bool) -> None:  # noqa: FBT001 - a table column
    assert parse_stat(b"9 (tool) %b 1 9 9 %b5\n" % (state, b"0 " * 15)).running is running


@on_linux
def test_we_find_ourselves() -> None:
    table = ProcessTable()
    ours = table.entry(os.getpid())
    assert ours is not None
    assert ours == ProcessEntry(os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0), ours.started, running=True)
    assert ours in table.entries()


@on_linux
def test_an_environment_is_searched_for_the_whole_variable() -> None:
    table, path = ProcessTable(), os.environ["PATH"]
    assert [table.was_given(os.getpid(), f"PATH={value}") for value in (path, path[:-1])] == [True, False]


def test_a_process_that_is_gone_has_no_entry_and_no_environment(tmp_path: Path) -> None:
    table = ProcessTable(tmp_path)
    assert (table.entry(1), table.was_given(1, "A=1"), table.entries()) == (None, False, ())


def test_a_system_without_a_table_says_so(tmp_path: Path) -> None:
    assert not ProcessTable(tmp_path).is_readable()
