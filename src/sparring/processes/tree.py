"""All descendants of a child, by the process table of the system, and their end.

The supervisor imports this module for every question, so it does without ``signal``, ``typing`` and ``contextlib``:
each takes as long as the interpreter's own start.
"""

import os
import sys
import time

_SIGTERM, _SIGKILL = 15, 9  # POSIX gives these numbers


class ProcessEntry:
    """One process at one moment.

    Attributes:
        started: Clock ticks from boot to its start. With the pid it names one process for ever: a process that gets
            the same pid later started later.
        running: False for a zombie, which is dead and only waits for its parent to notice.
    """

    __slots__ = ("group", "parent", "pid", "running", "session", "started")

    def __init__(self, pid: int, parent: int, group: int, session: int, started: int, *, running: bool) -> None:
        self.pid = pid
        self.parent = parent
        self.group = group
        self.session = session
        self.started = started
        self.running = running


class ProcessTable:
    """The processes of a machine, and its clock. Processes come and go at any moment, so every call reads anew.

    They are listed in one folder, ``/proc`` except in tests. The system reuses a free pid.
    """

    def __init__(self, root: str = "/proc") -> None:
        self._root = root

    def is_readable(self) -> bool:
        """Return whether this system has a process table."""
        return os.path.isfile(f"{self._root}/self/stat")

    def entry(self, pid: int) -> ProcessEntry | None:
        """The process that has this pid now, or None when there is none."""
        try:
            return parse_stat(self._read(pid, "stat"))
        except OSError:  # it ended, before or while we looked
            return None

    def entries(self) -> tuple[ProcessEntry, ...]:
        """Every process that we may see."""
        pids = (int(name) for name in os.listdir(self._root) if name.isdecimal())
        return tuple(entry for entry in map(self.entry, pids) if entry is not None)

    def has_variable(self, pid: int, variable: str) -> bool:
        """Return whether that process was started with ``variable`` (``NAME=value``) in its environment.

        False for processes of other users, whose environment is hidden from us.
        """
        try:
            environment = self._read(pid, "environ")
        except OSError:
            return False
        return variable.encode() in environment.split(b"\0")

    def _read(self, pid: int, name: str) -> bytes:
        with open(f"{self._root}/{pid}/{name}", "rb") as file:
            return file.read()

    def signal(self, pid: int, signum: int) -> None:
        """Send ``signum`` to the process that has this pid now, if it exists and is ours."""
        try:
            os.kill(pid, signum)
        except (ProcessLookupError, PermissionError):
            pass

    def signal_group(self, group: int, signum: int) -> bool:
        """Send ``signum`` to all of a process group; return whether it had a member."""
        try:
            os.killpg(group, signum)
        except (ProcessLookupError, PermissionError):  # macOS: "not permitted" when only zombies are left
            return False
        return True

    def now(self) -> float:
        """Seconds since whenever."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Let so many go by."""
        time.sleep(seconds)


def parse_stat(stat: bytes) -> ProcessEntry:
    """The fields of ``/proc/PID/stat`` that we need (proc(5)).

    The second field is the program's name in parentheses. A program chooses its name, parentheses, spaces and line
    ends included, so everything is counted from the last closing one.
    """
    fields = stat[stat.rindex(b")") + 2 :].split()
    return ProcessEntry(
        pid=int(stat[: stat.index(b" ")]),
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        started=int(fields[19]),
        running=fields[0] not in {b"Z", b"X"},
    )


def started_at(pid: int) -> int:
    """Clock ticks from boot to the start of the process ``pid``; 0 if there is none, or the system has no table."""
    entry = ProcessTable().entry(pid)
    return entry.started if entry else 0


GRACE_S = 1.0
"""Seconds between asking a tree to end and killing it; a well-behaved tool cleans up in much less.

Two seconds after a run is to be over nothing of it may be left, and we have things to do as well.
"""

