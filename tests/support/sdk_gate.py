"""A server whose SDK arrives when the test says so, and a host that misses nothing of what it says."""

import json
import os
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

import mcp

from support.mcp_peer import Message, Pipes
from support.mcp_project import BOUND_S, PATIENT
from support.workbench import Workbench

VERSION = distribution("mcp").version

# It stands before the SDK on the path, says what was imported before it, makes noise, and waits.
_GATE = """
import sys
with open({modules!r}, "w") as told:
    told.write(" ".join(sys.modules))
import subprocess
print("a stray line", flush=True)
subprocess.run(["echo", "a child's line"])
with open({latch!r}) as latch:
    latch.read()
__path__[:] = [{package!r}]
__file__ = {package!r} + "/__init__.py"
with open(__file__) as real:
    exec(compile(real.read(), __file__, "exec"))
"""


class Gate:
    """Holds up the import of the SDK in every server that ``bench`` starts from now on."""

    def __init__(self, bench: Workbench, version: str = VERSION) -> None:
        """``version`` is what the SDK seems to be."""
        self._latch = bench.root / "latch"
        self._modules = bench.root / "modules"
        site = bench.root / "site"
        (site / "mcp").mkdir(parents=True)
        os.mkfifo(self._latch)
        package = str(Path(mcp.__file__).parent)
        gate = _GATE.format(modules=str(self._modules), latch=str(self._latch), package=package)
        (site / "mcp" / "__init__.py").write_text(gate, encoding="utf-8")
        record = Path(str(distribution("mcp").locate_file(f"mcp-{VERSION}.dist-info")))
        (site / f"mcp-{version}.dist-info").symlink_to(record)
        bench.extra["PYTHONPATH"] = str(site)

    def open(self) -> None:
        """Wait until the server has come to the gate, and let it in."""
        self._latch.open("w").close()

    def modules(self) -> set[str]:
        """Return the modules that the server had imported when it reached the gate, which must be open."""
        return set(self._modules.read_text(encoding="utf-8").split())


class Host(Pipes):
    """A host of such a server."""

    def __init__(self, bench: Workbench, command: Sequence[str] = PATIENT) -> None:
        super().__init__(bench, command, stderr=subprocess.PIPE)

    def hear_all(self, count: int) -> list[Message]:
        """The next so many messages."""
        return [self.hear() for _ in range(count)]

    def rest(self) -> list[Message]:
        """End the server's input, and hear what it still says until it has ended well."""
        self.close_input()
        assert self.process.stdout is not None
        said = self._unread + self.process.stdout.read()
        assert self.process.wait(BOUND_S) == 0
        return [json.loads(line) for line in said.splitlines()]


@contextmanager
def gated(bench: Workbench) -> Generator[tuple[Gate, Host]]:
    """A server that waits at its gate."""
    gate = Gate(bench)
    with Host(bench) as host:
        yield gate, host
