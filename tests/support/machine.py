"""A machine's processes in memory: they end, ignore signals and get one another's pids just when a test says so."""

import signal
from collections.abc import Callable

from sparring.processes.tree import ProcessEntry, ProcessTable


class Machine(ProcessTable):
    """Time goes by only while somebody sleeps.

    Attributes:
        time: What its clock shows.
        after_a_look: What happens between the next look at all processes and whatever is done then.
        signalled: Who was sent what, by pid and start.
    """

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0
        self.after_a_look: Callable[[], None] = lambda: None
        self.signalled: list[tuple[int, int, signal.Signals]] = []
        self._processes: dict[int, ProcessEntry] = {}
        self._environments: dict[int, str] = {}
        self._stubborn: set[int] = set()

    def runs(
        self, pid: int, *, parent: int = 1, session: int = 1, started: int = 5, env: str = "", **is_: bool
    ) -> None:
        """Have a process run under ``pid``, whoever had that before; a stubborn one does not end when it is asked."""
        self._processes[pid] = ProcessEntry(pid, parent, session, session, started, running="zombie" not in is_)
        self._environments[pid] = env
        self._stubborn = self._stubborn | {pid} if "stubborn" in is_ else self._stubborn - {pid}

    def ends(self, pid: int) -> None:
        del self._processes[pid]

    def is_readable(self) -> bool:
        return True

    def entry(self, pid: int) -> ProcessEntry | None:
        return self._processes.get(pid)

    def entries(self) -> tuple[ProcessEntry, ...]:
        found = tuple(self._processes.values())
        happens, self.after_a_look = self.after_a_look, lambda: None
        happens()
        return found

    def has_variable(self, pid: int, variable: str) -> bool:
        return variable in self._environments[pid].split()

    def signal(self, pid: int, signum: int) -> None:
        process = self._processes.get(pid)
        if process is None or not signum:
            return
        self.signalled.append((pid, process.started, signal.Signals(signum)))
        if signum == signal.SIGKILL or pid not in self._stubborn:
            self.ends(pid)

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def signal_group(self, group: int, signum: int) -> bool:
        members = [process.pid for process in self._processes.values() if process.group == group]
        for pid in members:
            self.signal(pid, signum)
        return bool(members)
