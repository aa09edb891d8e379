"""Who belongs to a child, and what ending without ``/proc`` can do. Ending for real is seen in ``test_process``."""

import os
import sys
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals

import anyio
import pytest
from anyio import to_thread
from hypothesis import given
from hypothesis import strategies as st

from sparring.processes.tree import ProcessEntry, ProcessTable, ProcessTree, parse_stat
from sparring.testing import fake_cli
from sparring.testing.workspace import Attendance
from support.machine import Machine

MARK = "SPARRING_CHILD=abc"
LEADER, RUNAWAY = 100, 103
NEWCOMER = 900


def machine() -> Machine:
    """On which there is the leader, and ourselves."""
    found = Machine()
    found.runs(LEADER, session=LEADER)
    found.runs(os.getpid())
    return found


def pids(tree: ProcessTree) -> set[int]:
    return {process.pid for process in tree.survivors()}


def test_a_tree_is_its_session_its_descendants_and_all_processes_with_its_mark() -> None:
    processes = machine()
    processes.runs(101, parent=LEADER, session=LEADER)
    processes.runs(102, parent=101, session=102)
    processes.runs(103, parent=102, session=103)
    processes.runs(104, parent=1, session=LEADER)
    processes.runs(105, parent=1, session=105, env=f"PATH=/bin {MARK}")
    processes.runs(201, parent=1, session=201)
    processes.runs(202, parent=201, session=201, env=f"{MARK}d")
    processes.runs(203, parent=1, session=LEADER, zombie=True)
    assert pids(ProcessTree(LEADER, MARK, processes)) == {LEADER, 101, 102, 103, 104, 105}


def test_known_processes_are_recognised_without_parents_and_leader() -> None:
    processes = machine()
    tree = ProcessTree(LEADER, MARK, processes)
    processes.runs(101, parent=LEADER, session=101)
    seen_first = pids(tree)
    processes.ends(LEADER)
    processes.runs(101, parent=1, session=101)
    processes.runs(102, session=LEADER)
    assert (seen_first, pids(tree)) == ({LEADER, 101}, {101, 102})


def test_ending_an_empty_tree_is_no_error() -> None:
    processes = machine()
    tree = ProcessTree(LEADER, MARK, processes)
    processes.ends(LEADER)
    tree.end()
    assert pids(tree) == set()


@pytest.mark.process
async def test_without_a_process_table_the_group_is_ended_and_a_runaway_is_not(tmp_path: Path) -> None:
    with Attendance() as attendance:
        program = (sys.executable, "-S", fake_cli.__file__, "family", attendance.address)
        async with await anyio.open_process(program, stderr=None, start_new_session=True) as process:
            assert await to_thread.run_sync(attendance.arrivals, 3) == {"parent", "child", "runaway"}
            await to_thread.run_sync(ProcessTree(process.pid, MARK, ProcessTable(str(tmp_path))).end)
            assert attendance.last_words("parent", "child") == {"parent": "", "child": ""}
            assert attendance.is_present("runaway")


# -- whom a tree is taken for when pids are given anew


def family() -> Machine:
    """A child, one of its group, and one that has left its session but bears the mark; all began within a tick."""
    found = Machine()
    found.runs(LEADER, session=LEADER, stubborn=True)
    found.runs(LEADER + 1, parent=LEADER, session=LEADER)
    found.runs(RUNAWAY, session=RUNAWAY, env=MARK)
    found.runs(200, session=200)
    return found


def becomes_another(found: Machine, *pids: int) -> None:
    """Others get the pids of those that are members of our tree."""
    for pid in pids:
        found.runs(pid, session=RUNAWAY if pid == RUNAWAY else LEADER, started=NEWCOMER)


WHOLE_GROUP = [(LEADER, 5, SIGTERM), (LEADER + 1, 5, SIGTERM)]
KILLED = (LEADER, 5, SIGKILL)


@pytest.mark.parametrize(
    ("between", "after_a_look", "signalled"),
    [
        ((), (), [*WHOLE_GROUP, (RUNAWAY, 5, SIGTERM), KILLED]),
        ((RUNAWAY,), (), [*WHOLE_GROUP, KILLED]),
        ((), (RUNAWAY,), [*WHOLE_GROUP, KILLED]),
        ((LEADER, LEADER + 1), (), [(RUNAWAY, 5, SIGTERM)]),
    ],
    ids=["nobody", "one that was seen before", "one between the look and the signal", "the whole group"],
)
def test_a_tree_is_terminated_then_killed_and_reused_pids_are_spared(
    between: tuple[int, ...], after_a_look: tuple[int, ...], signalled: list[tuple[int, int, Signals]]
) -> None:
    found = family()
    tree = ProcessTree(LEADER, MARK, found)
    assert pids(tree) == {LEADER, LEADER + 1, RUNAWAY}
    becomes_another(found, *between)
    found.after_a_look = lambda: becomes_another(found, *after_a_look)
    tree.end()
    assert (found.signalled, tree.survivors()) == (signalled, ())
    assert found.time < 1.25  # of the two seconds that there are


# -- what the system tells of its processes


numbers = st.integers(min_value=0, max_value=2**63)
on_linux = pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="this system has no /proc")


def fields(entry: ProcessEntry) -> tuple[int, ...]:
    return entry.pid, entry.parent, entry.group, entry.session, entry.started, entry.running


@given(pid=numbers, name=st.binary(max_size=15), links=st.tuples(numbers, numbers, numbers), started=numbers)
def test_no_name_disguises_a_program(pid: int, name: bytes, links: tuple[int, int, int], started: int) -> None:
    parent, group, session = links
    stat = b"%d (%b) S %d %d %d %b%d 0 0\n" % (pid, name, *links, b"7 " * 15, started)
    assert fields(parse_stat(stat)) == (pid, parent, group, session, started, True)


def test_a_zombie_does_not_run() -> None:
    stats = {state: parse_stat(b"9 (tool) %c 1 9 9 %b5\n" % (state, b"0 " * 15)) for state in b"RSTZX"}
    assert bytes(state for state, entry in stats.items() if entry.running) == b"RST"


@on_linux
def test_the_current_process_is_found() -> None:
    table = ProcessTable()
    ours = table.entry(os.getpid())
    assert ours is not None
    assert fields(ours) == (os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0), ours.started, True)
    assert fields(ours) in map(fields, table.entries())


@on_linux
def test_an_environment_is_searched_for_the_whole_variable() -> None:
    table, path = ProcessTable(), os.environ["PATH"]
    assert [table.has_variable(os.getpid(), f"PATH={value}") for value in (path, path[:-1])] == [True, False]


def test_a_dead_process_has_no_entry_and_a_missing_table_is_reported(tmp_path: Path) -> None:
    table = ProcessTable(str(tmp_path))
    assert (table.entry(1), table.has_variable(1, "A=1"), table.entries()) == (None, False, ())
    assert not table.is_readable()
