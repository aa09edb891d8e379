"""A real little program that behaves, and misbehaves, on demand: ``python fake_cli.py BEHAVIOUR [ARGUMENT...]``.

Each function without an underscore is a behaviour; further arguments, such as those by which a provider file calls its
program, are passed over. Programs that stay report in at an ``Attendance`` and end with it, so that no failed test
leaves one behind.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from types import FrameType

_CHUNK = b"x" * 65536


def echo(*_: str) -> None:
    """Give back what came in."""
    shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)


def repeat() -> None:
    """Give back each line as it comes in."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def say(stdout: str, stderr: str, exit_code: str, *_: str) -> None:
    """Write two texts and exit."""
    sys.stdout.write(stdout)
    sys.stderr.write(stderr)
    sys.exit(int(exit_code))


def raw(hexadecimal: str) -> None:
    """Write these very bytes."""
    sys.stdout.buffer.write(bytes.fromhex(hexadecimal))


def die(signum: str) -> None:
    """End by a signal."""
    os.kill(os.getpid(), int(signum))


def environment(*_: str) -> None:
    """Print the whole environment."""
    json.dump(dict(os.environ), sys.stdout)


def flood(stream: str) -> None:
    """Write for ever."""
    out = {"stdout": sys.stdout, "stderr": sys.stderr}[stream].buffer
    while True:
        out.write(_CHUNK)


def stay(address: str, name: str, *traits: str) -> None:
    """Report in as ``name`` and stay.

    Traits: ``deaf`` ignores the polite signal; ``tidy`` answers it with 1 MiB of output and a last word.
    """
    connection = _connect(address)

    def tidy_up(_signum: int, _frame: FrameType | None) -> None:
        for _ in range(16):
            sys.stdout.buffer.write(_CHUNK)
        sys.stdout.flush()
        connection.sendall(b"tidied\n")
        sys.exit(0)

    if "deaf" in traits:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "tidy" in traits:
        signal.signal(signal.SIGTERM, tidy_up)
    connection.sendall(f"{name}\n".encode())
    with contextlib.suppress(BrokenPipeError):  # the parent may have ended by now
        sys.stderr.write("here\n")
    connection.recv(1)


def babble(address: str, name: str) -> None:
    """Report in as ``name``, ignore signals, and write for ever, slowly."""
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)
    connection = _connect(address)
    connection.sendall(f"{name}\n".encode())
    connection.settimeout(0.01)
    while True:
        os.write(1, b"and so on\n")
        with contextlib.suppress(TimeoutError):
            if not connection.recv(1):
                break


def wait(address: str, name: str, answer: str, *_: str) -> None:
    """Report in as ``name``, and answer as Claude Code does when released."""
    connection = _connect(address)
    connection.sendall(f"{name}\n".encode())
    if connection.recv(1):
        json.dump({"type": "result", "subtype": "success", "is_error": False, "result": answer}, sys.stdout)


def linger(address: str, name: str, stdout: str, *_: str) -> None:
    """Report in as ``name``, start a child that stays, write a text, and stay as well: an answer, and no end."""
    connection = _connect(address)
    connection.sendall(f"{name}\n".encode())
    child = _start_staying(address, "child")
    if child.stderr is not None:
        child.stderr.readline()  # it is there
    sys.stdout.write(stdout)
    sys.stdout.flush()
    connection.recv(1)


def family(address: str, *traits: str) -> None:
    """Start a child in the same session and one that runs away into its own, and stay."""
    _start_staying(address, "child")
    _start_staying(address, "runaway", *traits)
    stay(address, "parent")


def orphan(address: str, *traits: str) -> None:
    """Answer and exit, leaving behind a runaway that holds the output open."""
    runaway = _start_staying(address, "runaway", *traits)
    sys.stdout.write("answer")
    sys.stdout.flush()
    if runaway.stderr is not None:
        runaway.stderr.readline()  # it is there
    os._exit(0)


def _connect(address: str) -> socket.socket:
    host, port = address.split(":")
    return socket.create_connection((host, int(port)))


def _start_staying(address: str, name: str, *traits: str) -> subprocess.Popen[bytes]:
    """Start a program that stays. Trait ``cleared``: it gets an empty environment."""
    return subprocess.Popen(
        [sys.executable, "-S", __file__, "stay", address, name, *traits],
        stderr=subprocess.PIPE,
        env={} if "cleared" in traits else None,
        start_new_session=name == "runaway",
    )


_BEHAVIOURS = (echo, repeat, say, raw, die, environment, flood, stay, babble, wait, linger, family, orphan)

if __name__ == "__main__":
    {behaviour.__name__: behaviour for behaviour in _BEHAVIOURS}[sys.argv[1]](*sys.argv[2:])
