"""What a process keeps from other programs of the same user, tried with real ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sparring.processes.prctl
from support.workbench import PROGRAM

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be asked")]

# Root may read everybody's memory, so the process becomes somebody else, whom the system then hides by itself.
_TRIED = """
import ctypes, os, sys
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
def seen():
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            os.write(write, b"yes" if open(f"/proc/{os.getppid()}/environ", "rb").read() else b"empty")
        except PermissionError:
            os.write(write, b"no")
        os._exit(0)
    os.wait()
    return os.read(read, 9).decode()
before, hidden = seen(), hide_memory()
print(before, hidden, seen(), sorted(os.listdir("/proc/self/fd"))[:1], bool(open("/proc/self/stat").read()))
"""


def ran(program: str) -> str:
    source = Path(sparring.processes.prctl.__file__).read_text("utf-8")
    return subprocess.check_output([sys.executable, "-c", source + program], text=True).strip()


def test_a_hidden_environment_cannot_be_read_by_a_child_of_the_same_user() -> None:
    assert ran(_TRIED) == "yes True no ['0'] True"


_ENDS = """
import os, signal
told, tells = os.pipe()
ready, is_ready = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        end_with_parent(signal.SIGKILL)
        os.close(told)
        os.write(is_ready, b"x")
        signal.pause()
    os.read(ready, 1)
    os._exit(0)
os.close(tells)
os.wait()
print(os.read(told, 1))
"""


def test_a_process_bound_to_its_parent_ends_with_it() -> None:
    assert ran(_ENDS) == "b''"


_NOTICES = """
import pathlib, sys
def noticed(event, arguments):
    if event == "ctypes.dlsym" and arguments[1] == "prctl":
        pathlib.Path(__file__).with_name("asked").touch()
sys.addaudithook(noticed)
"""


@pytest.mark.parametrize("arguments", [("--version",), ("serve",)])
def test_command_line_and_server_begin_with_it(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(_NOTICES, encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    start, pipe = (*PROGRAM, *arguments), subprocess.PIPE
    with subprocess.Popen(start, env=environment, cwd=tmp_path, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        # Whether it is asked before or after that is left to two threads; the next import comes after it.
        while not (tmp_path / "asked").exists() and process.poll() is None:
            os.sched_yield()
        process.communicate()
    assert (tmp_path / "asked").exists()
