"""Whom a tree is taken for when pids are given anew, and that its leader is alone in its session."""

import sys
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL, SIGTERM, Signals

import pytest

from sparring.providers.cli.process import Command, run_child
from sparring.supervisor.tree import ProcessTree
from support.machine import Machine

MARK = "SPARRING_CHILD=abc"
LEADER, RUNAWAY = 100, 103
NEWCOMER = 900


def machine() -> Machine:
    """A child, one of its group, and one that has left its session but bears the mark; all began within a tick."""
    found = Machine()
    found.runs(LEADER, session=LEADER, stubborn=True)
    found.runs(LEADER + 1, parent=LEADER, session=LEADER)
    found.runs(RUNAWAY, session=RUNAWAY, env=MARK)
    found.runs(200, session=200)
    return found


def nothing(_: Machine) -> None:
    """Nobody gets anybody's pid."""


def runaway_becomes_another(found: Machine) -> None:
    found.runs(RUNAWAY, session=RUNAWAY, started=NEWCOMER)


def all_but_the_runaway_become_others(found: Machine) -> None:
    found.runs(LEADER, session=LEADER, started=NEWCOMER)
    found.runs(LEADER + 1, parent=LEADER, session=LEADER, started=NEWCOMER)


WHOLE_GROUP = [(LEADER, 5, SIGTERM), (LEADER + 1, 5, SIGTERM)]


@pytest.mark.parametrize(
    ("between", "after_a_look", "signalled"),
    [
        (nothing, nothing, [*WHOLE_GROUP, (RUNAWAY, 5, SIGTERM), (LEADER, 5, SIGKILL)]),
        (runaway_becomes_another, nothing, [*WHOLE_GROUP, (LEADER, 5, SIGKILL)]),
        (nothing, runaway_becomes_another, [*WHOLE_GROUP, (LEADER, 5, SIGKILL)]),
        (all_but_the_runaway_become_others, nothing, [(RUNAWAY, 5, SIGTERM)]),
    ],
    ids=["nobody", "one that was seen before", "one between the look and the signal", "the whole group"],
)
def test_a_tree_is_asked_to_end_then_killed_and_who_got_a_pid_of_it_is_left_alone(
    between: Callable[[Machine], None],
    after_a_look: Callable[[Machine], None],
    signalled: list[tuple[int, int, Signals]],
) -> None:
    found = machine()
    tree = ProcessTree(LEADER, MARK, found, grace_s=0)
    assert {process.pid for process in tree.survivors()} == {LEADER, LEADER + 1, RUNAWAY}
    between(found)
    found.after_a_look = lambda: after_a_look(found)
    tree.end()
    assert found.signalled == signalled
    assert tree.survivors() == ()


class Sleeping:
    """A clock that stands while nobody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.now += seconds


def test_who_does_not_listen_is_killed_while_there_is_time_left_of_the_two_seconds() -> None:
    found, clock = machine(), Sleeping()
    ProcessTree(LEADER, MARK, found, clock=clock).end()
    assert found.signalled[-1] == (LEADER, 5, SIGKILL)
    assert clock.now < 1.25


@pytest.mark.process
async def test_a_child_leads_a_session_and_a_group_of_its_own(tmp_path: Path) -> None:
    says = "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())"
    done = await run_child(Command((sys.executable, "-c", says), {}, tmp_path), prompt=None, timeout_s=60)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "True\n", "")