_KILL_S = 2.0  # even SIGKILL needs the kernel to act; what survives this cannot be ended by us (another user's)
_NO_PROCESS = 0  # no process has this pid where one can be signalled
_POLL_S = 0.05  # seconds; grandchildren are not our children: they can only be polled, not waited for


class ProcessTree:
    """A child that leads its own session, and all its descendants.

    Args:
        leader: Pid of the child.
        mark: ``NAME=value`` of a variable that only this child was given.
        adopter: Pid of a process that adopts all orphans of the tree, and no others.
    """

    def __init__(self, leader: int, mark: str, table: ProcessTable | None = None, *, adopter: int = 0) -> None:
        self._leader = leader
        self._mark = mark
        self._table = table or ProcessTable()
        self._adopter = adopter
        self._known: set[tuple[int, int]] = set()
        self._since = 0
        if leader and (entry := self._table.entry(leader)):
            self._known.add((leader, entry.started))
            self._since = entry.started

    def end(self) -> None:
        """TERM, grace, KILL. Returns at once when nothing is left, and within three seconds in any case."""
        if sys.platform == "win32":
            import subprocess  # noqa: PLC0415 - no other system needs it here

            taskkill = os.path.join(os.environ["SYSTEMROOT"], "System32", "taskkill.exe")
            arguments = [taskkill, "/T", "/F", "/PID", str(self._leader)]
            subprocess.run(arguments, check=False, capture_output=True)  # noqa: S603 -- the system's own
            return
        if self._signal(_SIGTERM) and not self._exits_within(GRACE_S, signum=0):  # signal 0 only asks
            self._exits_within(_KILL_S, signum=_SIGKILL)

    def survivors(self) -> tuple[ProcessEntry, ...]:
        """Return the processes of the tree that still run.

        A process that was seen once is recognised later, even when nothing else identifies it.
        """
        entries = self._table.entries()
        ours = {entry.pid: entry for entry in entries if self._is_member(entry)}
        while descendants := [entry for entry in entries if entry.parent in ours and entry.pid not in ours]:
            ours |= {entry.pid: entry for entry in descendants}
        self._known |= {(entry.pid, entry.started) for entry in ours.values()}
        return tuple(entry for entry in ours.values() if entry.running)

    def _is_member(self, entry: ProcessEntry) -> bool:
        return (
            (entry.pid, entry.started) in self._known
            or bool(self._adopter and entry.parent == self._adopter)
            or bool(self._leader and entry.session == self._leader and self._is_session_leader())
            # Older processes cannot have got the mark; so most of the machine need not be searched.
            or (entry.started >= self._since and self._table.has_variable(entry.pid, self._mark))
        )

    def _is_session_leader(self) -> bool:
        """Return whether the session of that number is our child's.

        The number stays taken while the session has members, leader or not. A leader that is not our child got the
        number after all of them had ended.
        """
        leader = self._table.entry(self._leader)
        return leader is None or (leader.pid, leader.started) in self._known

    def _exits_within(self, limit_s: float, *, signum: int) -> bool:
        over = self._table.now() + limit_s
        while self._signal(signum):
            if self._table.now() >= over:
                return False
            self._table.sleep(_POLL_S)
        return True

    def _signal(self, signum: int) -> bool:
        """Send ``signum`` to all that is left; whether there was anything."""
        if not self._table.is_readable():
            return bool(self._leader) and self._table.signal_group(self._leader, signum)
        survivors = self.survivors()
        # The group gets its signal in one go, so that nothing in it can start something new in between.
        if self._leader and any(process.group == self._leader for process in survivors):
            self._table.signal_group(self._leader, signum)
        for process in survivors:
            if process.group != self._leader:
                self._signal_one(process, signum)
        return bool(survivors)

    def _signal_one(self, process: ProcessEntry, signum: int) -> None:
        now = self._table.entry(process.pid)
        if now is not None and now.started == process.started:  # else the pid may belong to another process already
            self._table.signal(process.pid, signum)


def end_marked(mark: str) -> None:
    """End all processes that were given the variable ``mark``, when the process that started them is unknown."""
    ProcessTree(_NO_PROCESS, mark).end()
