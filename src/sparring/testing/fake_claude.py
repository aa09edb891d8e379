"""A real little program that speaks Claude Code's JSON: ``python fake_claude.py MODE [ARGUMENT...]``.

``answers`` says what it was asked and how it was called: its answer is JSON with ``prompt``, ``arguments``,
``environment`` and ``folder``. ``fails`` fails as with a wrong key, ``complains`` says what it was asked on standard
error and ends without a result, ``stays`` never answers.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def main(mode: str, arguments: list[str]) -> None:
    """Read the prompt and behave as ``mode`` says."""
    prompt = sys.stdin.read()
    if mode == "stays":
        time.sleep(600)
    if mode == "complains":
        sys.stderr.write(f"error: {prompt.removeprefix('First.').lstrip()}")
        sys.exit(3)
    result: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1}
    result |= {"session_id": "6b1f7f0a-0000-4000-8000-000000000001", "usage": {"input_tokens": 7, "output_tokens": 3}}
    if mode == "fails":
        result |= {"is_error": True, "api_error_status": 401, "result": "Invalid API key"}
    else:
        said = {"prompt": prompt, "arguments": arguments, "environment": dict(os.environ), "folder": str(Path.cwd())}
        result["result"] = json.dumps(said)
    sys.stdout.write(json.dumps(result))
    sys.exit(mode == "fails")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
