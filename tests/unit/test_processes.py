"""What a process keeps from other programs of the same user, tried with real ones."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sparring.processes
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


def _ran(program: str) -> str:
    source = Path(sparring.processes.__file__).read_text("utf-8")
    done = subprocess.run([sys.executable, "-c", source + program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_child_of_the_same_user_cannot_read_the_environment_of_whoever_hid_it() -> None:
    assert _ran(_TRIED) == "yes True no ['0'] True"


def test_what_loses_its_parent_comes_to_whoever_adopts_orphans() -> None:
    program = """
import os, time
adopted, read_write = adopt_orphans(), os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.read(read_write[0], 1)  # until its parent is gone
        os._exit(7 if os.getppid() == int(os.environ["GRANDPARENT"]) else 1)
    os._exit(0)
os.wait()
os.write(read_write[1], b"x")
print(adopted, os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert _ran(f"import os; os.environ['GRANDPARENT'] = str(os.getpid())\n{program}") == "True 7"


def test_whoever_ends_with_its_parent_does() -> None:
    program = """
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
    assert _ran(program) == "b''"


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
    with subprocess.Popen(
        (*PROGRAM, *arguments),
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        if arguments == ("serve",):
            assert process.stdin is not None
            assert process.stdout is not None
            tools = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            process.stdin.write(json.dumps(tools).encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline()
            # Whether it is asked before or after that is left to two threads; the next import comes after it.
            while not (tmp_path / "asked").exists() and process.poll() is None:
                os.sched_yield()
        process.communicate()
    assert (tmp_path / "asked").exists()
