"""The processes of this machine: who they are, as ``/proc`` says, and how they are sent a signal.

Reading ``/proc`` needs no dependency. Systems without it (macOS) have an empty table; whoever uses the table must do
without.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class ProcessEntry:
    """One process at one moment.

    Attributes:
        started: Clock ticks from boot to its start. With the pid it names one process for ever: whoever gets the
            same pid later started later.
        running: False for a zombie, which is dead and only waits for its parent to notice.
    """

    pid: int
    parent: int
    group: int
    session: int
    started: int
    running: bool


class Processes(Protocol):
    """A machine's processes. They come and go at any moment, and a pid that is free is given to the next."""

    def is_readable(self) -> bool:
        """Whether this system has a table of them at all."""
        ...

    def entry(self, pid: int) -> ProcessEntry | None:
        """The process that has this pid now, or None when there is none."""
        ...

    def entries(self) -> tuple[ProcessEntry, ...]:
        """Every process that we may see."""
        ...

    def was_given(self, pid: int, variable: str) -> bool:
        """Whether that process was started with ``variable`` (``NAME=value``) in its environment."""
        ...

    def signal(self, pid: int, signum: int) -> None:
        """Send ``signum`` to whoever has this pid now, if it is there and ours."""
        ...

    def signal_group(self, group: int, signum: int) -> bool:
        """Send ``signum`` to all of a process group; whether there was anybody."""
        ...


class ProcessTable:
    """The processes below one folder, ``/proc`` unless a test says otherwise. Every call reads anew."""

    def __init__(self, root: Path = Path("/proc")) -> None:
        self._root = root

    def is_readable(self) -> bool:
        """See ``Processes``."""
        return (self._root / "self" / "stat").is_file()

    def entry(self, pid: int) -> ProcessEntry | None:
        """See ``Processes``."""
        try:
            stat = (self._root / str(pid) / "stat").read_bytes()
        except OSError:  # it ended, before or while we looked
            return None
        return parse_stat(stat)

    def entries(self) -> tuple[ProcessEntry, ...]:
        """See ``Processes``."""
        pids = (int(folder.name) for folder in self._root.iterdir() if folder.name.isdecimal())
        return tuple(entry for entry in map(self.entry, pids) if entry is not None)

    def was_given(self, pid: int, variable: str) -> bool:
        """See ``Processes``.

        False for processes of other users, whose environment is hidden from us.
        """
        try:
            environment = (self._root / str(pid) / "environ").read_bytes()
        except OSError:
            return False
        return variable.encode() in environment.split(b"\0")

    def signal(self, pid: int, signum: int) -> None:
        """See ``Processes``."""
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signum)

    def signal_group(self, group: int, signum: int) -> bool:
        """See ``Processes``."""
        try:
            os.killpg(group, signum)
        except (ProcessLookupError, PermissionError):  # macOS: "not permitted" when only zombies are left
            return False
        return True


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
