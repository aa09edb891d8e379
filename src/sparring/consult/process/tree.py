"""End a child and everything that it started.

Ending the process group is not enough: the shell tools of several AI command lines call ``setsid``, and what they
start outlives the group and keeps our pipes open (seen 2026-11 with claude 2.1.329 and opencode 1.18.33). Such a
process is still found by its parent, and when that is gone, by a variable that we put into the child's environment.
A process that left the session, lost its parents *and* cleared its environment is not found. Without ``/proc`` only
the group is ended.
"""

import os
import signal
import sys

import anyio

from sparring.consult.process.table import ProcessEntry, Processes, ProcessTable

GRACE_S = 2.0
"""Seconds between asking a tree to end and killing it; a well-behaved tool cleans up in much less."""

_KILL_S = 2.0  # even SIGKILL needs the kernel to act; what survives this cannot be ended by us (another user's)
_POLL_S = 0.05  # grandchildren are not our children: there is nothing to wait on, only something to look at


class ProcessTree:
    """A child that leads its own session, and all its descendants.

    Args:
        leader: Pid of the child.
        mark: ``NAME=value`` of a variable that only this child was given.
        table: The machine's processes.
        grace_s: Seconds between asking the tree to end and killing it.
    """

    def __init__(self, leader: int, mark: str, table: Processes | None = None, *, grace_s: float = GRACE_S) -> None:
        self._leader = leader
        self._mark = mark
        self._table = table or ProcessTable()
        self._grace_s = grace_s
        self._known: set[tuple[int, int]] = set()
        self._since = 0
        if entry := self._table.entry(leader):
            self._known.add((leader, entry.started))
            self._since = entry.started

    async def end(self) -> None:
        """TERM, grace, KILL. Returns at once when nothing is left, and within four seconds whatever happens.

        Not shielded: a caller that may be cancelled has to do that.
        """
        if sys.platform == "win32":
            taskkill = os.path.join(os.environ["SYSTEMROOT"], "System32", "taskkill.exe")  # noqa: PTH118 - a string
            await anyio.run_process([taskkill, "/T", "/F", "/PID", str(self._leader)], check=False)
            return
        self._signal(signal.SIGTERM)
        if not await self._gone_within(self._grace_s, signum=0):  # signal 0 only asks
            await self._gone_within(_KILL_S, signum=signal.SIGKILL)

    def survivors(self) -> tuple[ProcessEntry, ...]:
        """Who of the tree still runs. Who was seen once is recognised later, even when nothing else points to it."""
        entries = self._table.entries()
        ours = {entry.pid: entry for entry in entries if self._is_ours(entry)}
        while descendants := [entry for entry in entries if entry.parent in ours and entry.pid not in ours]:
            ours |= {entry.pid: entry for entry in descendants}
        self._known |= {(entry.pid, entry.started) for entry in ours.values()}
        return tuple(entry for entry in ours.values() if entry.running)

    def _is_ours(self, entry: ProcessEntry) -> bool:
        return (
            (entry.pid, entry.started) in self._known
            or (entry.session == self._leader and self._leads_the_session())
            # Who was there before cannot have got the mark; so most of the machine need not be looked into.
            or (entry.started >= self._since and self._table.was_given(entry.pid, self._mark))
        )

    def _leads_the_session(self) -> bool:
        """Whether the session of that number is our child's.

        The number stays taken while the session has members, leader or not. A leader that is not our child got the
        number after all of them had ended.
        """
        leader = self._table.entry(self._leader)
        return leader is None or (leader.pid, leader.started) in self._known

    async def _gone_within(self, limit_s: float, *, signum: int) -> bool:
        with anyio.move_on_after(limit_s):
            while self._signal(signum):  # noqa: ASYNC110 - see _POLL_S: no event tells of their end
                await anyio.sleep(_POLL_S)
            return True
        return False

    def _signal(self, signum: int) -> bool:
        """Send ``signum`` to all that is left; whether there was anything."""
        if not self._table.is_readable():
            return self._table.signal_group(self._leader, signum)
        survivors = self.survivors()
        # The group gets its signal in one go, so that nothing in it can start something new in between.
        if any(process.group == self._leader for process in survivors):
            self._table.signal_group(self._leader, signum)
        for process in survivors:
            if process.group != self._leader:
                self._signal_one(process, signum)
        return bool(survivors)

    def _signal_one(self, process: ProcessEntry, signum: int) -> None:
        now = self._table.entry(process.pid)
        if now is not None and now.started == process.started:  # else the pid may already be somebody else's
            self._table.signal(process.pid, signum)
