"""A small real program that speaks like Claude Code, or fails: ``python fake_claude.py MODE [ARGUMENT...]``.

Each function without an underscore is a mode; further arguments, such as those by which a provider file calls its
program, are ignored. From ``say`` on, the output of the modes contains the value of ``PLANTED_API_KEY``, which must not
be visible afterwards. Like ``fake_cli`` it imports nothing but the standard library, and starts at once, with ``-S`` as
well.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

_FAKE_CLI = str(Path(__file__).with_name("fake_cli.py"))
_MIB = b"x" * 2**20


def answers(*arguments: str) -> None:
    """Print its prompt and its call: JSON with ``prompt``, ``arguments``, ``environment``, ``folder``."""
    echoed = {"prompt": sys.stdin.read(), "arguments": arguments, "environment": dict(os.environ)}
    _end(_result(json.dumps(echoed | {"folder": str(Path.cwd())})))


def fails(*_: str) -> None:
    """Fail as with a wrong key."""
    sys.stdin.read()
    wrong = {"is_error": True, "api_error_status": 401}
    _end(_result("Invalid API key") | wrong, exit_code=1)


def complains(*_: str) -> None:
    """Print its prompt on standard error, and end without a result."""
    sys.stderr.write(f"error: {sys.stdin.read().removeprefix('First.').lstrip()}")
    sys.exit(3)


def stays(*_: str) -> None:
    """Never answer."""
    sys.stdin.read()
    time.sleep(600)


def say(stdout: str, stderr: str, exit_code: str, *_: str) -> None:
    """Write two texts and exit; KEY and PROMPT are replaced by their values."""
    prompt = sys.stdin.read()
    for text, stream in ((stdout, sys.stdout), (stderr, sys.stderr)):
        stream.write(text.replace("KEY", _key()).replace("PROMPT", prompt))
    sys.exit(int(exit_code))


def result(exit_code: str, changes: str, *_: str) -> None:
    """Give an answer, changed."""
    _end(_result() | json.loads(changes.replace("KEY", _key())), exit_code=int(exit_code))


def flood(stream: str, *_: str) -> None:
    """Write 100 MiB, and then an answer."""
    out = {"stdout": sys.stdout, "stderr": sys.stderr}[stream].buffer
    out.write(_key().encode())
    out.writelines([_MIB] * 100)
    sys.stdout.write("\n" + json.dumps(_result()))


def cut(*_: str) -> None:
    """Write half of an answer."""
    text = json.dumps(_result())
    sys.stdout.write(text[: len(text) // 2])


def hang(*_: str) -> None:
    """Say something and stay."""
    sys.stdout.write(_key())
    sys.stdout.flush()
    time.sleep(600)


def family(address: str, *traits: str) -> None:
    """Stay, with a child, and with another in a separate session that keeps the output open."""
    os.execv(sys.executable, [sys.executable, "-S", _FAKE_CLI, "family", address, *traits])  # noqa: S606 -- no shell is needed


def _key() -> str:
    return os.environ["PLANTED_API_KEY"]


def _result(text: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1}
    answer |= {"session_id": "6b1f7f0a-0000-4000-8000-000000000001", "usage": {"input_tokens": 7, "output_tokens": 3}}
    return answer | {"result": text or f"Yes, {_key()}."}


def _end(value: dict[str, Any], *, exit_code: int = 0) -> None:
    sys.stdout.write(json.dumps(value))
    sys.exit(exit_code)


_MODES = (answers, fails, complains, stays, say, result, flood, cut, hang, family)

if __name__ == "__main__":
    {mode.__name__: mode for mode in _MODES}[sys.argv[1]](*sys.argv[2:])
