"""What ``/proc`` says about the processes of this machine.

Reading it needs no dependency. Systems without it (macOS) have an empty table; whoever uses the table must do without.
"""

from dataclasses import dataclass
from pathlib import Path


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


class ProcessTable:
    """The processes below one folder, ``/proc`` unless a test says otherwise. Every call reads anew."""

    def __init__(self, root: Path = Path("/proc")) -> None:
        self._root = root

    def is_readable(self) -> bool:
        """Whether this system has such a table at all."""
        return (self._root / "self" / "stat").is_file()

    def entry(self, pid: int) -> ProcessEntry | None:
        """The process of that pid, or None when there is none."""
        try:
            stat = (self._root / str(pid) / "stat").read_bytes()
        except OSError:  # it ended, before or while we looked
            return None
        return parse_stat(stat)

    def entries(self) -> tuple[ProcessEntry, ...]:
        """Every process that we may see."""
        pids = (int(folder.name) for folder in self._root.iterdir() if folder.name.isdecimal())
        return tuple(entry for entry in map(self.entry, pids) if entry is not None)

    def was_given(self, pid: int, variable: str) -> bool:
        """Whether that process was started with ``variable`` (``NAME=value``) in its environment.

        False for processes of other users, whose environment is hidden from us.
        """
        try:
            environment = (self._root / str(pid) / "environ").read_bytes()
        except OSError:
            return False
        return variable.encode() in environment.split(b"\0")


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
