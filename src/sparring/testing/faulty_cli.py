"""A real little program that fails in one way: ``python faulty_cli.py FAULT [ARGUMENT...]``.

It speaks as Claude Code or as Codex does. What it says holds the value of ``PLANTED_API_KEY``, which nobody may see
afterwards. Like ``fake_cli`` it imports nothing but the standard library, so it starts at once, with ``-S`` as well.
``--effort=LEVEL`` among its arguments is passed over: a provider file has to be able to say one.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_FAKE_CLI = str(Path(__file__).with_name("fake_cli.py"))
_MIB = b"x" * 2**20


def say(stdout: str, stderr: str, exit_code: str) -> None:
    """Write two texts and exit; KEY and PROMPT stand for what they say."""
    prompt = sys.stdin.read()
    for text, stream in ((stdout, sys.stdout), (stderr, sys.stderr)):
        stream.write(text.replace("KEY", _key()).replace("PROMPT", prompt))
    sys.exit(int(exit_code))


def result(exit_code: str, changes: str) -> None:
    """Give an answer as Claude Code does, changed."""
    sys.stdout.write(json.dumps(_result() | json.loads(changes.replace("KEY", _key()))))
    sys.exit(int(exit_code))


def flood(stream: str) -> None:
    """Write 100 MiB, and then an answer."""
    out = {"stdout": sys.stdout, "stderr": sys.stderr}[stream].buffer
    out.write(_key().encode())
    for _ in range(100):
        out.write(_MIB)
    sys.stdout.write("\n" + json.dumps(_result()))


def no_text() -> None:
    """Write bytes that are no UTF-8, and nothing else."""
    sys.stdout.buffer.write(b"\xff\xfe" + _key().encode() + b"\x00\xc3")


def half_text() -> None:
    """Write an answer with bytes in it that are no UTF-8."""
    sys.stdout.buffer.write(json.dumps(_result()).encode().replace(b"Yes", b"Y\xffs"))


def cut() -> None:
    """Write half of an answer."""
    text = json.dumps(_result())
    sys.stdout.write(text[: len(text) // 2])


def hang() -> None:
    """Say something and stay."""
    sys.stdout.write(_key())
    sys.stdout.flush()
    time.sleep(600)


def family(address: str, *traits: str) -> None:
    """Stay, with a child, and with another in a session of its own that holds the output open."""
    os.execv(sys.executable, [sys.executable, "-S", _FAKE_CLI, "family", address, *traits])


def orphan(address: str, *traits: str) -> None:
    """Answer and end, leaving behind somebody in a session of its own that holds the output open."""
    runaway = subprocess.Popen(
        [sys.executable, "-S", _FAKE_CLI, "stay", address, "runaway", *traits],
        stderr=subprocess.PIPE,
        env={} if "cleared" in traits else None,
        start_new_session=True,
    )
    sys.stdout.write(json.dumps(_result()))
    sys.stdout.flush()
    if runaway.stderr is not None:
        runaway.stderr.readline()  # it is there
    os._exit(0)


def _key() -> str:
    return os.environ["PLANTED_API_KEY"]


def _result() -> dict[str, Any]:
    answer: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False, "result": f"Yes, {_key()}."}
    return answer | {"num_turns": 1, "usage": {"input_tokens": 7, "output_tokens": 3}}


_FAULTS = (say, result, flood, no_text, half_text, cut, hang, family, orphan)

if __name__ == "__main__":
    _name, *_arguments = (argument for argument in sys.argv[1:] if not argument.startswith("--effort="))
    {fault.__name__: fault for fault in _FAULTS}[_name](*_arguments)
